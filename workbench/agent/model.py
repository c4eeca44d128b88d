"""What the loop needs of a model, so that it depends on no provider."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from workbench.conversation.checks import Review
from workbench.conversation.events import StepPlace
from workbench.conversation.messages import ModelRequest, Origin
from workbench.conversation.stream import StreamEvent

__all__ = ["Model", "Review", "StepPlace"]


class Model(Protocol):
    """Answers requests as streams of events; writes ExchangeOpened (durable before a byte leaves) and ExchangeClosed itself.

    `stream` repeats the HTTP request by the retry rules as long as no event was yielded. Cancelling the consumer, or closing the
    iterator, closes the connection before it returns.
    """

    @property
    def origin(self) -> Origin:
        """Where its messages come from."""
        ...

    def stream(self, request: ModelRequest, place: StepPlace, review: Review | None = None) -> AsyncGenerator[StreamEvent, None]:
        """Send the request and yield the answer's events in order.

        What its provider would refuse is held first, and `review` decides; without one it is sent as it is.

        Raises:
            ProviderError: no answer, after all retries; the sentence is for a person.
            StoreError: the exchange could not be recorded; nothing was sent.
        """
        ...

    @property
    def last_exchange_id(self) -> str:
        """Id of the newest exchange, for ModelResponded."""
        ...
