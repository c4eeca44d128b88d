"""The words people read, in their language: gettext catalogues of resources/locale, shared by window and terminal.

Front ends call `_` with English text. What comes from the rooms below is English with or without a message id: `tell` translates errors,
notices, facts and reasons, `tell_text` a bare sentence. A sentence without an id is found by itself: packaging/catalogues.py reads the
sentences of the code, with a blank for everything that varies (``{name} does not exist.``), and here the blanks are read back from the
sentence. What is not translated is shown in English, whole.
"""

from __future__ import annotations

import functools
import gettext
import json
import locale
import os
import re
import string
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from workbench.resources import resource

DOMAIN = "workbench"
LANGUAGES: tuple[str, ...] = ("en", "zh_CN")

_DEEPEST = 5
_FORMATTER = string.Formatter()
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

_catalogue: gettext.NullTranslations = gettext.NullTranslations()
_language = "en"


class Told(Protocol):
    """What `tell` needs of an error, a notice, or a fact of the journal that says what went wrong."""

    @property
    def message_id(self) -> str:
        """Stable name of the message; empty if there is none."""
        ...

    @property
    def values(self) -> Mapping[str, Any] | None:
        """What the sentence fills in."""
        ...

    @property
    def text(self) -> str:
        """The sentence in English."""
        ...


class Traced(Protocol):
    """What `tell` needs of a reason: many sentences share one code, so the sentence itself is looked up first."""

    @property
    def code(self) -> str:
        """Stable name of the kind of reason."""
        ...

    @property
    def text(self) -> str:
        """The sentence in English."""
        ...

    @property
    def subject(self) -> str:
        """The path, part, host or rule it is about."""
        ...


# The language


def choose_language(wanted: str = "system", environment: Mapping[str, str] | None = None) -> str:
    """Switch to a language of LANGUAGES and return it. English loads nothing.

    Args:
        wanted: one of LANGUAGES, or ``system`` for what the environment says (LC_ALL, LC_MESSAGES, LANG, in that order).
        environment: the environment to look at; None means this process's.
    """
    global _catalogue, _language
    _language = wanted if wanted in LANGUAGES else _system_language(os.environ if environment is None else environment)
    _catalogue = gettext.NullTranslations()
    if _language != "en":
        with resource("locale", _language, "LC_MESSAGES", f"{DOMAIN}.mo").open("rb") as file:
            _catalogue = gettext.GNUTranslations(file)
    return _language


def language() -> str:
    """Return the language in force."""
    return _language


def serve_the_standard_library() -> None:
    """Let argparse, which asks gettext's own domain, find its sentences in our catalogues; it follows the environment's language."""
    gettext.bindtextdomain(DOMAIN, resource("locale"))
    gettext.textdomain(DOMAIN)


# Texts


def _(text: str) -> str:
    """Return `text`, which is English, in the chosen language."""
    return _catalogue.gettext(text) if text else ""


def many(one: str, more: str, count: int) -> str:
    """Return the form of a counted phrase that fits `count`, with ``{n}`` filled in."""
    return _catalogue.ngettext(one, more, count).format(n=count)


def marked(text: str) -> str:
    """Return `text` as it is: it is translated where it is shown, this only lets the catalogues know of it."""
    return text


def tell(message: Told | Traced) -> str:
    """Return the sentence of an error, a notice, a fact or a reason in the chosen language; its English text if there is no translation.

    A message id is looked up first and its values are filled in; a reason is looked up by its sentence, else by its code and subject.
    """
    if _language == "en":
        return message.text
    if (code := getattr(message, "code", None)) is not None:
        subject = getattr(message, "subject", "")
        return _by_sentence(message.text) or _by_id(code, {"subject": subject}) or message.text
    return _by_id(getattr(message, "message_id", ""), getattr(message, "values", None) or {}) or _by_sentence(message.text) or message.text


def tell_text(text: str, *, piece: bool = False) -> str:
    """Return a sentence that carries no id (a note of a preview, a problem of a decoder) in the chosen language, else as it is.

    `piece`: it is not a sentence, but words that stand in one, such as a rule.
    """
    return (_by_sentence(text, depth=1 if piece else 0) if _language != "en" else "") or text


def tell_facts(facts: str) -> str:
    """Return a result's facts (``12 lines · 3 ms``) in the chosen language: what is left without the numbers is a known phrase, or stays."""
    return " · ".join(_fact(part) for part in facts.split(" · ")) if _language != "en" else facts


# Names of what the rooms below only spell, e.g. ``accept_edits``


def level_name(danger: int) -> str:
    """Return the name of a danger level (0-4)."""
    return _(_LEVELS[danger])


def mode_name(mode: str) -> str:
    """Return the name of a mode."""
    return _(_MODES.get(mode, mode))


def badge_name(badge: str) -> str:
    """Return the words of a mark beside a call."""
    return _(_BADGES.get(badge, badge))


def state_name(state: str) -> str:
    """Return the word for a gate's outcome, the end of a turn or an answer, a limit, a change of a file, the state of a session."""
    return _(_STATES.get(state, state))


def kind_name(kind: str) -> str:
    """Return a few words for a tool's error kind; in English the kind itself."""
    return _by_id(f"kind.{kind}", {}) or kind


_LEVELS = (marked("Look"), marked("Edit"), marked("Run"), marked("Reach"), marked("Destroy"))
_MODES = MappingProxyType(
    {"read_only": marked("Read only"), "ask": marked("Ask"), "accept_edits": marked("Accept edits"), "auto": marked("Auto")}
)
_BADGES = MappingProxyType(
    {
        "destroys": marked("destroys"),
        "protected": marked("protected"),
        "outside": marked("outside"),
        "secret": marked("secret"),
        "network": marked("network"),
        "private_host": marked("private host"),
        "hidden_characters": marked("hidden characters"),
        "mixed_script": marked("mixed script"),
        "padding": marked("padding"),
        "too_long": marked("too long"),
        "repaired": marked("repaired"),
        "repeated": marked("repeated"),
        "runs_later": marked("runs later"),
    }
)
_STATES = MappingProxyType(
    {
        "allow": marked("allow"),
        "ask": marked("ask"),
        "deny": marked("deny"),
        "answered": marked("answered"),
        "stopped": marked("stopped"),
        "failed": marked("failed"),
        "interrupted": marked("interrupted"),
        "limit": marked("limit"),
        "steps": marked("steps"),
        "tokens": marked("tokens"),
        "cost": marked("cost"),
        "time": marked("time"),
        "repeats": marked("repeats"),
        "create": marked("create"),
        "modify": marked("modify"),
        "delete": marked("delete"),
        "rename": marked("rename"),
        "end": marked("end"),
        "tool": marked("tool"),
        "length": marked("length"),
        "incomplete": marked("incomplete"),
        "error": marked("error"),
        "idle": marked("idle"),
        "in_use": marked("in use"),
        "damaged": marked("damaged"),
    }
)
_FACTS = (
    marked("{n} line"),
    marked("{n} lines"),
    marked("{n} file"),
    marked("{n} files"),
    marked("{n} match"),
    marked("{n} matches"),
    marked("{n} entry"),
    marked("{n} entries"),
    marked("{n} cells"),
    marked("{n} characters"),
    marked("{n} of {n} pages"),
    marked("exit {n}"),
    marked("timed out"),
    marked("stopped"),
    marked("too much output"),
    marked("in the background"),
)
"""The phrases of `ToolFinished.facts`, which is English."""
_SYSTEM = (
    marked("No such file or directory"),
    marked("Permission denied"),
    marked("Operation not permitted"),
    marked("Is a directory"),
    marked("Not a directory"),
    marked("File exists"),
    marked("File name too long"),
    marked("No space left on device"),
    marked("Read-only file system"),
    marked("Input/output error"),
    marked("Too many open files"),
    marked("Exec format error"),
    marked("Connection refused"),
    marked("Connection reset by peer"),
    marked("Network is unreachable"),
    marked("No route to host"),
)
"""What the operating system says most often, as a reason inside other sentences."""


# How a sentence is found


class Pattern(NamedTuple):
    """A sentence of the code with blanks, e.g. ``{name} does not exist.``; longer literal text comes first where several fit."""

    text: str
    literals: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Pattern:
        """Take a sentence with blanks apart."""
        literals, names = [""], []
        for literal, name, _spec, _conversion in _FORMATTER.parse(text):
            literals[-1] += literal
            if name is not None:
                names.append(name)
                literals.append("")
        return cls(text, tuple(literals), tuple(names))

    @property
    def weight(self) -> int:
        """Number of characters that do not vary."""
        return sum(map(len, self.literals))

    def read(self, text: str) -> dict[str, str] | None:
        """Return what stands in the blanks; None if the sentence is another one."""
        if not text.startswith(self.literals[0]) or not text.endswith(self.literals[-1]) or len(text) < self.weight:
            return None
        found = re.fullmatch("(.*?)".join(map(re.escape, self.literals)), text, re.DOTALL)
        return dict(zip(self.names, found.groups(), strict=True)) if found else None


class Patterns(NamedTuple):
    """The sentences with blanks, and the shorter pieces that can stand in a blank; each the most definite first."""

    sentences: tuple[Pattern, ...]
    pieces: tuple[Pattern, ...]


@functools.cache
def patterns() -> Patterns:
    """Return the patterns of all sentences; read from disk when first asked for."""
    stored = json.loads(resource("locale", "sentences.json").read_text(encoding="utf-8"))
    return Patterns(_sorted(stored["sentences"]), _sorted(stored["pieces"]))


def _sorted(texts: Iterable[str]) -> tuple[Pattern, ...]:
    return tuple(sorted(map(Pattern.of, texts), key=lambda pattern: -pattern.weight))


def _by_id(key: str, values: Mapping[str, Any]) -> str:
    """Return the translation of a message id; empty if there is none, or if it needs a value that is not given."""
    pattern = _catalogue.gettext(key) if key else ""
    return "" if pattern == key else _filled(pattern, values)


def _filled(pattern: str, values: Mapping[str, Any], depth: int = 0) -> str:
    """Return a translation with its blanks filled; ``{reason:told}`` is the value in the chosen language. Empty if a value is missing."""
    done = []
    for literal, name, spec, _conversion in _FORMATTER.parse(pattern):
        done.append(literal)
        if name is None:
            continue
        if name not in values:
            return ""
        value = values[name]
        done.append((_by_sentence(str(value), depth + 1) or str(value)) if spec == "told" else format(value, spec or ""))
    return "".join(done)


def _by_sentence(text: str, depth: int = 0) -> str:
    """Return the translation of a sentence, or of a piece of one (depth above 0); empty if there is none."""
    if not text or depth > _DEEPEST:
        return ""
    if (exact := _catalogue.gettext(text)) != text:
        return exact
    known = patterns()
    return _by_pattern(known.sentences, text, depth) or _listed(text, depth) or (_by_pattern(known.pieces, text, depth) if depth else "")


def _by_pattern(known: tuple[Pattern, ...], text: str, depth: int) -> str:
    for pattern in known:
        if (values := pattern.read(text)) is not None and (translated := _catalogue.gettext(pattern.text)) != pattern.text:
            return _filled(translated, values, depth)
    return ""


def _listed(text: str, depth: int) -> str:
    """Return the translation of pieces strung together, such as ``'a' is missing; 'b' must be text, not null.``; empty if one has none."""
    if "; " not in text and not text.endswith("."):
        return ""
    pieces = [_by_sentence(piece, depth + 1) for piece in text.removesuffix(".").split("; ")]
    return _("; ").join(pieces) + (_(".") if text.endswith(".") else "") if all(pieces) else ""


def _fact(text: str) -> str:
    phrase = _NUMBER.sub("{n}", text)
    translated = _catalogue.gettext(phrase)
    if translated == phrase:
        return tell_text(text)
    for number in _NUMBER.findall(text):
        translated = translated.replace("{n}", number, 1)
    return translated


def _system_language(environment: Mapping[str, str]) -> str:
    """Return the one of LANGUAGES the environment asks for; on a system without these variables, the user's locale."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(name, ""):
            return "zh_CN" if value.lower().startswith("zh") else "en"
    return "zh_CN" if (locale.getlocale()[0] or "").lower().startswith(("zh", "chinese")) else "en"
