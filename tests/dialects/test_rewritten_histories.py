"""A history that is cut and goes on otherwise is written as if nothing had been written before: for each dialect."""

from __future__ import annotations

import pytest

from workbench.conversation.messages import (
    DialectName,
    Message,
    ModelRequest,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolResultPart,
    text_message,
)
from workbench.dialects.registry import dialect, names

TOOL = ToolDefinition(name="read", description="Reads.", input_schema={"type": "object", "properties": {"a": {"type": "string"}}})
ASK = text_message("user", "go")


def calling(call_id: str) -> Message:
    return Message(message_id=call_id, role="assistant", parts=(ToolCallPart(call_id=call_id, name="read", arguments_raw="{}"),))


def result(call_id: str) -> Message:
    return Message(message_id=f"r{call_id}", role="tool", parts=(ToolResultPart(call_id=call_id, name="read", content=(TextPart(text="found it"),)),))


A, B, DONE = calling("a"), calling("b"), text_message("assistant", "done")
REWRITTEN = [
    [(ASK, A, B), (ASK, A, result("a"))],
    [(ASK, A, B), (ASK, A, result("a"), B, result("b"))],
    [(ASK, A, result("a"), B), (ASK, A, ASK), (ASK, A, ASK, result("a"), DONE)],
    [(ASK, DONE), (ASK, DONE, ASK, A), (ASK, DONE, ASK)],
]


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("histories", REWRITTEN)
def test_calls_take_the_results_that_they_have_now(name: DialectName, histories: list[tuple[Message, ...]]) -> None:
    writer = dialect(name).request_writer()
    for history in histories:
        request = ModelRequest(system=("Be brief.",), tools=(TOOL,), messages=history, options=RequestOptions(model="m"))
        body = writer.encode(request).body
        assert body == dialect(name).encode_request(request).body
        assert (b"found it" in body) == any(message.results() for message in history)
