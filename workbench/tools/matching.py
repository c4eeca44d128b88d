"""Where an edit's old text stands in a file: five tiers from exact to typographic, each of which must fit exactly one place.

Nothing here guesses: no similarity, no anchors, no unescaping. The first tier that fits anywhere decides, and more than one place is
an error, so the text that is replaced is always the text that was quoted.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from workbench.errors import ToolError
from workbench.redaction.marks import MARK
from workbench.tools.matching_hints import not_found_hints
from workbench.tools.matching_lines import Found, indentation_matches, trailing_whitespace_matches, whole_line_places
from workbench.tools.matching_unicode import unicode_matches
from workbench.workspace.splice import Replacement

Tier: TypeAlias = Literal["exact", "line_numbers", "trailing_whitespace", "indentation", "unicode"]

_LISTED = 10
_COMPARED_AT_MOST = 50_000_000
"""Characters compared while counting places: a text that overlaps itself a million times is not unique, however often it occurs."""

_READ_PREFIX = re.compile(r"(\d+):(?: (.*))?", re.DOTALL)


class Match(NamedTuple):
    """Where the old text stands and what replaces it, in places of the view; `replacements` are in rising order."""

    tier: Tier
    replacements: tuple[Replacement, ...]


def find_match(view: str, old: str, new: str, *, replace_all: bool = False, tolerant: bool = True) -> Match:
    """Find the one place an edit means.

    Args:
        view: the file's text with LF.
        old: text to replace, LF, not empty.
        new: text to put there, LF.
        replace_all: replace every exact occurrence, from left to right; never tolerant.
        tolerant: also try the tiers after the first.

    Raises:
        ToolError: ``old_string_not_found`` with the closest place; ``old_string_not_unique`` with ``count`` and ``lines`` in its detail.
    """
    if replace_all:
        found = [Found(place, place + len(old), new) for place in occurrences(view, old, overlapping=False)]
        if found:
            return _match("exact", found)
    else:
        for tier in TIERS if tolerant and old.strip() else TIERS[:1]:
            found = _found_by(tier, view, old, new)
            if len(found) > 1:
                raise _not_unique(view, [one.start for one in found], tier)
            if found:
                return _match(tier, found)
    raise _not_found(view, old)


TIERS: tuple[Tier, ...] = ("exact", "line_numbers", "trailing_whitespace", "indentation", "unicode")


def occurrences(view: str, text: str, *, overlapping: bool = True) -> Iterator[int]:
    """Yield the places where `text` stands in `view`."""
    place = view.find(text)
    while place >= 0:
        yield place
        place = view.find(text, place + (1 if overlapping else len(text)))


def _found_by(tier: Tier, view: str, old: str, new: str) -> list[Found]:
    match tier:
        case "exact":
            places = itertools.islice(occurrences(view, old), max(_LISTED + 1, _COMPARED_AT_MOST // len(old)))
            return [Found(place, place + len(old), new) for place in places]
        case "line_numbers":
            return _line_number_matches(view, old, new)
        case "trailing_whitespace":
            return trailing_whitespace_matches(view, old, new)
        case "indentation":
            return indentation_matches(view, old, new)
        case "unicode":
            return unicode_matches(view, old, new)


def _match(tier: Tier, found: Sequence[Found]) -> Match:
    return Match(tier, tuple(Replacement(*one) for one in found))


def _line_number_matches(view: str, old: str, new: str) -> list[Found]:
    """Fit text quoted with the numbers that read shows; among equal lines the number picks."""
    first, stripped = _without_numbers(old, consecutive=True)
    if first is None or not stripped.strip():
        return []
    new_first, new_stripped = _without_numbers(new, consecutive=False)
    if new_first is None and any(_READ_PREFIX.fullmatch(line) for line in new.split("\n") if line):
        return []
    places = whole_line_places(view, stripped)
    if len(places) > 1:
        numbered = [place for place in places if view.count("\n", 0, place) + 1 == first]
        places = numbered or places
    return [Found(place, place + len(stripped), new if new_first is None else new_stripped) for place in places]


def _without_numbers(text: str, *, consecutive: bool) -> tuple[int | None, str]:
    """Take read's prefix off every line; the first number is None if a line has none, or if they do not count up."""
    body, end = (text[:-1], "\n") if text.endswith("\n") else (text, "")
    parts = [_READ_PREFIX.fullmatch(line) for line in body.split("\n")]
    found = [(int(part[1]), part[2] or "") for part in parts if part is not None]
    if len(found) != len(parts):
        return None, text
    numbers = [number for number, _ in found]
    if consecutive and numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None, text
    return numbers[0], "\n".join(line for _, line in found) + end


def _not_unique(view: str, places: list[int], tier: Tier) -> ToolError:
    lines = [view.count("\n", 0, place) + 1 for place in places[:_LISTED]]
    listed = ", ".join(map(str, lines)) + (", …" if len(places) > _LISTED else "")
    how = "" if tier == "exact" else " (not exactly, but nearly)"
    return ToolError(
        "old_string_not_unique",
        f"old_string occurs {len(places)} times{how}, at lines {listed}.",
        "Quote more of the lines around the one you mean, or set replace_all to change every exact occurrence.",
        detail={"count": len(places), "lines": lines},
    )


def _not_found(view: str, old: str) -> ToolError:
    hints = not_found_hints(view, old)
    advice = "Quote the text exactly as read shows it, without the line numbers."
    if MARK.search(old):
        advice = "Quote other lines: [REDACTED:NAME] is not in the file, it stands where a secret was hidden from you."
    return ToolError("old_string_not_found", "old_string does not occur in the file.", "\n".join((advice, *hints)), detail={"hints": tuple(hints)})
