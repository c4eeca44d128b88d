"""Errors inside of an answer, and what comes instead of one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.chat_completions.test_stream import HELLO, STOP, call, delta, read, sse
from tests.dialects.feeding import outcome_of
from workbench.dialects.chat_completions import DIALECT
from workbench.errors import ResponseUnreadable

OVERLOADED = {"error": {"message": "Overloaded", "type": "server_error", "code": "overloaded_error"}}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (f"data: {json.dumps(OVERLOADED)}", "overloaded"),
        (f"event: error\ndata: {json.dumps(OVERLOADED)}", "overloaded"),
        (f"error: {json.dumps(OVERLOADED)}", "overloaded"),
        (f"data: {json.dumps({**OVERLOADED, 'choices': [{'index': 0, 'delta': {}}]})}", "overloaded"),
        ('data: {"error": "it broke"}', "server"),
        ("event: error\ndata: it broke", "server"),
        ("error: it broke", "server"),
        ('event: error\ndata: {"message": "it broke", "code": "x"}', "server"),
        ('data: {"error": {"code": 400, "message": "Token limit reached"}}', "bad_request"),
        ('data: {"error": {"message": "m", "code": "context_length_exceeded"}}', "context_too_long"),
    ],
)
def test_an_error_in_a_stream_ends_the_answer(line: str, kind: str) -> None:
    outcome = read(sse(delta(content="Hel"), delta("stop", content="lo"), done=False) + line.encode() + b"\n\ndata: [DONE]\n\n")
    assert outcome.failure is not None
    assert outcome.failure.kind == kind
    assert (outcome.message.text(), outcome.message.state, outcome.message.finish_reason) == ("Hello", "error", "error")
    assert not outcome.may_run


def test_what_came_with_the_error_is_kept() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2}
    last = json.dumps({"choices": [{"index": 0, "delta": {"content": "lo"}, "finish_reason": None}], "usage": usage, **OVERLOADED})
    outcome = read(sse(delta(content="Hel"), last))
    assert outcome.message.text() == "Hello"
    assert outcome.message.usage is not None
    assert outcome.failure is not None
    assert json.loads(outcome.failure.original)["usage"] == usage, "the whole object is kept"


def test_calls_before_an_error_are_told_but_never_run() -> None:
    calls = [call(0, id="a", name="read", arguments="{}"), call(1, id="b", name="write", arguments='{"a":')]
    outcome = read(sse(delta(tool_calls=calls), json.dumps(OVERLOADED)))
    assert [found.status for found in outcome.message.calls()] == ["complete", "truncated"]
    assert not outcome.may_run


@pytest.mark.parametrize("blanks", [b"", b" \n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_a_body_instead_of_a_stream_is_read(blanks: bytes) -> None:
    body = {"id": "c1", "model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}]}
    outcome = read(blanks + json.dumps(body, indent=1).encode())
    assert (outcome.message.text(), outcome.message.finish_reason, outcome.frames) == ("Hello", "end", 1)
    assert (outcome.response_id, outcome.model) == ("c1", "m")


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        (json.dumps(OVERLOADED), "overloaded", "Overloaded"),
        (json.dumps([OVERLOADED]), "overloaded", "Overloaded"),
        ('{"error":"busy"}', "unknown", "busy"),
        ('{"choices":null}', "server", "The provider sent a response without an answer in it."),
        ('{"choices":[]}', "server", "The provider sent a response without an answer in it."),
        ("<html><title>502 Bad Gateway</title></html>", "unknown", "A web page came instead of an answer: 502 Bad Gateway."),
        ("upstream connect error", "unknown", "upstream connect error"),
        ('{"half": ', "unknown", '{"half":'),
        ('{"anything": 1}', "unknown", "The response is JSON, but neither an answer nor an error."),
        ('"just text"', "unknown", "The response is JSON, but neither an answer nor an error."),
    ],
)
def test_what_comes_instead_of_a_stream_is_told(body: str, kind: str, text: str) -> None:
    failure = read(body.encode()).failure
    assert failure is not None
    assert (failure.kind, failure.text) == (kind, text)


@pytest.mark.parametrize(
    ("event", "speaks"),
    [
        ({"type": "response.created", "response": {}}, "Responses"),
        ({"type": "message_start", "message": {"id": "m"}}, "Anthropic Messages"),
        ({"candidates": [{"content": {"parts": [{"text": "x"}]}}]}, "Gemini"),
        ({"model": "m", "message": {"role": "assistant", "content": "x"}, "done": False}, "Ollama"),
    ],
)
def test_another_dialect_is_named(event: dict[str, Any], speaks: str) -> None:
    ndjson = f"{json.dumps(event)}\n{json.dumps(event)}\n".encode()
    for stream in (sse(json.dumps(event)), json.dumps(event).encode(), ndjson):
        failure = read(stream).failure
        assert failure is not None
        assert failure.code == "wrong_dialect"
        assert speaks in failure.text
    with pytest.raises(ResponseUnreadable, match=speaks):
        DIALECT.decode_response(json.dumps(event).encode())


@pytest.mark.parametrize("stream", [b"", b"\n\n", b": comment\n\n", b"data:\n\n", b"event: x\n\n", b"\xef\xbb\xbf", b"data:"])
def test_nothing_is_a_broken_answer(stream: bytes) -> None:
    outcome = read(stream)
    assert outcome.failure is None
    assert (outcome.message.parts, outcome.message.finish_reason, outcome.codes) == ((), "incomplete", ["stream-broken"])


def test_a_huge_event_is_given_up_with_a_sentence() -> None:
    huge = [b"data: ", *[b"x" * (1 << 20)] * 70]
    with pytest.raises(ResponseUnreadable, match="larger than"):
        outcome_of(DIALECT.stream_decoder(), huge)


def test_a_stream_that_begins_well_is_not_judged_by_an_odd_event() -> None:
    outcome = read(HELLO.replace(b"data: [DONE]", b'data: {"type":"message_start"}\n\ndata: [DONE]'))
    assert outcome.failure is None
    assert outcome.message.text() == "Hello"


def test_usage_after_an_unknown_event_is_read() -> None:
    assert read(sse('{"something":"else"}', delta(content="x"), STOP, '{"usage":{"prompt_tokens":1}}')).message.usage is not None
