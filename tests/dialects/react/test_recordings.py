"""Recorded ReAct traffic: what each answer comes to, however it is cut, and each request written again as it was."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.dialects.feeding import cuts, outcome_of
from tests.dialects.recordings import Recorded, exchanges, index
from tests.shared import needs_shared, shared_data
from workbench.dialects.react import DIALECT


class Expected(NamedTuple):
    """What an answer asks for, or how its final answer begins; and what the decoder had to notice."""

    call: tuple[str, str] | None
    answer: str
    codes: tuple[str, ...] = ()


INVENTED = ("invented-observation",)
EXPECTED: dict[str, list[Expected]] = {
    "test_agent_error_on_parsing_tool.yaml": [
        Expected(("get_final_answer", "{}"), "", INVENTED),
        Expected(None, "This is the final answer as requested."),
    ],
    "test_agent_kickoff_with_mcp_tools.yaml": [
        Expected(("exa_search", '{"query": "AI"}'), "", INVENTED),
        Expected(None, "I couldn't find a specific answer."),
    ],
    "test_agent_max_iterations_stops_loop.yaml": [
        Expected(("get_data", '{"step":"step1"}'), "", INVENTED),
        Expected(("get_data", '{"step":"step2"}'), "", INVENTED),
        Expected(("get_data", '{"step":"step3"}'), "", INVENTED),
    ],
    "test_lite_agent_created_with_correct_parameters[False].yaml": [
        Expected(("search_web", '{"query":"Test query"}'), ""),
        Expected(None, "This is a simulated search result"),
        Expected(("search_web", '{"query":"What is the purpose of a test query in data retrieval?"}'), ""),
        Expected(None, '{\n  "test_field": "A test query is utilized'),
    ],
    "test_lite_agent_inside_flow_with_tools.yaml": [Expected(("calculate", '{"expression":"10 * 5"}'), "", INVENTED), Expected(None, "50")],
    "test_crew_with_delegating_agents_should_not_override_agent_tools.yaml": [
        Expected(
            (
                "Test Tool",
                ('{"query": "Write a captivating and informative paragraph about AI Agents, focusing on their capabilities, applications, and '
                'significance in modern technology."}'),
            ),
            "I need to gather information to create",
        ),
        Expected(
            (
                "Test Tool",
                ('{"query": "Based on the previous paragraph about AI Agents, write a 4-paragraph article about AI, including an introduction, '
                'discussion of AI Agents, their applications, and a conclusion on the future of AI."}'),
            ),
            "",
        ),
        Expected(None, "Artificial Intelligence (AI) has rapidly evolved"),
    ],
    "TestExecutorWithMRKLAgent.httprr": [Expected(("calculator", '{"input": "5 + 3"}'), ""), Expected(None, "The answer is 8.")],
    "test_agents_and_tools_with_events_with_content.yaml": [Expected(("multiply", '{"a": 2, "b": 3}'), ""), Expected(None, "2 times 3 is 6.")],
}


def _recorded() -> Iterator[tuple[str, int, Recorded]]:
    data = shared_data()
    if data is not None:
        for row in index(data):
            if row.dialect == "react":
                found = [each for each in exchanges(data / "recordings" / row.file) if "/chat/completions" in each.url]
                yield from ((row.file.rpartition("/")[2], number, each) for number, each in enumerate(found))


RECORDED = list(_recorded())
EACH = pytest.mark.parametrize(("name", "number", "exchange"), RECORDED, ids=[f"{name} {number}" for name, number, _ in RECORDED])


@needs_shared
def test_every_recording_is_in_the_table() -> None:
    counted = {name: sum(other == name for other, _, _ in RECORDED) for name, _, _ in RECORDED}
    assert counted == {name: len(expected) for name, expected in EXPECTED.items()}


@needs_shared
@EACH
def test_the_answer_asks_for_what_it_asks(name: str, number: int, exchange: Recorded) -> None:
    expected = EXPECTED[name][number]
    decoded = DIALECT.decode_response(exchange.response)
    assert [(call.name, call.arguments_raw, call.status) for call in decoded.message.calls()] == ([(*expected.call, "complete")] if expected.call else [])
    assert decoded.message.text().startswith(expected.answer)
    assert bool(decoded.message.text()) == bool(expected.answer)
    assert "```" not in decoded.message.text() + decoded.message.reasoning()
    assert tuple(problem.code for problem in decoded.problems) == expected.codes
    assert decoded.calls_may_run


@needs_shared
@EACH
def test_the_answer_streamed_in_any_cut_says_the_same(name: str, number: int, exchange: Recorded) -> None:
    whole = DIALECT.decode_response(exchange.response).message
    content = json.loads(exchange.response)["choices"][0]["message"]["content"]
    pieces = [content[start : start + 5] for start in range(0, len(content), 5)]
    frames: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces]
    frames.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    stream = "".join(f"data: {json.dumps(frame)}\n\n" for frame in frames).encode() + b"data: [DONE]\n\n"
    for how, chunks in cuts(stream, f"{name}{number}"):
        outcome = outcome_of(DIALECT.stream_decoder(), chunks)
        assert outcome.message.text() == whole.text(), how
        assert outcome.message.reasoning() == whole.reasoning(), how
        assert [(call.name, call.arguments_raw) for call in outcome.message.calls()] == [(call.name, call.arguments_raw) for call in whole.calls()], how
        assert tuple(outcome.codes) == EXPECTED[name][number].codes, how
        assert outcome.may_run, how


@needs_shared
@EACH
def test_the_request_is_written_again_as_it_was(name: str, number: int, exchange: Recorded) -> None:
    assert json.loads(DIALECT.encode_request(DIALECT.parse_request(exchange.request)).body) == json.loads(exchange.request)


@needs_shared
def test_observations_that_a_program_put_into_turns_become_results() -> None:
    _name, _number, exchange = next(each for each in RECORDED if each[0].startswith("test_agent_max") and each[1] == 2)
    parsed = DIALECT.parse_request(exchange.request)
    assert [message.role for message in parsed.messages] == ["user", "assistant", "tool", "assistant", "tool", "assistant", "tool"]
    assert [call.arguments_raw for message in parsed.messages for call in message.calls()][:2] == ['{"step":"step1"}', '{"step":"step2"}']
    assert all(result.text() for message in parsed.messages for result in message.results())
    assert [found.rule for found in DIALECT.check(exchange.request)].count("react.observation-in-turn") == 3
