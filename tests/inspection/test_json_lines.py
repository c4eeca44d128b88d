"""JSON laid out in lines: the same JSON, however it is cut, and each line knows its value."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from workbench.inspection.json_lines import LONGEST, WIDTH, JsonLines, JsonScalars, tokens

WORDS = st.text(st.sampled_from('ab "\\\n{}[]:,é你'), max_size=12)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=20,
)


def laid_out(*pieces: str) -> JsonLines:
    lines = JsonLines()
    for piece in pieces:
        lines.feed(piece)
    return lines


@given(VALUES, st.booleans())
def test_the_lines_are_the_same_json(value: Any, compact: bool) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":") if compact else None)
    lines = laid_out(text).lines
    assert json.loads("\n".join(line.text for line in lines)) == value
    assert all(line.depth >= 0 for line in lines)


@given(st.lists(VALUES, min_size=1, max_size=4))
def test_pieces_give_what_the_whole_gives(values: list[Any]) -> None:
    """A copy in between goes on without changing what it was made of."""
    texts = [json.dumps(value) for value in values]
    pieces = ['{"m": [', *(text if not place else "," + text for place, text in enumerate(texts)), "]}"]
    whole = laid_out("".join(pieces)).lines
    begun = laid_out(pieces[0])
    for piece in pieces[1:]:
        other, before = begun.copy(), list(begun.lines)
        other.feed(piece)
        assert begun.lines == before
        begun = other
    assert begun.lines == whole


@given(VALUES)
def test_scalars_tell_the_way_to_each_value(value: Any) -> None:
    for path, text in JsonScalars().feed(json.dumps(value)):
        found = value
        for step in path:
            found = found[{json.dumps(name)[1:-1]: name for name in found}[str(step)]] if isinstance(found, dict) else found[step]
        assert json.loads(text) in found if isinstance(found, dict) else found == json.loads(text)


def test_small_values_stand_on_one_line_and_large_ones_do_not() -> None:
    small = laid_out('{"a":{"b":[1,2]},"c":[]}').lines
    assert [line.text for line in small] == ['{ "a": { "b": [1, 2] }, "c": [] }']
    large = laid_out(json.dumps({"key": "x" * WIDTH})).lines
    assert [(line.depth, line.path) for line in large] == [(0, ()), (1, ("key",)), (0, ())]


def test_a_long_text_is_cut_and_says_how_much_is_missing() -> None:
    (line,) = laid_out(json.dumps("x" * (LONGEST + 1000))).lines
    assert len(line.text) < LONGEST + 20
    assert line.text.endswith('… +1,001"')


def test_quotation_marks_inside_a_text_do_not_end_it() -> None:
    text = json.dumps({'a"b\\': 'c\\\\" d'})
    assert list(tokens(text)) == ["{", json.dumps('a"b\\'), ":", json.dumps('c\\\\" d'), "}"]
