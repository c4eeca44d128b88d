"""The weather of the demonstration: as in the recorded conversation, always the same, and marked as not real."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.shared import needs_shared, shared_data
from tests.tools.searching import run_tool, search_context
from workbench.errors import ToolError
from workbench.tools.calculator import CalculatorTool
from workbench.tools.get_current_time import GetCurrentTimeTool
from workbench.tools.get_weather import GetWeatherTool


async def weather(tmp_path: Path, **arguments: str) -> dict[str, Any]:
    result = await run_tool(GetWeatherTool(), search_context(tmp_path), **arguments)
    told = json.loads(result.text)
    assert result.ui == told
    assert isinstance(told, dict)
    return told


async def test_answer_is_json_that_says_it_is_a_demonstration(tmp_path: Path) -> None:
    assert await weather(tmp_path, city="上海") == {
        "city": "上海",
        "report": "上海天气: 多云转小雨，气温 18°C，湿度 75%，东南风 2 级",
        "condition": "多云转小雨",
        "temperature": 18,
        "unit": "celsius",
        "humidity_percent": 75,
        "wind": "东南风 2 级",
        "demo": True,
    }


@pytest.mark.parametrize("city", ["Shanghai", " shanghai", "SHANGHAI"])
async def test_english_name_gets_english_words(tmp_path: Path, city: str) -> None:
    told = await weather(tmp_path, city=city, unit="fahrenheit")
    assert told["report"] == "Weather in Shanghai: cloudy turning to light rain, 64°F, humidity 75%, south-east wind, force 2"
    assert (told["temperature"], told["unit"]) == (64, "fahrenheit")


@pytest.mark.parametrize(("city", "name"), [("北京市", "北京"), ("san francisco", "San Francisco"), ("Xian", "Xi'an"), ("东京", "东京"), ("Paris", "Paris")])
async def test_names_people_use(tmp_path: Path, city: str, name: str) -> None:
    assert (await weather(tmp_path, city=city))["city"] == name


@pytest.mark.parametrize("city", ["Atlantis", "", "市"])
async def test_unknown_city_gets_the_list(tmp_path: Path, city: str) -> None:
    with pytest.raises(ToolError) as refused:
        await run_tool(GetWeatherTool(), search_context(tmp_path), city=city)
    assert refused.value.kind == "unknown_city"
    assert "Shanghai (上海)" in refused.value.advice


@needs_shared
async def test_recorded_conversation_can_be_held(tmp_path: Path) -> None:
    folder = shared_data()
    assert folder is not None
    messages = json.loads((folder / "weather" / "neutral.json").read_text(encoding="utf-8"))["messages"]
    parts = [part for message in messages for part in message["parts"]]
    calls = {part["id"]: part for part in parts if part["type"] == "tool_call"}
    results = {part["call_id"]: part["content"][0]["text"] for part in parts if part["type"] == "tool_result"}
    tools = {tool.name: tool for tool in (CalculatorTool(), GetWeatherTool())}
    (tmp_path / "x").mkdir()
    context = search_context(tmp_path / "x")
    given = {call_id: (await run_tool(tools[call["name"]], context, **call["arguments"])).text for call_id, call in calls.items()}
    for call_id, expected in results.items():
        assert expected in (given[call_id], json.loads(given[call_id]).get("report") if given[call_id].startswith("{") else None)


@needs_shared
def test_definitions_take_every_call_that_the_recorded_ones_allow() -> None:
    folder = shared_data()
    assert folder is not None
    request = json.loads((folder / "weather" / "chat.round1.request.json").read_text(encoding="utf-8"))
    own = {tool.name: tool.definition.input_schema for tool in (CalculatorTool(), GetCurrentTimeTool(), GetWeatherTool())}
    recorded = {tool["function"]["name"]: tool["function"]["parameters"] for tool in request["tools"]}
    assert own.keys() == recorded.keys()
    for name, schema in recorded.items():
        assert own[name]["required"] == schema.get("required", [])
        for parameter, shape in schema["properties"].items():
            assert own[name]["properties"][parameter]["type"] == shape["type"]
