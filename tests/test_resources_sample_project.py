"""The sample project is a sound small project with one bug that a test of its own shows, and things worth looking at."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.resources import resource


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A copy, so that running its tests leaves nothing behind in resources/."""
    return Path(shutil.copytree(resource("sample_project"), tmp_path / "sample", ignore=shutil.ignore_patterns("__pycache__")))


def run_tests(folder: Path) -> str:
    done = subprocess.run([sys.executable, "-B", "-m", "unittest", "-v"], cwd=folder, capture_output=True, text=True, timeout=50, check=False)
    return done.stderr


def test_only_the_test_of_the_bug_fails(sample: Path) -> None:
    report = run_tests(sample)
    assert "Ran 14 tests" in report
    assert "FAILED (errors=1)" in report
    assert "ERROR: test_one_digit" in report


def test_mended_bug_makes_all_tests_pass(sample: Path) -> None:
    dates = sample / "src" / "tidewatch" / "dates.py"
    dates.write_text(dates.read_text(encoding="utf-8").replace(r"-(\d{2})-(\d{2})", r"-(\d{1,2})-(\d{1,2})"), encoding="utf-8")
    assert run_tests(sample).rstrip().endswith("OK")


def test_readme_tells_the_truth_about_what_is_printed(sample: Path) -> None:
    command = [sys.executable, "-B", "-m", "tidewatch", "day", "../data/harbour.csv", "2026-03-10"]
    printed = subprocess.run(command, cwd=sample / "src", capture_output=True, text=True, timeout=50, check=True).stdout
    assert printed in (sample / "README.md").read_text(encoding="utf-8")


def test_prompts_of_the_first_run_fit_exactly_one_place(sample: Path) -> None:
    readme = (sample / "README.md").read_text(encoding="utf-8")
    assert readme.count("two digits") == 1
    assert readme.count("两位") == 1


def test_table_has_the_line_endings_of_a_spreadsheet(sample: Path) -> None:
    content = (sample / "data" / "harbour.csv").read_bytes()
    assert content.count(b"\r\n") == content.count(b"\n") == 13


def test_secrets_are_plainly_made_up(sample: Path) -> None:
    lines = [line for line in (sample / ".env").read_text(encoding="utf-8").splitlines() if "=" in line]
    assert lines
    assert all("example" in line.partition("=")[2] for line in lines)


def test_both_languages_have_a_readme_and_their_links_lead_somewhere(sample: Path) -> None:
    assert "[README.zh.md](README.zh.md)" in (sample / "README.md").read_text(encoding="utf-8")
    for name in ("README.zh.md", "AGENTS.md", "CHANGES.md", "docs/table.md", "pyproject.toml"):
        assert (sample / name).is_file()
