"""Writes the requests of a growing conversation: what an earlier request said alike is not written again.

For dialects whose body is a list of messages, each written by itself or with the results behind it: Chat Completions and its kin.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, Self

from workbench.conversation.messages import Message, ModelRequest
from workbench.conversation.values import JsonObject
from workbench.dialects.base import NORM, EncodedRequest, Quirks
from workbench.dialects.history import calls_tools
from workbench.dialects.json_text import write_json


class MessageWriting(Protocol):
    """Writes the messages of one request, in order; a call is written together with what answers it."""

    def copy(self) -> Self:
        """Return a writer that goes on behind the same messages."""
        ...

    def write(self, messages: Sequence[Message]) -> Iterator[JsonObject]:
        """Yield the wire form of the next messages."""
        ...


class RequestForm(NamedTuple):
    """How a dialect writes a request.

    Attributes:
        path: below the provider's base address.
        system: yields the system text as messages; may be nothing.
        writer: returns a writer for the messages behind it.
        members: returns all members but `model` and `messages`.
    """

    path: str
    system: Callable[[ModelRequest, Quirks], Iterator[JsonObject]]
    writer: Callable[[ModelRequest, Quirks], MessageWriting]
    members: Callable[[ModelRequest, Quirks], JsonObject]


class GrowingRequestWriter:
    """Writes the requests of one conversation, one after the other. May be asked from any thread.

    The bytes do not depend on what was written before: one piece up to the messages, one for each message, one for the rest.
    """

    def __init__(self, form: RequestForm) -> None:
        self._form = form
        self._begun: _Begun | None = None

    def encode(self, request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
        """Return the request as bytes."""
        begun = self._begun
        if begun is None or not begun.is_beginning_of(request, quirks):
            begun = _Begun.of(self._form, request, quirks)
        begun = self._begun = begun.up_to(request, settled(request.messages))
        rest = _pieces(begun.writer.copy().write(request.messages[begun.written :]), first=len(begun.pieces) == 1)
        tail = write_json(self._form.members(request, quirks))[1:]
        return EncodedRequest(self._form.path, (*begun.pieces, *rest, (b"]," if tail != b"}" else b"]") + tail))


class _Begun(NamedTuple):
    """The beginning of a request, written.

    Attributes:
        request: the request.
        written: how many of its messages are in it.
        writer: as it stands behind them; never used, only copied.
        pieces: the bytes.
    """

    request: ModelRequest
    quirks: Quirks
    written: int
    writer: MessageWriting
    pieces: tuple[bytes, ...]

    @classmethod
    def of(cls, form: RequestForm, request: ModelRequest, quirks: Quirks) -> _Begun:
        """Return a beginning without messages."""
        named = write_json({"model": request.options.model})[1:-1] + b"," if request.options.model else b""
        system = _pieces(form.system(request, quirks), first=True)
        return cls(request, quirks, 0, form.writer(request, quirks), (b"{" + named + b'"messages":[', *system))

    def is_beginning_of(self, request: ModelRequest, quirks: Quirks) -> bool:
        """Say whether another request begins alike."""
        before = self.request
        if (quirks, request.options, request.system, request.tools) != (self.quirks, before.options, before.system, before.tools):
            return False
        return goes_on(before.messages, self.written, request.messages)

    def up_to(self, request: ModelRequest, count: int) -> _Begun:
        """Return the beginning with more of the request's messages written."""
        if count <= self.written:
            return self
        writer = self.writer.copy()
        more = tuple(_pieces(writer.write(request.messages[self.written : count]), first=len(self.pieces) == 1))
        return self._replace(request=request, written=count, writer=writer, pieces=(*self.pieces, *more))


def settled(messages: Sequence[Message]) -> int:
    """Return how many messages are written alike whatever comes behind: calls still take results from there."""
    return next((place for place in range(len(messages) - 1, -1, -1) if calls_tools(messages[place])), len(messages))


def goes_on(before: Sequence[Message], written: int, messages: Sequence[Message]) -> bool:
    """Say whether messages begin with the `written` ones of `before`, and what stands behind them now changes nothing in those.

    Of a history that was cut and goes on otherwise, the last calls may take results that they did not have.
    """
    if written > len(messages) or not all(map(operator.is_, before[:written], messages)):
        return False
    return written == len(messages) or calls_tools(messages[written]) or not any(map(calls_tools, messages[:written]))


def _pieces(messages: Iterable[JsonObject], *, first: bool) -> Iterator[bytes]:
    for message in messages:
        yield (b"" if first else b",") + write_json(message)
        first = False
