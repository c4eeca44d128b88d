"""Whether a session is still being saved: after a failed commit it takes nothing more, and whoever watches it is told at once."""

from __future__ import annotations

from workbench.conversation.events import Notice
from workbench.conversation.journal import Journal
from workbench.conversation.values import plain_values
from workbench.errors import StoreError


class Saving:
    """What became of saving one session.

    Attributes:
        failure: why nothing more is taken; None as long as all is well.
    """

    def __init__(self, journal: Journal) -> None:
        self.failure: StoreError | None = None
        self._journal = journal

    def stopped(self, error: StoreError) -> None:
        """Note that saving failed, and tell it live: no fact can tell it any more. Only the first time counts."""
        if self.failure is None:
            self.failure = error
            self._journal.emit(Notice(message_id=error.message_id, text=error.text, level="error", values=plain_values(error.values)))

    def require(self) -> None:
        """Let only a session go on that is saved.

        Raises:
            StoreError: it takes nothing more.
        """
        if self.failure is not None:
            raise self.failure

    async def settle(self) -> None:
        """Return when everything written is durable, or it is known that it will not be."""
        try:
            await self._journal.settled(self._journal.last_seq)
        except StoreError as error:
            self.stopped(error)
