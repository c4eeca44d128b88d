"""What of a conversation a dialect, or another provider, cannot be given: the loss rules of the wire specification, section 9.

Nothing is written here; the encoders follow the same rules, and the tests hold both against each other: what is not named here
survives being written and read again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from workbench.conversation.messages import (
    DialectName,
    FilePart,
    ImagePart,
    Message,
    ModelRequest,
    OpaquePart,
    Part,
    ReasoningPart,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from workbench.dialects.argument_text import replay_text
from workbench.dialects.base import NORM, Loss, Quirks
from workbench.dialects.json_text import read_json
from workbench.dialects.loss_rules import CARRIES, RULES, Setting, is_reduced
from workbench.dialects.lost_reasoning import lost_reasoning
from workbench.dialects.origins import made_here
from workbench.dialects.pairing import Pairing
from workbench.dialects.spelling import runs_elsewhere, spelled

WHOLE = -1
DROPS = frozenset(
    {
        *("reasoning-foreign", "reasoning-sealed", "reasoning-unsigned", "reasoning-unfollowed", "reasoning-not-replayed"),
        *("opaque-foreign", "result-orphan", "result-repeated", "picture-dropped", "file-dropped"),
    }
)
"""Rules by which a part is not sent at all."""


def lost(request: ModelRequest, name: DialectName, quirks: Quirks = NORM, *, source: DialectName | None = None) -> tuple[Loss, ...]:
    """Return what is lost when a request is written in a dialect for a provider, first what concerns the whole, then by message and part.

    Args:
        request: what is written.
        name: the dialect.
        quirks: of the provider.
        source: the dialect that the request was read from, if it was; None tells it from what its parts say.
    """
    return tuple(Losses(name, quirks, source).of(request))


def knows_settings(name: DialectName, source: DialectName) -> bool:
    """Say whether settings that the neutral form does not know go from one dialect into another as they are."""
    return name == source or {name, source} == {"chat_completions", "functions"}


class Losses:
    """Finds what is lost on the way to one dialect; what it found of a message is kept for the next request of the same conversation."""

    def __init__(self, name: DialectName, quirks: Quirks = NORM, source: DialectName | None = None) -> None:
        self._name, self._quirks, self._carries, self._source = name, quirks, CARRIES[name], source
        self._known: dict[int, tuple[Message, str, tuple[tuple[str, int], ...]]] = {}

    def of(self, request: ModelRequest) -> Iterator[Loss]:
        """Yield the losses of a request in order."""
        yield from (_loss(rule, WHOLE, WHOLE) for rule in self._of_request(request))
        pairing = Pairing(request.messages)
        tools = {tool.name for tool in request.tools}
        used: set[str] = set()
        for place, message in enumerate(request.messages):
            found = [*self._of_message(message, request.options.model), *self._of_calls(message, tools, used), *pairing.of(place)]
            if not message.results() and self._is_empty(message, found):
                found.append(("message-empty", WHOLE))
            yield from (_loss(rule, place, part) for rule, part in sorted(dict.fromkeys(found), key=lambda entry: entry[1]))

    # The whole request

    def _of_request(self, request: ModelRequest) -> Iterator[str]:
        carries, options = self._carries, request.options
        calls = any(message.calls() for message in request.messages)
        if calls and carries.tied != "id" and self._name != "ollama":
            yield f"ids-by-{carries.tied}"
        if sum(map(bool, request.system)) > 1 and not carries.system_blocks and not spelled(options, self._name).get("system"):
            yield "system-joined"
        yield from self._of_tools(request)
        yield from self._of_settings(request)
        sources = {self._source} if self._source is not None else _read_from(request)
        if options.extra and sources and not any(knows_settings(self._name, source) for source in sources):
            yield "setting-unknown"
        if _has_cache_marks(request, self._name):
            yield "cache-marks"

    def _of_tools(self, request: ModelRequest) -> Iterator[str]:
        if request.tools and self._name == "react":
            yield "tools-as-text"
        if any(runs_elsewhere(tool, self._name) for tool in request.tools):
            yield "tool-foreign"
        if any(tool.strict for tool in request.tools) and not self._says("strict"):
            yield "tool-strict"
        if self._name == "gemini" and not self._quirks.json_schema and any(is_reduced(tool.input_schema) for tool in request.tools):
            yield "schema-reduced"

    def _of_settings(self, request: ModelRequest) -> Iterator[str]:
        options, quirks = request.options, self._quirks
        if request.tools:
            yield from self._of_choice(options.tool_choice, options.parallel_tool_calls)
        if options.stop and not (self._says("stop") and quirks.stop):
            yield "setting-stop"
        if options.reasoning_effort is not None and not self._says_effort():
            yield "setting-effort"
        if options.temperature is not None and (not self._says("temperature") or (self._thinks(options) and options.temperature != 1)):
            yield "setting-temperature"
        if options.max_output_tokens is not None and not self._says("limit"):
            yield "setting-limit"

    def _of_choice(self, choice: str | None, parallel: bool | None) -> Iterator[str]:
        wanted: Setting = "required" if choice == "required" else "none" if choice == "none" else "named"
        if choice not in (None, "auto") and not (self._says(wanted) and (wanted == "none" or self._quirks.forced_choice)):
            yield "tools-withheld" if wanted == "none" and self._name == "ollama" else "tool-choice"
        if parallel is not None and choice != "none" and not self._says("parallel"):
            yield "parallel-calls"

    def _says_effort(self) -> bool:
        return self._says("effort") and not (self._name == "gemini" and self._quirks.thinking == "off")

    def _thinks(self, options: RequestOptions) -> bool:
        return self._name == "anthropic" and self._quirks.thinking != "off" and options.reasoning_effort != "none"

    def _says(self, setting: Setting) -> bool:
        return setting in self._carries.settings

    # One message

    def _of_message(self, message: Message, model: str) -> tuple[tuple[str, int], ...]:
        """Return (rule, part) for what depends on nothing but the message and who gets it."""
        known = self._known.get(id(message))
        if known is None or known[0] is not message or known[1] != model:
            known = self._known[id(message)] = (message, model, tuple(self._found(message, model)))
        return known[2]

    def _found(self, message: Message, model: str) -> Iterator[tuple[str, int]]:
        ours = made_here(message, self._carries.families, model, self._quirks.provider)
        for place, part in enumerate(message.parts):
            yield from ((rule, place) for rule in self._of_part(part, message, ours=ours))
        if message.role == "system" and not self._carries.system_anywhere:
            yield "system-as-user", WHOLE
        if message.role == "assistant":
            yield from ((rule, WHOLE) for rule in self._of_turn(message))

    def _of_turn(self, message: Message) -> Iterator[str]:
        if len(message.calls()) > 1 and not self._carries.parallel:
            yield "calls-serialised"
        if self._name == "react" and message.calls() and any(isinstance(part, TextPart) and part.text.strip() for part in message.parts):
            yield "text-as-thought"
        if self._carries.ordered:
            return
        kinds = [_RANK[type(part)] for part in message.parts if type(part) in _RANK and not _is_blank(part)]
        if kinds != sorted(kinds):
            yield "order-changed"
        if kinds.count(1) > 1:
            yield "texts-joined"
        if kinds.count(0) > 1:
            yield "reasoning-joined"

    def _of_part(self, part: Part, message: Message, *, ours: bool) -> Iterator[str]:
        match part:
            case TextPart():
                if part.signature and not (ours and self._name == "gemini"):
                    yield "signature-dropped"
                if part.phase and not (self._carries.phases and message.role == "assistant"):
                    yield "phase-dropped"
            case ImagePart() | FilePart():
                yield from self._of_attachment(part, message)
            case ReasoningPart():
                if rule := lost_reasoning(part, message, self._name, self._quirks, ours=ours):
                    yield rule
            case OpaquePart():
                here = part.dialect == self._name and (not part.provider or part.provider == self._quirks.provider)
                if not (here and (ours or message.role != "assistant")):
                    yield "opaque-foreign"
            case ToolCallPart():
                yield from self._of_arguments(part, ours=ours)
            case ToolResultPart():
                yield from self._of_result(part)

    def _of_attachment(self, part: ImagePart | FilePart, message: Message) -> Iterator[str]:
        if (message.role == "assistant" and self._name != "gemini") or not self._sends(part):
            yield "picture-dropped" if isinstance(part, ImagePart) else "file-dropped"

    def _sends(self, part: ImagePart | FilePart) -> bool:
        if isinstance(part, FilePart):
            return self._carries.files
        return self._carries.picture_urls or not part.url

    def _of_arguments(self, call: ToolCallPart, *, ours: bool) -> Iterator[str]:
        if "signature" in json.dumps(call.metadata).lower() and not ours:
            yield "signature-dropped"
        if call.kind == "custom":
            if not self._carries.custom_calls:
                yield "custom-as-function"
            return
        sent = replay_text(call.arguments_raw)
        if sent.startswith('{"INVALID_JSON"') and sent != call.arguments_raw:
            yield "arguments-wrapped"
        elif not self._keeps_spelling(call.arguments_raw, sent):
            yield "arguments-respelled"

    def _keeps_spelling(self, raw: str, sent: str) -> bool:
        if self._carries.raw_arguments:
            return sent == raw or not raw.strip()
        return not raw.strip() or raw in _spellings(raw)

    def _of_result(self, result: ToolResultPart) -> Iterator[str]:
        if result.is_error and not self._carries.error_flag:
            yield "error-as-text"
        for part in result.content:
            if isinstance(part, TextPart):
                continue
            if self._carries.result_pictures == "never" or not self._sends(part):
                yield "picture-dropped" if isinstance(part, ImagePart) else "file-dropped"
            elif self._carries.result_pictures == "after":
                yield "picture-moved"

    # What depends on other messages

    def _of_calls(self, message: Message, tools: set[str], used: set[str]) -> Iterator[tuple[str, int]]:
        carries = self._carries
        for place, part in enumerate(message.parts):
            if not isinstance(part, ToolCallPart):
                continue
            if carries.tied == "id" and (part.call_id in used or not carries.takes_id(part.call_id) or not self._takes_format(part.call_id)):
                yield "id-mapped", place
            used.add(part.call_id)
            if part.name not in tools and not carries.takes_name(part.name):
                yield "name-changed", place

    def _takes_format(self, call_id: str) -> bool:
        return self._quirks.call_id_format == "any" or (len(call_id) == 9 and call_id.isalnum() and call_id.isascii())

    def _is_empty(self, message: Message, found: Sequence[tuple[str, int]]) -> bool:
        gone = {part for rule, part in found if rule in DROPS}
        left = [part for place, part in enumerate(message.parts) if place not in gone and not _is_blank(part)]
        return not left or (message.role == "assistant" and not self._carries.ordered and all(isinstance(part, ReasoningPart) for part in left))


_RANK: dict[type, int] = {ReasoningPart: 0, TextPart: 1, ToolCallPart: 2}


def _is_blank(part: Part) -> bool:
    return isinstance(part, TextPart) and not part.text and not part.signature


def _loss(rule: str, message: int, part: int) -> Loss:
    return Loss(rule=rule, message=message, part=part, text=RULES[rule].text)


def _spellings(raw: str) -> tuple[str, ...]:
    """Return how an object is spelled by those who write it again."""
    try:
        value = read_json(raw)
        return json.dumps(value, ensure_ascii=False), json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return ()


def _read_from(request: ModelRequest) -> set[DialectName]:
    """Return the dialects that a request was read from, as far as its parts tell."""
    wires = (request.options.wire, *(tool.wire for tool in request.tools), *(message.wire for message in request.messages[:1]))
    return {name for name in CARRIES if any(name in wire for wire in wires)}


def _has_cache_marks(request: ModelRequest, name: DialectName) -> bool:
    wires = (request.options.wire, *(tool.wire for tool in request.tools), *(message.wire for message in request.messages))
    return any(dialect != name and "cache_control" in json.dumps(spelling) for wire in wires for dialect, spelling in wire.items())
