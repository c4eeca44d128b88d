"""Markdown is taken apart the same way however it arrives, and into the right pieces."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.pace import not_hung, steps
from tests.ui.chat.chats import split
from workbench.ui.chat.segments import LONGEST_LIST, Segment, Splitter

PIECES = [
    *("```", "````", "```py", "~~~", "`c`", "`", "~", "\n", "\n\n", "- a", "1. x", "2. y", "12)", "*", "+", "---", "  ", "    ", "\t", "\r\n", "\r"),
    *("# h", "#", "> q", ">", "word ", "|a|b|", "|-|-|", "1", ".", " ", "\0", "中", "\u202e", "## heading\n", "[a](b)"),
]
MARKDOWN = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
CUTS = st.lists(st.integers(1, 7), max_size=200)


def shape(segments: list[Segment]) -> list[tuple[object, ...]]:
    return [(one.kind, one.start, one.end, one.indent, one.language, tuple(one.lines), one.body_end, one.closed) for one in segments]


def kinds(text: str) -> list[tuple[str, str]]:
    return [(segment.kind, text[segment.start : segment.end]) for segment in split(text)]


@given(MARKDOWN, CUTS)
@example("```\na\n``", [1] * 9)
@example("1. a\n\n   ```py\n   b\n   ```\n\n   c", [2] * 20)
def test_any_chunking_gives_the_same_segments(text: str, cuts: list[int]) -> None:
    splitter, at = Splitter(), 0
    for cut in [*cuts, len(text)]:
        at = min(len(text), at + cut)
        splitter.grow(text[:at])
        assert shape(splitter.segments) == shape(split(text[:at])), repr(text[:at])


@given(MARKDOWN, CUTS)
def test_what_changed_is_told(text: str, cuts: list[int]) -> None:
    splitter, at = Splitter(), 0
    for cut in [*cuts, len(text)]:
        before = [(segment, segment.revision, segment.start, segment.end, segment.body_end) for segment in splitter.segments]
        at = min(len(text), at + cut)
        first = splitter.grow(text[:at])
        after = [(segment, segment.revision, segment.start, segment.end, segment.body_end) for segment in splitter.segments]
        assert before[:first] == after[:first]


@given(MARKDOWN)
def test_segments_are_in_order_and_leave_only_blanks_out(text: str) -> None:
    end = 0
    for segment in split(text):
        assert segment.start >= end
        assert not text[end : segment.start].strip()
        end = segment.end
    assert not text[end:].strip() or text[end:].strip() == ""


def test_paragraphs_headings_lists_quotes_and_code_are_segments() -> None:
    text = "One\nline\n\n# Head\ntext\n- a\n- b\n\n  more\n> said\n\n    indented\n\n```py\nx = 1\n```\nend"
    assert kinds(text) == [
        ("prose", "One\nline"),
        ("heading", "# Head"),
        ("prose", "text"),
        ("list", "- a\n- b\n\n  more\n> said\n\n    indented"),
        ("code", "```py\nx = 1\n```"),
        ("prose", "end"),
    ]


def test_indented_code_and_quotes_go_on_after_a_blank_line() -> None:
    assert kinds("> a\n\n> b\n\n    x\n\n    y\n\nz") == [("quote", "> a\n\n> b"), ("indented", "    x\n\n    y"), ("prose", "z")]


def test_a_list_interrupts_a_paragraph_only_as_markdown_says() -> None:
    assert [kind for kind, _text in kinds("Items:\n- a\n- b")] == ["prose", "list"]
    assert [kind for kind, _text in kinds("In\n1986. A year")] == ["prose"]
    assert [kind for kind, _text in kinds("Title\n---\n\ntext")] == ["prose", "prose"]


def test_code_knows_its_language_its_lines_and_its_end() -> None:
    text = "```Python title\nx = 1\r\n\ny\n```\nafter"
    code = split(text)[0]
    assert (code.kind, code.language, code.closed) == ("code", "python", True)
    assert [code.line(text, number).text for number in range(len(code.lines))] == ["x = 1", "", "y"]
    assert all(text.startswith(code.line(text, number).text, code.line(text, number).start) for number in range(3))


def test_a_fence_inside_an_item_keeps_only_the_indent_of_its_own_lines() -> None:
    text = "1. Do:\n\n   ```sh\n   ls\n     -l\n   ```\n\n   Then this.\n\nAfter"
    first, code, inside, after = split(text)
    assert (first.kind, code.kind, code.indent, inside.indent, after.indent) == ("list", "code", 3, 3, 0)
    assert [code.line(text, number).text for number in range(2)] == ["ls", "  -l"]


@pytest.mark.parametrize("text", ["```\na\n```` \n", "~~~\na\n```\n~~~\n", "```a`b\n", "`" * 5_000, "```\n" * 999])
def test_odd_fences_end_where_markdown_says(text: str) -> None:
    segments = split(text)
    match text:
        case "```\na\n```` \n" | "~~~\na\n```\n~~~\n":
            assert [segment.kind for segment in segments] == ["code"]
            assert segments[0].closed
        case "```a`b\n":
            assert segments[0].kind == "prose"
        case _:
            assert all(segment.kind == "code" for segment in segments)


def test_an_unclosed_fence_holds_all_that_follows() -> None:
    text = "```\n" + "# no heading\n\n" * 50
    assert [segment.kind for segment in split(text)] == ["code"]


def test_a_closing_fence_that_arrives_is_not_shown_as_code() -> None:
    splitter = Splitter()
    for text in ("```\na\n`", "```\na\n``", "```\na\n```"):
        splitter.grow(text)
        assert len(splitter.segments[0].lines) == 1, text


def test_a_long_list_goes_on_in_another_segment() -> None:
    text = "\n".join(f"- item {number}" for number in range(1_000))
    segments = split(text)
    assert {segment.kind for segment in segments} == {"list"}
    assert max(segment.end - segment.start for segment in segments) < LONGEST_LIST + 20
    assert "\n".join(text[segment.start : segment.end] for segment in segments) == text


def test_a_piece_costs_the_same_however_long_the_text_is() -> None:
    text = "word " * 4_000
    splitter = Splitter()
    costs = [steps(splitter.grow, text[:end]) for end in range(4, len(text), 4)]
    assert 0 < sum(costs[-100:]) < 2 * sum(costs[:100])


def test_a_hundred_thousand_lines_and_a_megabyte_without_a_blank_are_split_without_a_halt() -> None:
    with not_hung(5):
        assert len(split("line\n" * 100_000)) == 1
        assert len(split("x" * 1_000_000)) == 1
        assert len(split("```\n" + "line\n" * 100_000)[0].lines) == 100_000
