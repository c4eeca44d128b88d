"""Whole responses of ReAct text, read and written: bodies of Chat Completions whose content is the form."""

from __future__ import annotations

from msgspec.structs import replace

from workbench.conversation.messages import FinishReason, Message, ReasoningPart, TextPart
from workbench.dialects.base import NORM, DecodedResponse, Quirks
from workbench.dialects.chat_completions import response as chat
from workbench.dialects.decoding import decode_body
from workbench.dialects.react.answer import ReactAnswer
from workbench.dialects.react.turns import own_text, said_in, written


def decode_response(body: bytes, *, status: int = 200, quirks: Quirks = NORM) -> DecodedResponse:
    """Return the neutral form of a whole response body; the schemas of the tools are not known here, so free text is the parameter ``input``.

    Raises:
        ResponseUnreadable: the status says success, but the body is neither an answer nor an error, or of another dialect.
    """
    return decode_body(body, lambda: ReactAnswer(quirks), status=status)


def encode_response(message: Message, *, response_id: str, model: str, created: int) -> bytes:
    """Return a whole response body as a server would send it; of several calls only the first, because a turn has one action."""
    calls = message.calls()
    call = calls[0] if calls else None
    thought = "\n".join(part.text for part in message.parts if isinstance(part, ReasoningPart) and part.field in ("", "thought") and part.text)
    text = own_text(message, call, {}) or written(thought, said_in(message), call, faithful=True)
    beside = tuple(part for part in message.parts if isinstance(part, ReasoningPart) and part.field not in ("", "thought"))
    raw = "" if message.finish_reason == "tool_use" else message.finish_raw
    said = replace(message, parts=(*beside, TextPart(text=text)), finish_reason=end_of(message.finish_reason), finish_raw=raw)
    return chat.encode_response(said, response_id=response_id, model=model, created=created)


def end_of(reason: FinishReason | None) -> FinishReason | None:
    """Return the reason as a text has it: an action ends it like an answer does."""
    return "end" if reason == "tool_use" else reason
