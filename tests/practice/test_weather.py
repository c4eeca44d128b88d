"""The weather-and-calculator question: the printed conversation word for word, and the same from real results for other cities."""

from __future__ import annotations

import json

import pytest

from tests.practice.dialogue import DEMO_TOOLS, Dialogue
from tests.practice.golden_weather import QUESTION, RESULTS, ROUNDS
from tests.shared import needs_shared, shared_data
from workbench.conversation.assembler import Assembler
from workbench.dialects.registry import dialect
from workbench.practice.brain import answer
from workbench.practice.reply import Reply
from workbench.practice.sending import stream_events, whole_message
from workbench.practice.weather import read_report

TOOL_RESULT = json.dumps(
    {
        "city": "上海",
        "report": RESULTS[0],
        "condition": "多云转小雨",
        "temperature": 18,
        "unit": "celsius",
        "humidity_percent": 75,
        "wind": "东南风 2 级",
        "demo": True,
    },
    ensure_ascii=False,
)


def printed(reply: Reply) -> tuple[object, ...]:
    call = next(iter(reply.calls()), None)
    usage = reply.usage
    return (
        reply.reasoning(),
        reply.text(),
        (call.call_id, call.name, call.arguments_raw) if call else None,
        (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens),
    )


@pytest.mark.parametrize("weather", [RESULTS[0], TOOL_RESULT], ids=["as printed", "as our tool answers"])
def test_printed_conversation_is_held_word_for_word(weather: str) -> None:
    dialogue = Dialogue(tools=DEMO_TOOLS)
    assert printed(dialogue.ask(QUESTION)) == ROUNDS[0]
    assert printed(dialogue.give(weather)) == ROUNDS[1]
    assert printed(dialogue.give("8760")) == ROUNDS[2]
    assert [reply.finish_reason for reply in (dialogue.reply,)] == ["end"]


def test_second_time_in_a_session_new_ids_and_estimates_are_used() -> None:
    dialogue = Dialogue(tools=DEMO_TOOLS)
    dialogue.ask(QUESTION)
    dialogue.give(RESULTS[0])
    dialogue.give("8760")
    again = dialogue.ask(QUESTION)
    (call,) = again.calls()
    assert call.call_id != ROUNDS[0].call[0] if ROUNDS[0].call else False
    assert call.arguments_raw == '{"city": "上海"}'
    assert again.usage.input_tokens != 503
    dialogue.give(RESULTS[0])
    assert dialogue.give("8760").text() == ROUNDS[2].text


def test_other_weather_gives_another_answer() -> None:
    dialogue = Dialogue(tools=DEMO_TOOLS)
    dialogue.ask(QUESTION)
    reply = dialogue.give("上海天气: 晴，气温 30°C，湿度 40%，南风 3 级")
    assert not reply.calls()
    assert reply.text() == "明天上海的天气是晴，气温30°C，湿度40%，南风3级。\n\n没有雨，所以不需要计算。"
    assert reply.usage.input_tokens != 571


def test_other_value_is_told_as_it_came() -> None:
    dialogue = Dialogue(tools=DEMO_TOOLS)
    dialogue.ask(QUESTION)
    dialogue.give(RESULTS[0])
    reply = dialogue.give("8784")
    assert "8784个小时" in reply.text()
    assert reply.usage.input_tokens != 624


def test_other_city_in_english() -> None:
    dialogue = Dialogue(tools=DEMO_TOOLS)
    first = dialogue.ask("What's the weather in London tomorrow? If it rains, calculate how many hours a year has")
    assert first.text() == "I am the practice model: a script, not an AI."
    assert dialogue.calls() == [("get_weather", '{"city": "London"}')]
    dialogue.give('{"report": "Weather in London: light rain, 10°C, humidity 88%, south-west wind, force 4", "demo": true}')
    assert dialogue.calls() == [("calculator", '{"expression": "365 * 24"}')]
    assert dialogue.give("8760").text() == (
        "The weather in London tomorrow: light rain, 10°C, humidity 88%, south-west wind, force 4. (Demonstration data.)\n\n"
        "Since it rains, I had it calculated how many hours a year has: 365 * 24 = 8760, so a year has 8760 hours."
    )


def test_other_city_in_chinese_with_another_calculation() -> None:
    dialogue = Dialogue(tools=DEMO_TOOLS)
    dialogue.ask("今天杭州天气怎么样？如果下雨，就计算 12 * 3")
    dialogue.give("杭州天气: 小雨，气温 17°C，湿度 82%，东风 2 级")
    assert dialogue.calls() == [("calculator", '{"expression": "12 * 3"}')]
    assert dialogue.give("36").text() == "今天杭州的天气是小雨，气温17°C，湿度82%，东风2级。\n\n由于今天有雨，我计算了 12 * 3 = 36。"


def test_weather_alone_is_one_call() -> None:
    dialogue = Dialogue(tools=DEMO_TOOLS)
    dialogue.ask("北京天气怎么样")
    assert dialogue.give("北京天气: 晴，气温 12°C").text() == "北京的天气是晴，气温12°C。"


def test_unknown_city_is_answered_with_what_the_tool_says() -> None:
    dialogue = Dialogue(tools=DEMO_TOOLS)
    dialogue.ask("weather in Atlantis")
    text = dialogue.give("Error (unknown_city): There is no weather for 'Atlantis'.\nCities: Shanghai (上海), Paris (巴黎).").text()
    assert "unknown_city" in text
    assert "Shanghai (上海)" in text


def test_missing_or_refused_calculator_still_leaves_the_weather() -> None:
    dialogue = Dialogue(tools=("get_weather",))
    dialogue.ask(QUESTION)
    text = dialogue.give(RESULTS[0]).text()
    assert "多云转小雨" in text
    assert "`calculator`" in text
    dialogue = Dialogue(tools=DEMO_TOOLS)
    dialogue.ask(QUESTION)
    dialogue.give(RESULTS[0])
    text = dialogue.give("Error (denied): The user rejected this call.").text()
    assert "多云转小雨" in text
    assert "你拒绝了 `calculator 365 * 24`" in text


@pytest.mark.parametrize(
    ("result", "rain"),
    [
        *(("多云转小雨，18°C", "小雨"), ("雷阵雨", "雷阵雨"), ("晴，无雨", "")),
        *(("cloudy, no rain", ""), ("thundershowers, 27°C", "thundershowers"), ("clear", ""), ("light rain", "light rain")),
    ],
)
def test_rain_is_recognised(result: str, rain: str) -> None:
    assert read_report(result).rain == rain


def test_report_in_pieces_is_put_together() -> None:
    report = read_report('{"city": "Rome", "condition": "clear", "temperature": 17, "parts": [1], "demo": true}')
    assert report == (("clear", "temperature 17"), "", True)


@needs_shared
@pytest.mark.parametrize("number", [1, 2, 3])
def test_recorded_requests_get_the_recorded_responses(number: int) -> None:
    data = shared_data()
    assert data is not None
    chat = dialect("chat_completions")
    folder = data / "weather"
    reply = answer(chat.parse_request((folder / f"chat.round{number}.request.json").read_bytes()))
    recorded = chat.decode_response((folder / f"chat.round{number}.response.json").read_bytes()).message
    written = chat.encode_response(whole_message(reply), response_id="x", model="qwen3.5-plus", created=1)
    ours = chat.decode_response(written).message
    assert (ours.reasoning(), ours.text(), ours.calls()) == (recorded.reasoning(), recorded.text(), recorded.calls())
    assert ours.finish_reason == recorded.finish_reason
    assert ours.usage == recorded.usage


@needs_shared
@pytest.mark.parametrize("number", [1, 2, 3])
def test_recorded_streams_are_streamed(number: int) -> None:
    data = shared_data()
    assert data is not None
    chat = dialect("chat_completions")
    reply = answer(chat.parse_request((data / "weather" / f"chat.round{number}.request.json").read_bytes()))
    encoder = chat.stream_encoder(response_id="x", model="m", created=1)
    sent = b"".join(encoder.feed(event) for event in stream_events(reply, response_id="x", model="m")) + encoder.finish()
    recorded = (data / "weather" / f"chat.round{number}.stream.sse").read_bytes()
    ours, theirs = assembled(sent), assembled(recorded)
    assert ours.message("m").parts == theirs.message("m").parts
    assert ours.usage == theirs.usage
    assert ours.ended == theirs.ended or (ours.ended and theirs.ended and ours.ended.finish_raw == theirs.ended.finish_raw)


def assembled(stream: bytes) -> Assembler:
    decoder = dialect("chat_completions").stream_decoder()
    assembler = Assembler()
    for event in (*decoder.feed(stream), *decoder.finish()):
        assembler.add(event)
    return assembler
