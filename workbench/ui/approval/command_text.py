"""A command as it is shown: its lines, where its parts stand in it, and what is known of each part. No Qt."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from workbench.conversation.calls import CallPart, Reason
from workbench.permissions.visible import mixed_script_words, visible
from workbench.ui.approval.chunks import ChunkedText
from workbench.ui.approval.exact_text import Insert, Span
from workbench.words import _, aside, badge_name, level_name, strung, tell, titled

JUDGED_CHARACTERS = 20_000
"""Words of mixed script are looked for in commands up to this length; longer ones ask for that alone."""
REACH = 3
"""From this level on a part is underlined."""
_GENERAL = frozenset({"shell.command", "shell.always_asks"})


class PlacedPart(NamedTuple):
    """A part and the characters of the command it stands at; its number counts from 1."""

    number: int
    start: int
    end: int
    danger: int


class CommandLine(NamedTuple):
    """A row: a line of the command, or a chunk of a long one.

    Attributes:
        text: without its line break.
        inserts: the numbers of the parts that begin in it.
        spans: what stands between the parts, quietly.
        underlined: characters of dangerous parts, with the token of their level.
        mixed: characters of words that mix alphabets.
        goes_on: it continues the row before.
    """

    text: str
    inserts: Mapping[int, Insert]
    spans: Sequence[Span]
    underlined: Sequence[Span]
    mixed: Sequence[Span]
    goes_on: bool


class CommandRows:
    """The rows of a command; parts are numbered if there is more than one. Any length: a row is made when it is asked for."""

    def __init__(self, text: str, parts: Sequence[CallPart]) -> None:
        self._rows = ChunkedText(text)
        placed = placed_parts(text, parts)
        many = len(parts) > 1
        self._numbers = [(part.start, Insert(str(part.number), f"level{part.danger}", round=True)) for part in placed if many]
        self._between = _between(placed, len(text)) if many else []
        self._underlined = [Span(part.start, part.end, f"level{part.danger}") for part in placed if part.danger >= REACH]
        self._mixed = [Span(start, end, "level2_tint") for start, end in _mixed(text)]

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, place: int) -> CommandLine:
        """Return a row."""
        first, text = self._rows.start(place), self._rows.row(place)
        last = first + len(text)
        here = self._numbers[bisect_left(self._numbers, first, key=itemgetter(0)) : bisect_left(self._numbers, max(last, first + 1), key=itemgetter(0))]
        between, underlined, mixed = (_within(group, first, last) for group in (self._between, self._underlined, self._mixed))
        return CommandLine(text, {start - first: insert for start, insert in here}, between, underlined, mixed, self._rows.goes_on(place))


class PartFact(NamedTuple):
    """One thing known of a part: an icon, the token of its colour, and words that may hold foreign text."""

    icon: str
    words: str
    token: str = "muted"


class Verdict(NamedTuple):
    """What a part alone would lead to."""

    icon: str
    words: str
    token: str


def placed_parts(text: str, parts: Sequence[CallPart]) -> list[PlacedPart]:
    """Return where the parts stand, in order; one that is not found as it was typed is left out, but keeps its number."""
    placed, at = [], 0
    for number, part in enumerate(parts, 1):
        start = text.find(part.text, at) if part.text else -1
        if start >= 0:
            at = start + len(part.text)
            placed.append(PlacedPart(number, start, at, part.danger))
    return placed


def says_something(parts: Sequence[CallPart]) -> bool:
    """Say whether the list of parts tells more than the command itself: a single part without paths or a program does not."""
    return len(parts) > 1 or any(part.places or part.program for part in parts)


def verdict_of(part: CallPart) -> Verdict:
    """Return what a part alone would lead to, in an icon and words: green what may run, amber what is not known, orange and red what is dangerous."""
    match part.outcome:
        case "allow":
            return Verdict("check", _allowed_by(part), "ok")
        case "deny":
            return Verdict("shield-cross", _("refused"), "fail")
        case "ask":
            icon = {4: "failed", 3: "warning"}.get(part.danger, "question")
            return Verdict(icon, f"{part.danger} {level_name(part.danger)}", f"level{part.danger}" if part.danger >= REACH else "level2")


_RULES: Mapping[str, Callable[[], str]] = {
    "session": lambda: _("allowed by a rule of this session"),
    "project": lambda: _("allowed by a rule of this project"),
    "user": lambda: _("allowed by a rule for everywhere"),
}
"""What a rule's id begins with, and how its place is told."""


def _allowed_by(part: CallPart) -> str:
    """Return what lets a part run: which rule, or that it only looks."""
    for reason in part.reasons:
        if reason.code == "rule.allow":
            return _RULES.get(reason.subject.partition("-")[0], lambda: _("allowed by a rule"))()
    return _("allowed: it only looks") if part.danger == 0 else _("allowed")


def facts_of(part: CallPart) -> list[PartFact]:
    """Return what is known of a part: what it starts, where it runs, which real paths it names, and the rule or reason that decided it."""
    facts = _where(part)
    about = {reason.subject: reason for reason in reversed(part.reasons) if reason.code not in _GENERAL}
    for place in part.places:
        reason = about.get(place)
        facts.append(PartFact("warning", f"{place} · {tell(reason)}", f"level{part.danger}") if reason else PartFact("file", place))
    named = set(part.places)
    told = [reason for reason in part.reasons if reason.code not in _GENERAL and reason.subject not in named]
    if part.outcome != "allow" and all(reason.outcome == "allow" for reason in (*told, *about.values())):
        told += [reason for reason in part.reasons if reason.code in _GENERAL][:1]  # nothing else says why it asks
    return [*facts, *(_fact(reason, part) for reason in told)]


def _where(part: CallPart) -> list[PartFact]:
    if part.program and part.folder:
        return [PartFact("terminal", _("starts {program} in {folder}").format(program=part.program, folder=part.folder))]
    if part.program:
        return [PartFact("terminal", _("starts {program}").format(program=part.program))]
    return [PartFact("folder", _("runs in {folder}").format(folder=part.folder))] if part.folder else []


def _fact(reason: Reason, part: CallPart) -> PartFact:
    words = tell(reason)
    is_rule = reason.code.startswith("rule.")  # its subject is an id, and the verdict names it
    if reason.subject and not is_rule and reason.subject not in {part.text, reason.text} and reason.subject not in words:
        words = aside(words, reason.subject)
    match reason.outcome:
        case "allow":
            return PartFact("check", words)
        case "deny":
            return PartFact("shield-cross", words, "fail")
        case "ask":
            return PartFact("warning" if part.danger >= REACH else "question", words)


def mixed_words_sentence(text: str) -> str:
    """Return a sentence that names the words mixing alphabets; empty if there are none."""
    words = mixed_script_words(text) if len(text) <= JUDGED_CHARACTERS else ()
    return titled(badge_name("mixed_script"), strung(*map(visible, words))) if words else ""


def _mixed(text: str) -> list[tuple[int, int]]:
    places = []
    for word in mixed_script_words(text) if len(text) <= JUDGED_CHARACTERS else ():
        at = text.find(word)
        while at >= 0:
            places.append((at, at + len(word)))
            at = text.find(word, at + len(word))
    return sorted(places)


def _between(placed: Sequence[PlacedPart], length: int) -> list[Span]:
    spans, at = [], 0
    for part in placed:
        if part.start > at:
            spans.append(Span(at, part.start, "faint"))
        at = part.end
    return [*spans, Span(at, length, "faint")] if at < length else spans


def _within(spans: Sequence[Span], first: int, last: int) -> list[Span]:
    """Return the spans, which are in order and apart, that meet the characters from `first` to `last`, counted from `first`."""
    place = bisect_right(spans, first, key=itemgetter(1))
    found = []
    while place < len(spans) and spans[place].start < last:
        span = spans[place]
        found.append(Span(max(span.start, first) - first, min(span.end, last) - first, span.token))
        place += 1
    return found
