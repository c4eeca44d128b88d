"""Searching in files: exact counts, bounded keeping, hits in characters."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import ToolError
from workbench.workspace.content_search import KEEP_MATCHES, Found, SearchRequest, search
from workbench.workspace.worker import Stop


def find(folder: Path, pattern: str, **options: object) -> Found:
    return search(SearchRequest(pattern=pattern, folder=folder, **options), Stop())  # type: ignore[arg-type]


def test_hits_are_counted_in_characters(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("中文 hit and hit\r\n".encode() + b"\xff\xfe hit\n")
    (file,) = find(tmp_path, "hit").files
    first, second = file.lines
    assert (first.number, first.text, first.spans) == (1, "中文 hit and hit", ((3, 6), (11, 14)))
    assert (second.text, second.spans) == ("\ufffd\ufffd hit", ((3, 6),))


def test_counts_are_exact_and_what_is_kept_is_bounded(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number:03}").write_text("x\n" * 60)
    (tmp_path / "zz").write_text("x\n" * 100_000)
    found = find(tmp_path, "x")
    assert found.total == 300 * 60 + 100_000
    assert sum(file.kept for file in found.files) <= 2 * KEEP_MATCHES + 50
    assert [file.kept for file in found.files[:40]] == [50] * 40
    assert found.complete


def test_dollar_means_the_end_of_a_line_with_crlf_too(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\r\ntwo\r\n")
    assert find(tmp_path, "one$").total == 1


def test_unwanted_files_are_not_counted(tmp_path: Path) -> None:
    for name in ("a.py", "b.js"):
        (tmp_path / name).write_text("x\n")
    assert [file.path for file in find(tmp_path, "x", wanted=lambda path: path.endswith(".js")).files] == ["b.js"]


def test_one_giant_line(tmp_path: Path) -> None:
    (tmp_path / "a.min.js").write_bytes(b"x" * 8_000_000 + b"needle\n")
    (file,) = find(tmp_path, "needle").files
    assert file.lines[0].spans == ((8_000_000, 8_000_006),)


def test_name_with_a_dash_or_a_new_line_is_a_name(tmp_path: Path) -> None:
    for name in ("-e.txt", "a\nb.txt"):
        (tmp_path / name).write_text("hit\n")
    assert [file.path for file in find(tmp_path, "hit").files] == ["-e.txt", "a\nb.txt"]
    assert [file.path for file in find(tmp_path, "hit", file="-e.txt").files] == ["-e.txt"]


def test_search_that_was_stopped_says_so(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n")
    stop = Stop()
    stop.request()
    assert not search(SearchRequest(pattern="x", folder=tmp_path), stop).complete


@pytest.mark.parametrize("pattern", ["x" * 20_001, "a\0b"])
def test_impossible_patterns_are_refused(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(ToolError) as refused:
        find(tmp_path, pattern)
    assert refused.value.kind == "invalid_arguments"


def test_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(ToolError) as refused:
        find(tmp_path / "gone", "x")
    assert refused.value.kind == "spawn_failed"
