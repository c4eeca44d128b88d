"""Requests of the Responses dialect, written from the neutral form; `request_parse` reads them.

The stateless way: nothing is stored at the provider, the whole history goes along, reasoning in encrypted form. Pure: the same request
and quirks give the same bytes, and a longer conversation begins with the bytes of the shorter one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from workbench.conversation.messages import ModelRequest, RequestOptions
from workbench.conversation.values import JsonObject, JsonValue, clean_text
from workbench.dialects.base import NORM, EncodedRequest, Quirks
from workbench.dialects.growing import goes_on, settled
from workbench.dialects.json_text import write_json
from workbench.dialects.responses.items import NAME
from workbench.dialects.responses.request_items import ItemWriter, plain_parts
from workbench.dialects.responses.tools import tool_object
from workbench.dialects.spelling import runnable_here, spelled

PATH = "/responses"
MODES = ("auto", "none", "required")
ENCRYPTED = "reasoning.encrypted_content"
_REASONS = re.compile(r"(?:^|/)(?:o[134](?:$|-)|gpt-5(?!.*-chat)|codex|grok-(?:3-mini|4)(?!.*non-reasoning))")
_ABOUT_TOOLS = ("tool_choice", "parallel_tool_calls", "max_tool_calls")


def encode_request(request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
    """Return the request as bytes: one piece up to the items, one for each item, one for the rest."""
    return ResponsesRequestWriter().encode(request, quirks)


def is_reasoning_model(model: str) -> bool:
    """Say whether a model is known to reason, so that its reasoning can be asked for in encrypted form."""
    return bool(_REASONS.search(model))


class ResponsesRequestWriter:
    """Writes the requests of one conversation, one after the other; what an earlier request said alike is not written again.

    May be asked from any thread. The bytes are those of `encode_request`, whatever was written before.
    """

    def __init__(self) -> None:
        self._begun: _Begun | None = None

    def encode(self, request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
        """Return the request as bytes."""
        tail = write_json(_members(request, quirks))[1:]
        text = _plain_input(request)
        if text is not None:
            head = _Begun.of(request, quirks).pieces[0].removesuffix(b"[")
            return EncodedRequest(PATH, (head, write_json(text) + (b"," if tail != b"}" else b"") + tail))
        begun = self._begun
        if begun is None or not begun.is_beginning_of(request, quirks):
            begun = _Begun.of(request, quirks)
        begun = self._begun = begun.up_to(request, settled(request.messages))
        rest = _pieces(begun.writer.copy().write(request.messages[begun.written :]), first=len(begun.pieces) == 1)
        return EncodedRequest(PATH, (*begun.pieces, *rest, (b"]," if tail != b"}" else b"]") + tail))


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
    writer: ItemWriter
    pieces: tuple[bytes, ...]

    @classmethod
    def of(cls, request: ModelRequest, quirks: Quirks) -> _Begun:
        """Return a beginning without messages."""
        instructions, items = _system(request)
        head: JsonObject = {"model": request.options.model} if request.options.model else {}
        if instructions is not None:
            head["instructions"] = instructions
        written = write_json(head)[1:-1]
        first = b"{" + written + (b"," if written else b"") + b'"input":['
        return cls(request, quirks, 0, ItemWriter(request, quirks), (first, *_pieces(items, first=True)))

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


def _pieces(items: Iterable[JsonObject], *, first: bool) -> Iterator[bytes]:
    for item in items:
        yield (b"" if first else b",") + write_json(item)
        first = False


def _plain_input(request: ModelRequest) -> str | None:
    """Return the input of a parsed request that was one text; None if it must be a list."""
    if spelled(request.options, NAME).get("input") != "string" or len(request.messages) != 1 or _system(request)[1]:
        return None
    message = request.messages[0]
    return message.text() if message.role == "user" and len(message.parts) == 1 and message.text() else None


def _system(request: ModelRequest) -> tuple[str | None, list[JsonObject]]:
    """Return the instructions, and the items that stand for system text at the start where a parsed request had such."""
    spelling: Any = spelled(request.options, NAME).get("system")
    if isinstance(spelling, dict):
        texts = [spelling["instructions"]] if isinstance(spelling["instructions"], str) else []
        said = [part.text for item in spelling["items"] for part in plain_parts(item.get("content")) if hasattr(part, "text")]
        if tuple(clean_text(text) for text in texts) + tuple(said) == request.system:
            return spelling["instructions"], spelling["items"]
    return ("\n\n".join(filter(None, request.system)) if any(request.system) else None), []


def _members(request: ModelRequest, quirks: Quirks) -> JsonObject:
    """Return all members but `model`, `instructions` and `input`; those that are about tools only beside tools."""
    request = runnable_here(request, NAME)
    options = request.options
    spelling = spelled(options, NAME)
    members: JsonObject = {}
    if request.tools or spelling.get("tools") == "empty":
        members["tools"] = [tool_object(tool) for tool in request.tools]
    if request.tools:
        if options.tool_choice is not None:
            members["tool_choice"] = _choice(options.tool_choice, request, quirks)
        if options.parallel_tool_calls is not None:
            members["parallel_tool_calls"] = options.parallel_tool_calls
    members |= _settings(options, spelling)
    taken = ("model", "input", *members, *(("instructions",) if any(request.system) else ()))
    extra = {name: value for name, value in options.extra.items() if name not in taken}
    return members | {name: value for name, value in extra.items() if request.tools or spelling or name not in _ABOUT_TOOLS}


def _settings(options: RequestOptions, spelling: JsonObject) -> JsonObject:
    settings: JsonObject = {"max_output_tokens": options.max_output_tokens, "temperature": options.temperature}
    written = {name: value for name, value in settings.items() if value is not None}
    reasoning: JsonObject = {} if options.reasoning_effort is None else {"effort": options.reasoning_effort}
    more = spelling.get("reasoning")
    if reasoning:
        written["reasoning"] = reasoning | (more if isinstance(more, dict) else {"summary": "auto"})
    written |= _stateless(options, spelling)
    if options.stream or spelling.get("stream") == "false":
        written["stream"] = options.stream
    return written


def _stateless(options: RequestOptions, spelling: JsonObject) -> JsonObject:
    """Return what keeps the provider from storing anything; a parsed request keeps what it said."""
    asked = spelling.get("stateless")
    if isinstance(asked, dict):
        return asked
    reasons = options.reasoning_effort not in (None, "none") or is_reasoning_model(options.model)
    return ({"include": [ENCRYPTED]} if reasons else {}) | {"store": False}


def _choice(choice: str, request: ModelRequest, quirks: Quirks) -> JsonValue:
    if choice not in ("auto", "none") and not quirks.forced_choice:
        return "auto"
    if choice in MODES:
        return choice
    tool = next((tool for tool in request.tools if tool.name == choice), None)
    raw = spelled(tool, NAME).get("raw") if tool else None
    return {"type": "custom" if isinstance(raw, dict) and raw.get("type") == "custom" else "function", "name": choice}

