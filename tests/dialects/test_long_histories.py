"""A long history is checked and written in time that grows with its length, also where every turn of it is wrong in the same way."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from workbench.conversation.messages import DialectName
from workbench.conversation.stream import ResponseEnded, ResponseStarted, StreamEvent, TextDelta
from workbench.dialects.registry import dialect, names

TURNS = 3000
MOST_S = 4.0
"""What took a minute when each fault was looked up in the whole history takes a fraction of a second; the rest is for slow machines."""

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def chat_turn(name: str, call_id: str, *, answered: bool) -> list[Any]:
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": call_id, "type": "function", "function": {"name": name, "arguments": "{}"}}]}
    return [call, {"role": "tool", "tool_call_id": call_id, "content": "x"} if answered else {"role": "user", "content": "q"}]


def functions_turn(name: str, *, answered: bool) -> list[Any]:
    call = {"role": "assistant", "content": None, "function_call": {"name": name, "arguments": "{}"}}
    return [call, {"role": "function", "name": name, "content": "x"} if answered else {"role": "user", "content": "q"}]


def responses_turn(name: str, call_id: str, *, answered: bool) -> list[Any]:
    call = {"type": "function_call", "call_id": call_id, "name": name, "arguments": "{}"}
    return [call, {"type": "function_call_output", "call_id": call_id, "output": "x"} if answered else {"role": "user", "content": "q"}]


def anthropic_turn(name: str, call_id: str, *, answered: bool) -> list[Any]:
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": call_id, "name": name, "input": {}}]}
    result = [{"type": "tool_result", "tool_use_id": call_id, "content": "x"}] if answered else "q"
    return [call, {"role": "user", "content": result}]


def gemini_turn(name: str, call_id: str, *, answered: bool) -> list[Any]:
    call = {"role": "model", "parts": [{"functionCall": {"id": call_id, "name": name, "args": {}}}]}
    result = {"functionResponse": {"id": call_id, "name": name, "response": {"output": "x"}}} if answered else {"text": "q"}
    return [call, {"role": "user", "parts": [result]}]


def body_of(dialect_name: DialectName, name: str, call_id: str, *, answered: bool) -> bytes:
    """Return a request of many turns, each with a call `name`; ``{n}`` in its id is the turn's number."""
    ids = [call_id.format(n=number) for number in range(TURNS)]
    tool = {"name": "read", "description": "Reads.", "parameters": SCHEMA}
    question: dict[str, Any] = {"role": "user", "content": "q"}
    body: dict[str, Any]
    match dialect_name:
        case "responses":
            body = {"model": "m", "tools": [{"type": "function", "strict": False, **tool}], "input": [question]}
            turns, key = [responses_turn(name, each, answered=answered) for each in ids], "input"
        case "anthropic":
            described = {"name": "read", "description": "Reads.", "input_schema": SCHEMA}
            body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": [described], "messages": [question]}
            turns, key = [anthropic_turn(name, each, answered=answered) for each in ids], "messages"
        case "gemini":
            body = {"tools": [{"functionDeclarations": [tool]}], "contents": [{"role": "user", "parts": [{"text": "q"}]}]}
            turns, key = [gemini_turn(name, each, answered=answered) for each in ids], "contents"
        case "functions":
            body = {"model": "m", "functions": [tool], "messages": [question]}
            turns, key = [functions_turn(name, answered=answered) for _ in ids], "messages"
        case _:
            body = {"model": "m", "tools": [{"type": "function", "function": tool}], "messages": [question]}
            turns, key = [chat_turn(name, each, answered=answered) for each in ids], "messages"
    body[key] += [message for turn in turns for message in turn]
    return json.dumps(body).encode()


@pytest.mark.parametrize("dialect_name", names())
@pytest.mark.parametrize(
    ("name", "call_id", "answered"),
    [("re ad", "call_{n}", False), ("read", "functions.read:0", True), ("read", "same", True), ("read", "call_{n}", True)],
    ids=["unanswered under a wrong name", "one id that most refuse", "one id", "sound"],
)
def test_what_is_wrong_everywhere_is_told_in_time(dialect_name: DialectName, name: str, call_id: str, answered: bool) -> None:
    body = body_of(dialect_name, name, call_id, answered=answered)
    codec = dialect(dialect_name)
    began = time.process_time()
    codec.check(body)
    codec.encode_request(codec.parse_request(body))
    assert time.process_time() - began < MOST_S


@pytest.mark.parametrize("dialect_name", names())
def test_an_answer_in_many_pieces_is_written_in_time(dialect_name: DialectName) -> None:
    pieces: list[StreamEvent] = [TextDelta(text="a ")] * 60_000
    encoder = dialect(dialect_name).stream_encoder(response_id="r", model="m", created=1)
    began = time.process_time()
    written = b"".join(map(encoder.feed, [ResponseStarted(response_id="r", model="m"), *pieces, ResponseEnded(finish_reason="end", calls_may_run=True)]))
    written += encoder.finish()
    assert time.process_time() - began < MOST_S
    decoder = dialect(dialect_name).stream_decoder()
    said = "".join(event.text for event in [*decoder.feed(written), *decoder.finish()] if isinstance(event, TextDelta))
    assert said.strip() == ("a " * len(pieces)).strip()
