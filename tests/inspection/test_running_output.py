"""The shown end of an output is the end of all that came, and the lines are all lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.inspection.running_output import LONGEST, RunningOutput


@given(st.lists(st.lists(st.text("ab\n", max_size=6), max_size=5), max_size=6))
def test_any_pieces_in_any_batches_give_the_same(batches: list[list[str]]) -> None:
    output, whole = RunningOutput(), "".join(piece for batch in batches for piece in batch)
    for batch in batches:
        for piece in batch:
            output.add(piece)
        assert output.grew == any(batch)
        joined = output.join()
    if any(any(batch) for batch in batches):
        assert joined == (whole, whole.count("\n") + (not whole.endswith("\n")))


def test_only_the_end_is_kept() -> None:
    output = RunningOutput()
    output.add("a\n" * LONGEST)
    output.add("end")
    text, lines = output.join()
    assert len(text) == LONGEST
    assert text.endswith("a\nend")
    assert lines == LONGEST + 1
