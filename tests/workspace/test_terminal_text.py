"""Output becomes the same text however it is cut, costs bounded memory, and is shortened with exact counts."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.workspace.terminal_text import Excerpt, HeadAndTail, TerminalText

PIECES = [
    b"a", "\u4e2d".encode(), "\U0001f600".encode(), b"\n", b"\r", b"\r\n", b"\b", b"\x1b[31m", b"\x1b[0K", b"\x1b[2K", b"\x1b]0;t\x07",
    b"\x1b]8;;u\x1b\\", b"\x1b", b"\xff", b"\0", b"\x07", b" ", b"xyz",
]  # fmt: skip


def read(data: bytes, cut: int | None = None) -> tuple[str, Excerpt]:
    text = TerminalText()
    size = cut or max(1, len(data))
    lines = "".join(text.feed(data[start : start + size]) for start in range(0, len(data), size))
    lines += text.end()
    return lines, text.excerpt()


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"plain\n", "plain\n"),
        (b"a\r\nb\r\n", "a\nb\n"),
        (b"10%\r50%\r100%\n", "100%\n"),
        (b"load 100%\rdone\n", "done 100%\n"),
        (b"load 100%\r\x1b[Kdone\n", "done\n"),
        (b"gone\x1b[2K\rleft\n", "left\n"),
        (b"abc\b\bX\n", "aXc\n"),
        (b"\b\bx", "x"),
        (b"\x1b[1;31mred\x1b[0m \x1b[?25lcursor\n", "red cursor\n"),
        (b"\x1b]0;title\x07x\x1b[2J\n", "x\n"),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n", "link\n"),
        (b"\x1bP1;2q data \x1b\\after\n", "after\n"),
        (b"\x1b(Btext\x1b=\n", "text\n"),
        (b"bell\x07 form\x0c del\x7f\n", "bell\\x07 form\\x0c del\\x7f\n"),
        (b"a\0b\n", "a\ufffdb\n"),
        (b"\x1b\n", "\\x1b\n"),
        (b"end\x1b", "end\\x1b"),
        (b"end\x1b[3", "end\\x1b[3"),
        (b"\x1b]never ended\nnext\n", "\\x1b]never ended\nnext\n"),
        (b"\xf0ab", "\ufffdab"),
        ("\u009b31m\n".encode(), "\\x9b31m\n"),
    ],
)
def test_text_is_what_a_terminal_would_show(data: bytes, shown: str) -> None:
    for cut in (None, 1, 2, 3):
        lines, excerpt = read(data, cut)
        assert excerpt.text == shown
        assert lines == shown


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.integers(1, 7))
def test_cuts_make_no_difference_and_nothing_dangerous_passes(pieces: list[bytes], cut: int) -> None:
    data = b"".join(pieces)
    whole, excerpt = read(data)
    assert read(data, cut) == (whole, excerpt)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", excerpt.text)


def test_unfinished_line_is_seen_before_its_end() -> None:
    text = TerminalText()
    assert text.feed("load 5\r\u4e2d".encode()[:-1]) == ""
    assert text.pending == "load 5"
    assert text.feed("\u4e2d".encode()[-1:]) == ""
    assert text.pending == "\u4e2doad 5"
    assert text.excerpt().text == "\u4e2doad 5"


def test_altered_says_when_the_raw_output_says_more() -> None:
    assert not read(b"plain\r\ntext\r\n", 7)[1].altered
    for data in (b"\x1b[31mred", b"a\rb\n", b"\xff", b"\0", b"\x07"):
        assert read(data)[1].altered, data


@pytest.mark.parametrize("data", [b"\0" * 5000, b"\x7fELF" + bytes(range(32)) * 40, b"PK" + bytes(200) + b"x" * 5000])
def test_binary_output_is_only_counted(data: bytes) -> None:
    excerpt = read(data, 1000)[1]
    assert (excerpt.text, excerpt.binary) == (f"[binary output, {len(data)} bytes]", True)


@pytest.mark.parametrize("data", [b"a\0b\n" * 2, "\u4e2d\u6587\n".encode("gb18030") * 200, b"text\n" * 2000 + b"\0" * 7])
def test_text_with_a_few_odd_bytes_is_text(data: bytes) -> None:
    assert not read(data)[1].binary


def test_nothing_is_missing_at_exactly_the_limits() -> None:
    for text in ("x" * 29_999 + "\n", "\n" * 2000, "1234567\n" * 2000):
        excerpt = read(text.encode(), 999)[1]
        assert (excerpt.text, excerpt.truncated) == (text, False)
    for text in ("x" * 30_000 + "\n", "\n" * 2001, "\n" * 2000 + "x"):
        assert read(text.encode(), 999)[1].truncated, text[:10]


@given(st.lists(st.tuples(st.integers(0, 60), st.booleans()), max_size=120))
def test_head_and_tail_with_what_is_missing_make_the_whole(lines: list[tuple[int, bool]]) -> None:
    kept = HeadAndTail(characters=300, lines=20)
    whole = "".join(f"{number}" * 3 + "y" * size + ("\n" if newline else "") for number, (size, newline) in enumerate(lines))
    for start in range(0, len(whole), 37):
        kept.add(whole[start : start + 37])
    excerpt = kept.excerpt("")
    assert excerpt.total_characters == len(whole)
    if not excerpt.truncated:
        assert excerpt.text == whole
        return
    head, notice, tail = re.split(r"(?m)^(\[\.\.\. \d+ lines, \d+ characters omitted \.\.\.\])\n", excerpt.text)
    assert whole.endswith(tail)
    assert whole.startswith(head.removesuffix("\n"))
    assert notice == f"[... {excerpt.omitted_lines} lines, {excerpt.omitted_characters} characters omitted ...]"
    kept_characters = len(whole) - excerpt.omitted_characters
    assert kept_characters in (len(head) + len(tail), len(head) + len(tail) - 1)
    assert len(head) <= 121
    assert len(tail) <= 180
    assert excerpt.text.count("\n") <= 22


def test_end_is_kept_when_lines_are_long() -> None:
    data = b"".join(b"a" * 20_000 + b"\n" for _ in range(6)) + b"ERROR: the real cause\n"
    excerpt = read(data, 4096)[1]
    assert excerpt.text.endswith("ERROR: the real cause\n")
    assert excerpt.text.startswith("a" * 12_000)
    assert len(excerpt.text) < 30_100


def test_flood_without_line_ends_costs_bounded_memory() -> None:
    for data in (b"ab\r" * 200_000, b"z" * 600_000, b"\x1b[" + b"1;" * 300_000, b"\x1b]" * 300_000, b"x\b" * 300_000):
        text = TerminalText()
        for start in range(0, len(data), 65_536):
            text.feed(data[start : start + 65_536])
            assert len(text.pending) <= 2 * 65_536
        assert len(text.excerpt().text) < 31_000


def test_thirteen_megabytes_of_short_lines_take_less_than_two_seconds() -> None:
    text = TerminalText()
    started = time.monotonic()
    for _ in range(200):
        text.feed(b"line\n" * 13_107)
    assert text.excerpt().total_lines == 200 * 13_107
    assert time.monotonic() - started < 2
