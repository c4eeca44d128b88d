"""Requests of Gemini, written from the neutral form; `request_parse` reads them.

Pure: the same request and quirks give the same bytes, and a longer conversation begins with the bytes of the shorter one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from workbench.conversation.messages import ModelRequest, RequestOptions
from workbench.conversation.values import JsonObject
from workbench.dialects.base import NORM, EncodedRequest, Quirks
from workbench.dialects.gemini.contents import OPENING, ContentWriter
from workbench.dialects.gemini.options import write_choice, write_extra, write_settings, write_system
from workbench.dialects.gemini.parts import NAME
from workbench.dialects.gemini.tools import write_tools
from workbench.dialects.growing import goes_on, settled
from workbench.dialects.json_text import write_json
from workbench.dialects.spelling import runnable_here, spelled

_FOLDERS = ("models", "tunedModels")


def encode_request(request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
    """Return the request as bytes: one piece up to the contents, one for each content, one for the rest."""
    return GeminiRequestWriter().encode(request, quirks)


def path_of(options: RequestOptions) -> str:
    """Return the path of a request: it names the model and says whether the answer is streamed."""
    folder, slash, name = options.model.partition("/")
    if not slash or folder not in _FOLDERS:
        folder, name = "models", options.model
    method = "streamGenerateContent?alt=sse" if options.stream else "generateContent"
    return f"/v1beta/{folder}/{quote(name, safe='')}:{method}"


class GeminiRequestWriter:
    """Writes the requests of one conversation, one after the other; what an earlier request said alike is not written again.

    May be asked from any thread. The bytes are those of `encode_request`, whatever was written before.
    """

    def __init__(self) -> None:
        self._written: _Written | None = None

    def encode(self, request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
        """Return the request as bytes."""
        written = self._written
        if written is None or not written.is_beginning_of(request, quirks):
            written = _Written(request, quirks, 0, ContentWriter(request, quirks), ())
        written = self._written = written.up_to(request, settled(request.messages))
        rest = tuple(map(write_json, written.writer.copy().write(request.messages[written.messages :])))
        contents = (*written.contents, *rest) or (write_json({"role": "user", "parts": [{"text": OPENING}]}),)
        head = write_json(write_system(request.system, request.options))[:-1]
        tail = write_json(_members(request, quirks))[1:]
        return EncodedRequest(
            path_of(request.options),
            (head + (b'"contents":[' if head == b"{" else b',"contents":['), *_joined(contents), (b"]," if tail != b"}" else b"]") + tail),
        )


class _Written(NamedTuple):
    """The contents of the beginning of a conversation: of how many `messages`, and the writer as it stands behind them (only copied)."""

    request: ModelRequest
    quirks: Quirks
    messages: int
    writer: ContentWriter
    contents: tuple[bytes, ...]

    def is_beginning_of(self, request: ModelRequest, quirks: Quirks) -> bool:
        """Say whether another request begins alike."""
        before = self.request
        if (quirks, request.tools, request.options.model) != (self.quirks, before.tools, before.options.model):
            return False
        return goes_on(before.messages, self.messages, request.messages)

    def up_to(self, request: ModelRequest, count: int) -> _Written:
        """Return the beginning with more of the request's messages."""
        if count <= self.messages:
            return self
        writer = self.writer.copy()
        more = tuple(map(write_json, writer.write(request.messages[self.messages : count])))
        return self._replace(request=request, messages=count, writer=writer, contents=(*self.contents, *more))


def _joined(contents: Iterable[bytes]) -> Iterator[bytes]:
    for place, content in enumerate(contents):
        yield b"," + content if place else content


def _members(request: ModelRequest, quirks: Quirks) -> JsonObject:
    """Return all members behind the contents; the choice of tools only beside tools."""
    request = runnable_here(request, NAME)
    options = request.options
    members: JsonObject = {}
    entries = spelled(options, NAME).get("tools")
    tools = write_tools(request.tools, quirks, entries)
    if tools or entries == []:
        members["tools"] = tools
    if tools or spelled(options, NAME):
        members |= write_choice(options)
    members |= write_settings(options, quirks)
    return members | {name: value for name, value in write_extra(options).items() if name not in members}
