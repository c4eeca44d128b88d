"""Lines of any text, and the rows they take: every byte found from every side, however long the lines are."""

from __future__ import annotations

import gc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pace import not_hung
from workbench.ui.inspector.text_colours import colours_for
from workbench.ui.inspector.text_lines import FEWEST_COLUMNS, LONG_BYTES, Place, Recent, Rows, TextLines

TEXTS = st.text(alphabet=st.sampled_from('ab{"\\é中\t\x00\n\u0301'), max_size=80).map(str.encode) | st.binary(max_size=80)
LONG = st.lists(st.sampled_from([b"x" * 400, "中文".encode() * 200, b'"a\\"b" ' * 60, b"\n", b"\xff" * 50, b"\t" * 30, b"{}"]), max_size=8).map(b"".join)


@given(TEXTS | LONG)
def test_lines_are_those_between_line_feeds(data: bytes) -> None:
    lines = TextLines(data)
    assert [data[lines.start(n) : lines.end(n)] for n in range(len(lines))] == data.split(b"\n")
    for offset in range(0, len(data) + 1, max(1, len(data) // 50)):
        line = lines.line_at(offset)
        assert lines.start(line) <= offset <= lines.end(line)


@given(TEXTS | LONG, st.data())
def test_every_byte_has_a_place_and_the_place_its_byte(data: bytes, draw: st.DataObject) -> None:
    lines = TextLines(data)
    offset = draw.draw(st.integers(0, len(data)))
    place = lines.place(offset)
    assert 0 <= place.cell <= lines.cells(place.line)
    back = lines.offset(*place)
    if place.cell < lines.cells(place.line):  # what takes no cell at the end of a line stands where the line ends
        assert back <= offset
        assert lines.place(back) == place


@given(TEXTS | LONG, st.integers(0, 3000), st.integers(1, 200))
def test_a_window_shows_the_characters_that_stand_in_it(data: bytes, first: int, width: int) -> None:
    lines = TextLines(data)
    for line in range(min(len(lines), 4)):
        glyphs = [run for piece in lines.pieces(line, first, first + width) for run in lines.glyphs(piece, first, first + width)]
        if not any(run.marked for run in glyphs):
            shown = "".join(run.text for run in glyphs)
            start, end = lines.offset(line, first), lines.offset(line, first + width)
            assert data[start:end].decode("utf-8", "surrogateescape") in shown
        assert all(run.cell < first + width for run in glyphs)


@given(TEXTS | LONG, st.none() | st.integers(1, 120))
def test_rows_follow_each_other_without_gap(data: bytes, columns: int | None) -> None:
    lines = TextLines(data)
    rows = Rows(lines, columns)
    expected = []
    for line in range(len(lines)):
        count = 1 if rows.columns is None else max(1, -(-lines.cells(line) // rows.columns))
        expected += [Place(line, n * (rows.columns or 0)) for n in range(count)]
    assert [rows.place_of(row) for row in range(len(rows))] == expected
    for row, place in enumerate(expected):
        assert rows.row_of(place) == row
    assert all(rows.first_row(line) == expected.index(Place(line, 0)) for line in range(len(lines)))


@pytest.mark.parametrize("text", ["word " * 40, "wörter 中文 " * 30, "x" * 200, "a " + "x" * 100 + " b c", "\u202e " * 60, "a\n" + "word " * 30 + "\nb"])
def test_prose_is_wrapped_between_words(text: str) -> None:
    lines = TextLines(text)
    rows = Rows(lines, 30, words=True)
    shown = []
    for row in range(len(rows)):
        place = rows.place_of(row)
        assert rows.row_of(place) == row
        assert rows.end_of(row) - place.cell <= 30
        start, end = lines.offset(place.line, place.cell), lines.offset(place.line, rows.end_of(row))
        shown.append(lines.data[start:end].decode())
        last = row + 1 == len(rows) or rows.place_of(row + 1).line != place.line
        assert last or shown[-1].endswith(" ") or " " not in shown[-1][15:]
    assert "".join(shown) == text.replace("\n", "")


def test_end_of_a_line_stands_in_its_last_row() -> None:
    lines = TextLines("x" * (2 * FEWEST_COLUMNS))
    rows = Rows(lines, FEWEST_COLUMNS)
    assert len(rows) == 2
    assert rows.row_of(lines.place(len(lines.data))) == 1


@given(LONG)
def test_pieces_know_whether_they_begin_in_a_string(data: bytes) -> None:
    lines = TextLines(data)
    for line in range(len(lines)):
        inside, at = False, lines.start(line)
        for piece in lines.pieces(line, 0, lines.cells(line)):
            while at < piece.start:
                if data[at : at + 1] == b"\\":
                    at += 1
                elif data[at : at + 1] == b'"':
                    inside = not inside
                at += 1
            if at == piece.start and lines.end(line) - lines.start(line) > LONG_BYTES:
                assert piece.in_string == inside


@given(TEXTS)
def test_steps_go_from_character_to_character(data: bytes) -> None:
    lines = TextLines(data)
    forward, at = [0], 0
    while at < len(data):
        at = lines.step(at, 1)
        forward.append(at)
    backward = [len(data)]
    while at > 0:
        at = lines.step(at, -1)
        backward.append(at)
    assert forward == sorted(set(forward))
    assert backward == sorted(set(backward), reverse=True)
    assert lines.step(len(data), 1) == len(data)
    assert lines.step(0, -1) == 0


def test_large_text_goes_as_soon_as_nobody_shows_it() -> None:
    """Not when the garbage collector comes by: it may hold fifty megabytes."""
    gc.disable()
    try:
        lines = TextLines('{"a": "中"}\n' * 200)
        for language in ("json", "sse"):
            colours = colours_for(lines, language)
            colours.spans(0, next(lines.pieces(0, 0, 9)))
        list(lines.glyphs(next(lines.pieces(0, 0, 9)), 0, 9))
        gone = weakref.ref(lines)
        del lines, colours
        assert gone() is None
    finally:
        gc.enable()


def test_recent_values_are_kept_and_older_ones_go() -> None:
    made: list[int] = []

    def make(key: int) -> int:
        made.append(key)
        return key * 10

    recent: Recent[int, int] = Recent(2)
    for key in (1, 2, 1, 3, 2, 1):
        assert recent.get(key, make) == key * 10
    assert made == [1, 2, 3, 2, 1]


def test_text_with_half_characters_can_be_shown() -> None:
    assert TextLines("a\ud800b").data == b"a\xed\xa0\x80b"
    assert TextLines("a\udcffb").data == b"a\xffb"


@pytest.mark.parametrize("kind", ["one line", "short lines", "chinese"])
def test_large_text_is_known_without_a_halt(kind: str) -> None:
    data = {"one line": b"x" * 20_000_000, "short lines": b'    "key": 1,\n' * 1_000_000, "chinese": "一行中文".encode() * 1_000_000}[kind]
    with not_hung(5):
        lines = TextLines(data)
    rows = Rows(lines, 100)
    middle = len(rows) // 2
    with not_hung(1):
        for row in range(middle, middle + 50):
            place = rows.place_of(row)
            list(lines.pieces(place.line, place.cell, place.cell + 100))
