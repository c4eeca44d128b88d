"""Every recorded exchange with Gemini: answers in every cut, requests written again, answers sent back."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.dialects.feeding import cuts, outcome_of
from tests.dialects.gemini.expected import EXPECTED, Expected
from tests.dialects.gemini.naive import read_naively
from tests.dialects.recordings import Recorded, exchanges, index
from tests.shared import needs_shared, shared_data
from workbench.conversation.messages import Message, ModelRequest, Origin, RequestOptions, ToolCallPart, ToolResultPart
from workbench.conversation.stream import ResponseFailed
from workbench.dialects.gemini import DIALECT
from workbench.dialects.registry import detect

PARALLEL = "TestGeminiNativeToolCalling.test_gemini_parallel_native_tool_calling_test_agent_kickoff.yaml"
SPLIT_RESULTS = {(PARALLEL, 1): "three results in three contents are put into one"}
"""Recorded requests that are written differently, and why."""


class Exchange(NamedTuple):
    """A recorded exchange with what is expected of its answer."""

    file: str
    number: int
    exchange: Recorded
    expected: Expected
    following: Recorded | None

    @property
    def name(self) -> str:
        return f"{self.file} {self.number}"

    @property
    def model(self) -> str:
        return self.exchange.url.rpartition("/")[2].partition(":")[0]


def _recorded() -> Iterator[tuple[str, list[Recorded]]]:
    data = shared_data()
    if data is not None:
        for row in index(data):
            if "gemini" in row.dialect:
                found = exchanges(data / "recordings" / row.file)
                yield row.file.rpartition("/")[2], [each for each in found if not each.url or "enerateContent" in each.url]


RECORDED = dict(_recorded())
EXCHANGES = [
    Exchange(file, number, each, expected, found[number + 1] if number + 1 < len(found) else None)
    for file, found in RECORDED.items()
    for number, (each, expected) in enumerate(zip(found, EXPECTED[file], strict=True))
]
WITH_REQUEST = [each for each in EXCHANGES if each.exchange.request]


def _each(found: list[Exchange]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("recorded", found, ids=[each.name for each in found])


@needs_shared
def test_every_recording_is_in_the_table() -> None:
    assert set(RECORDED) == set(EXPECTED)
    assert len(EXCHANGES) == sum(map(len, EXPECTED.values())) > 35


@needs_shared
@_each(EXCHANGES)
def test_the_answer_says_what_it_says(recorded: Exchange) -> None:
    decoded = DIALECT.decode_response(recorded.exchange.response, status=recorded.exchange.status)
    _compare(decoded.message, decoded.failure, [problem.code for problem in decoded.problems], recorded.expected)
    assert decoded.calls_may_run == (recorded.expected.ends[1] == "STOP")


@needs_shared
@_each([each for each in EXCHANGES if each.exchange.status == 200])
def test_no_cut_changes_the_answer(recorded: Exchange) -> None:
    outcomes = {name: outcome_of(DIALECT.stream_decoder(), chunks) for name, chunks in cuts(recorded.exchange.response, recorded.name)}
    for name, outcome in outcomes.items():
        assert outcome == outcomes["whole"], name
    whole = outcomes["whole"]
    _compare(whole.message, whole.failure, whole.codes, recorded.expected)
    assert "\ufffd" not in whole.message.text() + whole.message.reasoning()


@needs_shared
@_each([each for each in EXCHANGES if each.expected.failure is None and "prompt-blocked" not in each.expected.problems])
def test_a_naive_reader_agrees(recorded: Exchange) -> None:
    naive, message = read_naively(recorded.exchange.response), DIALECT.decode_response(recorded.exchange.response).message
    assert (message.text(), message.reasoning(), message.finish_raw) == (naive.text, naive.thought, naive.finish)
    for call, (name, args, signature) in zip(message.calls(), naive.calls, strict=True):
        assert (call.name, call.metadata.get("thoughtSignature", "")) == (name, signature)
        assert call.arguments() == args or b"partialArgs" in recorded.exchange.response
    assert message.usage is not None
    assert message.usage.raw == naive.usage
    output = naive.usage.get("candidatesTokenCount", 0) + naive.usage.get("thoughtsTokenCount", 0)
    assert (message.usage.input_tokens, message.usage.output_tokens) == (naive.usage["promptTokenCount"], output)


def _compare(message: Message, failure: ResponseFailed | None, codes: list[str], expected: Expected) -> None:
    assert (message.text()[:24], len(message.text())) == expected.text
    assert (message.reasoning()[:24], len(message.reasoning())) == expected.thought
    assert tuple((call.name, call.arguments_raw[:40], len(call.metadata.get("thoughtSignature", ""))) for call in message.calls()) == expected.calls
    assert tuple(call.metadata["id"] for call in message.calls() if "id" in call.metadata) == expected.ids
    assert {call.status for call in message.calls()} <= {"complete"}
    assert len({call.call_id for call in message.calls()}) == len(message.calls())
    usage = message.usage
    assert (usage and (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens)) == expected.usage
    assert (message.finish_reason, message.finish_raw) == expected.ends
    assert (failure and (failure.kind, failure.code, failure.text[:24])) == expected.failure
    assert tuple(codes) == expected.problems


@needs_shared
@_each(WITH_REQUEST)
def test_a_recorded_request_is_written_again_as_it_was(recorded: Exchange) -> None:
    path = recorded.exchange.url[recorded.exchange.url.index("/v1") :]
    assert detect(path, recorded.exchange.request) == detect("", recorded.exchange.request) == "gemini"
    request = DIALECT.with_path(DIALECT.parse_request(recorded.exchange.request), path)
    assert (request.options.model, request.options.stream) == (recorded.model, "streamGenerateContent" in path)
    written = json.loads(DIALECT.encode_request(request).body)
    if (recorded.file, recorded.number) in SPLIT_RESULTS:
        assert [len(content["parts"]) for content in written["contents"]] == [1, 3, 3]
        assert json.loads(DIALECT.encode_request(DIALECT.parse_request(DIALECT.encode_request(request).body)).body) == written
    else:
        assert written == json.loads(recorded.exchange.request)


@needs_shared
@_each(WITH_REQUEST)
def test_the_rules_find_no_error_in_what_was_taken(recorded: Exchange) -> None:
    findings = DIALECT.check(recorded.exchange.request, model=recorded.model)
    assert [finding.rule for finding in findings if finding.severity == "error"] == []
    if (recorded.file, recorded.number) in SPLIT_RESULTS:
        assert "gemini.split-results" in [finding.rule for finding in findings]


def _goes_on(recorded: Exchange) -> bool:
    """Whether the next request is the same conversation with the answer in it."""
    if recorded.following is None or recorded.exchange.status != 200 or not recorded.exchange.request:
        return False
    before, after = (json.loads(each.request)["contents"] for each in (recorded.exchange, recorded.following))
    return bool(after[: len(before)] == before and len(after) > len(before) + 1)


GOING_ON = [each for each in EXCHANGES if _goes_on(each)]


@needs_shared
def test_enough_conversations_go_on() -> None:
    assert len(GOING_ON) > 14


@needs_shared
@_each(GOING_ON)
def test_an_answer_goes_back_as_the_recorded_client_sent_it(recorded: Exchange) -> None:
    assert recorded.following is not None
    place = len(json.loads(recorded.exchange.request)["contents"])
    theirs = json.loads(recorded.following.request)["contents"]
    request = DIALECT.parse_request(recorded.exchange.request)
    answer = DIALECT.decode_response(recorded.exchange.response).message
    answer = Message(message_id="a", role="assistant", parts=answer.parts, origin=Origin(dialect="gemini", provider="", model=recorded.model))
    results = [ToolResultPart(call_id=call.call_id, name=call.name, content=()) for call in answer.calls()]
    messages = (*request.messages, answer, *([Message(message_id="r", role="tool", parts=tuple(results))] if results else []))
    written = ModelRequest(system=(), tools=request.tools, messages=messages, options=RequestOptions(model=recorded.model))
    ours = json.loads(DIALECT.encode_request(written).body)["contents"]
    assert [_meaning(part) for part in ours[place]["parts"]] == [_meaning(part) for part in theirs[place]["parts"]]
    if results:
        answered = [part["functionResponse"]["name"] for content in theirs[place + 1 :] for part in content["parts"] if "functionResponse" in part]
        assert [part["functionResponse"]["name"] for part in ours[place + 1]["parts"]] == answered[: len(results)]
        if any(isinstance(part, ToolCallPart) and "id" in part.metadata for part in answer.parts):
            assert ours[place + 1]["parts"][0]["functionResponse"]["id"] == theirs[place + 1]["parts"][0]["functionResponse"]["id"]


def _meaning(part: dict[str, Any]) -> object:
    """Return a part without what clients spell differently: letters of base64, and ids that they made up themselves."""
    signature = part.get("thoughtSignature", "")
    call = {name: value for name, value in part.get("functionCall", {}).items() if name != "id" or not value.startswith("pyd_ai")}
    return part.get("text"), call, base64.b64decode(signature, altchars=b"-_" if set("-_") & set(signature) else b"+/")
