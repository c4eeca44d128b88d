"""Edge cases on the wire that concern several dialects or no single rule: each feeds the bytes that were seen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.anthropic.sse import call as anthropic_call
from tests.dialects.anthropic.sse import end, start
from tests.dialects.chat_completions.test_stream import call, delta, read, sse
from tests.dialects.feeding import cut_every, events_of, outcome_of
from tests.shared import needs_shared, shared_data
from workbench.conversation.messages import (
    DialectName,
    Message,
    ModelRequest,
    Origin,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolResultPart,
    text_message,
)
from workbench.conversation.stream import CallNamed, CallStarted
from workbench.conversation.values import from_json, json_bytes
from workbench.dialects.base import Quirks
from workbench.dialects.chat_completions import DIALECT as CHAT
from workbench.dialects.registry import dialect, names

SPEAKS: dict[DialectName, tuple[str, str]] = {
    "chat_completions": ("chat", "Chat Completions"),
    "responses": ("responses", "Responses"),
    "anthropic": ("anthropic", "Anthropic Messages"),
    "gemini": ("gemini", "Gemini"),
    "ollama": ("ollama", "Ollama"),
}
"""Shapes of streams that can be told apart: the weather's file, and the name that people are told. `functions` and `react` are chat's."""
LIKE_CHAT = ("chat_completions", "functions", "react")


@needs_shared
@pytest.mark.parametrize("size", [1, 4096])
@pytest.mark.parametrize("reader", names())
@pytest.mark.parametrize("speaker", SPEAKS)
def test_the_stream_of_another_dialect_is_named_and_runs_nothing(speaker: DialectName, reader: DialectName, size: int) -> None:
    """Row 14: a server that knows one dialect only answers on another's path."""
    data = shared_data()
    assert data is not None
    file, title = SPEAKS[speaker]
    (stream,) = [found.read_bytes() for found in (data / "weather").glob(f"{file}.round1.stream.*")]
    outcome = outcome_of(dialect(reader).stream_decoder(), cut_every(stream, size))
    if reader == speaker or (speaker == "chat_completions" and reader in LIKE_CHAT):
        assert outcome.failure is None
        return
    assert outcome.failure is not None
    assert outcome.failure.code == "wrong_dialect"
    assert title in outcome.failure.text
    assert outcome.message.parts == ()
    assert not outcome.may_run


def test_pieces_with_an_empty_id_and_an_empty_name_go_on_with_the_open_call() -> None:
    """Rows 26 and 33: empty means absent."""
    pieces = [call(id="D681", name="read", arguments=""), *(call(id="", name="", arguments=piece) for piece in ('{"a":', "1}"))]
    outcome = read(sse(*(delta(tool_calls=[piece]) for piece in pieces), delta("tool_calls")))
    assert [(each.call_id, each.name, each.arguments_raw) for each in outcome.message.calls()] == [("D681", "read", '{"a":1}')]
    assert outcome.may_run


@pytest.mark.parametrize("quirks", [Quirks(), Quirks(split_glued_arguments=True)])
@pytest.mark.parametrize("again", ["", "read"])
def test_an_object_inside_of_broken_arguments_is_never_taken_for_them(quirks: Quirks, again: str) -> None:
    """Row 37: a repair that looks backwards for an object finds the inner one."""
    pieces = [call(id="k", name="read", arguments="{}"), call(name=again, arguments='{"outer":{"value":42}')]
    outcome = read(sse(*(delta(tool_calls=[piece]) for piece in pieces), delta("tool_calls")), quirks=quirks)
    assert [(each.arguments_raw, each.status) for each in outcome.message.calls()] == [('{}{"outer":{"value":42}', "invalid_json")]
    assert outcome.codes == ["arguments-broken"]


def test_blanks_before_calls_are_no_answer_and_go_back_as_they_came() -> None:
    """Row 45."""
    answer = read(sse(delta(content="\n\n"), delta("tool_calls", tool_calls=[call(id="k", name="read", arguments="{}")]))).message
    assert [type(part) for part in answer.parts] == [TextPart, ToolCallPart]
    result = Message(message_id="r", role="tool", parts=(ToolResultPart(call_id="k", name="read", content=(TextPart(text="ok"),)),))
    request = ModelRequest(system=(), tools=(), messages=(answer, result), options=RequestOptions(model="m"))
    assert json.loads(CHAT.encode_request(request).body)["messages"][0]["content"] == "\n\n"


CALLS: list[list[dict[str, Any]]] = [
    [call(id="k", arguments='{"a":'), call(name="read", arguments="1}")],
    [call(id="k", name="read", arguments=""), call(id="k", name="read", arguments='{"a":'), call(id="k", name="read", arguments="1}")],
    [call(id="k", name="re"), call(name="ad"), call(arguments='{"a":1}')],
    [call(id="k", name="read", arguments='{"a":1}'), call(id="k", name="read", arguments='{"a":1}')],
]


@pytest.mark.parametrize("pieces", CALLS)
def test_a_call_begins_once(pieces: list[dict[str, Any]]) -> None:
    """Row 50: however a name comes, a front end opens one card for the call."""
    events = events_of(CHAT.stream_decoder(), [sse(*(delta(tool_calls=[piece]) for piece in pieces), delta("tool_calls"))])
    begun = [event for event in events if isinstance(event, CallStarted)]
    assert len(begun) == 1
    assert {event.key for event in events if isinstance(event, CallNamed)} <= {begun[0].key}


FAILED = "Failed to parse input at pos 184: <tool_call><function=read>{\"path\":"


@pytest.mark.parametrize("streamed", [False, True])
def test_a_server_that_cannot_read_its_own_model_says_so_with_the_raw_text(streamed: bool) -> None:
    """Row 52: it is the server's trouble, worth another try, and no question of length."""
    error = {"error": {"code": 500, "message": FAILED, "type": "server_error"}}
    if streamed:
        failure = read(sse(delta(content="I look. "), json.dumps(error), done=False)).failure
    else:
        failure = CHAT.decode_response(json.dumps(error).encode(), status=500).failure
    assert failure is not None
    assert (failure.kind, failure.text) == ("server", FAILED)


@pytest.mark.parametrize("word", ["tool_calls", "stop", "length"])
def test_arguments_that_were_cut_do_not_run_whatever_the_end_claims(word: str) -> None:
    """Row 54: the last fragment is missing, the server says that all went well."""
    outcome = read(sse(delta(tool_calls=[call(id="k", name="write", arguments='{"path":"a","content":"hal')]), delta(word)))
    assert not outcome.may_run
    assert outcome.message.calls()[0].status == "truncated"


@pytest.mark.parametrize("wire_id", [None, "", 7])
def test_no_call_and_no_result_goes_out_without_an_id(wire_id: Any) -> None:
    """Row 77: an id that is null stops a server of llama.cpp."""
    raw = {"id": wire_id, "type": "function", "function": {"name": "read", "arguments": "{}"}}
    turn, result = {"role": "assistant", "content": None, "tool_calls": [raw]}, {"role": "tool", "tool_call_id": wire_id, "content": "ok"}
    messages = [{"role": "user", "content": "go"}, turn, result]
    request = CHAT.parse_request(json.dumps({"model": "m", "messages": messages}).encode())
    sent = json.loads(CHAT.encode_request(request).body)["messages"]
    ids = [sent[1]["tool_calls"][0]["id"], *(message["tool_call_id"] for message in sent if message["role"] == "tool")]
    assert all(isinstance(each, str) and each for each in ids)
    assert len(set(ids)) == 1


@pytest.mark.parametrize("raw", ['{"path":"a","con', '{"path":"a" "b"}', '{"path":'])
def test_json_that_eager_streaming_did_not_check_is_held_back_and_we_never_ask_for_it(raw: str) -> None:
    """Row 104."""
    decoder = dialect("anthropic").stream_decoder()
    outcome = outcome_of(decoder, [start() + anthropic_call(0, "k", raw, name="write") + end("max_tokens")])
    assert (outcome.message.finish_reason, outcome.may_run) == ("length", False)
    assert outcome.message.calls()[0].arguments_raw == raw
    tool = ToolDefinition(name="write", description="", input_schema={"type": "object", "properties": {}})
    request = ModelRequest(system=(), tools=(tool,), messages=(text_message("user", "go"),), options=RequestOptions(model="m", stream=True))
    assert b"eager_input_streaming" not in dialect("anthropic").encode_request(request).body


def test_signatures_of_gemini_survive_being_stored() -> None:
    """Row 124: on an empty text, on text, and on a call."""
    called = {"functionCall": {"name": "read", "args": {}}, "thoughtSignature": "S2"}
    parts = [{"text": "a", "thoughtSignature": "S1"}, called, {"text": "", "thoughtSignature": "S3"}]
    body = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}], "responseId": "r", "modelVersion": "gemini-3"}
    answer = dialect("gemini").decode_response(json.dumps(body).encode()).message
    stored = from_json(json_bytes(answer), Message)
    origin = Origin(dialect="gemini", provider="", model="gemini-3")
    said = Message(message_id="a", role="assistant", parts=stored.parts, origin=origin)
    result = ToolResultPart(call_id=stored.calls()[0].call_id, name="read", content=(TextPart(text="ok"),))
    messages = (text_message("user", "go"), said, Message(message_id="r", role="tool", parts=(result,)))
    sent = dialect("gemini").encode_request(ModelRequest(system=(), tools=(), messages=messages, options=RequestOptions(model="gemini-3")))
    assert json.loads(sent.body)["contents"][1]["parts"] == parts
