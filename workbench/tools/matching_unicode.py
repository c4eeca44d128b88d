"""Text that fits but for typographic characters: quotes, dashes and no-break spaces, or composed against decomposed letters.

The file's own characters stay wherever the edit does not change them, so curly quotes remain curly.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterator

from workbench.tools.matching_lines import Found

_FOLDS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u00a0\u202f\u2007", " "),
    }
)


_PLACES_AT_MOST = 200


def unicode_matches(view: str, old: str, new: str) -> list[Found]:
    """Fit `old` after folding both; what it changes into `new` is changed in the file's own text."""
    folded_view, folded_old = _fold(view), _fold(old)
    if (folded_view, folded_old) == (view, old):
        return []
    lines = view.split("\n")
    spanned = folded_old.count("\n") + 1
    found: list[Found] = []
    line = line_start = folded_start = 0
    place = folded_view.find(folded_old)
    while place >= 0 and len(found) < _PLACES_AT_MOST:
        while (next_start := folded_view.find("\n", folded_start)) >= 0 and next_start < place:
            line_start += len(lines[line]) + 1
            line, folded_start = line + 1, next_start + 1
        segment = "\n".join(lines[line : line + spanned])
        if (one := _in_segment(segment, place - folded_start, old, new)) is not None:
            found.append(Found(line_start + one.start, line_start + one.end, one.new))
        place = folded_view.find(folded_old, place + 1)
    return found


def _fold(text: str) -> str:
    return unicodedata.normalize("NFD", text.translate(_FOLDS))


def _in_segment(segment: str, folded_place: int, old: str, new: str) -> Found | None:
    """Return the match in places of the segment; None if it would cut a letter from its accent."""
    raw_places = _raw_places(segment)
    start = raw_places.get(folded_place)
    end = raw_places.get(folded_place + len(_fold(old)))
    if start is None or end is None:
        return None
    replaced = _applied(segment, raw_places, folded_place, old, new)
    return None if replaced is None else Found(start, end, replaced)


def _raw_places(text: str) -> dict[int, int]:
    """Map places between whole letters of the folded text to places of the text itself."""
    places, raw, folded = {0: 0}, 0, 0
    for cluster in _clusters(text):
        raw += len(cluster)
        folded += len(_fold(cluster))
        places[folded] = raw
    return places


def _clusters(text: str) -> Iterator[str]:
    """Yield letters together with the combining marks that follow them."""
    start = 0
    for place in range(1, len(text)):
        if not unicodedata.combining(text[place]):
            yield text[start:place]
            start = place
    if text:
        yield text[start:]


def _applied(segment: str, raw_places: dict[int, int], folded_place: int, old: str, new: str) -> str | None:
    """Change the file's text as `old` changes into `new`, word by word."""
    old_words, new_words = _words(old), _words(new)
    bounds = [folded_place]
    for word in old_words:
        bounds.append(bounds[-1] + len(_fold(word)))
    out: list[str] = []
    for tag, a1, a2, b1, b2 in difflib.SequenceMatcher(None, old_words, new_words, autojunk=False).get_opcodes():
        if tag != "equal":
            out += new_words[b1:b2]
            continue
        start, end = raw_places.get(bounds[a1]), raw_places.get(bounds[a2])
        if start is None or end is None:
            return None
        out.append(segment[start:end])
    return "".join(out)


def _words(text: str) -> list[str]:
    """Split into words and single other characters, accents kept with their letters."""
    words: list[str] = []
    in_word = False
    for cluster in _clusters(text):
        is_letter = cluster[0].isalnum() or cluster[0] == "_"
        if is_letter and in_word:
            words[-1] += cluster
        else:
            words.append(cluster)
        in_word = is_letter
    return words
