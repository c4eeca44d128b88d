"""Differences of lines are complete, also for texts that a matcher would choke on."""

from __future__ import annotations

import difflib
import time

from hypothesis import given
from hypothesis import strategies as st

from workbench.workspace.line_diff import LineCounts, count_changes, line_opcodes, split_lines, unified_diff

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d\n"]), max_size=25)


def test_only_lf_ends_a_line() -> None:
    assert split_lines("a\x0b\x0c\x85\u2028b\rc\r\nd\n\ne") == ["a\x0b\x0c\x85\u2028b\rc\r\n", "d\n", "\n", "e"]
    assert split_lines("") == []


@given(LINES, LINES)
def test_steps_turn_the_old_text_into_the_new(old: list[str], new: list[str]) -> None:
    result: list[str] = []
    a = b = 0
    for step in line_opcodes(old, new):
        assert (step.a1, step.b1) == (a, b)
        a, b = step.a2, step.b2
        if step.tag == "equal":
            assert old[step.a1 : step.a2] == new[step.b1 : step.b2]
        result += new[step.b1 : step.b2]
    assert (a, b, result) == (len(old), len(new), new)


@given(LINES, LINES)
def test_unified_diff_is_one_that_patches(old: list[str], new: list[str]) -> None:
    diff = unified_diff("".join(old), "".join(new), "x")
    assert bool(diff) == (old != new)
    hunks = [line for line in diff.splitlines(keepends=True)[2:] if not line.startswith("@@")]
    assert [line[1:] for line in hunks if line[0] in " -"] == _lines_of_hunks(old, diff, "-")
    assert [line[1:] for line in hunks if line[0] in " +"] == _lines_of_hunks(new, diff, "+")


def _lines_of_hunks(lines: list[str], diff: str, sign: str) -> list[str]:
    found: list[str] = []
    for header in (line for line in diff.splitlines() if line.startswith("@@")):
        extent = next(word for word in header.split() if word.startswith(sign) and word != "@@")[1:]
        start, _, length = extent.partition(",")
        first = int(start) - (0 if length == "0" else 1)
        found += lines[first : first + int(length or 1)]
    return found


def test_diff_looks_like_the_usual_one() -> None:
    old = "".join(f"{number}\n" for number in range(30))
    new = old.replace("3\n", "three\n", 1).replace("25\n", "")
    usual = "".join(difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), "x", "x"))
    assert unified_diff(old, new, "x") == usual


def test_missing_final_newline_is_said_and_long_diffs_are_cut() -> None:
    assert unified_diff("a", "a\n", "x").splitlines()[2:] == ["@@ -1 +1 @@", "-a", "\\ No newline at end of file", "+a"]
    long = unified_diff("", "x\n" * 100, "x", limit_lines=10).splitlines()
    assert (len(long), long[-1]) == (11, "… 93 more lines of the diff")


def test_counts() -> None:
    assert count_changes(["a\n", "b\n"], ["a\n", "c\n", "d\n"]) == LineCounts(2, 1)


def test_thousands_of_equal_lines_do_not_hang() -> None:
    started = time.monotonic()
    counts = count_changes(["\n"] * 20_000 + ["x\n"], ["y\n"] + ["\n"] * 20_000)
    assert counts.added >= 1
    assert time.monotonic() - started < 5
