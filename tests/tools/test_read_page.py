"""A page is the same however the text is cut into pieces, and memory does not grow with the file."""

from __future__ import annotations

import itertools
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.tools.read_page import PAGE_LIMIT_BYTES, Page, read_page

TEXT = st.lists(st.sampled_from(["a", "b", "\t", "\n", "\n", "\r\n", "\r", "é", "\u2028"]), max_size=40).map("".join)


def simple_page(text: str, first: int, limit: int) -> tuple[list[str], int]:
    """Return lines and total the plain way, for text with at least one LF or no CR."""
    view = text.replace("\r\n", "\n")
    lines = view.split("\n")
    if lines[-1] == "":
        lines.pop()
    shown = [f"{number}: {line}".replace("\r", "\u240d") for number, line in enumerate(lines, start=1)]
    return shown[first - 1 : first - 1 + limit], len(lines)


@given(TEXT.filter(lambda text: "\n" in text or "\r" not in text), st.integers(1, 12), st.integers(1, 6), st.integers(1, 7))
def test_pieces_do_not_matter(text: str, first: int, limit: int, size: int) -> None:
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    page = read_page(pieces, first=first, limit=limit, cr_ends_lines=False)
    assert (list(page.lines), page.total_lines) == simple_page(text, first, limit)
    assert page == read_page([text], first=first, limit=limit, cr_ends_lines=False)
    assert page.counted_all
    assert page.more == (bool(page.total_lines) and page.last < page.total_lines)


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("", ("empty",)),
        ("a\n", ()),
        ("a", ("no_final_newline",)),
        ("a\r\n", ("crlf",)),
        ("a\r\nb\n", ("mixed_endings",)),
        ("a\rb\n", ("lone_cr",)),
        ("a\r\r\nb\r\n", ("crlf", "lone_cr")),
        ("a\rb\r", ("cr_endings",)),
        ("\ta\n", ("tabs",)),
        ("a\n\tb\n", ("tabs",)),
        ("a\tb\n", ()),
        ("x" * 2001 + "\n", ("long_lines",)),
    ],
)
def test_what_is_unusual_is_noted(text: str, notes: tuple[str, ...]) -> None:
    assert read_page([text], first=1, limit=10).notes == notes
    assert read_page([*text[:50], text[50:]], first=1, limit=10, cr_ends_lines="\r" in text and "\n" not in text).notes == notes


def test_page_ends_on_a_line_border_at_its_limit() -> None:
    page = read_page(["y" * 99 + "\n"] * 1000, first=1, limit=2000)
    size = sum(len(line) + 1 for line in page.lines)
    assert PAGE_LIMIT_BYTES - 104 < size <= PAGE_LIMIT_BYTES
    assert (page.notes, page.more, page.total_lines) == (("capped",), True, 1000)
    assert read_page(["y" * 99 + "\n"] * 1000, first=page.last + 1, limit=2000).lines[0].startswith(f"{page.last + 1}: y")


def test_limit_counts_bytes_not_characters() -> None:
    page = read_page(["中" * 1000 + "\n"] * 40, first=1, limit=40)
    assert len(page.lines) == PAGE_LIMIT_BYTES // 3005


def test_endless_line_is_cut_and_memory_stays_small() -> None:
    def pieces() -> Iterator[str]:
        yield from itertools.repeat("x" * 100_000, 2000)

    tracemalloc.start()
    try:
        page = read_page(pieces(), first=1, limit=10)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
    assert not page.counted_all
    assert page.more
    assert "[line cut: more than 67" in page.lines[0]
    page = read_page(itertools.islice(pieces(), 100), first=1, limit=10)
    assert page.lines == ("1: " + "x" * 2000 + " … [line cut: 10000000 characters]",)


def test_counting_ends_some_time_after_the_page() -> None:
    page = read_page(itertools.repeat("line\n" * 20_000), first=3, limit=2)
    assert page.lines == ("3: line", "4: line")
    assert not page.counted_all
    assert page.total_lines > 13_000_000
    assert isinstance(page, Page)
