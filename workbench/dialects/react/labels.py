"""The labels of ReAct text: how a line that begins with one is told from prose, and how text is quoted so that it is not taken for one.

A label counts only at the beginning of a line. Text that came from elsewhere (a tool's output, another model's words) may begin a line
like a label; such a line gets ``> `` before it, and loses it again when it is read.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

Label: TypeAlias = Literal["question", "thought", "action", "input", "observation", "final", "answer"]

OBSERVATION = "Observation: "
QUESTION = "Question: "
STOP = "\nObservation:"
BLANKS = " \t\r\n"
LONGEST = 64
"""A label with all blanks and numbers in it has at most this many characters; longer beginnings of lines are prose."""

_WORDS = r"question|thought|action[ \t]*\d*[ \t]*input[ \t]*\d*|action[ \t]*\d*|observation|观察|final[ \t]+answer|answer"
_LABEL = re.compile(rf"[ \t]*(?P<quote>(?:> )*)[ \t]*(?P<word>{_WORDS})[ \t]*[:：]", re.IGNORECASE)
_LABEL_LINE = re.compile(rf"(?m)(?<=\n)(?P<quote>[ \t]*(?:> )*)(?=[ \t]*(?:{_WORDS})[ \t]*[:：])", re.IGNORECASE)
_QUOTED_LINE = re.compile(rf"(?m)(?<=\n)(?P<indent>[ \t]*)> (?=(?:> )*[ \t]*(?:{_WORDS})[ \t]*[:：])", re.IGNORECASE)
_SQUEEZED = re.compile(r"[ \t\d>]+")
_BEGINNINGS = ("question", "thought", "action", "actioninput", "observation", "观察", "finalanswer", "answer")
_FENCE = re.compile(r"[ \t]*```[^`\n]*\Z")


class Found(NamedTuple):
    """A label at the beginning of a line: which, where it ends, and whether it is quoted (then it is prose)."""

    label: Label
    end: int
    quoted: bool


def label_at_start(line: str) -> Found | None:
    """Return the label that a line begins with."""
    match = _LABEL.match(line)
    if match is None or match.end() > LONGEST:
        return None
    return Found(_meant(match["word"].lower()), match.end(), bool(match["quote"]))


def may_become_label(begun: str) -> bool:
    """Say whether the beginning of a line may be the beginning of a label, so that it must be held back."""
    if len(begun) >= LONGEST or "\n" in begun:
        return False
    squeezed = _SQUEEZED.sub("", begun.lower())
    return any(word.startswith(squeezed) for word in _BEGINNINGS)


def is_fence(line: str) -> bool:
    """Say whether a line, without its end, is nothing but a code fence."""
    return len(line) <= LONGEST and _FENCE.match(line) is not None


def may_become_fence(begun: str) -> bool:
    """Say whether the beginning of a line may be a code fence."""
    start = begun.lstrip(" \t")
    return len(begun) < LONGEST and ("```".startswith(start) or is_fence(begun))


def quote(text: str) -> str:
    """Return text in which no line but the first, which stands behind a label, can be taken for one."""
    return _LABEL_LINE.sub(lambda match: f"{match['quote']}> ", text) if "\n" in text else text


def unquote(text: str) -> str:
    """Return what `quote` was given."""
    return _QUOTED_LINE.sub(lambda match: match["indent"], text) if "\n" in text else text


class Quoter:
    """Quotes text that comes in pieces, as `quote` does; holds back only what may still become a label.

    Args:
        at_start: the text begins a line.
    """

    def __init__(self, *, at_start: bool = False) -> None:
        self._at_start = at_start
        self._held = ""

    def feed(self, text: str, *, last: bool = False) -> str:
        """Return the text that is certain now, quoted."""
        written: list[str] = []
        rest = self._held + text
        self._held = ""
        while rest:
            line, end, after = rest.partition("\n")
            if self._at_start:
                if not (end or last) and label_at_start(line) is None and may_become_label(line):
                    self._held = rest
                    break
                if label_at_start(line) is not None:
                    indent = len(line) - len(line.lstrip(" \t"))
                    line = f"{line[:indent]}> {line[indent:]}"
            written.append(line + end)
            self._at_start = bool(end)
            rest = after
        return "".join(written)


def unquoted_start(line: str) -> str:
    """Return a line that begins with a quoted label without one quote."""
    return line.replace("> ", "", 1)


def _meant(word: str) -> Label:
    if word.startswith("action"):
        return "input" if "input" in word else "action"
    if word.startswith("final"):
        return "final"
    return {"观察": "observation"}.get(word, word)  # type: ignore[return-value]
