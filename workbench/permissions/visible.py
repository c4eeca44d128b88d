"""Foreign text made honest: every character that is invisible, or that would move or hide its neighbours, becomes a readable mark.

Every front end sends every foreign string (commands, paths, hosts, names of servers) through `visible` before it is shown for a decision.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

NEWLINE_MARK = "⏎"
TAB_MARK = "⇥"

_PRINTABLE_BUT_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Default-ignorable characters, and blank ones, that Python counts as printable; all other hidden characters are not printable."""

_WORD_ENDS = re.compile(r"[\s\"'`<>()\[\]{}|;&=,/\\:@?#]+")
_LOOK_ALIKE_SCRIPTS = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "COPTIC", "CHEROKEE", "LISU", "DESERET", "GEORGIAN", "GOTHIC", "OSAGE"})
"""Scripts with letters that look like another's; CJK with Latin in one word is ordinary and not among them."""


class HiddenCharacter(NamedTuple):
    """One hidden character: where it stands (index in the text) and its code point as ``U+202E``."""

    offset: int
    code: str


def is_hidden(character: str) -> bool:
    """Say whether one character cannot be seen, or changes how others are seen; newline and tab count, a plain space does not."""
    return not character.isprintable() or _PRINTABLE_BUT_UNSEEN.match(character) is not None


def visible(text: str, *, keep: str = "") -> str:
    """Return `text` with each hidden character as a mark such as ``⟨U+202E⟩``, newline as ``⏎`` and tab as ``⇥``.

    Args:
        text: any string, lone surrogates included.
        keep: hidden characters that stay as they are, e.g. a newline where the caller draws lines itself.
    """
    if _is_plain(text):
        return text
    return "".join(_shown(character, keep) for character in text)


def hidden_characters(text: str) -> tuple[HiddenCharacter, ...]:
    """Return the hidden characters of a text in order; newlines and tabs, which every text has, are left out."""
    if _is_plain(text):
        return ()
    return tuple(HiddenCharacter(offset, _code(character)) for offset, character in enumerate(text) if character not in "\n\t" and is_hidden(character))


def mixed_script_words(text: str) -> tuple[str, ...]:
    """Return the words (command names, host names) of which one label mixes letters of look-alike scripts; in order, hidden characters left out."""
    if text.isascii():
        return ()
    seen = "".join(character if not is_hidden(character) or character.isspace() else "" for character in text)
    return tuple(dict.fromkeys(word for word in _WORD_ENDS.split(seen) if any(map(_mixes_scripts, re.split("[._-]", word)))))


def _is_plain(text: str) -> bool:
    return text.isprintable() and (text.isascii() or _PRINTABLE_BUT_UNSEEN.search(text) is None)


def _shown(character: str, keep: str) -> str:
    if character in keep or not is_hidden(character):
        return character
    match character:
        case "\n":
            return NEWLINE_MARK
        case "\t":
            return TAB_MARK
        case _:
            return f"⟨{_code(character)}⟩"


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


def _mixes_scripts(word: str) -> bool:
    if word.isascii():
        return False
    scripts = {unicodedata.name(character, "").partition(" ")[0] for character in word if character.isalpha()}
    return len(scripts & _LOOK_ALIKE_SCRIPTS) > 1
