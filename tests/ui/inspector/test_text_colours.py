"""Colours of what is in sight: the same for a piece of a long line as for the whole."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.inspector.text_colours import CodeColours, JsonColours, Plain, Span, colours_for
from workbench.ui.inspector.text_lines import TextLines

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='ab"\\,:{}é中\n', max_size=40),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(alphabet='k"\\:', max_size=5), inner, max_size=5),
    max_leaves=10,
)


def spans(lines: TextLines, language: str, line: int = 0) -> list[tuple[str, str]]:
    colours = colours_for(lines, language)
    found = [span for piece in lines.pieces(line, 0, lines.cells(line) + 1) for span in colours.spans(line, piece)]
    return [(lines.data[span.start : span.end].decode(), span.token) for span in found]


def test_json_is_coloured_by_what_it_is() -> None:
    assert spans(TextLines('{"a" : "b\\"c", "n": [-1.5e3, true, null]}'), "json") == [
        ('"a"', "syn_name"),
        ('"b\\"c"', "syn_string"),
        ('"n"', "syn_name"),
        ("-1.5e3", "syn_number"),
        ("true", "syn_keyword"),
        ("null", "syn_keyword"),
    ]


def test_fields_of_an_event_stream_are_told_from_their_data() -> None:
    assert spans(TextLines('data: {"a":1}'), "sse") == [("data:", "syn_keyword"), ('"a"', "syn_name"), ("1", "syn_number")]


@given(st.lists(JSON, min_size=1, max_size=3))
def test_cutting_a_long_line_into_pieces_changes_no_colour(value: list[object]) -> None:
    text = json.dumps([value] * 40, ensure_ascii=False)
    lines = TextLines(text)
    whole = {offset: token for start, end, token in _tokens(text) for offset in range(start, end)}
    colours = JsonColours(lines)
    for piece in lines.pieces(0, 0, lines.cells(0) + 1):
        for span in colours.spans(0, piece):
            assert all(whole.get(offset) == span.token for offset in range(span.start, span.end)), lines.data[span.start : span.end]


def _tokens(text: str) -> list[tuple[int, int, str]]:
    """Return the tokens of JSON on one line, by a reader that goes from the beginning; numbers and words are left out."""
    data, found, at = text.encode(), [], 0
    while at < len(data):
        if data[at] != 0x22:
            begun = at
            while at < len(data) and data[at : at + 1] not in (b'"', b",", b":", b"[", b"]", b"{", b"}", b" "):
                at += 1
            if at > begun:
                found.append((begun, at, "syn_keyword" if data[begun : begun + 1].isalpha() else "syn_number"))
            at = max(at, begun + 1) if data[at : at + 1] != b'"' else at
            continue
        end = at + 1
        while data[end] != 0x22:
            end += 2 if data[end] == 0x5C else 1
        found.append((at, end + 1, "syn_name" if data[end + 1 : end + 2] == b":" else "syn_string"))
        at = end + 1
    return found


def test_code_is_coloured_in_slices() -> None:
    lines = TextLines('def f(x):\n    """é\n    中"""\n    return x + 1  # n\n')
    colours = colours_for(lines, "python")
    assert isinstance(colours, CodeColours)
    while colours.work():
        pass
    found = [[(lines.data[span.start : span.end].decode(), span.token) for span in colours.spans(n, next(lines.pieces(n, 0, 9)))] for n in range(4)]
    assert found[0][0] == ("def", "syn_keyword")
    assert ("f", "syn_name") in found[0]
    assert [text for text, token in found[2] if token == "syn_string"] == ['    中"""']
    assert found[3][-1] == ("# n", "syn_comment")


def test_unknown_languages_and_huge_code_stay_plain() -> None:
    assert isinstance(colours_for(TextLines("x"), "no such language"), Plain)
    assert isinstance(colours_for(TextLines("x = 1\n" * 100_000), "python"), Plain)
    assert Plain().spans(0, next(TextLines("x").pieces(0, 0, 1))) == []
    assert Span(0, 1, "text").end == 1
