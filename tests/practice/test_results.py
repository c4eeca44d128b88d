"""What tools show is read back: lines, entries, matches, ends of commands. Any text gives something, nothing raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.practice.dialogue import file_result
from workbench.practice.results import Entry, read_ended, read_found, read_listing, read_matches, read_shown


def test_lines_of_a_file_come_without_their_numbers() -> None:
    shown = read_shown(file_result("a.py", "import os\n\n1: not a number of ours\n"))
    assert shown.lines == ["import os", "", "1: not a number of ours"]
    assert shown.whole
    assert shown.total == 3


def test_part_of_a_file_is_known_as_a_part() -> None:
    shown = read_shown(file_result("a.py", "x\ny", first=10, total=240))
    assert (shown.first, shown.total, shown.whole) == (10, 240, False)


def test_end_tag_as_a_line_of_the_file_does_not_end_it() -> None:
    assert read_shown(file_result("a.html", "<a>\n</content>\n<b>")).lines == ["<a>", "</content>", "<b>"]


def test_empty_file_has_no_lines() -> None:
    assert read_shown("<path>a</path>\n<type>file</type>\n(the file is empty)") == ([], 1, 0, False, False)


def test_folder_is_known_as_a_folder() -> None:
    shown = read_shown("<path>src</path>\n<type>folder</type>\n<entries>\na/\nb.py\n</entries>\n(entries 1-2 of 2)")
    assert shown.folder
    assert shown.lines == ["a/", "b.py"]


def test_tree_becomes_paths() -> None:
    tree = "docs/\n  a.md\nnode_modules/ (ignored)\nsrc/\n  pkg/ …\n  big.bin (12 MB)\n  x -> ../y\n  … 213 more\nmore.txt\n(not everything is shown)"
    listing = read_listing(tree)
    assert listing.entries == [
        Entry("docs", True),
        Entry("docs/a.md"),
        Entry("node_modules", True),
        Entry("src", True),
        Entry("src/pkg", True),
        Entry("src/big.bin"),
        Entry("src/x"),
        Entry("more.txt"),
    ]
    assert listing.cut


def test_drawn_tree_and_plain_paths_are_read_too() -> None:
    assert [entry.path for entry in read_listing("src/\n├── a.py\n└── b/\n    └── c.py").entries] == ["src", "src/a.py", "src/b", "src/b/c.py"]
    assert [entry.path for entry in read_listing("./src/a.py\nsrc/b.py").entries] == ["src/a.py", "src/b.py"]


def test_empty_folder_has_no_entries() -> None:
    assert read_listing("(the folder is empty)") == ([], False)


def test_matches_are_counted_by_file() -> None:
    rows = "src/a.py\n  12: def foo(x):\n  13- y\n  20: foo\n  ... 9 more in this file\nb.py\n  1: foo\n(note)"
    assert read_matches(f"Found 250 matches in 3 files (first 3):\n{rows}") == (250, {"src/a.py": 2, "b.py": 1}, 3)
    assert read_matches("Found at least 1 match in 1 file:\na\n  1: x").total == 1
    assert read_matches("No matches found.").total == 0


def test_found_files_are_listed() -> None:
    assert read_found("Found 120 files, newest 2:\na.py\nsrc/b.py") == (["a.py", "src/b.py"], 120)
    assert read_found("No files found.\n3 matches are in ignored folders or files; use include_ignored.") == ([], 0)


@pytest.mark.parametrize(
    ("result", "code", "last"),
    [
        ("one\ntwo\n[exit code 0 · 1.2 s]", 0, "two"),
        ("x\n[exit code 127: command not found · 0.0 s]\n[still running: 4711 node; log: /l]", 127, "x"),
        ("(no output)\n[exit code 0; pipeline 1|0 · 0.1 s]", 0, ""),
        ("[exit code 9]\nits own last words\n[exit code 1 · 1 s]\n(the command ended in sub/; the next call starts …)", 1, "its own last words"),
        ("free text", None, "free text"),
    ],
)
def test_end_of_a_command_is_read(result: str, code: int | None, last: str) -> None:
    assert read_ended(result) == (code, last)


@pytest.mark.parametrize("reader", [read_shown, read_listing, read_matches, read_found, read_ended])
@given(text=st.text(alphabet=st.sampled_from("<content>/\n 0123456789:()…-. ab\t"), max_size=120))
def test_any_text_is_read(reader: Callable[[str], Any], text: str) -> None:
    assert reader(text) is not None
