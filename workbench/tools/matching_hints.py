"""What to tell a model whose quoted text does not occur: where it stands in another form, and the closest place of the file.

Similarity is used here only, to point; nothing is ever replaced because it is similar.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict

from workbench.workspace.line_diff import split_lines, unified_diff

_DIFF_LINES = 10
_LINES_COMPARED = 5000
_PLACES_PER_LINE = 50
_QUOTE_LIMIT = 20_000
_SEARCH_LIMIT = 2_000_000
_SEARCH_QUOTE_LIMIT = 2_000


def not_found_hints(view: str, old: str) -> list[str]:
    """Return sentences that help to quote the text as it is; none if nothing in the file is like it."""
    if not old.strip() or len(old) > _QUOTE_LIMIT:
        return []
    hints: list[str] = []
    if len(view) > _SEARCH_LIMIT or len(old) > _SEARCH_QUOTE_LIMIT:
        return _closest(view, old)
    if (place := _search(re.escape(old), view, re.IGNORECASE)) is not None:
        hints.append(f"The text occurs with different upper and lower case at line {_line(view, place)}.")
    elif (place := _search(_loose(old), view, 0)) is not None:
        hints.append(f"The text occurs with different spaces or indentation at line {_line(view, place)}.")
    return hints + _closest(view, old)


def _search(pattern: str, view: str, flags: int) -> int | None:
    found = re.search(pattern, view, flags)
    return found.start() if found else None


def _loose(old: str) -> str:
    """Return a pattern for the same words with any blanks between them; each gap can be read in one way only."""
    return r"\s+".join(re.escape(word) for word in old.split())


def _line(view: str, place: int) -> int:
    return view.count("\n", 0, place) + 1


def _closest(view: str, old: str) -> list[str]:
    lines, quoted = split_lines(view), split_lines(old)
    first = _best_start([line.strip() for line in lines], [line.strip() for line in quoted])
    if first is None:
        return []
    region = lines[first : first + len(quoted)]
    diff = unified_diff(_ended(quoted), _ended(region), "", context=1).split("\n")[3:-1]
    shown = diff[:_DIFF_LINES] + (["…"] if len(diff) > _DIFF_LINES else [])
    last = first + len(region)
    return ["\n".join((f"The closest place is {_extent(first + 1, last)} (- what you sent, + what the file has):", *shown))]


def _best_start(lines: list[str], quoted: list[str]) -> int | None:
    """Return the line (from 0) at which most quoted lines stand where they should, else one like the longest of them."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        if line and len(places[line]) < _PLACES_PER_LINE:
            places[line].append(number)
    votes = Counter(place - number for number, line in enumerate(quoted) if line for place in places.get(line, ()))
    if votes:
        return max(0, max(votes.items(), key=lambda vote: (vote[1], -vote[0]))[0])
    number, longest = max(enumerate(quoted), key=lambda item: len(item[1]))
    like = difflib.get_close_matches(longest, list(dict.fromkeys(line for line in lines[:_LINES_COMPARED] if line and len(line) < 500)), n=1, cutoff=0.5)
    return max(0, lines.index(like[0]) - number) if like else None


def _extent(first: int, last: int) -> str:
    return f"line {first}" if first >= last else f"lines {first}-{last}"


def _ended(lines: list[str]) -> str:
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)
