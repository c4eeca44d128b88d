"""Reads the text of one ReAct turn as it streams: what is thought, what is said, which tool is named, and with what input.

Tolerant as the wire specification's section 6 wants it: code fences around the form, labels in any case, with numbers and full-width
colons. What a model writes from the first observation on is its own invention and is told apart; nothing is shown that may still turn
out to be a label.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from workbench.dialects.argument_text import TopLevelScan
from workbench.dialects.react.labels import BLANKS, Found, is_fence, label_at_start, may_become_fence, may_become_label, unquoted_start

Kind: TypeAlias = Literal["text", "answer", "thought", "name", "input"]
_Mode: TypeAlias = Literal["prose", "thought", "action", "named", "input", "final", "over"]
_CLOSERS = "`'\"[]()"


class Said(NamedTuple):
    """A piece of a turn.

    Attributes:
        kind: ``text`` (no label, or behind the final one), ``answer`` (the final answer begins; no text), ``thought``, ``name`` of the
            tool (whole), ``input`` (a piece of the tool's input, as it was written).
    """

    kind: Kind
    text: str


class TurnReader:
    """Reads one turn. Each piece is looked at once, but for the beginning of a line that may be a label.

    Attributes:
        invented: what the model wrote from an observation of its own on.
        stopped: an observation began; nothing behind it counts.
        name: the tool of the first action; None without one.
        input: the text behind its label; None without that label.
        thought: a Thought (or an input without an action) was there.
        answered: a final answer was there.
        more_actions: another action followed.
        answered_early: a final answer followed the action, so that no result stood before it.
    """

    def __init__(self) -> None:
        self.invented = ""
        self.stopped = False
        self.name: str | None = None
        self.input: str | None = None
        self._kept: list[str] = []
        self._input: list[str] = []
        self.thought = False
        self.answered = False
        self.more_actions = False
        self.answered_early = False
        self._mode: _Mode = "prose"
        self._held = ""
        self._at_start = True
        self._blank = ""
        self._said = False
        self._open_fence = False
        self._scan = TopLevelScan()
        self._name_line = ""

    def feed(self, text: str) -> list[Said]:
        """Take more text of the turn."""
        said: list[Said] = []
        for line in _lines(text):
            if self.stopped:
                self.invented += line
                continue
            self._kept.append(line)
            self._held += line
            said.extend(self._read(last=False))
        return said

    def finish(self) -> list[Said]:
        """Say that no more text comes."""
        if self.stopped:
            return []
        return [*self._read(last=True), *(() if self.stopped else self._close())]

    @property
    def kept(self) -> str:
        """The turn's text up to the first observation."""
        return "".join(self._kept)

    def _read(self, *, last: bool) -> Iterator[Said]:
        while self._held and not self.stopped:
            if self._at_start:
                if not last and self._undecided():
                    return
                yield from self._begin_line()
                continue
            line, end, rest = self._held.partition("\n")
            self._held = rest
            self._at_start = bool(end)
            yield from self._content(line + end)

    def _undecided(self) -> bool:
        line, end, _ = self._held.partition("\n")
        if end:
            return False
        return (may_become_label(line) and label_at_start(line) is None) or may_become_fence(line)

    def _begin_line(self) -> Iterator[Said]:
        """Take the beginning of a line, which is a label, a fence or prose."""
        line, end, rest = self._held.partition("\n")
        found = label_at_start(line)
        if found is not None and self._counts(found):
            yield from self._switch(found)
            return
        if found is not None and found.quoted and self._mode != "input":
            self._held = unquoted_start(self._held)
        elif is_fence(line) and self._mode in ("prose", "thought", "final"):
            self._held = rest
            self._blank += line + end
            return
        self._at_start = False

    def _counts(self, found: Found) -> bool:
        if found.quoted or found.label == "question" or (self._mode == "input" and self._scan.in_string):
            return False
        if found.label == "answer":
            return self._mode == "thought"
        return self._mode != "final" or found.label in ("observation", "final")

    def _switch(self, found: Found) -> Iterator[Said]:
        yield from self._close()
        rest = self._held[found.end :]
        if found.label == "observation":
            self.stopped = True
            self.invented, self._held = self._held, ""
            self._kept = [self.kept[: -len(self.invented)]]
            return
        self._held, self._at_start = rest, False
        self._said, self._open_fence = False, False
        before = self._mode
        self._mode = self._next_mode(found)
        if self._mode == "thought":
            again, self.thought = before == "thought", True
            if again:
                yield Said("thought", "\n")
        elif self._mode == "final":
            self.answered = True
            yield Said("answer", "")
        elif self._mode == "input":
            self.input = ""

    def _next_mode(self, found: Found) -> _Mode:
        called = self.name is not None
        match found.label:
            case "thought":
                return "over" if called else "thought"
            case "action":
                self.more_actions |= called
                return "over" if called else "action"
            case "input":
                self.thought |= not called
                return "input" if called and self.input is None else "over"
            case _:
                self.answered_early |= called
                return "over" if called else "final"

    def _content(self, text: str) -> Iterator[Said]:
        match self._mode:
            case "prose" | "thought" | "final":
                yield from self._speak(text)
            case "action":
                self._name_line += text
                if text.endswith("\n") and self._name_line.strip(BLANKS):
                    yield from self._name()
            case "input":
                self._input.append(text)
                self._scan.feed(text)
                yield Said("input", text)
            case _:
                return

    def _speak(self, text: str) -> Iterator[Said]:
        """Give out text; blanks and fences at its end wait until it goes on."""
        words = text.rstrip(BLANKS)
        if not words:
            self._blank += text
            return
        before = self._blank if self._said else self._blank.lstrip(BLANKS)
        self._open_fence ^= _fences(before) % 2 == 1
        self._blank = text[len(words) :]
        if not self._said and not before:
            words = words.lstrip(BLANKS)
        self._said = True
        yield Said("thought" if self._mode == "thought" else "text", before + words)

    def _name(self) -> Iterator[Said]:
        line = next((line for line in self._name_line.split("\n") if line.strip(BLANKS)), "")
        self.name = _plain(line)
        self._mode = "named"
        yield Said("name", self.name)

    def _close(self) -> Iterator[Said]:
        """End what is open: a name that no line end closed, a fence that text opened."""
        blank, self._blank = self._blank, ""
        if self._mode == "action":
            yield from self._name()
        elif self._mode == "input":
            self.input = "".join(self._input).strip(BLANKS)
        elif self._open_fence and _fences(blank):
            self._open_fence = False
            closing = blank[: blank.index("```") + 3]
            yield Said("thought" if self._mode == "thought" else "text", closing)


def read_turn(text: str) -> tuple[TurnReader, list[Said]]:
    """Return a whole turn, read."""
    reader = TurnReader()
    return reader, [*reader.feed(text), *reader.finish()]


def _lines(text: str) -> list[str]:
    """Return the lines of a text with their ends; only a line feed ends one."""
    *whole, last = text.split("\n")
    return [*(f"{line}\n" for line in whole), last]


def _fences(blank: str) -> int:
    return blank.count("```")


def _plain(name: str) -> str:
    """Return a tool's name without what models put around it."""
    name = name.strip(BLANKS)
    while True:
        shorter = name.removesuffix("()").strip(BLANKS)
        if len(shorter) > 1 and shorter[0] in "`'\"[" and shorter[-1] in _CLOSERS:
            shorter = shorter[1:-1].strip(BLANKS)
        if shorter == name:
            return name
        name = shorter
