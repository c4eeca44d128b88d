"""Runs tests that must fail in a pytest of their own, under the real conftest files, and returns what it says about them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.shared import ROOT


def report_of(folder: Path, copied: Sequence[str], name: str, tests: str) -> str:
    """Return the report on bad tests.

    Args:
        folder: an empty folder, for a project of their own.
        copied: files of this project that they stand on.
        name: the file that holds them.
        tests: its text.
    """
    for path in copied:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, folder / path)
    (folder / name).write_text(tests)
    command = [sys.executable, "-P", "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", "-rA", "--tb=short", name]
    done = subprocess.run(command, cwd=folder, env={**os.environ, "COLUMNS": "200"}, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def section_of(report: str, name: str) -> str:
    """Return what a report says about one test that failed."""
    return report.split(f" {name} ", 1)[1].split("\n___", 1)[0]
