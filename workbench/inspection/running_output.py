"""The output of a running tool as it is shown: its end, and how many lines there were."""

from __future__ import annotations

from typing import NamedTuple

LONGEST = 64 * 1024


class OutputEnd(NamedTuple):
    """The last characters of an output, and how many lines it has so far."""

    text: str
    lines: int


class RunningOutput:
    """Collects output; `join` is called once for a batch, so that a flood of pieces costs one copy of the end.

    Attributes:
        grew: something came since the last `join`.
    """

    def __init__(self) -> None:
        self.grew = False
        self._pieces: list[str] = []
        self._end = ""
        self._newlines = 0

    def add(self, text: str) -> None:
        """Take more output."""
        if text:
            self._pieces.append(text)
            self._newlines += text.count("\n")
            self.grew = True

    def join(self) -> OutputEnd:
        """Return the output's end as it is now."""
        self._end = "".join((self._end, *self._pieces))[-LONGEST:]
        self._pieces.clear()
        self.grew = False
        return OutputEnd(self._end, self._newlines + (not self._end.endswith("\n")))
