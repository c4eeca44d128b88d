"""A difference shows everything that changes: nothing of it is folded, lost or misread."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.conversation.calls import Preview
from workbench.ui.approval.chunks import CHUNK
from workbench.ui.approval.diff_model import (
    FOLDED_FROM,
    Difference,
    DiffRow,
    Layout,
    changed_spans,
    difference,
    difference_of,
    is_large,
    unified_difference,
)
from workbench.workspace.line_diff import unified_diff

LINES = st.lists(st.sampled_from(["a", "b", "", "--- x", "+++ y", "@@ -1 +1 @@", "\\ No newline", "c" * 30, "d\r", " e"]), max_size=50)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))


def changes(shown: Difference, layout: Layout) -> tuple[list[str], list[str]]:
    """Return the removed and the added lines of a layout, with their line ends."""
    rows = [row for row in shown.rows(layout) if not row.part and row.kind in {"change", "add", "del"}]
    return [shown.old.lines[row.old] for row in rows if row.old >= 0], [shown.new.lines[row.new] for row in rows if row.new >= 0]


@given(TEXTS, TEXTS, st.sampled_from(["side", "unified"]))
def test_opened_rows_give_both_texts_back(before: str, after: str, layout: Layout) -> None:
    shown = difference(before, after)
    rows = shown.rows(layout, range(10_000))
    assert "".join(shown.old.lines[row.old] for row in rows if row.old >= 0 and not row.part) == before
    assert "".join(shown.new.lines[row.new] for row in rows if row.new >= 0 and not row.part) == after
    assert not any(row.kind == "gap" for row in rows)


@given(TEXTS, TEXTS)
def test_both_layouts_show_the_same_changes(before: str, after: str) -> None:
    shown = difference(before, after)
    assert changes(shown, "side") == changes(shown, "unified")
    removed, added = changes(shown, "side")
    assert (len(removed), len(added)) == (shown.removed, shown.added)


@given(TEXTS, TEXTS)
def test_unified_diff_read_back_shows_the_same_changes(before: str, after: str) -> None:
    body = unified_diff(before, after, "file")
    if not body:
        return
    read, shown = unified_difference(body), difference(before, after)
    assert changes(read, "unified") == changes(shown, "unified")
    removed, _added = changes(shown, "unified")
    numbers = [read.old.numbers[row.old] for row in read.rows("unified") if row.kind == "del"]
    assert [shown.old.lines[number - 1] for number in numbers] == removed


def test_removed_line_that_looks_like_a_head_is_shown() -> None:
    body = unified_diff("-- x\nsame\n", "same\n", "file")
    read = unified_difference(body)
    assert changes(read, "unified") == (["-- x\n"], [])


def test_only_unchanged_stretches_are_folded_and_they_can_be_opened() -> None:
    lines = [f"line {n}\n" for n in range(100)]
    after = [*lines[:50], "new\n", *lines[51:]]
    shown = difference("".join(lines), "".join(after))
    rows = shown.rows("unified")
    gaps = [row for row in rows if row.kind == "gap"]
    assert [gap.folded for gap in gaps] == [44, 43]
    assert sum(gap.folded for gap in gaps) + sum(row.kind == "same" for row in rows) == 99
    opened = shown.rows("unified", {gaps[0].new})
    assert [row.folded for row in opened if row.kind == "gap"] == [43]


def test_short_stretch_stays() -> None:
    text = "".join(f"{n}\n" for n in range(FOLDED_FROM - 1))
    assert not any(row.kind == "gap" for row in difference("a\n" + text, "b\n" + text).rows("side"))


def test_replaced_lines_stand_beside_each_other() -> None:
    shown = difference("a\nb\nc\n", "a\nB\nX\nc\n")
    assert shown.rows("side") == [DiffRow("same", 0, 0), DiffRow("change", 1, 1), DiffRow("add", -1, 2), DiffRow("same", 2, 3)]
    assert shown.rows("unified")[1:4] == [DiffRow("del", 1, -1, 0, 1), DiffRow("add", -1, 1, 0, 1), DiffRow("add", -1, 2, 0, -1)]


def test_very_long_line_goes_on_in_further_rows() -> None:
    shown = difference("", "x" * (2 * CHUNK + 1))
    assert [row.part for row in shown.rows("unified")] == [0, 1, 2]
    assert [row.part for row in difference("", "x" * CHUNK + "\n").rows("unified")] == [0]


@pytest.mark.parametrize(
    ("old", "new", "expected_old", "expected_new"),
    [
        ("raises(ValueError):", 'raises(ValueError, match="x"):', [], [', match="x"']),
        ("a = 1", "a = 2", ["1"], ["2"]),
        ("one two three", "one three", ["two "], []),
        ("alpha beta", "gamma delta", [], []),
        ("x" * 3000 + "a" + "y" * 10, "x" * 3000 + "b" + "y" * 10, ["a"], ["b"]),
    ],
)
def test_changed_words_are_marked(old: str, new: str, expected_old: list[str], expected_new: list[str]) -> None:
    spans = changed_spans(old, new)
    assert [old[start:end] for start, end in spans.old] == expected_old
    assert [new[start:end] for start, end in spans.new] == expected_new


@given(st.text(max_size=40), st.text(max_size=40))
def test_what_is_not_marked_is_the_same_on_both_sides(old: str, new: str) -> None:
    spans = changed_spans(old, new)
    if spans.old or spans.new:
        assert _without(old, spans.old) == _without(new, spans.new)


def _without(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    kept = [text[end:start] for (_first, end), (start, _last) in zip([(0, 0), *spans], [*spans, (len(text), len(text))], strict=True)]
    return "".join(kept)


def test_changed_line_ends_are_named() -> None:
    shown = difference("a\nb\nc\n", "a\r\nb\r\nc")
    rows = shown.rows("side")
    assert [row.kind for row in rows] == ["change"] * 3
    assert all(shown.shows_end("old", row.old, row.new) and shown.shows_end("new", row.new, row.old) for row in rows)
    same = difference("a\r\nb\r\n", "a\r\nB\r\n").rows("side")
    crlf = difference("a\r\nb\r\n", "a\r\nB\r\n")
    assert not crlf.shows_end("new", same[1].new, same[1].old)
    assert difference("", "last").shows_end("new", 0, -1)


def test_preview_without_texts_is_read_from_its_diff() -> None:
    body = unified_diff("a\nb\n", "a\nc\n", "x")
    assert not difference_of(Preview(kind="diff", body=body)).whole
    assert difference_of(Preview(kind="diff", before="a\n", after=None)).removed == 1
    assert difference_of(Preview(kind="diff", before=None, after="a\n")).added == 1
    assert difference_of(Preview(kind="new_file", body="a\nb")).added == 2


def test_large_texts_are_told() -> None:
    assert not is_large(Preview(kind="diff", before="a", after="b"))
    assert is_large(Preview(kind="diff", before="a" * 300_000, after="b"))
    assert is_large(Preview(kind="diff", before="\n" * 900, after="b"))
    assert not is_large(Preview(kind="new_file", body="x" * 300_000))
