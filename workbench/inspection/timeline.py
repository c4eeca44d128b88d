"""The conversation as a person reads it, folded from facts and live signs; replaying a journal gives the same items."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.conversation.events import Entry, LiveEvent
from workbench.inspection.timeline_items import Changes, TimelineItem


class Timeline:
    """The items of one session, oldest first."""

    def __init__(self) -> None:
        self.items: list[TimelineItem] = []

    def apply(self, arrived: Sequence[Entry | LiveEvent]) -> Changes:
        """Fold facts and live signs, in the order they came, into `items` and say what changed."""
        return Changes()
