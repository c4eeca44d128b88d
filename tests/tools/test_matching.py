"""Old text is found in exactly one place, by the first tier that fits; anything less clear is an error that helps."""

from __future__ import annotations

import contextlib
import time
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from workbench.errors import ToolError
from workbench.tools.matching import find_match


def replaced(view: str, old: str, new: str, **options: Any) -> tuple[str, str]:
    """Return the tier and the new text."""
    match = find_match(view, old, new, **options)
    out, done = "", 0
    for start, end, text in match.replacements:
        out += view[done:start] + text
        done = end
    return match.tier, out + view[done:]


def refused(view: str, old: str, new: str = "x", **options: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        find_match(view, old, new, **options)
    return caught.value


TEXT = st.text(st.sampled_from("ab \t\n"), max_size=30)


@given(TEXT, TEXT.filter(bool), TEXT)
def test_exact_tier_is_what_replace_does(view: str, old: str, new: str) -> None:
    overlapping = sum(view.startswith(old, place) for place in range(len(view)))
    if overlapping == 1:
        assert replaced(view, old, new) == ("exact", view.replace(old, new))
    elif overlapping > 1:
        assert refused(view, old, new).detail["count"] == overlapping
    if overlapping:
        assert replaced(view, old, new, replace_all=True) == ("exact", view.replace(old, new))


CHANGES: list[Callable[[str], str]] = [str.rstrip, str.expandtabs, str.lstrip, lambda line: "    " + line, lambda line: line + "  "]


@given(st.lists(st.sampled_from(["a", "b", "  c", "\td", "", "  ", "\t\te"]), min_size=1, max_size=8), st.data())
def test_tolerant_tiers_change_nothing_outside_their_lines(lines: list[str], data: st.DataObject) -> None:
    view = "".join(line + "\n" for line in lines)
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first + 1, len(lines)))
    change = data.draw(st.sampled_from(CHANGES))
    old = "".join(change(line) + "\n" for line in lines[first:last])
    assume(old.strip())
    with contextlib.suppress(ToolError):
        _check_surroundings(lines, first, last, replaced(view, old, "NEW\n")[1])


def _check_surroundings(lines: list[str], first: int, last: int, result: str) -> None:
    lines_after = result.split("\n")
    place = next(number for number, line in enumerate(lines_after) if line.strip() == "NEW")
    count = last - first
    assert lines_after[:place] == lines[:place]
    assert lines_after[place + 1 : -1] == lines[place + count :]


def test_numbers_of_read_are_taken_off() -> None:
    view = "a\n\nb\na\n"
    assert replaced(view, "2: \n3: b\n", "2: \n3: B\n") == ("line_numbers", "a\n\nB\na\n")
    assert replaced(view, "2:\n3: b", "c") == ("line_numbers", "a\nc\na\n")
    assert replaced("x\n    y\n", "2:     y", "2:     z") == ("line_numbers", "x\n    z\n")


def test_number_picks_among_equal_lines_and_only_among_them() -> None:
    view = "a\nb\na\n"
    assert replaced(view, "3: a\n", "3: c\n") == ("line_numbers", "a\nb\nc\n")
    assert refused(view, "7: a\n").kind == "old_string_not_unique"
    assert replaced(view, "7: b\n", "c\n") == ("line_numbers", "a\nc\na\n")


def test_numbers_that_may_be_content_are_left_alone() -> None:
    assert replaced("1: x\n2: y\n", "1: x", "1: z") == ("exact", "1: z\n2: y\n")
    assert refused("a\nb\n", "1: a\n2: b", "1: a\nplain").kind == "old_string_not_found"
    assert refused("xa\n", "1: a").kind == "old_string_not_found"
    assert refused("a\n", "1: \n", "x").kind == "old_string_not_found"


def test_blanks_at_line_ends() -> None:
    assert replaced("a  \nb\t\nc", "a\nb\nc\n", "a\nB\nc\nd\n") == ("trailing_whitespace", "a  \nB\nc\nd")
    assert replaced("a \nb", "a\nb  ", "a\nc") == ("trailing_whitespace", "a \nc")
    assert refused("ab \nc\n", "b\nc").kind == "old_string_not_found"


def test_indentation_rules() -> None:
    assert replaced("\tif a:\n\t\tb()\n", "if a:\n\tb()\n", "if a:\n\tb()\n\tc()\n") == ("indentation", "\tif a:\n\t\tb()\n\t\tc()\n")
    assert replaced("if a:\n  b()\n", "if a:\n\tb()\n", "if a:\n\tb()\n\tc()\n") == ("indentation", "if a:\n  b()\n  c()\n")
    assert replaced("\ta\n\n\tb\n", "    a\n\n    b\n", "    a\n\n    B\n") == ("indentation", "\ta\n\n\tB\n")
    assert refused("a\n  b\n", "  a\n    b\n", "c\n").kind == "old_string_not_found"


def test_rules_that_disagree_on_the_new_lines_are_not_used() -> None:
    view = "  a\n"
    assert replaced(view, "\ta\n", "\tb\n") == ("indentation", "  b\n")
    assert refused("\ta\n", "        a\n", "    b\n    c\n", tolerant=False).kind == "old_string_not_found"


def test_typographic_characters_stay_where_they_are() -> None:
    new = 'He said "no" - twice, "really"'
    assert replaced("He said “yes” – twice\n", 'He said "yes" - twice', new) == ("unicode", "He said “no” – twice, \"really\"\n")
    assert replaced("a\u00a0b – c\nd\n", "b - c\nd", "b - c\ne") == ("unicode", "a\u00a0b – c\ne\n")


def test_composed_and_decomposed_letters_fit() -> None:
    decomposed = unicodedata.normalize("NFD", "café au lait\n각하\n")
    assert replaced(decomposed, "café au", "café con") == ("unicode", unicodedata.normalize("NFD", "café con lait\n각하\n"))
    composed = "x\ncafé\n각하 y\n"
    assert replaced(composed, unicodedata.normalize("NFD", "각하 y"), "z") == ("unicode", "x\ncafé\nz\n")


def test_letter_is_never_cut_from_its_accent() -> None:
    assert refused("caf\u00e9 – x\n", "cafe - x").kind == "old_string_not_found"
    assert refused("“e\u0301\n", '"e', "x").kind == "old_string_not_found"


def test_typographic_match_must_be_unique_also_across_lines() -> None:
    assert refused("a – b\nx\na — b\n", "a - b").detail == {"count": 2, "lines": [1, 3]}


def test_closest_place_is_shown() -> None:
    function = "def total(items):\n    s = 0\n    for i in items:\n        s += i.price\n    return s\n"
    view = "".join(f"line {number}\n" for number in range(1, 30)) + function
    error = refused(view, "def total(items):\n    s = 0\n    for i in items:\n        s += i.cost\n    return s\n")
    assert "lines 30-34" in error.advice
    assert "-        s += i.cost\n+        s += i.price" in error.advice
    assert len(error.advice.splitlines()) <= 13


def test_other_case_and_other_spaces_are_named() -> None:
    assert "different upper and lower case at line 2" in refused("x\nFoo Bar\n", "foo bar").advice
    assert "different spaces or indentation at line 2" in refused("x\nfoo  (a,\n  b)\n", "foo (a, b)").advice


def test_nothing_alike_gives_no_hint() -> None:
    assert refused("alpha\n", "entirely other words").advice.count("\n") == 0
    assert refused("", "x").advice.count("\n") == 0


HOPELESS = {
    "late difference": "b\n" * 500 + "c",
    "one long line": "aaaa" * 500 + "b",
    "many equal lines": "a\n" * 2000 + "x\n",
    "indented": "  a\n" * 300 + "z",
    "nearly half of it": "  a\n" * 40_000,
}


@pytest.mark.parametrize("name", HOPELESS)
def test_hopeless_texts_do_not_hang(name: str) -> None:
    view = "b\n" * 50_000 + "a\n" * 50_000 + "a" * 100_000 + "\n"
    started = time.monotonic()
    assert refused(view, HOPELESS[name]).kind in {"old_string_not_found", "old_string_not_unique"}
    assert time.monotonic() - started < 8


def test_text_that_overlaps_itself_a_million_times_is_refused_at_once() -> None:
    started = time.monotonic()
    assert refused("a" * 4_000_000, "a" * 2_000_000).kind == "old_string_not_unique"
    assert time.monotonic() - started < 5
