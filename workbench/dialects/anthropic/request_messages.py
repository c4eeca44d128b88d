"""The messages of a request: a repaired history in which one user message holds all results of a turn first, then what follows them.

The API joins neighbours of one role; here they are joined before, but stay pieces of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from workbench.conversation.messages import FilePart, ImagePart, Message, ModelRequest, OpaquePart, ReasoningPart, TextPart, ToolCallPart
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.anthropic.content import content_block, result_content
from workbench.dialects.anthropic.names import FAMILY, NAME, NAME_PATTERN, THINKING, is_server_call, is_server_result, plain_name
from workbench.dialects.anthropic.response import add_opaque, input_of, own_members, thinking_block
from workbench.dialects.base import Quirks
from workbench.dialects.history import answered
from workbench.dialects.origins import made_here
from workbench.dialects.spelling import spelled
from workbench.dialects.wire_ids import WireIds

LONGEST_ID = 64


@dataclass
class Piece:
    """The blocks that one neutral message became.

    Attributes:
        role: whose they are on the wire.
        apart: it stood as a message of its own where it was parsed, beside a neighbour of its role.
        as_text: a single plain text is written as a text, not as a list.
        members: unknown members of the wire message.
        paused: the answer stopped in the middle of a call of a server tool, which goes on when it is sent back.
    """

    role: Literal["user", "assistant", "system"]
    blocks: list[JsonObject]
    apart: bool = False
    as_text: bool = True
    members: JsonObject = field(default_factory=dict)
    paused: bool = False


class MessageWriter:
    """Writes the messages of one request."""

    def __init__(self, request: ModelRequest, quirks: Quirks) -> None:
        self._model = request.options.model
        self._provider = quirks.provider
        self._tools = {tool.name for tool in request.tools}
        self._given_marks = bool(spelled(request.options, NAME).get("marks"))
        self._ids = WireIds("plain", LONGEST_ID)
        self._in_group: dict[str, str] = {}

    def write(self, messages: Sequence[Message]) -> list[Piece]:
        """Return the pieces of all messages, in order; those with nothing in them are left out."""
        pieces = [piece for message in answered(messages) for piece in self._of(message)]
        pieces = [piece for piece in _without_lone_server_calls(pieces) if piece.blocks]
        for piece in pieces:
            if piece.role == "assistant":
                piece.blocks = calls_last(piece.blocks)
        return pieces

    def _of(self, message: Message) -> Iterator[Piece]:
        match message.role:
            case "assistant":
                yield from self._assistant(message)
            case "tool":
                yield self._results(message)
            case "user" | "system":
                yield self._plain(message)

    def _plain(self, message: Message) -> Piece:
        spelling = spelled(message, NAME)
        self._in_group = {}
        blocks = [
            self._spelled(block, spelling, place) for place, part in enumerate(message.parts) if (block := content_block(part, self._provider)) is not None
        ]
        role: Literal["user", "system"] = "system" if message.role == "system" and spelling.get("role") == "system" else "user"
        return self._piece(role, blocks, spelling)

    def _piece(self, role: Literal["user", "assistant", "system"], blocks: list[JsonObject], spelling: JsonObject) -> Piece:
        return Piece(role, blocks, bool(spelling.get("apart")), spelling.get("content") != "list", spelling.get("members", {}))

    def _spelled(self, block: JsonObject, spelling: JsonObject, place: int) -> JsonObject:
        """Return a block with the members it had where it was parsed; marks for the cache are ours to set unless they are all given."""
        members = spelling.get("blocks", {}).get(str(place))
        if not members:
            return block
        return {**block, **{name: value for name, value in members.items() if name != "cache_control" or self._given_marks}}

    def _assistant(self, message: Message) -> Iterator[Piece]:
        ours = made_here(message, FAMILY, self._model, self._provider)
        spelling = spelled(message, NAME) if ours else {}
        self._in_group = self._ids.of_calls(message.calls())
        cuts = [*spelling.get("cuts", ()), {"at": len(message.parts), **{name: spelling[name] for name in ("content", "members") if name in spelling}}]
        start = 0
        for number, cut in enumerate(cuts):
            blocks: list[JsonObject] = []
            for place in range(start, cut["at"]):
                self._say(message, place, blocks, spelling, ours=ours)
            piece = self._piece("assistant", blocks, {**cut, "apart": spelling.get("apart") if not number else True})
            piece.paused = message.finish_reason == "pause"
            yield piece
            start = cut["at"]

    def _say(self, message: Message, place: int, blocks: list[JsonObject], spelling: JsonObject, *, ours: bool) -> None:
        part = message.parts[place]
        before = len(blocks)
        match part:
            case TextPart() if part.text.strip():
                blocks.append({"type": "text", "text": clean_text(part.text)})
            case ReasoningPart() if ours and not part.field and not part.encrypted and (part.signature or part.redacted_data):
                blocks.append(thinking_block(part))
            case ToolCallPart():
                blocks.append(self._call(part, ours=ours))
            case OpaquePart() if ours and (not part.provider or part.provider == self._provider):
                add_opaque(part, blocks)
            case ImagePart() | FilePart():
                blocks.append({"type": "text", "text": f"[{'picture' if isinstance(part, ImagePart) else 'file'} left out]"})
            case _:
                pass
        if len(blocks) > before:
            blocks[-1] = self._spelled(blocks[-1], spelling, place)

    def _call(self, call: ToolCallPart, *, ours: bool) -> JsonObject:
        name = call.name if (ours and call.name) or call.name in self._tools or NAME_PATTERN.fullmatch(call.name) else plain_name(call.name)
        block: JsonObject = {"type": "tool_use", "id": self._in_group[call.call_id], "name": clean_text(name), "input": input_of(call)}
        return {**block, **(own_members(call) if ours else {})}

    def _results(self, message: Message) -> Piece:
        spelling = spelled(message, NAME)
        blocks: list[JsonObject] = []
        for result in message.results():
            if result.call_id not in self._in_group:
                continue  # its call stands in a message that cannot hold calls
            known = spelling.get("results", {}).get(result.call_id, {})
            block: JsonObject = {"type": "tool_result", "tool_use_id": self._in_group[result.call_id]}
            if known.get("content") != "absent" or result.content:
                block["content"] = result_content(result, known, self._provider)
            if result.is_error or known.get("is_error") is False:
                block["is_error"] = result.is_error
            blocks.append(self._spelled(block, {"blocks": {"0": known.get("members")}}, 0))
        return self._piece("user", blocks, {**spelling, "content": "list"})


def calls_last(blocks: list[JsonObject]) -> list[JsonObject]:
    """Return an assistant's blocks with its calls behind the provider's own tools, each run between thinking blocks for itself.

    Where no tool of the provider is in a run, its order stays as it was.
    """
    ordered: list[JsonObject] = []
    run: list[JsonObject] = []
    for block in [*blocks, None]:
        if block is not None and block.get("type") not in THINKING:
            run.append(block)
            continue
        if any(is_server_call(each) or is_server_result(each) for each in run):
            run.sort(key=lambda each: each.get("type") == "tool_use")
        ordered += [*run, *([block] if block is not None else [])]
        run = []
    return ordered


def _without_lone_server_calls(pieces: list[Piece]) -> list[Piece]:
    """Leave out calls of server tools without result and results without call: they travel as a pair, or not at all.

    A pair stands in one run of assistant messages. The call of an answer that paused, at the very end, is still to be run.
    """
    start = 0
    while start < len(pieces):
        end = start
        while end < len(pieces) and pieces[end].role == "assistant":
            end += 1
        _pair(pieces[start:end], at_end=end == len(pieces))
        start = max(end, start + 1)
    return pieces


def _pair(run: list[Piece], *, at_end: bool) -> None:
    blocks = [block for piece in run for block in piece.blocks]
    called = [block.get("id") for block in blocks if is_server_call(block)]
    answers = [block["tool_use_id"] for block in blocks if is_server_result(block)]
    waiting = at_end and bool(run) and run[-1].paused
    for piece in run:
        may_wait = waiting and piece is run[-1]
        piece.blocks = [
            block
            for block in piece.blocks
            if not (is_server_call(block) and block.get("id") not in answers and not may_wait)
            and not (is_server_result(block) and block["tool_use_id"] not in called)
        ]
