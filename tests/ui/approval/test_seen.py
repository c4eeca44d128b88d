"""What was seen is remembered by line, however the lines are laid out."""

from __future__ import annotations

from workbench.ui.approval.seen import Seen


def test_rows_count_once() -> None:
    seen = Seen()
    seen.lay_out(4, 3, lambda row: (row,) if row != 2 else ())
    assert seen.mark([0, 1, 2])
    assert not seen.mark([0, 1, 2])
    assert (seen.count, seen.total, seen.whole) == (2, 3, False)
    assert seen.reach_end()
    assert not seen.reach_end()
    assert seen.whole


def test_other_layout_of_the_same_lines_keeps_what_was_seen() -> None:
    seen = Seen()
    beside = [(1, 11), (2, 12)]
    seen.lay_out(2, 2, lambda row: beside[row])
    seen.mark([0])
    below = [(1,), (11,), (2,), (12,)]
    seen.lay_out(4, 4, lambda row: below[row])
    assert seen.count == 2
    seen.mark([2])
    seen.lay_out(2, 2, lambda row: beside[row])
    assert seen.count == 1, "half of a row is not the row"
