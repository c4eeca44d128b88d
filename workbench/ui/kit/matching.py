"""Whether a name is meant by a few letters, and which of its letters fit. No Qt."""

from __future__ import annotations

from typing import NamedTuple

WHOLE, START, WORD, INSIDE, SCATTERED = range(5)
"""How well a piece fits: it is all, at the beginning, at the beginning of a word, somewhere, or letter by letter."""


class Fit(NamedTuple):
    """A name that fits; a smaller rank fits better. `offsets` are the places of the letters that fit, in order."""

    rank: int
    offsets: tuple[int, ...]


def fit(query: str, name: str) -> Fit | None:
    """Say how a name fits; None if it does not. Every word of the query must fit somewhere, in either case; an empty query fits all.

    A word of two letters or fewer must be found in one piece: scattered letters would fit nearly everything.
    """
    folded = _folded(name)
    rank, offsets = 0, set[int]()
    for word in query.split():
        fits = _fits(_folded(word), folded)
        if fits is None:
            return None
        rank = max(rank, fits.rank)
        offsets.update(fits.offsets)
    return Fit(rank, tuple(sorted(offsets)))


def _folded(text: str) -> str:
    """Return the text without case, each letter still at its place."""
    folded = text.casefold()
    return folded if len(folded) == len(text) else "".join(piece if len(piece := letter.casefold()) == 1 else letter for letter in text)


def _fits(word: str, name: str) -> Fit | None:
    place, rank = name.find(word), INSIDE
    if place < 0:
        return _letters(word, name) if len(word) > 2 else None
    if place == 0:
        rank = WHOLE if word == name else START
    else:
        begins = _word_start(word, name)
        place, rank = (begins, WORD) if begins >= 0 else (place, INSIDE)
    return Fit(rank, tuple(range(place, place + len(word))))


def _word_start(word: str, name: str) -> int:
    place = name.find(word)
    while place >= 0:
        if not name[place - 1 : place].isalnum():
            return place
        place = name.find(word, place + 1)
    return -1


def _letters(word: str, name: str) -> Fit | None:
    offsets, place = [], -1
    for letter in word:
        place = name.find(letter, place + 1)
        if place < 0:
            return None
        offsets.append(place)
    return Fit(SCATTERED, tuple(offsets))
