"""Every recorded answer of Chat Completions, in every cut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.dialects.chat_completions.expected import EXPECTED, Expected
from tests.dialects.chat_completions.naive import read_naively
from tests.dialects.feeding import Outcome, cuts, outcome_of
from tests.dialects.recordings import Recorded, exchanges, index
from tests.shared import needs_shared, shared_data
from workbench.conversation.messages import Message, ModelRequest, RequestOptions, text_message
from workbench.conversation.stream import ResponseFailed
from workbench.dialects.base import Quirks
from workbench.dialects.chat_completions import DIALECT

REFUSED_AS_BROKEN = {"test_custom_llm_within_crew.yaml", "test_llm_call_when_stop_is_unsupported.yaml", "test_openai_o1_mini_system_role[system].yaml"}
"""Recordings whose request the server refused for a fault that the rules know."""

TAKEN_BUT_REFUSED_ELSEWHERE = {"test_cancel_recorded_provider_stream[huggingface].yaml"}
"""An empty list of tools: Hugging Face takes it, OpenAI does not."""

REPAIRED = {
    "test_cancel_recorded_provider_stream[huggingface].yaml": "an empty list of tools is left out",
    "TestOpenAIFunctionsAgentWithHTTPRR.httprr": "arguments that are no JSON are wrapped",
    "test_tool_use_basic.yaml": "an empty turn is left out",
    "test_tools_streaming_variant_a.yaml": "an empty turn is left out",
    "test_tools_streaming_variant_b.yaml": "an empty turn is left out",
    "test_tools_streaming_variant_c.yaml": "an empty turn is left out",
    "test_tools_streaming_variant_d.yaml": "an empty turn is left out",
    "test_custom_llm_within_crew.yaml": "content parts get their missing type",
    "chat_mistral_hybrid_reasoning_replays_thinking_chunks_across_turns.yml": "thinking is sent back closed, as it came",
    "test_tool_choice_matrix[auto-mistral].yaml": "a tool gets its missing type, a call loses its index",
}
"""Recordings whose requests are written differently, and why."""

REPLAYED_OTHERWISE = {
    "test_tool_use_basic.yaml": "its client sent an empty turn first",
    "test_tools_streaming_variant_a.yaml": "as above",
    "test_tools_streaming_variant_b.yaml": "as above",
    "test_tools_streaming_variant_c.yaml": "as above",
    "test_tools_streaming_variant_d.yaml": "as above",
    "test_compatible_api_with_tool_calls_without_id.yaml": "its client made up another id",
    "TestOpenAIFunctionsAgentWithHTTPRR.httprr": "its client unpacked the arguments",
    "test_tool_use_failed_error.yaml": "its client turned reasoning into tags",
    "test_tool_use_failed_error_streaming.yaml": "as above; the first answer failed",
}
"""Recordings whose client did not send back what it got."""


class Answer(NamedTuple):
    """A recorded answer with what is expected of it."""

    name: str
    exchange: Recorded
    expected: Expected


def _exchanges() -> Iterator[tuple[str, list[Recorded]]]:
    data = shared_data()
    if data is not None:
        for row in index(data):
            if row.dialect.startswith("chat"):
                found = exchanges(data / "recordings" / row.file)
                yield row.file.rpartition("/")[2], [each for each in found if not each.url or "/chat/completions" in each.url]


RECORDED = dict(_exchanges())
ANSWERS = [
    Answer(f"{name} {number}", each, expected)
    for name, recorded in RECORDED.items()
    for number, (each, expected) in enumerate(zip(recorded, EXPECTED[name], strict=True))
]


def _each(answers: list[Answer]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("answer", answers, ids=[answer.name for answer in answers])


@needs_shared
def test_every_recording_is_in_the_table() -> None:
    assert set(RECORDED) == set(EXPECTED)
    assert len(ANSWERS) == sum(map(len, EXPECTED.values())) > 90


@needs_shared
@_each(ANSWERS)
def test_the_answer_says_what_it_says(answer: Answer) -> None:
    decoded = DIALECT.decode_response(answer.exchange.response, status=answer.exchange.status)
    _compare(decoded.message, decoded.failure, [problem.code for problem in decoded.problems], answer.expected)
    assert decoded.calls_may_run == (answer.expected.ends[1] in ("stop", "tool_calls"))


@needs_shared
@_each([answer for answer in ANSWERS if answer.exchange.status == 200])
def test_no_cut_changes_the_answer(answer: Answer) -> None:
    outcomes = {name: outcome_of(DIALECT.stream_decoder(), chunks) for name, chunks in cuts(answer.exchange.response, answer.name)}
    for name, outcome in outcomes.items():
        assert outcome == outcomes["whole"], name
    whole: Outcome = outcomes["whole"]
    _compare(whole.message, whole.failure, whole.codes, answer.expected)
    assert "\ufffd" not in whole.message.text() + whole.message.reasoning()


@needs_shared
@_each([answer for answer in ANSWERS if answer.expected.failure is None])
def test_a_naive_reader_agrees_on_well_formed_answers(answer: Answer) -> None:
    naive, message = read_naively(answer.exchange.response), DIALECT.decode_response(answer.exchange.response).message
    assert message.text() == naive.text
    assert message.reasoning() == naive.thought
    assert message.finish_raw == naive.finish
    for call, (wire_id, name, arguments) in zip(message.calls(), naive.calls, strict=True):
        assert call.name == name
        assert call.call_id == wire_id or not wire_id
        assert call.arguments_raw == (arguments or "{}")
    if naive.usage:
        assert message.usage is not None
        assert message.usage.raw == naive.usage


def _compare(message: Message, failure: ResponseFailed | None, codes: list[str], expected: Expected) -> None:
    assert (message.text()[:28], len(message.text())) == expected.text
    assert (message.reasoning()[:24], len(message.reasoning())) == expected.thought
    assert tuple((call.call_id, call.name, call.arguments_raw) for call in message.calls()) == expected.calls
    assert {call.status for call in message.calls()} <= {"complete"}
    usage = message.usage
    assert (usage and (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens, usage.cached_tokens)) == expected.usage
    assert (message.finish_reason, message.finish_raw) == expected.ends
    if expected.failure is None:
        assert failure is None
    else:
        assert failure is not None
        assert (failure.kind, failure.code, failure.text[:30]) == expected.failure
    assert tuple(codes) == expected.problems


class Sent(NamedTuple):
    """A recorded request of a file, and the one after it if there is one."""

    file: str
    number: int
    exchange: Recorded
    following: Recorded | None = None


def _goes_on(sent: Sent) -> bool:
    """Whether the next request is the same conversation with the answer in it."""
    if sent.following is None or sent.exchange.status != 200 or sent.file in REPLAYED_OTHERWISE:
        return False
    before, after = (json.loads(each.request)["messages"] for each in (sent.exchange, sent.following))
    return bool(after[: len(before)] == before and len(after) > len(before))


REQUESTS = [
    Sent(name, number, each, recorded[number + 1] if number + 1 < len(recorded) else None)
    for name, recorded in RECORDED.items()
    for number, each in enumerate(recorded)
    if each.request
]


def _each_request(requests: list[Sent]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("sent", requests, ids=[f"{sent.file} {sent.number}" for sent in requests])


@needs_shared
@_each_request(REQUESTS)
def test_a_recorded_request_is_written_again_as_it_was(sent: Sent) -> None:
    written = DIALECT.encode_request(DIALECT.parse_request(sent.exchange.request)).body
    if sent.file in REPAIRED:
        again = DIALECT.encode_request(DIALECT.parse_request(written)).body
        assert json.loads(again) == json.loads(written), "what was repaired stays as it is"
    else:
        assert json.loads(written) == json.loads(sent.exchange.request)


@needs_shared
@_each_request(REQUESTS)
def test_the_rules_know_what_was_refused_and_nothing_else(sent: Sent) -> None:
    errors = [finding.rule for finding in DIALECT.check(sent.exchange.request) if finding.severity == "error"]
    expected = (sent.file in REFUSED_AS_BROKEN and sent.exchange.status == 400) or sent.file in TAKEN_BUT_REFUSED_ELSEWHERE
    assert bool(errors) == expected, errors


@needs_shared
@_each_request([sent for sent in REQUESTS if _goes_on(sent)])
def test_an_answer_goes_back_as_the_recorded_client_sent_it(sent: Sent) -> None:
    assert sent.following is not None
    place = len(json.loads(sent.exchange.request)["messages"])
    theirs = json.loads(sent.following.request)["messages"][place]
    answer = DIALECT.decode_response(sent.exchange.response).message
    request = ModelRequest(system=(), tools=(), messages=(answer, text_message("user", "and then?")), options=RequestOptions(model=""))
    ours = json.loads(DIALECT.encode_request(request, Quirks(reasoning_replay="always")).body)["messages"][0]
    assert _plain(ours.get("content")) == _plain(theirs.get("content"))
    assert [_meaning(call) for call in ours.get("tool_calls", ())] == [_meaning(call) for call in theirs.get("tool_calls") or ()]
    for member in ("reasoning_content", "reasoning", "reasoning_details"):
        if member in theirs and member in ours:
            assert ours[member] == theirs[member]


def _plain(content: Any) -> Any:
    """Return content without what says nothing: empty forms, and the mark that a thinking chunk is closed."""
    if isinstance(content, list):
        return [{name: value for name, value in part.items() if name != "closed"} for part in content] or ""
    return content or ""


def _meaning(call: dict[str, Any]) -> object:
    return call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])
