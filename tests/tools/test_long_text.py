"""Text that is too long for the model is cut, kept, and nothing is said to be missing when nothing is."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.tools.base import Result
from workbench.tools.long_text import MODEL_BYTES, MODEL_LINES, output_name, within_limits


@pytest.mark.parametrize("text", ["", "a", "x\n" * (MODEL_LINES - 1) + "x", "y" * MODEL_BYTES])
def test_what_fits_stays(tmp_path: Path, text: str) -> None:
    result = Result(text=text)
    assert within_limits(result, tmp_path, "call") is result
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["x\n" * MODEL_LINES + "x", ("中" * 100 + "\n") * 400, "z" * (MODEL_BYTES + 1)])
def test_what_does_not_fit_is_cut_and_kept_whole(tmp_path: Path, text: str) -> None:
    result = within_limits(Result(text=text, facts="f"), tmp_path, "call_9")
    assert (tmp_path / "call_9.txt").read_text(encoding="utf-8") == text
    assert (result.truncated, result.output_file, result.facts) == (True, "call_9.txt", "f")
    assert len(result.text.encode()) <= MODEL_BYTES
    shown, _, notice = result.text.rpartition("[... ")
    assert text.startswith(shown)
    assert notice.endswith(f" lines more; the whole text: {tmp_path / 'call_9.txt'}]")
    assert shown.count("\n") + int(notice.split()[0]) == text.count("\n") + 1


def test_full_disk_is_said(tmp_path: Path) -> None:
    result = within_limits(Result(text="x\n" * 3000), tmp_path / "gone", "call")
    assert "could not be kept: No such file or directory" in result.text
    assert (result.truncated, result.output_file) == (True, "")


def test_names_of_files_are_safe_and_different() -> None:
    assert output_name("call_5f-A") == "call_5f-A.txt"
    strange = [output_name(name) for name in ("../x", "..", "", "a/b", "a" * 200, "\ud800", "c\0d")]
    assert len(set(strange)) == len(strange)
    assert all(name.startswith("call_") and "/" not in name for name in strange)
