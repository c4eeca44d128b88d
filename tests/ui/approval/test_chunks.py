"""A text cut into rows gives the text back, whatever its lines are like."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.approval.chunks import CHUNK, ChunkedText

PIECES = st.lists(st.sampled_from(["", "a", "\n", "x" * (CHUNK - 1), "x" * CHUNK, "x" * (CHUNK + 1), "y" * 5001, "\r\n"]), max_size=12)


@given(PIECES)
def test_rows_give_the_text_back(pieces: list[str]) -> None:
    text = "".join(pieces)
    chunked = ChunkedText(text)
    rows = [chunked.row(row) for row in range(len(chunked))]
    joined = rows[0] + "".join(("" if chunked.goes_on(row) else "\n") + rows[row] for row in range(1, len(rows)))
    assert joined == text
    assert all(len(row) <= CHUNK for row in rows)
    assert [text[chunked.start(row) : chunked.start(row) + len(rows[row])] for row in range(len(rows))] == rows
