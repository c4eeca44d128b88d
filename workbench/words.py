"""The words people read, in their language: gettext catalogues of resources/locale, shared by window and terminal.

Front ends call `_` with English text. What comes from the rooms below is English with or without a message id: `tell` translates errors,
notices, facts and reasons, `tell_text` a bare sentence. A sentence without an id is found by itself: packaging/catalogues.py reads the
sentences of the code, with a blank for everything that varies (``{name} does not exist.``), and here the blanks are read back from the
sentence. What is not translated is shown in English, whole.
"""

from __future__ import annotations

import bisect
import functools
import gettext
import json
import locale
import os
import re
import string
import struct
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from workbench.resources import resource

DOMAIN = "workbench"
LANGUAGES: tuple[str, ...] = ("en", "zh_CN")

_DEEPEST = 5
_LONGEST = 20_000
_FORMATTER = string.Formatter()
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

class Catalogue:
    """Translations by English text or id, read from an .mo file whose texts are sorted, as packaging/catalogues.py writes it.

    A text is looked for by halving in the file's own table: the standard library's reader decodes every text first, at each start.
    """

    def __init__(self, data: bytes = b"") -> None:
        self._data = data
        self._count, self._keys, self._strings = struct.unpack_from("<3I", data, 8) if data else (0, 0, 0)

    def get(self, key: str) -> str:
        """Return the translation, of a counted text the form for many; empty if there is none."""
        wanted = key.encode("utf-8", "replace")
        place = bisect.bisect_left(range(self._count), wanted, key=self._key)
        return self._text(self._strings, place).decode() if key and place < self._count and self._key(place) == wanted else ""

    def _key(self, place: int) -> bytes:
        return self._text(self._keys, place).partition(b"\0")[0]

    def _text(self, table: int, place: int) -> bytes:
        length, offset = struct.unpack_from("<2I", self._data, table + 8 * place)
        return self._data[offset : offset + length]


_catalogue = Catalogue()
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
    _catalogue = Catalogue(resource("locale", _language, "LC_MESSAGES", f"{DOMAIN}.mo").read_bytes()) if _language != "en" else Catalogue()
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
    return _catalogue.get(text) or text


def many(one: str, more: str, count: int) -> str:
    """Return the form of a counted phrase that fits `count`, with ``{n}`` filled in; Chinese has one form for all."""
    return (_catalogue.get(one) or (one if count == 1 else more)).format(n=count)


def marked(*texts: str) -> tuple[str, ...]:
    """Return texts as they are: they are translated where they are shown, this only lets the catalogues know of them."""
    return texts


def counted(one: str, more: str) -> tuple[str, str]:
    """Return both forms of a counted phrase as they are; what `marked` is to `_`, this is to `many`."""
    return one, more


def duration(seconds: float) -> str:
    """Return a length of time: below a second ``84 ms``, below a minute ``3.1 s``, else ``2 min 5 s``."""
    if seconds < 0.9995:
        return _("{ms} ms").format(ms=round(seconds * 1000))
    if seconds < 59.95:
        return _("{seconds} s").format(seconds=f"{seconds:.1f}")
    minutes, rest = divmod(round(seconds), 60)
    return _("{minutes} min {seconds} s").format(minutes=minutes, seconds=rest)


def cost_words(amount: str, *, unknown: bool) -> str:
    """Return a cost: `amount` is the sum of what is known, empty if nothing is; `unknown` says that there are prices which are not known."""
    if not unknown:
        return amount
    return _("at least {cost}").format(cost=amount) if amount else _("cost unknown")


def strung(*pieces: str) -> str:
    """Return words one after another, with the comma of the language in between; empty ones are left out."""
    return _(", ").join(filter(None, pieces))


def paragraph(*sentences: str) -> str:
    """Return sentences one after another, with a blank only where none ends in a full-width sign; empty ones are left out."""
    return functools.reduce(lambda whole, more: whole + ("" if whole.endswith(_WIDE_ENDS) else " ") + more, filter(None, sentences), "").lstrip(" ")


def aside(words: str, more: str) -> str:
    """Return words with more about them in brackets; a translation may order both."""
    return _("{words} ({more})").format(words=words, more=more)


def titled(name: str, words: str) -> str:
    """Return words behind the name of what they are about, with the colon of the language."""
    return _("{name}: {words}").format(name=name, words=words)


def tell(message: Told | Traced) -> str:
    """Return the sentence of an error, a notice, a fact or a reason in the chosen language; its English text if there is no translation.

    A message id is looked up first and its values are filled in; a reason is looked up by its sentence, else by its code and subject.
    """
    if _language == "en":
        return _ended_once(message.text)
    if (code := getattr(message, "code", None)) is not None:
        subject = getattr(message, "subject", "")
        return _by_sentence(message.text) or _by_id(code, {"subject": subject}) or message.text
    return _by_id(getattr(message, "message_id", ""), getattr(message, "values", None) or {}) or _by_sentence(message.text) or message.text


def tell_text(text: str, *, piece: bool = False) -> str:
    """Return a sentence that carries no id (a note of a preview, a problem of a decoder) in the chosen language, else as it is.

    `piece`: it is not a sentence, but words that stand in one, such as a rule.
    """
    return (_by_sentence(text, depth=1 if piece else 0) if _language != "en" else "") or _ended_once(text)


def _ended_once(text: str) -> str:
    """Return a sentence without the full stop after an ellipsis: it may end with a rule, and a rule with ``…``."""
    return text[:-1] if text.endswith("….") else text


def tell_facts(facts: str) -> str:
    """Return a result's facts (``12 lines · 3 ms``) in the chosen language: what is left without the numbers is a known phrase, or stays."""
    return " · ".join(_fact(part) for part in facts.split(" · ")) if facts and _language != "en" else facts


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


def _by_spelling(*texts: str) -> Mapping[str, str]:
    """Return words by the name that the rooms below spell them with, e.g. ``hidden_characters``."""
    return {text.replace(" ", "_"): text for text in texts}


_WIDE_ENDS = tuple("。，、；：？！）”…")
_LEVELS = marked("Look", "Edit", "Run", "Reach", "Destroy")
_MODES = dict(zip(("read_only", "ask", "accept_edits", "auto"), marked("Read only", "Ask", "Accept edits", "Auto"), strict=True))
_BADGES = _by_spelling(
    *marked("destroys", "protected", "outside", "secret", "network", "private host", "hidden characters", "mixed script", "padding"),
    *marked("too long", "repaired", "repeated", "runs later"),
)
_STATES = _by_spelling(
    *marked("allow", "ask", "deny"),
    *marked("answered", "stopped", "failed", "interrupted", "limit"),
    *marked("end", "tool", "length", "incomplete", "error"),
    *marked("steps", "tokens", "cost", "time", "repeats"),
    *marked("create", "modify", "delete", "rename"),
    *marked("idle", "in use", "damaged"),
)
_FACTS = (
    *marked("{n} cells", "{n} characters", "{n} of {n} pages", "exit {n}", "timed out", "stopped", "too much output", "in the background"),
    *marked("{n} listed, {n} left out", "page", "from memory"),
)
"""The phrases of `ToolFinished.facts` and of a provider's test, which are English, beside those that count."""
_COUNTED = (
    *(counted("{n} line", "{n} lines"), counted("{n} file", "{n} files")),
    *(counted("{n} match", "{n} matches"), counted("{n} entry", "{n} entries")),
    counted("{n} secret replaced", "{n} secrets replaced"),
)
marked("exactly {subject}", "every call", "{subject}, reading only")
_ONE_OF = {more: one for one, more in _COUNTED}
"""The form for one, by which the catalogues know a counted fact, by its form for many."""
_SYSTEM = (
    *marked("No such file or directory", "Permission denied", "Operation not permitted", "Is a directory", "Not a directory", "File exists"),
    *marked("File name too long", "No space left on device", "Read-only file system", "Input/output error", "Too many open files"),
    *marked("Exec format error", "Connection refused", "Connection reset by peer", "Network is unreachable", "No route to host"),
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
    return _filled(_catalogue.get(key), values)


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
    if not text or len(text) > _LONGEST or depth > _DEEPEST:
        return ""
    if exact := _catalogue.get(text):
        return exact
    known = patterns()
    return _by_pattern(known.sentences, text, depth) or _listed(text, depth) or (_by_pattern(known.pieces, text, depth) if depth else "")


def _by_pattern(known: tuple[Pattern, ...], text: str, depth: int) -> str:
    for pattern in known:
        if (values := pattern.read(text)) is not None and (translated := _catalogue.get(pattern.text)):
            return _filled(translated, values, depth)
    return ""


def _listed(text: str, depth: int) -> str:
    """Return the translation of lines, or of pieces strung together, such as ``'a' is missing; 'b' must be text.``; empty if one has none."""
    if "\n" in text:
        lines = [_by_sentence(line, depth + 1) for line in text.split("\n")]
        return "\n".join(lines) if all(lines) else ""
    if "; " not in text and not text.endswith("."):
        return ""
    pieces = [_by_sentence(piece, depth + 1) for piece in text.removesuffix(".").split("; ")]
    return _("; ").join(pieces) + (_(".") if text.endswith(".") else "") if all(pieces) else ""


def _fact(text: str) -> str:
    phrase = _NUMBER.sub("{n}", text)
    translated = _catalogue.get(_ONE_OF.get(phrase, phrase))
    if not translated:
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
