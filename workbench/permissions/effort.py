"""How much work one judgement may take: a command made to be slow to judge is refused, not waited for and not waved through.

Half-judged is not judged: what was not looked at could be what a rule refuses.
"""

from __future__ import annotations

EFFORT_LIMIT = 4_000_000
"""Words looked at, or as much work as that; about a second. A hundred times what the longest everyday command takes."""


class TooTangled(Exception):
    """A text takes more work to judge than any command that a person would write."""


class Effort:
    """Counts the work of one judgement."""

    def __init__(self, limit: int = EFFORT_LIMIT) -> None:
        self._left = limit

    def spend(self, words: int) -> None:
        """Count work.

        Raises:
            TooTangled: it was too much.
        """
        self._left -= words
        if self._left < 0:
            raise TooTangled
