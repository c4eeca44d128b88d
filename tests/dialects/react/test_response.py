"""What models write instead of the form, and what the decoder makes of it (wire specification, section 6; edge cases 139 to 145)."""

from __future__ import annotations

import json
from typing import Any

import httpx2  # the HTTP library that the package brings along
import openai
import pytest

from tests.dialects.feeding import Outcome, events_of, outcome_of
from workbench.conversation.messages import Message, ReasoningPart, TextPart, ToolCallPart
from workbench.conversation.stream import CallArgumentsDelta, CallStarted, ReasoningDelta, ResponseEnded, ResponseStarted, StreamEvent, TextDelta
from workbench.dialects.react import DIALECT

SCHEMA = {"type": "object", "properties": {"expression": {"type": "string"}, "round": {"type": "integer"}}, "required": ["expression"]}
TOOLS: dict[str, dict[str, Any]] = {
    "calculator": SCHEMA,
    "now": {"type": "object", "properties": {}},
    "two": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a", "b"]},
}


def stream_of(text: str, *, size: int = 3, word: str | None = "stop") -> bytes:
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    frames: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    if word is not None:
        frames.append({"choices": [{"index": 0, "delta": {}, "finish_reason": word}]})
    return "".join(f"data: {json.dumps(frame)}\n\n" for frame in frames).encode() + b"data: [DONE]\n\n"


def read(text: str, **how: Any) -> Outcome:
    outcome = outcome_of(DIALECT.stream_decoder(tools=TOOLS), [stream_of(text, **how)])
    whole = outcome_of(DIALECT.stream_decoder(tools=TOOLS), [stream_of(text, size=10_000, word=how.get("word", "stop"))])
    assert [(type(part).__name__, getattr(part, "text", "")) for part in outcome.message.parts] == [
        (type(part).__name__, getattr(part, "text", "")) for part in whole.message.parts
    ]
    assert outcome.codes == whole.codes
    return outcome


def the_call(outcome: Outcome) -> ToolCallPart:
    (call,) = outcome.message.calls()
    return call


def test_an_invented_observation_ends_the_turn_and_is_shown_as_a_problem() -> None:
    text = "Thought: t\nAction: calculator\nAction Input: {\"expression\": \"1\"}\nObservation: 1\nThought: done\nFinal Answer: it is 1"
    outcome = read(text)
    assert (outcome.message.reasoning(), outcome.message.text(), the_call(outcome).arguments_raw) == ("t", "", '{"expression": "1"}')
    assert outcome.codes == ["invented-observation"]
    assert outcome.may_run
    whole = DIALECT.decode_response(json.dumps({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}).encode())
    assert "it is 1" in whole.problems[0].text


@pytest.mark.parametrize("label", ["Observation:", "observation :", "观察:", "观察：", "  OBSERVATION："])
def test_every_spelling_of_an_observation_stops_reading(label: str) -> None:
    decoder = DIALECT.stream_decoder(tools=TOOLS)
    decoder.feed(stream_of(f"Action: now\nAction Input: None\n{label}")[: -len(b"data: [DONE]\n\n")].rpartition(b"data: ")[0])
    assert decoder.ended
    outcome = outcome_of(DIALECT.stream_decoder(tools=TOOLS), [stream_of(f"Action: now\nAction Input: None\n{label} 12:00", word=None)])
    assert (the_call(outcome).name, the_call(outcome).arguments_raw, the_call(outcome).status) == ("now", "{}", "complete")
    assert outcome.may_run
    assert outcome.ended == ResponseEnded(finish_reason="tool_use", finish_raw="stop", calls_may_run=True)


def test_only_the_first_of_several_actions_runs() -> None:
    outcome = read("Action: now\nAction Input: {}\nAction: calculator\nAction Input: 3")
    assert the_call(outcome).name == "now"
    assert outcome.codes == ["several-actions"]


def test_an_action_before_a_final_answer_wins() -> None:
    outcome = read("Thought: t\nAction: now\nAction Input: {}\nFinal Answer: noon")
    assert (the_call(outcome).name, outcome.message.text()) == ("now", "")
    assert outcome.codes == ["answer-before-result"]
    assert outcome.problems[0].text.startswith("Parsing LLM output produced both a final answer and a parse-able action")


def test_a_final_answer_before_an_action_wins_and_keeps_its_words() -> None:
    outcome = read("Final Answer: press\nAction: the button")
    assert outcome.message.parts == (TextPart(text="press\nAction: the button"),)
    assert outcome.message.finish_reason == "end"


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("```\nThought: t\nAction: calculator\nAction Input: {\"expression\": \"1\"}\n```", '{"expression": "1"}'),
        ("```\nThought: t\nAction: calculator  \nAction Input: {\"expression\": \"1\"}", '{"expression": "1"}'),
        ("I think so.\n\nThought: t\nAction: `calculator()`\nAction Input:\n```json\n{\"expression\": \"1\"}\n```\n", '{"expression": "1"}'),
        ("Thought：t\nAction 1：[calculator]\nAction 1 Input 1：{\"expression\": \"1\"}", '{"expression": "1"}'),
        ("thought: t\naction: \"calculator\"\naction input: {\"expression\": \"1\"}", '{"expression": "1"}'),
        ("Action:\n  calculator\nAction Input: {\n \"expression\": \"1\"\n}", '{\n "expression": "1"\n}'),
        ("Action: calculator\nAction Input: 5 + 3", '{"expression": "5 + 3"}'),
        ("Action: calculator\nAction Input: '5 + 3'", '{"expression": "5 + 3"}'),
        ("Action: calculator\nAction Input: 8", '{"expression": "8"}'),
        ("Action: calculator\nAction Input: \"8\"", '{"expression": "8"}'),
        ("Action: calculator\nAction Input: {'expression': '8'}", '{"expression":"8"}'),
        ("Action: calculator\nAction Input: with {\"expression\": \"8\"} please", '{"expression": "8"}'),
        ("Action: now\nAction Input: None", "{}"),
        ("Action: now\nAction Input:", "{}"),
        ("Action: now\nAction Input: ```\n", "{}"),
    ],
)
def test_what_models_make_of_the_form_is_read(text: str, raw: str) -> None:
    call = the_call(read(text))
    assert (call.name, call.arguments_raw, call.status) == ("now" if raw == "{}" else "calculator", raw, "complete")
    assert call.repaired == ("{'" in text or "please" in text)


def test_free_text_without_a_known_schema_is_the_parameter_input() -> None:
    outcome = outcome_of(DIALECT.stream_decoder(), [stream_of("Action: calculator\nAction Input: 5 + 3")])
    assert the_call(outcome).arguments() == {"input": "5 + 3"}


@pytest.mark.parametrize("text", ["5", '{"a": "x", "b"', "[1]"])
def test_an_input_that_fits_no_parameter_is_corrected(text: str) -> None:
    call = the_call(read(f"Action: two\nAction Input: {text}"))
    assert call.status == "invalid_json"
    assert call.correction == "Invalid Format: 'Action Input:' of two must be one JSON object with its parameters"


def test_text_without_any_label_is_the_final_answer() -> None:
    outcome = read("Hello!\n\n```py\nprint(1)\n```")
    assert outcome.message.parts == (TextPart(text="Hello!\n\n```py\nprint(1)\n```"),)
    assert (outcome.message.finish_reason, outcome.codes) == ("end", [])


@pytest.mark.parametrize(
    ("text", "correction"),
    [
        ("Thought: I should look.", "Invalid Format: Missing 'Action:' after 'Thought:'"),
        ("Thought: I should look.\nAction Input: {}", "Invalid Format: Missing 'Action:' after 'Thought:'"),
        ("Thought: t\nAction: calculator", "Invalid Format: Missing 'Action Input:' after 'Action:'"),
    ],
)
def test_a_broken_form_is_a_call_that_brings_the_correction(text: str, correction: str) -> None:
    outcome = read(text)
    call = the_call(outcome)
    assert (call.status, call.correction) == ("invalid_json", correction)
    assert (outcome.codes, outcome.message.finish_reason) == (["format-corrected"], "tool_use")


def test_a_tool_that_was_not_offered_is_told_with_those_that_were() -> None:
    outcome = read("Action: teleport\nAction Input: {}")
    call = the_call(outcome)
    assert [(one.code, one.text) for one in outcome.problems] == [("tool-not-offered", "The model asked for a tool that it was not offered: teleport")]
    assert (call.status, call.correction) == ("complete", "teleport is not a valid tool, try one of [calculator, now, two].")


def test_a_label_inside_of_an_open_string_is_no_label() -> None:
    outcome = read('Action: calculator\nAction Input: {"expression": "1\nObservation: 2\nAction: 3"}\nObservation: no')
    assert the_call(outcome).arguments() is None or the_call(outcome).status == "complete"
    assert json.loads(the_call(outcome).arguments_raw, strict=False) == {"expression": "1\nObservation: 2\nAction: 3"}


def test_a_label_in_the_middle_of_a_line_is_prose() -> None:
    assert read("Final Answer: the label Action: and Observation: x").message.text() == "the label Action: and Observation: x"


def test_thinking_tags_and_reasoning_members_stay_apart_from_the_thought() -> None:
    outcome = read("<think>hm</think>Thought: t\nFinal Answer: a")
    assert [(part.text, part.field) for part in outcome.message.parts if isinstance(part, ReasoningPart)] == [("hm", "think_tag"), ("t", "thought")]
    assert outcome.message.text() == "a"


def test_an_input_is_never_shown_as_prose_and_no_label_is_shown_in_part() -> None:
    events = events_of(DIALECT.stream_decoder(tools=TOOLS), [stream_of("Thought: t\nAction: calculator\nAction Input: {\"expression\": \"1\"}", size=1)])
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == ""
    assert "".join(event.text for event in events if isinstance(event, ReasoningDelta)) == "t"
    assert "".join(event.text for event in events if isinstance(event, CallArgumentsDelta)).strip() == '{"expression": "1"}'
    named = next(number for number, event in enumerate(events) if isinstance(event, CallStarted))
    assert named < next(number for number, event in enumerate(events) if isinstance(event, CallArgumentsDelta))


def test_an_answer_cut_at_the_limit_runs_nothing() -> None:
    outcome = read('Action: calculator\nAction Input: {"expression": "1', word="length")
    assert (the_call(outcome).status, outcome.may_run, outcome.message.finish_reason) == ("truncated", False, "length")


def test_a_broken_stream_runs_nothing() -> None:
    outcome = outcome_of(DIALECT.stream_decoder(tools=TOOLS), [stream_of("Action: now\nAction Input: {}", word=None)[: -len(b"data: [DONE]\n\n")]])
    assert (the_call(outcome).status, outcome.may_run, outcome.codes) == ("truncated", False, ["stream-broken"])


def test_a_call_beside_the_text_is_taken_too() -> None:
    call = {"index": 0, "id": "c", "function": {"name": "now", "arguments": "{}"}}
    frame = {"choices": [{"delta": {"content": "Thought: t", "tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    outcome = outcome_of(DIALECT.stream_decoder(tools=TOOLS), [f"data: {json.dumps(frame)}\n\ndata: [DONE]\n\n".encode()])
    assert (the_call(outcome).name, outcome.may_run, outcome.codes) == ("now", True, [])


def test_the_text_behind_the_last_final_answer_is_a_part_of_its_own() -> None:
    assert [part.text for part in read("Final Answer: a\nFinal Answer: b").message.parts if isinstance(part, TextPart)] == ["a", "b"]


def test_a_model_s_own_text_is_kept_where_ours_would_differ() -> None:
    text = "Hm.\nThought: t\nAction: `now`\nAction Input: None"
    call = the_call(read(text))
    assert call.metadata == {"react_text": text}
    assert the_call(read("Thought: t\nAction: now\nAction Input: {}\n")).metadata == {}


@pytest.mark.parametrize("phase", ["final", "commentary", ""])
def test_a_stream_is_written_in_the_form(phase: Any) -> None:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=1)
    said: list[StreamEvent] = [
        ResponseStarted(response_id="r", model="m"),
        ReasoningDelta(text="I ", field="thought"),
        ReasoningDelta(text="know\nAction: x", field="thought"),
        TextDelta(text="It is\n", phase=phase),
        TextDelta(text="Observation: 3", phase=phase),
        ResponseEnded(finish_reason="end"),
    ]
    outcome = outcome_of(DIALECT.stream_decoder(), [b"".join(encoder.feed(event) for event in said) + encoder.finish()])
    if phase == "commentary":
        assert outcome.message.reasoning() == "I know\nAction: x\n\nIt is\nObservation: 3"
    else:
        assert (outcome.message.reasoning(), outcome.message.text()) == ("I know\nAction: x", "It is\nObservation: 3")


def test_the_openai_package_reads_our_bodies_and_streams() -> None:
    call = ToolCallPart(call_id="c", name="now", arguments_raw="{}")
    message = Message(message_id="m", role="assistant", parts=(ReasoningPart(text="t", field="thought"), call), finish_reason="tool_use")
    body = DIALECT.encode_response(message, response_id="r", model="m", created=1)
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=1)
    stream = b"".join(encoder.feed(event) for event in events_of(DIALECT.stream_decoder(), [body])) + encoder.finish()

    def serve(request: httpx2.Request) -> httpx2.Response:
        if json.loads(request.content).get("stream"):
            return httpx2.Response(200, content=stream, headers={"content-type": "text/event-stream"})
        return httpx2.Response(200, content=body, headers={"content-type": "application/json"})

    expected = "Thought: t\nAction: now\nAction Input: {}\n"
    with openai.OpenAI(api_key="k", base_url="http://test/v1", http_client=httpx2.Client(transport=httpx2.MockTransport(serve))) as client:
        answer = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "q"}])
        assert (answer.choices[0].message.content, answer.choices[0].finish_reason) == (expected, "stop")
        chunks = list(client.chat.completions.create(model="m", messages=[{"role": "user", "content": "q"}], stream=True))
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == expected
