"""The weather conversation held in ReAct text: requests, responses and streams exactly as they were written down."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.feeding import cuts, outcome_of
from tests.shared import needs_shared, shared_data
from workbench.conversation.messages import Message, ModelRequest, RequestOptions, TextPart, ToolDefinition, ToolResultPart, text_message
from workbench.dialects.base import Quirks
from workbench.dialects.react import DIALECT

THOUGHTS = (
    ("用户问明天上海天气怎么样，如果有雨，则计算一年有多少个小时。 我需要： 1. 先查询上海的天气情况 2. 根据天气结果判断是否有雨 "
    "3. 如果有雨，计算一年有多少个小时 让我先调用 get_weather 工具查询上海天气。"),
    "上海明天的天气是多云转小雨，所以有雨。需要计算一年有多少个小时。 一年通常按365天计算（非闰年），一天24小时。 计算：365 * 24",
    "我现在知道最终答案了",
)
CALLS = (("get_weather", '{"city": "上海"}'), ("calculator", '{"expression": "365 * 24"}'), None)
RESULTS = ("上海天气: 多云转小雨，气温 18°C，湿度 75%，东南风 2 级", "8760")


def _file(name: str) -> bytes:
    data = shared_data()
    assert data is not None
    return (data / "weather" / name).read_bytes()


def _neutral() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(_file("neutral.json"))
    return loaded


def _request(rounds: int) -> ModelRequest:
    """Return the request of a round as the loop would build it from what was decoded before."""
    neutral = _neutral()
    tools = tuple(ToolDefinition(name=tool["name"], description=tool["description"], input_schema=tool["input_schema"]) for tool in neutral["tools"])
    messages: list[Message] = [text_message("user", neutral["messages"][0]["parts"][0]["text"])]
    for number in range(1, rounds):
        answer = DIALECT.decode_response(_file(f"react.round{number}.response.json")).message
        (call,) = answer.calls()
        result = ToolResultPart(call_id=call.call_id, name=call.name, content=(TextPart(text=RESULTS[number - 1]),))
        messages += [answer, Message(message_id="r", role="tool", parts=(result,))]
    options = RequestOptions(model="qwen3.5-plus", stream=False, temperature=0)
    return ModelRequest(system=(neutral["system"][0]["text"],), tools=tools, messages=tuple(messages), options=options)


@needs_shared
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_our_request_is_the_one_written_down(rounds: int) -> None:
    assert json.loads(DIALECT.encode_request(_request(rounds)).body) == json.loads(_file(f"react.round{rounds}.request.json"))


@needs_shared
@pytest.mark.parametrize("name", ["round1", "round2", "round3", "scratchpad.round3"])
def test_a_parsed_request_is_written_again_as_it_was(name: str) -> None:
    body = _file(f"react.{name}.request.json")
    assert json.loads(DIALECT.encode_request(DIALECT.parse_request(body)).body) == json.loads(body)
    assert DIALECT.check(body) == ()


@needs_shared
@pytest.mark.parametrize("name", ["round3", "scratchpad.round3"])
def test_a_request_is_parsed_into_the_conversation(name: str) -> None:
    parsed = DIALECT.parse_request(_file(f"react.{name}.request.json"))
    neutral = _neutral()
    assert parsed.system == (neutral["system"][0]["text"],)
    assert [(tool.name, tool.description, tool.input_schema) for tool in parsed.tools] == [
        (tool["name"], tool["description"], tool["input_schema"]) for tool in neutral["tools"]
    ]
    assert [message.role for message in parsed.messages] == ["user", "assistant", "tool", "assistant", "tool"]
    assert parsed.messages[0].text() == neutral["messages"][0]["parts"][0]["text"]
    for place, number in ((1, 0), (3, 1)):
        (call,), (result,) = parsed.messages[place].calls(), parsed.messages[place + 1].results()
        assert ((call.name, call.arguments_raw), parsed.messages[place].reasoning()) == (CALLS[number], THOUGHTS[number])
        assert (result.call_id, result.name, result.text()) == (call.call_id, call.name, RESULTS[number])


@needs_shared
@pytest.mark.parametrize("number", [1, 2, 3])
def test_body_and_stream_say_the_same(number: int) -> None:
    body = DIALECT.decode_response(_file(f"react.round{number}.response.json"))
    call = CALLS[number - 1]
    assert body.message.reasoning() == THOUGHTS[number - 1]
    assert [(one.name, one.arguments_raw) for one in body.message.calls()] == ([call] if call else [])
    assert body.message.text() == ("" if call else _neutral()["messages"][-1]["parts"][0]["text"])
    assert (body.message.finish_reason, body.message.finish_raw, body.calls_may_run) == ("tool_use" if call else "end", "stop", True)
    assert body.usage is not None
    assert (body.usage.input_tokens, body.usage.output_tokens) == ((503, 91), (571, 83), (624, 167))[number - 1]
    stream = _file(f"react.round{number}.stream.sse")
    for name, chunks in cuts(stream, str(number)):
        outcome = outcome_of(DIALECT.stream_decoder(), chunks)
        said = [(type(part).__name__, getattr(part, "text", ""), getattr(part, "arguments_raw", "")) for part in outcome.message.parts]
        assert said == [(type(part).__name__, getattr(part, "text", ""), getattr(part, "arguments_raw", "")) for part in body.message.parts], name
        assert (outcome.may_run, outcome.problems) == (True, ()), name


@needs_shared
@pytest.mark.parametrize("number", [1, 2, 3])
def test_our_response_is_the_one_written_down(number: int) -> None:
    written = json.loads(_file(f"react.round{number}.response.json"))
    message = DIALECT.decode_response(_file(f"react.round{number}.response.json")).message
    ours = json.loads(DIALECT.encode_response(message, response_id=written["id"], model=written["model"], created=written["created"]))
    assert ours["choices"] == written["choices"]
    assert ours["usage"] == written["usage"]


@needs_shared
def test_a_server_without_stop_gets_none() -> None:
    body = DIALECT.encode_request(_request(1), Quirks(stop=False)).body
    assert "stop" not in json.loads(body)
    assert DIALECT.check(body, Quirks(stop=False)) == ()
