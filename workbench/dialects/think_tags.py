"""Reasoning that a model writes into its answer between ``<think>`` and ``</think>``, told apart while the text streams.

A tag counts only where such models write it: before any other text of the answer. Later ``<think>`` is prose: an answer may speak
about tags.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

OPEN, CLOSE = "<think>", "</think>"
_MOST_BLANKS = 64

_Where: TypeAlias = Literal["before", "inside", "after"]


class Piece(NamedTuple):
    """A run of text, and whether it is reasoning."""

    text: str
    reasoning: bool


class ThinkTags:
    """Splits one answer. Holds back only what may still become a tag: blanks at the very start, and the beginning of a tag.

    Attributes:
        done: an ordinary answer has begun, so that nothing more is to be split.
    """

    def __init__(self) -> None:
        self._where: _Where = "before"
        self._held = ""

    @property
    def done(self) -> bool:
        """Whether an ordinary answer has begun."""
        return self._where == "after"

    def feed(self, text: str) -> list[Piece]:
        """Return the pieces that are certain now, in order; never empty ones."""
        pieces: list[Piece] = []
        rest = self._held + text
        self._held = ""
        while rest:
            match self._where:
                case "before":
                    rest = self._look_for_opening(rest, pieces)
                case "inside":
                    rest = self._look_for_closing(rest, pieces)
                case "after":
                    pieces.append(Piece(rest, reasoning=False))
                    rest = ""
        return pieces

    def finish(self) -> list[Piece]:
        """Return what was held back: it became no tag."""
        held, self._held = self._held, ""
        return [Piece(held, self._where == "inside")] if held else []

    def _look_for_opening(self, text: str, pieces: list[Piece]) -> str:
        begun = text.lstrip()
        blanks = text[: len(text) - len(begun)]
        if begun.startswith(OPEN):
            if blanks:
                pieces.append(Piece(blanks, reasoning=False))
            self._where = "inside"
            return begun[len(OPEN) :]
        if OPEN.startswith(begun):
            if begun or len(blanks) <= _MOST_BLANKS:
                self._held = text
            else:
                pieces.append(Piece(text, reasoning=False))
            return ""
        self._where = "after"
        return text

    def _look_for_closing(self, text: str, pieces: list[Piece]) -> str:
        inside, tag, rest = text.partition(CLOSE)
        if not tag:
            kept = _beginning_of(CLOSE, text)
            inside, self._held = text[: len(text) - kept], text[len(text) - kept :]
        if inside:
            pieces.append(Piece(inside, reasoning=True))
        if tag:
            self._where = "before"
        return rest


def _beginning_of(tag: str, text: str) -> int:
    """Return how many characters at the end of `text` may be the beginning of `tag`."""
    return next((size for size in range(min(len(tag) - 1, len(text)), 0, -1) if text.endswith(tag[:size])), 0)
