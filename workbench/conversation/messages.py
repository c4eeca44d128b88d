"""The neutral conversation: messages made of parts, tool definitions, and the request for one step.

Every dialect reads and writes this form; what one provider needs back (signatures, ids, raw argument text) travels unread
in the parts. The model is that of the wire specification, section 10.
"""

from __future__ import annotations

import json
import secrets
from typing import Any, Literal, TypeAlias

from msgspec import field

from workbench.conversation.values import JsonObject, Value

DialectName: TypeAlias = Literal["chat_completions", "functions", "responses", "anthropic", "gemini", "react", "ollama"]
Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
MessageState: TypeAlias = Literal["complete", "incomplete", "error", "cancelled"]
FinishReason: TypeAlias = Literal[
    "end", "tool_use", "length", "stop_sequence", "content_filter", "refusal", "pause", "error", "cancelled", "incomplete", "unknown"
]
CallStatus: TypeAlias = Literal["complete", "invalid_json", "truncated"]
CallKind: TypeAlias = Literal["function", "custom"]
ResultDecision: TypeAlias = Literal["auto", "approved", "edited", "rejected", "denied", "cancelled", "none"]


class Origin(Value, kw_only=True):
    """Where an assistant message came from; opaque parts go back only there."""

    dialect: DialectName
    provider: str
    model: str
    host: str = ""
    response_id: str = ""


class Usage(Value, kw_only=True):
    """Tokens of one response in the normal form: `input_tokens` includes cached ones, `output_tokens` includes reasoning.

    None means that the provider did not say. `raw` is the provider's own object.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    raw: JsonObject = field(default_factory=dict)


class TextPart(Value, kw_only=True):
    """Words for a person. `signature` is a provider's opaque mark on text (Gemini)."""

    text: str
    phase: Literal["", "commentary", "final"] = ""
    signature: str = ""


class ImagePart(Value, kw_only=True):
    """A picture: base64 `data` or a `url`, exactly one of them."""

    media_type: str
    data: str = ""
    url: str = ""


class FilePart(Value, kw_only=True):
    """A document other than a picture, base64."""

    media_type: str
    data: str
    name: str = ""


class ReasoningPart(Value, kw_only=True):
    """What the model thought. Opaque fields are byte-exact and go back only to the provider and model family of the message's origin.

    Attributes:
        text: readable reasoning, may be empty.
        field: where it came from, so that it can go back there (Chat Completions); ``thought`` is the Thought of ReAct text.
        details: OpenRouter's `reasoning_details`, unread.
    """

    text: str = ""
    field: Literal["", "reasoning_content", "reasoning", "think_tag", "thinking_content", "thought"] = ""
    summary: tuple[str, ...] = ()
    signature: str = ""
    redacted_data: str = ""
    encrypted: str = ""
    item_id: str = ""
    details: tuple[JsonObject, ...] = ()


class ToolCallPart(Value, kw_only=True):
    """A call the model asks for.

    Attributes:
        call_id: unique in the conversation, at most 29 characters when minted here.
        wire_id: the id as the provider sent it, when it differs from `call_id` (empty or used before).
        arguments_raw: the exact argument text of the model; JSON for a function, free text for a custom tool.
        status: only `complete` calls may run.
        repaired: the call was split out of glued arguments; such a call always asks.
        correction: what the model is told in place of a result if the call cannot run, in the words of its dialect; empty: in the program's.
        metadata: provider blobs, unread (thought signatures, item ids).
    """

    call_id: str
    name: str
    arguments_raw: str
    kind: CallKind = "function"
    status: CallStatus = "complete"
    wire_id: str = ""
    repaired: bool = False
    correction: str = ""
    metadata: JsonObject = field(default_factory=dict)

    def arguments(self) -> JsonObject | None:
        """Return the arguments as an object (``{}`` for empty text); None if they are not a JSON object."""
        if not self.arguments_raw.strip():
            return {}
        try:
            value = json.loads(self.arguments_raw)
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None


class ToolResultPart(Value, kw_only=True):
    """What a call gave. Exactly one follows each call.

    Attributes:
        content: what goes to the model, in order.
        decision: who let it run (or not).
        synthetic: made up by the program because no tool answered (cancelled, crashed, rejected).
    """

    call_id: str
    name: str
    content: tuple[TextPart | ImagePart | FilePart, ...]
    is_error: bool = False
    decision: ResultDecision = "none"
    synthetic: bool = False
    duration_ms: int | None = None

    def text(self) -> str:
        """Return the text parts joined."""
        return "".join(part.text for part in self.content if isinstance(part, TextPart))


class OpaquePart(Value, kw_only=True):
    """Something only its own provider understands (server tools, compaction); sent back there unread."""

    dialect: DialectName
    provider: str
    item: JsonObject


Part: TypeAlias = TextPart | ImagePart | FilePart | ReasoningPart | ToolCallPart | ToolResultPart | OpaquePart


class Message(Value, kw_only=True):
    """One message. `role` tool holds only tool results; `synthetic` messages were not written by person or model.

    Attributes:
        wire: how the request this was parsed from spelled it where its dialect has several spellings, and members unknown here:
            ``{dialect name: …}``. Only that dialect reads it, so that a parsed request can be written again as it was.
    """

    message_id: str
    role: Role
    parts: tuple[Part, ...]
    created_at: float = 0.0
    state: MessageState = "complete"
    synthetic: bool = False
    origin: Origin | None = None
    finish_reason: FinishReason | None = None
    finish_raw: str = ""
    usage: Usage | None = None
    wire: JsonObject = field(default_factory=dict)

    def text(self) -> str:
        """Return the text parts joined."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    def reasoning(self) -> str:
        """Return the readable reasoning joined."""
        return "".join(part.text for part in self.parts if isinstance(part, ReasoningPart))

    def calls(self) -> tuple[ToolCallPart, ...]:
        """Return the tool calls in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCallPart))

    def results(self) -> tuple[ToolResultPart, ...]:
        """Return the tool results in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolResultPart))


class ToolDefinition(Value, kw_only=True):
    """What the model is told of a tool. `input_schema` is a JSON Schema with an object at its root.

    Attributes:
        wire: how a parsed request spelled it (see Message).
    """

    name: str
    description: str
    input_schema: JsonObject
    strict: bool = False
    wire: JsonObject = field(default_factory=dict)


class RequestOptions(Value, kw_only=True):
    """Settings of one request; None leaves the provider's default.

    Attributes:
        tool_choice: ``auto``, ``none``, ``required`` or a tool's name.
        extra: members a parsed request had that this model does not know, by name, sent back unchanged.
        wire: how a parsed request spelled the known ones (see Message).
    """

    model: str
    stream: bool = True
    max_output_tokens: int | None = None
    temperature: float | None = None
    reasoning_effort: str | None = None
    tool_choice: str | None = None
    parallel_tool_calls: bool | None = None
    stop: tuple[str, ...] = ()
    extra: JsonObject = field(default_factory=dict)
    wire: JsonObject = field(default_factory=dict)


class ModelRequest(Value, kw_only=True):
    """All that goes to the model for one step. `system` is one text per block, in order."""

    system: tuple[str, ...]
    tools: tuple[ToolDefinition, ...]
    messages: tuple[Message, ...]
    options: RequestOptions


def mint_call_id() -> str:
    """Return a new call id: ``call_`` and 24 hex digits, 29 characters, which fits every provider's limit but Mistral's."""
    return "call_" + secrets.token_hex(12)


def mint_id(prefix: str) -> str:
    """Return a new id such as ``msg_5f0c…`` (16 hex digits)."""
    return f"{prefix}_{secrets.token_hex(8)}"


def text_message(role: Role, text: str, *, created_at: float = 0.0, **fields: Any) -> Message:
    """Return a message with one text part."""
    return Message(message_id=mint_id("msg"), role=role, parts=(TextPart(text=text),), created_at=created_at, **fields)
