"""Every recorded answer and request of Anthropic Messages, in every cut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.dialects.anthropic.expected import EXPECTED, Expected
from tests.dialects.anthropic.naive import read_naively
from tests.dialects.feeding import cuts, outcome_of
from tests.dialects.recordings import Recorded, exchanges, index
from tests.shared import needs_shared, shared_data
from workbench.conversation.messages import Message, ModelRequest, OpaquePart, ReasoningPart, RequestOptions, TextPart, text_message
from workbench.conversation.stream import ResponseFailed
from workbench.dialects.anthropic import DIALECT
from workbench.dialects.base import Quirks

REFUSED_AS_BROKEN = {"test_anthropic_explicit_effort_xhigh_unsupported_model_errors.yaml"}
"""Recordings whose request the server refused for a fault that the rules know."""

REPLAYED_OTHERWISE = {
    "test_cross_provider_capability_replay[anthropic-claude-sonnet-4-5-openai-responses-gpt-5.4].yaml": "its client put a call of its own beside it",
}
"""Recordings whose client did not send back what it got."""


REPAIRED = {
    "test_cross_provider_capability_replay[google-gemini-3-flash-preview-anthropic-claude-sonnet-4-5].yaml": "an id in two turns is told apart",
}
"""Recordings whose requests are written differently, and why."""


class Answer(NamedTuple):
    """A recorded answer with what is expected of it."""

    name: str
    exchange: Recorded
    expected: Expected


def _exchanges() -> Iterator[tuple[str, list[Recorded]]]:
    data = shared_data()
    if data is not None:
        for row in index(data):
            if "anthropic" in row.dialect:
                found = exchanges(data / "recordings" / row.file)
                yield row.file.rpartition("/")[2], [each for each in found if not each.url or "/messages" in each.url]


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
    assert len(ANSWERS) == sum(map(len, EXPECTED.values())) > 30


@needs_shared
@_each(ANSWERS)
def test_the_answer_says_what_it_says(answer: Answer) -> None:
    decoded = DIALECT.decode_response(answer.exchange.response, status=answer.exchange.status)
    _compare(decoded.message, decoded.failure, [problem.code for problem in decoded.problems], answer.expected)
    assert decoded.calls_may_run == (answer.expected.ends[1] in ("end_turn", "tool_use"))


@needs_shared
@_each([answer for answer in ANSWERS if answer.exchange.status == 200])
def test_no_cut_changes_the_answer(answer: Answer) -> None:
    outcomes = {name: outcome_of(DIALECT.stream_decoder(), chunks) for name, chunks in cuts(answer.exchange.response, answer.name)}
    for name, outcome in outcomes.items():
        assert outcome == outcomes["whole"], name
    whole = outcomes["whole"]
    _compare(whole.message, whole.failure, whole.codes, answer.expected)
    assert "\ufffd" not in whole.message.text() + whole.message.reasoning()


@needs_shared
@_each([answer for answer in ANSWERS if answer.expected.failure is None])
def test_a_naive_reader_agrees_on_well_formed_answers(answer: Answer) -> None:
    naive, message = read_naively(answer.exchange.response), DIALECT.decode_response(answer.exchange.response).message
    assert message.finish_raw == naive.stop
    said = [_plain(block) for block in naive.blocks if block.get("text") != ""]
    assert [_block(message, place) for place in range(len(message.parts))] == said
    assert message.usage is not None
    assert {name: message.usage.raw[name] for name in naive.usage if name in message.usage.raw} == {
        name: count for name, count in naive.usage.items() if count is not None
    }


def _plain(block: dict[str, Any]) -> dict[str, Any]:
    """Return a block without what is the same in all of them."""
    return {name: value for name, value in block.items() if not (name == "caller" and value == {"type": "direct"}) and not (name == "citations" and not value)}


def _block(message: Message, place: int) -> dict[str, Any]:
    match message.parts[place]:
        case TextPart() as part:
            return {"type": "text", "text": part.text}
        case ReasoningPart() as part if part.redacted_data:
            return {"type": "redacted_thinking", "data": part.redacted_data}
        case ReasoningPart() as part:
            return {"type": "thinking", "thinking": part.text, "signature": part.signature}
        case OpaquePart() as part:
            return part.item
        case call:
            return {"type": "tool_use", "id": call.call_id, "name": call.name, "input": json.loads(call.arguments_raw)}  # type: ignore[union-attr]


def _compare(message: Message, failure: ResponseFailed | None, codes: list[str], expected: Expected) -> None:
    assert (message.text()[:20], len(message.text())) == expected.text
    assert (message.reasoning()[:15], len(message.reasoning())) == expected.thought
    assert tuple((call.call_id, call.name, call.arguments_raw) for call in message.calls()) == expected.calls
    assert {call.status for call in message.calls()} <= ({"truncated"} if expected.failure else {"complete"})
    usage = message.usage
    told = usage and (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens, usage.cached_tokens, usage.cache_write_tokens)
    assert told == expected.usage
    assert (message.finish_reason, message.finish_raw) == expected.ends
    assert (failure and (failure.kind, failure.code, failure.text[:30])) == expected.failure
    assert tuple(codes) == expected.problems


class Sent(NamedTuple):
    """A recorded request of a file, and the one after it if there is one."""

    file: str
    exchange: Recorded
    following: Recorded | None = None

    def goes_on(self) -> bool:
        """Whether the next request is the same conversation with the answer in it."""
        if self.following is None or self.exchange.status != 200 or self.file in REPLAYED_OTHERWISE:
            return False
        before, after = (json.loads(each.request)["messages"] for each in (self.exchange, self.following))
        return bool(after[: len(before)] == before and len(after) > len(before))


REQUESTS = [
    (f"{name} {number}", Sent(name, each, recorded[number + 1] if number + 1 < len(recorded) else None))
    for name, recorded in RECORDED.items()
    for number, each in enumerate(recorded)
    if each.request
]


def _each_request(requests: list[tuple[str, Sent]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("sent", [sent for _, sent in requests], ids=[name for name, _ in requests])


@needs_shared
@_each_request(REQUESTS)
def test_a_recorded_request_is_written_again_as_it_was(sent: Sent) -> None:
    written = DIALECT.encode_request(DIALECT.parse_request(sent.exchange.request)).body
    if sent.file in REPAIRED:
        assert DIALECT.encode_request(DIALECT.parse_request(written)).body == written, "what was repaired stays as it is"
        assert [finding.rule for finding in DIALECT.check(sent.exchange.request)] == ["anthropic.id-twice"]
        assert DIALECT.check(written) == ()
    else:
        assert json.loads(written) == json.loads(sent.exchange.request)


@needs_shared
@_each_request(REQUESTS)
def test_the_rules_know_what_was_refused_and_nothing_else(sent: Sent) -> None:
    errors = [finding.rule for finding in DIALECT.check(sent.exchange.request) if finding.severity == "error"]
    assert bool(errors) == (sent.file in REFUSED_AS_BROKEN), errors


GOING_ON = [(name, sent) for name, sent in REQUESTS if sent.goes_on()]


@needs_shared
def test_conversations_go_on_in_the_recordings() -> None:
    assert len(GOING_ON) >= 8


@needs_shared
@_each_request(GOING_ON)
def test_an_answer_goes_back_as_the_recorded_client_sent_it(sent: Sent) -> None:
    assert sent.following is not None
    place = len(json.loads(sent.exchange.request)["messages"])
    theirs = json.loads(sent.following.request)["messages"][place]
    answer = DIALECT.decode_response(sent.exchange.response).message
    request = ModelRequest(system=(), tools=(), messages=(answer, text_message("user", "and then?")), options=RequestOptions(model="claude-sonnet-4-5"))
    ours = json.loads(DIALECT.encode_request(request, Quirks(cache_marks=False)).body)["messages"][0]
    assert _listed(ours["content"]) == theirs["content"]


def _listed(content: Any) -> Any:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
