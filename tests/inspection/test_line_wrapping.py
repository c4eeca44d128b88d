"""Lines are wrapped without losing a character, and never inside an escape."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from workbench.inspection.line_wrapping import FEWEST_COLUMNS, HANGING, cells, wrapped

TEXTS = st.text(st.sampled_from('abc  "\\n你\u0301{}'), max_size=200)


@given(TEXTS, st.integers(0, 6), st.integers(1, 80))
def test_rows_are_the_line(words: str, depth: int, columns: int) -> None:
    line = " " * depth + json.dumps({"k": words}, ensure_ascii=False)
    rows = wrapped(line, columns)
    columns = max(columns, FEWEST_COLUMNS)
    indent = min(depth + HANGING, columns // 2)
    assert all(cells(text) <= columns for text, _inside in rows)
    assert rows[0][0] + "".join(text[indent:] for text, _inside in rows[1:]) == line
    assert not any((len(text) - len(text.rstrip("\\"))) % 2 for text, _inside in rows[:-1])


def test_rows_know_whether_they_begin_inside_a_text() -> None:
    rows = wrapped('"name": "' + "x" * 60 + '", "n": 1', 40)
    assert [inside for _text, inside in rows] == [False, True, True, False][: len(rows)]
    assert wrapped('"a": 1', 40) == [('"a": 1', False)]
