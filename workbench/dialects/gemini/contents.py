"""The contents of a request: a repaired history in which users and model take turns as Gemini wants it.

What a parsed request spelled in its own way is written that way as long as it still says the same.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from workbench.conversation.messages import Message, ModelRequest, Part, ToolCallPart, ToolResultPart
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.base import Quirks
from workbench.dialects.gemini.parts import NAME, NAME_PATTERN, STAND_IN, member, plain_name, read_part, write_call, write_part
from workbench.dialects.gemini.results import following_parts, read_result, write_result
from workbench.dialects.history import answered
from workbench.dialects.origins import made_here
from workbench.dialects.spelling import spelled

OPENING = "Continue."
"""What a user is made to say where Gemini wants a user's turn and there is none."""

_NESTS_PICTURES = re.compile(r"gemini-(?:[3-9]|[1-9]\d)")


class ContentWriter:
    """Writes the contents of one request, in order."""

    def __init__(self, request: ModelRequest, quirks: Quirks) -> None:
        self._model = request.options.model
        self._quirks = quirks
        self._tools = frozenset(tool.name for tool in request.tools)
        self._nested = bool(_NESTS_PICTURES.search(self._model))
        self._last_role = ""
        self._calls: dict[str, tuple[int, str, str]] = {}

    def copy(self) -> ContentWriter:
        """Return a writer that goes on behind the same messages."""
        return copy.copy(self)

    def write(self, messages: Sequence[Message]) -> Iterator[JsonObject]:
        """Yield the contents of the next messages; one message may give none or several."""
        held: JsonObject | None = None
        for message in answered(messages):
            for written in self._of(message):
                if held is not None and spelled(message, NAME).get("joined") and held["role"] == written["role"] == "user":
                    held = {**held, "parts": [*held["parts"], *written["parts"]]}
                    continue
                if held is not None:
                    yield held
                if self._needs_user(written):
                    yield {"role": "user", "parts": [{"text": OPENING}]}
                self._last_role = str(written.get("role", "user"))
                held = written
        if held is not None:
            yield held

    def _needs_user(self, written: JsonObject) -> bool:
        """Whether a user's turn is missing before this content: the model may not begin, and calls only follow a user's turn."""
        if written.get("role") != "model":
            return False
        return not self._last_role or (self._last_role == "model" and any(member(part, "functionCall") for part in written["parts"]))

    def _of(self, message: Message) -> Iterator[JsonObject]:
        match message.role:
            case "assistant":
                yield from self._model_turn(message)
            case "tool":
                yield from self._results(message)
            case "user" | "system":
                parts = [part for place, each in enumerate(message.parts) if (part := self._plain(each, message, place)) is not None]
                yield from _content(message, "user", parts)

    def _model_turn(self, message: Message) -> Iterator[JsonObject]:
        ours = made_here(message, (NAME,), self._model, self._quirks.provider)
        self._calls = {}
        parts: list[JsonObject] = []
        for place, part in enumerate(message.parts):
            if isinstance(part, ToolCallPart):
                parts.append(self._call(part, message, place, ours=ours))
            elif (written := self._plain(part, message, place, ours=ours)) is not None:
                parts.append(written)
        yield from _content(message if ours else replace(message, wire={}), "model", parts)

    def _plain(self, part: Part, message: Message, place: int, *, ours: bool = True) -> JsonObject | None:
        raw = _raw(message, "parts", str(place))
        if raw and ours and read_part(raw, "") == part:
            return raw
        return write_part(part, ours=ours)

    def _call(self, call: ToolCallPart, message: Message, place: int, *, ours: bool) -> JsonObject:
        raw = _raw(message, "parts", str(place))
        said_here = ours and message.origin is not None and call.name
        name = call.name if said_here or call.name in self._tools or NAME_PATTERN.fullmatch(call.name) else plain_name(call.name)
        marks = call.metadata if ours else {}
        wire_id, signature = (str(marks.get(mark) or "") for mark in ("id", "thoughtSignature"))
        if not signature and self._quirks.signature_stand_in and not self._calls:
            signature = STAND_IN
        self._calls[call.call_id] = (len(self._calls), clean_text(name), wire_id)
        written = write_call(call, clean_text(name), wire_id=wire_id, signature=signature)
        return raw if raw and ours and name and signature != STAND_IN and read_part(raw, call.call_id) == call else written

    def _results(self, message: Message) -> Iterator[JsonObject]:
        results = sorted(message.results(), key=lambda result: self._calls.get(result.call_id, (len(self._calls), "", ""))[0])
        written = [self._result(result, message) for result in results]
        yield from _content(message, "user", written)
        if parts := following_parts([result for result, part in zip(results, written, strict=True) if "parts" not in _response(part)]):
            yield {"role": "user", "parts": parts}

    def _result(self, result: ToolResultPart, message: Message) -> JsonObject:
        _, name, wire_id = self._calls.get(result.call_id, (0, plain_name(result.name), ""))
        raw = _raw(message, "results", result.call_id)
        response = member(raw, "functionResponse") if raw else None
        if raw and isinstance(response, dict) and (response.get("name"), response.get("id") or "") == (name, wire_id):
            read = read_result(response, "", "")
            if (read.content, read.is_error) == (result.content, result.is_error):
                return raw
        return write_result(result, name, wire_id=wire_id, nested=self._nested)


def _content(message: Message, role: str, parts: list[JsonObject]) -> Iterator[JsonObject]:
    """Yield a content; one without parts is refused, and left out."""
    if parts:
        yield {**spelled(message, NAME).get("content", {"role": role}), "parts": parts}


def _response(part: JsonObject) -> JsonObject:
    response = member(part, "functionResponse")
    return response if isinstance(response, dict) else {}


def _raw(message: Message, kind: str, key: str) -> JsonObject | None:
    found = spelled(message, NAME).get(kind)
    raw = found.get(key) if isinstance(found, dict) else None
    return raw if isinstance(raw, dict) else None
