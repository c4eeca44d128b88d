"""Finds the paths a person means by a few letters: the name counts before its folders, whole pieces before scattered letters."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable
from typing import NamedTuple

ROWS = 50


class Found(NamedTuple):
    """A path, and where its matching letters stand: offsets in the path."""

    path: str
    offsets: tuple[int, ...]


def best_paths(query: str, paths: Iterable[str], limit: int = ROWS) -> tuple[Found, ...]:
    """Return the paths that fit, the best first; of equally good ones the shorter, then by name. All of them fit an empty query.

    Letters fit in either case and in order, with anything between them. About 0.5 µs a path that does not fit.
    """
    wanted = query.casefold()
    if not wanted:
        return tuple(Found(path, ()) for path in heapq.nsmallest(limit, paths, key=lambda path: (path.count("/"), path.casefold())))
    scattered = re.compile(".*?".join(map(re.escape, wanted)), re.DOTALL)
    fitting = ((path, folded) for path in paths if scattered.search(folded := path.casefold()))
    best = heapq.nsmallest(limit, ((_rank(wanted, folded), len(path), path) for path, folded in fitting))
    return tuple(Found(path, _offsets(wanted, path)) for _, _, path in best)


def _rank(wanted: str, folded: str) -> int:
    name = folded[folded.rfind("/") + 1 :]
    if name == wanted:
        return 0
    if name.startswith(wanted):
        return 1
    if wanted in name:
        return 2
    if folded.startswith(wanted):
        return 3
    if wanted in folded:
        return 4
    return 5 if _in_order(wanted, name) else 6


def _in_order(wanted: str, text: str) -> bool:
    place = -1
    for letter in wanted:
        place = text.find(letter, place + 1)
        if place < 0:
            return False
    return True


def _offsets(wanted: str, path: str) -> tuple[int, ...]:
    """Return the letters that fit: a whole piece where there is one, in the name if it can be, else one by one."""
    folded = path.casefold()
    if len(folded) != len(path):  # a letter such as ß is two when folded, so places in one are not places in the other
        return ()
    start = folded.rfind("/") + 1
    for begin in (folded.find(wanted, start), folded.find(wanted)):
        if begin >= 0:
            return tuple(range(begin, begin + len(wanted)))
    place = start - 1 if _in_order(wanted, folded[start:]) else -1
    found = []
    for letter in wanted:
        place = folded.find(letter, place + 1)
        found.append(place)
    return tuple(found)
