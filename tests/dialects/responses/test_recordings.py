"""Every recorded answer and request of the Responses dialect, in every cut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from tests.dialects.feeding import Outcome, cuts, outcome_of
from tests.dialects.recordings import Recorded, exchanges, index
from tests.dialects.responses.naive import read_naively
from tests.shared import needs_shared, shared_data
from workbench.conversation.messages import ModelRequest, OpaquePart, Origin, ReasoningPart, RequestOptions, TextPart, ToolCallPart, text_message
from workbench.dialects.responses import DIALECT

BROKEN = "parallel-tool-call-wrapper.1.chunks.txt"
"""Its first and its last event are no JSON."""

REFUSED: dict[str, tuple[str, str, str]] = {
    "chat_error_handling_with_xai_grok-4-1-fast-non-reasoning_raises_appropriate_auth_error.yml 0": ("auth", "invalid-argument", "Incorrect API key"),
    "chat_real_error_scenarios_openai_gpt-5-nano_handles_context_length_exceeded_errors.yml 0": (
        "context_too_long", "context_length_exceeded", "Your input exceeds"
    ),
    "test_model_name_suggestion[openai-responses].yaml 0": ("bad_request", "model_not_found", "The requested model"),
    "test_deepseek_responses_rejects_interleaved_function_calls.yaml 0": ("bad_request", "invalid_request_error", "No tool output found"),
    "test_openai_responses_model_http_error.yaml 0": ("bad_request", "decimal_below_min_value", "Invalid 'temperature'"),
    "test_openai_responses_thinking_with_modified_history.yaml 1": ("bad_request", "invalid_request_error", "Item 'rs_68c42de0"),
    "openai-error.1.chunks.txt 0": ("quota", "insufficient_quota", "You exceeded your current"),
    "openai-error.1.json 0": ("quota", "insufficient_quota", "You exceeded your current"),
}
"""Answers that are errors: class, code, beginning of the text."""

RULES = {
    "test_deepseek_responses_rejects_interleaved_function_calls.yaml 0": ["responses.text-among-calls"],
    "test_openai_responses_model_http_error.yaml 0": ["responses.temperature"],
    "test_openai_responses_thinking_with_modified_history.yaml 1": ["responses.reasoning-parted"],
}
"""Requests that the server refused for a fault that the rules know; an unknown model, a wrong key and a long text they cannot know."""

REPAIRED = {"test_deepseek_responses_rejects_interleaved_function_calls.yaml": "texts are put before the calls for this provider"}

SENT_OTHERWISE = {
    "test_openai_responses_stream.yaml 0": "its client took the item's id for the call's",
    "test_openai_responses_thinking_with_modified_history.yaml 0": "somebody changed the answer",
}

PLAIN = str.maketrans("“”’", "\"\"'")
"""Quotation marks that a recorded client wrote plainly."""

TEXTS: dict[str, str] = {
    "test_openai_responses_stream.yaml 1": "The capital of France is Paris.",
    "test_openai_responses_phase_streamed_on_part_start.yaml 0": "I’ll check the capital lookup tool for “PotatoLand.”",
    "test_openai_responses_raw_cot_stream_openrouter.yaml 0": "4",
    "test_background_mode_streaming_vcr.yaml 0": "2 + 2 equals 4.",
}
"""Some texts, read off the recordings by hand."""


class Answer(NamedTuple):
    """A recorded exchange."""

    name: str
    exchange: Recorded
    following: Recorded | None


def _exchanges() -> Iterator[Answer]:
    data = shared_data()
    for row in index(data) if data else ():
        if "responses" in row.dialect:
            name = row.file.rpartition("/")[2]
            assert data is not None
            recorded = [each for each in exchanges(data / "recordings" / row.file) if not each.url or each.url.endswith("/responses")]
            found = [each for whole in recorded for each in _apart(whole)]
            for number, each in enumerate(found):
                yield Answer(f"{name} {number}", each, found[number + 1] if number + 1 < len(found) else None)


def _apart(recorded: Recorded) -> list[Recorded]:
    """Return the answers of a file in which several were written one after the other."""
    begins = b'data: {"type":"response.created"'
    if recorded.url or recorded.response.count(begins) < 2:
        return [recorded]
    return [recorded._replace(response=begins + part) for part in recorded.response.split(begins)[1:]]


ANSWERS = list(_exchanges())
REQUESTS = [answer for answer in ANSWERS if answer.exchange.request]


def _each(answers: list[Answer]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("answer", answers, ids=[answer.name for answer in answers])


@needs_shared
def test_all_recordings_are_here() -> None:
    assert len({answer.name.rpartition(" ")[0] for answer in ANSWERS}) == 34
    assert len(ANSWERS) == sum(1 for _ in _exchanges()) >= 60
    assert set(REFUSED) | set(RULES) | set(TEXTS) <= {answer.name for answer in ANSWERS}


@needs_shared
@_each([answer for answer in ANSWERS if answer.name in REFUSED])
def test_an_error_is_told_once_with_its_class(answer: Answer) -> None:
    decoded = DIALECT.decode_response(answer.exchange.response, status=answer.exchange.status)
    assert decoded.failure is not None
    kind, code, text = REFUSED[answer.name]
    assert (decoded.failure.kind, decoded.failure.code, decoded.failure.text[: len(text)]) == (kind, code, text)
    assert not decoded.calls_may_run


@needs_shared
@_each([answer for answer in ANSWERS if answer.name not in REFUSED and BROKEN not in answer.name])
def test_the_answer_says_what_its_finished_items_say(answer: Answer) -> None:
    decoded = DIALECT.decode_response(answer.exchange.response, status=answer.exchange.status)
    message, naive = decoded.message, read_naively(answer.exchange.response)
    assert decoded.failure is None
    assert decoded.problems == ()
    assert message.text() == naive.text
    assert answer.name not in TEXTS or message.text().startswith(TEXTS[answer.name])
    assert [part.phase for part in message.parts if isinstance(part, TextPart)] == naive.phases
    thoughts = [part for part in message.parts if isinstance(part, ReasoningPart)]
    assert [(list(part.summary), part.text, part.encrypted) for part in thoughts] == [
        (summary, content or "\n\n".join(summary), encrypted) for summary, content, encrypted in naive.thoughts
    ]
    assert [(call.call_id, call.arguments_raw) for call in message.calls() if not call.metadata] == [
        (call_id, arguments) for call_id, name, arguments in naive.calls if name and name != "lookup_refund_policy"
    ]
    assert [_type_of(part) for part in message.parts] == naive.order
    assert decoded.calls_may_run
    assert message.finish_reason == ("tool_use" if naive.calls else "end")
    assert message.usage is not None
    assert message.usage.raw == naive.usage


def _type_of(part: object) -> str:
    match part:
        case TextPart():
            return "message"
        case ReasoningPart():
            return "reasoning"
        case ToolCallPart(name="apply_patch"):
            return "apply_patch_call"
        case ToolCallPart(kind="custom"):
            return "custom_tool_call"
        case ToolCallPart():
            return "function_call"
        case OpaquePart():
            return str(part.item["type"])
        case _:
            raise AssertionError(part)


@needs_shared
@_each([answer for answer in ANSWERS if answer.exchange.status == 200])
def test_no_cut_changes_the_answer(answer: Answer) -> None:
    outcomes = {name: outcome_of(DIALECT.stream_decoder(), chunks) for name, chunks in cuts(answer.exchange.response, answer.name)}
    for name, outcome in outcomes.items():
        assert outcome == outcomes["whole"], name
    whole: Outcome = outcomes["whole"]
    decoded = DIALECT.decode_response(answer.exchange.response, status=answer.exchange.status)
    assert (whole.message.parts, whole.failure, whole.may_run) == (decoded.message.parts, decoded.failure, decoded.calls_may_run)
    assert "\ufffd" not in whole.message.text() + whole.message.reasoning()


@needs_shared
@_each([answer for answer in ANSWERS if answer.exchange.response.lstrip().startswith((b"event:", b"data:")) and answer.name not in REFUSED])
def test_the_last_event_alone_says_what_the_stream_says(answer: Answer) -> None:
    streamed = DIALECT.decode_response(answer.exchange.response).message
    lines = [line for line in answer.exchange.response.split(b"\n") if line.startswith(b"data:") and b'"response.completed"' in line]
    body = json.loads(lines[-1][5:])["response"] if BROKEN not in answer.name else {"output": []}
    if not body["output"] or "apply-patch-tool-delete" in answer.name:
        return  # this server says nothing again at its end
    whole = DIALECT.decode_response(json.dumps(body).encode()).message
    assert [_bare(part) for part in whole.parts] == [_bare(part) for part in streamed.parts]


def _bare(part: Any) -> Any:
    """Return a part without what is made anew in each event: reasoning is encrypted each time."""
    return replace(part, item_id="", encrypted="") if isinstance(part, ReasoningPart) else part


@needs_shared
@_each(REQUESTS)
def test_a_recorded_request_is_written_again_as_it_was(answer: Answer) -> None:
    written = DIALECT.encode_request(DIALECT.parse_request(answer.exchange.request)).body
    if answer.name.rpartition(" ")[0] in REPAIRED:
        again = DIALECT.encode_request(DIALECT.parse_request(written)).body
        assert json.loads(again) == json.loads(written), "what was repaired stays as it is"
        assert [finding for finding in DIALECT.check(written) if finding.severity == "error"] == []
    else:
        assert json.loads(written) == json.loads(answer.exchange.request)


@needs_shared
@_each(REQUESTS)
def test_the_rules_know_what_was_refused_and_nothing_else(answer: Answer) -> None:
    errors = [finding.rule for finding in DIALECT.check(answer.exchange.request) if finding.severity == "error"]
    assert errors == RULES.get(answer.name, [])


def _goes_on(answer: Answer) -> bool:
    if answer.following is None or answer.exchange.status != 200 or answer.name in SENT_OTHERWISE:
        return False
    before, after = (json.loads(each.request)["input"] for each in (answer.exchange, answer.following))
    return bool(after[: len(before)] == before and len(after) > len(before))


@needs_shared
@_each([answer for answer in REQUESTS if _goes_on(answer)])
def test_an_answer_goes_back_as_the_recorded_client_sent_it(answer: Answer) -> None:
    assert answer.following is not None
    sent = json.loads(answer.following.request)["input"][len(json.loads(answer.exchange.request)["input"]) :]
    theirs = [item for item in sent if item.get("type") in ("reasoning", "function_call") or item.get("role") == "assistant"]
    model = json.loads(answer.exchange.request)["model"]
    decoded = replace(DIALECT.decode_response(answer.exchange.response).message, origin=Origin(dialect="responses", provider="p", model=model))
    count = len(decoded.parts)
    request = ModelRequest(system=(), tools=(), messages=(decoded, text_message("user", "and then?")), options=RequestOptions(model=model))
    ours = json.loads(DIALECT.encode_request(request).body)["input"][:count]
    assert [_meaning(item) for item in ours] == [_meaning(item) for item in theirs[:count]]
    assert not any("id" in item for item in ours), "nothing is kept at the provider, so no id means anything there"


def _meaning(item: dict[str, Any]) -> object:
    """Return what an item says, without ids, states, and what only an answer has."""
    if item.get("role") == "assistant":
        content = item["content"]
        text = content if isinstance(content, str) else "".join(part["text"] for part in content)
        return "message", text.translate(PLAIN), item.get("phase")
    if item["type"] == "reasoning":
        return "reasoning", item["summary"], item.get("encrypted_content") or None, item.get("content") or []
    return item["type"], item["name"], json.loads(item["arguments"]), item.get("namespace"), item["call_id"]


