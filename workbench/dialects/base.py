"""What all dialects have in common: the shape of a codec, the quirks of servers, and findings of the linter.

A codec is symmetric: it writes and reads requests, and reads and writes responses, whole and streamed. It is pure: no socket, no
clock, the same input gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple, Protocol, TypeAlias

from workbench.conversation.checks import Finding
from workbench.conversation.messages import DialectName, Message, ModelRequest, Usage
from workbench.conversation.stream import Problem, ResponseFailed, StreamEvent
from workbench.conversation.values import Value

EmptyContent: TypeAlias = Literal["null", "empty", "omit"]
ReasoningReplay: TypeAlias = Literal["never", "with_calls", "always"]


class Quirks(Value, kw_only=True):
    """How one provider differs from the dialect's norm; part of its profile.

    Attributes:
        empty_content: what stands for the content of an assistant turn that has only calls.
        reasoning_replay: whether reasoning is sent back in the field it came in: never; on turns with calls (those without get an
            empty string); always.
        system_role: the role of system text.
        max_tokens_field: the name of the output limit.
        call_id_format: ``any``, or ``mistral`` (nine letters or digits).
        stream_usage: ask for usage in streams (some servers refuse the option).
        result_name: tool messages carry the tool's name.
        split_glued_arguments: the server is known to glue several calls into one argument text.
        max_tools: the most tool definitions the server takes.
        stop: the model takes stop sequences; where it does not, none are sent, and an answer is cut here (ReAct).
        forced_choice: the model can be made to call a tool; where it cannot (DeepSeek while it thinks), ``auto`` is sent instead.
        thinking: how thinking is asked for (Anthropic, Gemini): not at all, with a budget of tokens, or adaptive (effort, level).
        cache_marks: mark the stable prefix for the provider's cache (Anthropic).
        json_schema: tools go as JSON Schema (Gemini's ``parametersJsonSchema``), not as the reduced subset.
        signature_stand_in: calls without a signature get the documented stand-in (Gemini 3).
        context_tokens: the window to ask for (Ollama's ``num_ctx``); None leaves the server's default.
        provider: whose profile this is; reasoning and opaque parts that another provider made (`Message.origin`) are left out of a
            request. Empty: not known, nothing is left out for this reason.
    """

    empty_content: EmptyContent = "null"
    reasoning_replay: ReasoningReplay = "never"
    system_role: Literal["system", "developer"] = "system"
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    call_id_format: Literal["any", "mistral"] = "any"
    stream_usage: bool = True
    result_name: bool = False
    split_glued_arguments: bool = False
    max_tools: int = 128
    stop: bool = True
    forced_choice: bool = True
    thinking: Literal["off", "budget", "adaptive"] = "off"
    cache_marks: bool = True
    json_schema: bool = True
    signature_stand_in: bool = False
    context_tokens: int | None = None
    provider: str = ""


NORM = Quirks()
"""A server that does all as the dialect says."""


class EncodedRequest(NamedTuple):
    """A request ready to be sent: the path below the provider's base address, and the body in pieces whose join is the exact body.

    Each message is a piece of its own (with the comma before it), so that equal prefixes of later requests are stored once.
    """

    path: str
    pieces: tuple[bytes, ...]

    @property
    def body(self) -> bytes:
        """The exact bytes."""
        return b"".join(self.pieces)


class DecodedResponse(NamedTuple):
    """A whole response body as a message; `failure` when the body is an error or holds one."""

    message: Message
    problems: tuple[Problem, ...]
    failure: ResponseFailed | None
    usage: Usage | None
    response_id: str
    model: str
    calls_may_run: bool


class Loss(Value, kw_only=True):
    """Something of a conversation that a dialect, or another provider, cannot be given; told by the rule that caused it.

    Attributes:
        rule: stable id of a loss rule (wire specification, section 9), e.g. ``reasoning-foreign``.
        message: place of the message in `ModelRequest.messages`; -1 for the whole request.
        part: place of the part in the message; -1 for the whole message.
        text: one plain sentence.
    """

    rule: str
    message: int
    part: int
    text: str


class RequestWriter(Protocol):
    """Writes the requests of one conversation, one after the other. May be asked from any thread."""

    def encode(self, request: ModelRequest, quirks: Quirks = ...) -> EncodedRequest:
        """Return exactly what `Dialect.encode_request` does; what an earlier request said alike need not be written again."""
        ...


class StreamDecoder(Protocol):
    """Turns the bytes of a streamed response into stream events. The result does not depend on where the bytes are cut."""

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """Take the next bytes; never raises on any bytes but ResponseUnreadable."""
        ...

    def finish(self) -> list[StreamEvent]:
        """Say that no more bytes come; returns the last events, ending with ResponseEnded or ResponseFailed if none came before."""
        ...

    @property
    def frames(self) -> int:
        """How many raw frames were seen."""
        ...

    @property
    def ended(self) -> bool:
        """Whether the stream's end was seen, so that the rest may be ignored."""
        ...


class StreamEncoder(Protocol):
    """Turns stream events into the bytes a server of this dialect sends."""

    def feed(self, event: StreamEvent) -> bytes:
        """Return the bytes for one event; may be empty."""
        ...

    def finish(self) -> bytes:
        """Return the closing bytes (end marker)."""
        ...


class Dialect(Protocol):
    """A codec for one wire shape."""

    name: DialectName

    def encode_request(self, request: ModelRequest, quirks: Quirks = ...) -> EncodedRequest:
        """Return the request as bytes; pure."""
        ...

    def request_writer(self) -> RequestWriter:
        """Return what writes the requests of one conversation."""
        ...

    def parse_request(self, body: bytes) -> ModelRequest:
        """Return the neutral form of a request body.

        Raises:
            RequestUnreadable: not JSON, or not a request of this dialect; says where.
        """
        ...

    def decode_response(self, body: bytes, *, status: int = 200, quirks: Quirks = ...) -> DecodedResponse:
        """Return the neutral form of a whole response body, of an error body too.

        Raises:
            ResponseUnreadable: neither an answer nor an error of any known shape.
        """
        ...

    def encode_response(self, message: Message, *, response_id: str, model: str, created: int) -> bytes:
        """Return a whole response body as a server would send it."""
        ...

    def stream_decoder(self, quirks: Quirks = ..., tools: Collection[str] = ...) -> StreamDecoder:
        """Return a decoder for one streamed response; `tools` are the names the request offered, as far as they are known."""
        ...

    def stream_encoder(self, *, response_id: str, model: str, created: int) -> StreamEncoder:
        """Return an encoder for one streamed response."""
        ...

    def check(self, body: bytes, quirks: Quirks = ...) -> tuple[Finding, ...]:
        """Return what a provider would refuse in a request body; empty when nothing."""
        ...
