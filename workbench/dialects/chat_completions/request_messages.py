"""The messages of a request: a repaired history, ids as the server wants them, and nothing that the dialect cannot carry."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from typing import Final

from workbench.conversation.messages import Message, ModelRequest, OpaquePart, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from workbench.conversation.values import JsonObject, JsonValue, clean_text
from workbench.dialects.argument_text import replay_text
from workbench.dialects.base import Quirks
from workbench.dialects.chat_completions.content import CHAT_FAMILY, content_of, content_part, joined_text
from workbench.dialects.chat_completions.response import add_reasoning, call_object, opaque_members, tagged, thinking_chunk
from workbench.dialects.history import answered, is_error_text
from workbench.dialects.json_text import write_json
from workbench.dialects.origins import made_here
from workbench.dialects.spelling import spelled
from workbench.dialects.wire_ids import WireIds

NAME: Final = "chat_completions"
NAME_PATTERN = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_CHAT_FIELDS = ("reasoning_content", "reasoning", "think_tag", "thinking_content")
_BRIDGE = "I have the results."


class MessageWriter:
    """Writes the messages of one request, in order."""

    def __init__(self, request: ModelRequest, quirks: Quirks) -> None:
        self._model = request.options.model
        self._quirks = quirks
        self._tools = {tool.name: tool for tool in request.tools}
        self._ids = WireIds(quirks.call_id_format)
        self._in_group: dict[str, str] = {}
        self._reasoning_field = "reasoning_content"
        self._last_role = ""

    def copy(self) -> MessageWriter:
        """Return a writer that goes on behind the same messages."""
        other: MessageWriter = copy.copy(self)
        other._ids = self._ids.copy()
        return other

    def write(self, messages: Sequence[Message]) -> Iterator[JsonObject]:
        """Yield the wire form of the next messages; one neutral message may give none or several."""
        for message in answered(messages):
            for written in self._of(message):
                if self._needs_bridge(written):
                    yield {"role": "assistant", "content": _BRIDGE}
                self._last_role = str(written["role"])
                yield written

    def _of(self, message: Message) -> Iterator[JsonObject]:
        match message.role:
            case "assistant":
                yield from self._assistant(message)
            case "tool":
                yield from self._results(message)
            case "user" | "system":
                yield from self._plain(message)

    def _needs_bridge(self, written: JsonObject) -> bool:
        """Mistral wants an assistant turn between results and the next question."""
        return self._quirks.call_id_format == "mistral" and self._last_role == "tool" and written["role"] == "user"

    def _plain(self, message: Message) -> Iterator[JsonObject]:
        spelling = spelled(message, NAME)
        role = spelling.get("role", self._quirks.system_role if message.role == "system" else "user")
        content = content_of(self._without_foreign(message.parts), spelling)
        if content or "content" in spelling:
            yield {"role": role, "content": content, **spelling.get("members", {})}

    def _assistant(self, message: Message) -> Iterator[JsonObject]:
        ours = made_here(message, CHAT_FAMILY, self._model, self._quirks.provider)
        spelling = spelled(message, NAME) if ours else {}
        calls = message.calls()
        thoughts = self._replayed(message, spelling) if ours else []
        content = self._said(message, spelling, thoughts, ours=ours)
        if not content and not calls:
            return  # a turn with neither text nor calls is refused everywhere
        written: JsonObject = {"role": "assistant", **self._content_member(content, spelling)}
        if calls:
            self._in_group = self._ids.of_calls(calls)
            written["tool_calls"] = [self._call(call, ours=ours) for call in calls]
        self._think(written, thoughts, spelling, calls=bool(calls))
        yield written | (opaque_members(message) if ours else {}) | spelling.get("members", {})

    def _replayed(self, message: Message, spelling: JsonObject) -> list[ReasoningPart]:
        replay = self._quirks.reasoning_replay
        wanted = "reasoning" in spelling or replay == "always" or (replay == "with_calls" and bool(message.calls()))
        return [part for part in message.parts if isinstance(part, ReasoningPart) and part.field in _CHAT_FIELDS] if wanted else []

    def _said(self, message: Message, spelling: JsonObject, thoughts: Sequence[ReasoningPart], *, ours: bool) -> JsonValue:
        """Return the content: a text, or a list where something else than text must stand in it."""
        chunks = [thinking_chunk(part) for part in thoughts if part.field == "thinking_content"]
        parts = self._without_foreign([part for part in message.parts if isinstance(part, TextPart) or (ours and isinstance(part, OpaquePart))])
        if spelling.get("content") == "list" or chunks or any(isinstance(part, OpaquePart) and "type" in part.item for part in parts):
            content = content_of(parts, {**spelling, "content": "list"})
            return [*chunks, *(content if isinstance(content, list) else [])]
        return "".join(tagged(part) for part in thoughts) + joined_text(message)

    def _content_member(self, content: JsonValue, spelling: JsonObject) -> JsonObject:
        """Return the content member; where there is no content, the server's way to say so."""
        if content:
            return {"content": content}
        match spelling.get("content", self._quirks.empty_content):
            case "omit" | "absent":
                return {}
            case "empty":
                return {"content": ""}
            case "list":
                return {"content": []}
            case _:
                return {"content": None}

    def _without_foreign(self, parts: Sequence[Part]) -> list[Part]:
        """Return the parts without those that only another dialect or provider understands."""
        return [part for part in parts if not isinstance(part, OpaquePart) or self._knows(part)]

    def _knows(self, part: OpaquePart) -> bool:
        return part.dialect == NAME and (not part.provider or part.provider == self._quirks.provider)

    def _think(self, written: JsonObject, thoughts: Sequence[ReasoningPart], spelling: JsonObject, *, calls: bool) -> None:
        """Put reasoning into its member; where a server wants the member on every turn with calls, an empty one stands for none."""
        for part in thoughts:
            if part.field in ("reasoning_content", "reasoning"):
                add_reasoning(written, part)
                self._reasoning_field = part.field
        if "reasoning" in spelling:
            said = next((part.text for part in thoughts if part.field in spelling["reasoning"]), "")
            written.update({name: said if form == "copy" else "" for name, form in spelling["reasoning"].items() if name not in written})
        elif calls and self._quirks.reasoning_replay == "with_calls" and not thoughts:
            written[self._reasoning_field] = ""

    def _call(self, call: ToolCallPart, *, ours: bool) -> JsonObject:
        known = self._tools.get(call.name)
        kind = call.kind
        arguments = replay_text(call.arguments_raw) if kind == "function" else clean_text(call.arguments_raw)
        if kind == "custom" and known is not None and not spelled(known, NAME).get("raw"):
            kind, arguments = "function", write_json({"input": call.arguments_raw}).decode()
        sent = ToolCallPart(
            call_id=self._in_group[call.call_id], name=clean_text(call.name), arguments_raw=arguments, kind=kind, metadata=call.metadata if ours else {}
        )
        return call_object(sent, arguments)

    def _results(self, message: Message) -> Iterator[JsonObject]:
        spellings: dict[str, JsonObject] = spelled(message, NAME).get("results", {})
        for result in message.results():
            yield self._result(result, spellings.get(result.call_id, {}))
        attached = [item for result in message.results() for item in _attached(result)]
        if attached:
            yield {"role": "user", "content": attached}

    def _result(self, result: ToolResultPart, spelling: JsonObject) -> JsonObject:
        texts = _result_texts(result)
        content: JsonValue = [{"type": "text", "text": text} for text in texts] if spelling.get("content") == "list" else "".join(texts)
        written: JsonObject = {"role": "tool", "tool_call_id": self._in_group[result.call_id], "content": content}
        if self._quirks.result_name and result.name:
            written["name"] = result.name
        return {**written, **spelling.get("members", {})}


def _result_texts(result: ToolResultPart) -> list[str]:
    """Return what a result says in text: failures say that they are, and attachments are announced (they follow in a user message)."""
    texts = [clean_text(part.text) for part in result.content if isinstance(part, TextPart)]
    more = len(result.content) - len(texts)
    if more:
        announced = f"[{more} attached: see the next message]"
        texts.append(f"\n{announced}" if texts else announced)
    if result.is_error and not is_error_text("".join(texts)):
        return [f"Error: {''.join(texts[:1])}", *texts[1:]]
    return texts


def _attached(result: ToolResultPart) -> list[JsonObject]:
    attached = [item for part in result.content if not isinstance(part, TextPart) and (item := content_part(part)) is not None]
    return [{"type": "text", "text": f"From the result of {result.name or 'the tool'}:"}, *attached] if attached else []
