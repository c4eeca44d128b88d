"""The package can be run as a module, and does what the script does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from workbench import __version__


def test_the_package_runs_as_a_module(tmp_path: Path) -> None:
    (tmp_path / "importlib.py").write_text("raise SystemExit('a module of the folder ran')")
    command = [sys.executable, "-P", "-m", "workbench", "--version"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"workbench {__version__}\n", "")
