"""Requests of Anthropic Messages, written from the neutral form; `request_parse` reads them.

Pure: the same request and quirks give the same bytes. A longer conversation begins with the bytes of the shorter one but for the
marks of the cache, which move on with it, and the end of a message that goes on.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.conversation.messages import ModelRequest, ToolDefinition
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.anthropic.names import NAME, THINKING
from workbench.dialects.anthropic.request_messages import MessageWriter, Piece
from workbench.dialects.anthropic.thinking import Effort, effort
from workbench.dialects.base import NORM, EncodedRequest, Quirks
from workbench.dialects.json_text import write_json
from workbench.dialects.spelling import runnable_here, spelled

PATH = "/v1/messages"
MODES = {"auto": "auto", "none": "none", "required": "any"}
_MARK: JsonObject = {"type": "ephemeral"}
_MARKED_TURNS = 2
_OWN = ("model", "messages", "system", "max_tokens", "tools", "thinking", "output_config", "stream")


def encode_request(request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
    """Return the request as bytes: one piece up to the messages, one for each message, one for the rest."""
    marks = quirks.cache_marks and not spelled(request.options, NAME).get("marks")
    groups = _grouped(MessageWriter(request, quirks).write(request.messages))
    asked = effort(request.options, quirks, [_message(group) for group in groups])
    _finish(groups, thinking=asked.on)
    groups = [group for group in groups if group]
    if marks:
        _mark_turns(groups)
    head = b"{" + write_json({"model": request.options.model, **_system(request, marks=marks)})[1:-1] + b',"messages":['
    tail = write_json(_members(request, asked, marks=marks))[1:]
    return EncodedRequest(PATH, (head, *_pieces(groups), b"]" + (b"," if tail != b"}" else b"") + tail))


class AnthropicRequestWriter:
    """Writes the requests of one conversation; the bytes are those of `encode_request`, whatever was written before."""

    def encode(self, request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
        """Return the request as bytes."""
        return encode_request(request, quirks)


def _grouped(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return the pieces by the message of the wire that they make up."""
    groups: list[list[Piece]] = []
    for piece in pieces:
        if groups and groups[-1][-1].role == piece.role and not piece.apart:
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return groups


def _message(group: Sequence[Piece]) -> JsonObject:
    return {"role": group[0].role, "content": [block for piece in group for block in piece.blocks]}


def _finish(groups: list[list[Piece]], *, thinking: bool) -> None:
    """Make an assistant's message at the very end one that is taken: no blanks behind its text, and no thinking where that is off."""
    while groups and groups[-1][-1].role == "assistant":
        for piece in groups[-1]:
            if not thinking:
                piece.blocks = [block for block in piece.blocks if block.get("type") not in THINKING]
        last = groups[-1][-1]
        if last.blocks and last.blocks[-1].get("type") == "text":
            last.blocks[-1] = {**last.blocks[-1], "text": str(last.blocks[-1]["text"]).rstrip()}
        groups[-1] = [piece for piece in groups[-1] if piece.blocks]
        if groups[-1]:
            return
        groups.pop()


def _mark_turns(groups: list[list[Piece]]) -> None:
    """Mark the last block of the newest turns of the user."""
    marked = 0
    for group in reversed(groups):
        if group[0].role == "user" and marked < _MARKED_TURNS:
            blocks = group[-1].blocks
            blocks[-1] = {**blocks[-1], "cache_control": _MARK}
            marked += 1


def _pieces(groups: Sequence[Sequence[Piece]]) -> list[bytes]:
    written: list[bytes] = []
    for number, group in enumerate(groups):
        comma = b"," if number else b""
        members = {name: value for piece in group for name, value in piece.members.items()}
        end = b"}" if not members else b"," + write_json(members)[1:]
        only = group[0].blocks[0] if len(group) == 1 and len(group[0].blocks) == 1 else {}
        opening = comma + b'{"role":"' + group[0].role.encode() + b'","content":'
        if group[0].as_text and set(only) == {"type", "text"}:
            written.append(opening + write_json(only["text"]) + end)
            continue
        lists = [write_json(piece.blocks)[1:-1] for piece in group]
        lists[0] = opening + b"[" + lists[0]
        lists[1:] = [b"," + more for more in lists[1:]]
        lists[-1] += b"]" + end
        written += lists
    return written


def _system(request: ModelRequest, *, marks: bool) -> JsonObject:
    spelling = spelled(request.options, NAME).get("system")
    if spelling is not None and len(spelling) == len(request.system):
        return {"system": [{"type": "text", "text": clean_text(text), **members} for text, members in zip(request.system, spelling, strict=True)]}
    texts = [clean_text(text) for text in request.system if text.strip()]
    if not texts:
        return {}
    if len(texts) == 1 and not marks:
        return {"system": texts[0]}
    blocks: list[JsonObject] = [{"type": "text", "text": text} for text in texts]
    if marks:
        blocks[-1] = {**blocks[-1], "cache_control": _MARK}
    return {"system": blocks}


def _members(request: ModelRequest, asked: Effort, *, marks: bool) -> JsonObject:
    """Return all members but those before the messages and the messages; those that are about tools only beside tools."""
    request = runnable_here(request, NAME)
    options = request.options
    spelling = spelled(options, NAME)
    members: JsonObject = {"max_tokens": asked.max_tokens}
    tools = [tool_object(tool, given_marks=bool(spelling.get("marks"))) for tool in request.tools]
    if tools and marks:
        tools[-1] = {**tools[-1], "cache_control": _MARK}
    if tools:
        members["tools"] = tools
        members |= _choice(request)
    if asked.thinking is not None:
        members["thinking"] = asked.thinking
    if asked.output_config is not None:
        members["output_config"] = asked.output_config
    if options.temperature is not None and not (asked.on and options.temperature != 1):
        members["temperature"] = options.temperature
    if options.stop:
        members["stop_sequences"] = list(options.stop)
    if options.stream or spelling.get("stream") == "false":
        members["stream"] = options.stream
    extra = {name: value for name, value in options.extra.items() if name not in (*_OWN, *members)}
    return members | {name: value for name, value in extra.items() if tools or name != "tool_choice"}


def _choice(request: ModelRequest) -> JsonObject:
    options = request.options
    if "tool_choice" in options.extra and options.tool_choice is None:
        return {"tool_choice": options.extra["tool_choice"]}
    if options.tool_choice is None and options.parallel_tool_calls is None:
        return {}
    word = options.tool_choice or "auto"
    choice: JsonObject = {"type": MODES[word]} if word in MODES else {"type": "tool", "name": word}
    if options.parallel_tool_calls is not None and word != "none":
        choice["disable_parallel_tool_use"] = not options.parallel_tool_calls
    return {"tool_choice": choice}


def tool_object(tool: ToolDefinition, *, given_marks: bool = True) -> JsonObject:
    """Return a tool definition; one with free text takes one argument."""
    spelling = spelled(tool, NAME)
    if raw := spelling.get("raw"):
        return dict(raw)
    written: JsonObject = {"name": clean_text(tool.name), "description": clean_text(tool.description), "input_schema": _object_schema(tool.input_schema)}
    if tool.strict or spelling.get("strict"):
        written["strict"] = tool.strict
    for name in spelling.get("absent", ()):
        written.pop(name, None)
    members = spelling.get("members", {})
    return written | {name: value for name, value in members.items() if name != "cache_control" or given_marks}


def _object_schema(schema: JsonObject) -> JsonObject:
    """Return a schema with the word at its root that the API demands."""
    return schema or {"type": "object", "properties": {}}
