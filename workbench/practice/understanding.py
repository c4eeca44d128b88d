"""From a person's sentence to an intent and a language: the language is the one whose patterns understood it."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import Protocol

from workbench.practice.intents import GoOn, Intent, Language, Unclear, Understood
from workbench.practice.quoting import Quoted

LONGEST_SENTENCE = 500
"""Characters outside quotation marks that are still read as one request; only the content of a file to write may be longer."""

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_NAMES = re.compile(r"[\w@.-]*[./\\][\w./\\-]*")


class Reader(Protocol):
    """Reads a text, whose quoted pieces were taken out, into an intent; None when no pattern fits."""

    def __call__(self, quoted: Quoted, text: str, *, only_writing: bool = False) -> Intent | None:
        """Return what the text asks; `only_writing` for texts too long for anything but the content of a file."""
        ...


def understand(question: str, before: Sequence[str] = ()) -> Understood:
    """Return what a question asks; "continue" means the newest of the earlier questions that says something else."""
    found = _understand_one(question)
    if not isinstance(found.intent, GoOn):
        return found
    for earlier in before:
        older = _understand_one(earlier)
        if not isinstance(older.intent, GoOn):
            return Understood(older.intent, found.language)
    return found


def _understand_one(question: str) -> Understood:
    quoted = Quoted(question.strip())
    outside: Language = language_of(quoted.text)
    english_first: tuple[Language, Language] = ("en", "zh")
    for language in english_first if outside == "en" else english_first[::-1]:
        if intent := _read(quoted, _reader(language)):
            return Understood(intent, "zh" if outside == "zh" else language)
    return Understood(Unclear(), outside)


def _reader(language: Language) -> Reader:
    """Return what reads a language; its patterns are made when somebody speaks it first."""
    name = {"en": "english", "zh": "chinese"}[language]
    reader: Reader = getattr(importlib.import_module(f"workbench.practice.{name}"), f"read_{name}")
    return reader


def _read(quoted: Quoted, reader: Reader) -> Intent | None:
    """Read the lines as they are, for what may have several (a file's content, a command), then as one line."""
    lines = quoted.text
    if len(lines) > LONGEST_SENTENCE:
        return reader(quoted, lines, only_writing=True)
    return reader(quoted, lines) or reader(quoted, " ".join(lines.split()))


def language_of(text: str) -> Language:
    """Return ``zh`` when Chinese characters stand outside quotation marks and names of files."""
    start = text[: LONGEST_SENTENCE * 4]
    return "zh" if _HAN.search(start) and _HAN.search(_NAMES.sub(" ", start)) else "en"
