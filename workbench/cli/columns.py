"""Text in the columns of a terminal: how wide it is, cut exactly where a row ends, or wrapped between words while it still arrives."""

from __future__ import annotations

import re
import unicodedata

CONTINUED = "↳ "

_COLOURS = re.compile(r"\x1b\[[\d;]*m")
_PIECES = re.compile(r"[^ \n]+|\n| +")
_NEVER_FIRST = frozenset("，。、；：！？）】》」』”’…％,.;:!?)]}")
_NEVER_LAST = frozenset("（【《「『“‘([{")


def width_of(text: str) -> int:
    """Return how many columns a text of one line takes; colours take none, wide characters two, combining ones none."""
    if text.isascii() and "\x1b" not in text:
        return len(text)
    return sum(_width(character) for character in _COLOURS.sub("", text))


def cut(line: str, columns: int, *, gutter: str) -> list[str]:
    """Return a line of foreign text as rows that fit, nothing left out: each begins with `gutter`, a continued one with ``↳`` behind it.

    So what a text shows can never stand where the program's own words stand, however long its lines are.
    """
    rows: list[str] = []
    row, used = gutter, 0
    room = max(8, columns - width_of(gutter) - len(CONTINUED))
    for character in line:
        wide = _width(character)
        if used + wide > room:
            rows.append(row)
            row, used = gutter + CONTINUED, 0
        row += character
        used += wide
    return [*rows, row]


class Flow:
    """Wraps words that arrive in pieces; nothing is held back but the word that is still growing.

    Code between fences, tables and lines indented by four keep their form: a line break in them would change what is copied.
    """

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._fenced = False
        self._begin_line()

    def feed(self, text: str) -> str:
        """Take the next piece; return what can be shown now."""
        return "".join(self._take(piece) for piece in _PIECES.findall(text))

    def end(self) -> str:
        """Return the last word; what comes next begins a new line."""
        rest = self._placed()
        self._begin_line()
        return rest

    def _begin_line(self) -> None:
        self._used = 0
        self._word = ""
        self._blanks = ""
        self._as_it_is: bool | None = None

    def _take(self, piece: str) -> str:
        if piece == "\n":
            return self.end() + "\n"
        if piece[0] == " ":
            shown = self._placed()
            self._blanks += piece
            return shown
        return self._grown(piece)

    def _grown(self, piece: str) -> str:
        shown = ""
        for character in piece:
            if self._word and _may_break(self._word[-1], character):
                shown += self._placed()
            self._word += character
        return shown

    def _placed(self) -> str:
        """Return the finished word behind its blanks, or behind a line break if it does not fit."""
        if not self._word:
            return ""
        word, blanks = self._word, self._blanks
        self._word = self._blanks = ""
        if self._as_it_is is None:
            self._as_it_is = self._keeps_form(blanks, word)
        wide, before = width_of(word), self._used + len(blanks)
        if not self._as_it_is and self._used and before + wide > self._columns:
            self._used = self._column(wide)
            return "\n" + word
        self._used = self._column(before + wide)
        return blanks + word

    def _column(self, reached: int) -> int:
        """Return where the terminal's own wrapping leaves the cursor."""
        return reached if reached <= self._columns else reached % self._columns

    def _keeps_form(self, blanks: str, first_word: str) -> bool:
        if first_word.startswith("```"):
            self._fenced = not self._fenced
            return True
        return self._fenced or first_word.startswith("|") or len(blanks) >= 4


def folded(text: str, columns: int) -> str:
    """Return whole text wrapped between words."""
    flow = Flow(columns)
    return flow.feed(text) + flow.end() + " " * (len(text) - len(text.rstrip(" ")))


def _width(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if _is_wide(character) else 1


def _may_break(before: str, character: str) -> bool:
    """Say whether a line may break between two characters that no blank separates: around wide ones, which know no words."""
    return (_is_wide(before) or _is_wide(character)) and character not in _NEVER_FIRST and before not in _NEVER_LAST


def _is_wide(character: str) -> bool:
    return not character.isascii() and unicodedata.east_asian_width(character) in ("W", "F")
