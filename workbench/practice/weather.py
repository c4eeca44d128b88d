"""The weather-and-calculator question: ask for the weather and, if it rains, calculate. Both come from what the tools really answered.

The well-known conversation about Shanghai is held word for word as it is printed, with its call ids and token counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from workbench.conversation.messages import Usage
from workbench.practice.intents import AskWeather
from workbench.practice.phrases import Phrases, shortened
from workbench.practice.reply import Draft, Printed, planned
from workbench.practice.results import first_line
from workbench.practice.steps import conclude, make_calls, troubles
from workbench.practice.talk import Done, Talk

PRINTED_QUESTION = "明天上海天气怎么样？如果有雨，则计算一年有多少个小时"
PRINTED_CLAUSES = ("多云转小雨", "气温18°C", "湿度75%", "东南风2级")
PRINTED_STEPS = (
    Printed(Usage(input_tokens=503, output_tokens=91, reasoning_tokens=61), "call_9af19d6503564492a3d6abc3"),
    Printed(Usage(input_tokens=571, output_tokens=83, reasoning_tokens=47), "call_f610b53ee7dd4d1dbc76ec84"),
    Printed(Usage(input_tokens=624, output_tokens=167, reasoning_tokens=107)),
)

_RAIN = re.compile(r"(?:[小中大阵雷暴冻]*雨)|\b(?:(?:light|heavy|moderate)\s+)?(?:rain\w*|showers?|drizzle|thunder(?:storms?|showers?))\b", re.IGNORECASE)
_NO_RAIN = re.compile(r"(?:无|没有|不会?有?|不下)雨|\b(?:no|without)\s+rain\w*|\brain(?:less| chance:? 0)", re.IGNORECASE)
_SPACE_AT_NUMBER = re.compile(r"(?<=[\u4e00-\u9fff])\s+(?=[\d-])|(?<=\d)\s+(?=[\u4e00-\u9fff°℃%])")


class Report(NamedTuple):
    """The weather as a tool told it: clauses in its order, the sky first; `rain` is its word for rain, empty if it does not rain."""

    clauses: tuple[str, ...]
    rain: str
    demo: bool = False


def ask_weather(intent: AskWeather, talk: Talk, say: Phrases) -> Draft:
    """Ask for the weather, calculate if it rains and that was asked, then answer."""
    if not talk.steps:
        draft = make_calls(talk, say, [planned("get_weather", city=intent.city)], "")
        return _as_printed(draft, 0, talk, thought=_first_thought(intent, talk, say)) if draft.calls else draft
    done = talk.last[-1]
    asked = next(iter(talk.done("get_weather")), done)
    if not done.worked or not asked.worked or asked.name != "get_weather":
        return _weather_anyway(intent, asked, talk, say) if done is not asked and asked.worked else troubles(say, talk.last)
    report = read_report(asked.text())
    if done.name == "get_weather" and intent.expression and report.rain:
        draft = make_calls(talk, say, [planned("calculator", expression=intent.expression)], "")
        if draft.calls:
            return _as_printed(draft, 1, talk, report, thought=_second_thought(intent, report, say))
        return Draft(text=f"{_weather(intent, report, say)}\n\n{draft.text}", thought=draft.thought)
    if done.name == "calculator":
        return _with_value(intent, report, first_line(done.text()), talk, say)
    dry = _dry(intent, say) if intent.expression else ""
    return conclude(talk, say, f"{_weather(intent, report, say)}{dry}")


def _weather_anyway(intent: AskWeather, asked: Done, talk: Talk, say: Phrases) -> Draft:
    """Tell the weather although the calculation did not work, and what became of that."""
    draft = troubles(say, talk.last)
    return Draft(text=f"{_weather(intent, read_report(asked.text()), say)}\n\n{draft.text}", thought=draft.thought)


def _with_value(intent: AskWeather, report: Report, value: str, talk: Talk, say: Phrases) -> Draft:
    text = f"{_weather(intent, report, say)}\n\n{_reason(intent, shortened(value, 300), say)}"
    if not _is_printed(talk, report) or value != "8760":
        return conclude(talk, say, text)
    thought = f"信息齐了：{intent.day}{intent.city}有{report.rain}，一年有 {value} 个小时，可以给出最终回答。"
    return Draft(text=text, thought=thought, bare=True, aside=True, printed=PRINTED_STEPS[2])


def _as_printed(draft: Draft, step: int, talk: Talk, report: Report | None = None, *, thought: str) -> Draft:
    """Return the draft with its own thought and, in the printed conversation, the printed id and usage."""
    exact = _is_printed(talk, report)
    return Draft(calls=draft.calls, thought=thought, bare=exact, printed=PRINTED_STEPS[step] if exact else None)


def _is_printed(talk: Talk, report: Report | None) -> bool:
    """Say whether this is the printed conversation so far: its question as the first of the session, its weather."""
    return talk.question == PRINTED_QUESTION and not talk.before and (report is None or report.clauses == PRINTED_CLAUSES)


def _first_thought(intent: AskWeather, talk: Talk, say: Phrases) -> str:
    question = shortened(talk.question, 200).rstrip("？?。.!！ ")
    if say.language == "en":
        then = f"\n3. If it does, calculate {intent.expression}" if intent.expression else ""
        plan = f"1. Look up the weather in {intent.city}\n2. See whether it rains{then}"
        return f"The user asks: {question}.\n\nThe script for such questions:\n{plan}\n\nFirst get_weather for {intent.city}."
    goal = _goal(intent)
    then = f"\n3. 如果有雨，计算{goal}" if intent.expression else ""
    plan = f"1. 先查询{intent.city}的天气情况\n2. 根据天气结果判断是否有雨{then}"
    return f"用户问{question.replace('？', '，')}。\n\n我需要：\n{plan}\n\n让我先调用 get_weather 工具查询{intent.city}天气。"


def _goal(intent: AskWeather) -> str:
    return f"一年有多少个{intent.unit}" if intent.unit else f" {intent.expression}"


def _second_thought(intent: AskWeather, report: Report, say: Phrases) -> str:
    sky = report.clauses[0]
    if say.language == "en":
        return f"The weather in {intent.city} is: {sky}. So it rains, and {intent.expression} is to be calculated."
    year = "一年通常按365天计算（非闰年），一天24小时。\n" if intent.unit else ""
    return f"{intent.city}{intent.day}的天气是{sky}，所以有雨。需要计算{_goal(intent)}。\n{year}计算：{intent.expression}"


def _weather(intent: AskWeather, report: Report, say: Phrases) -> str:
    if say.language == "zh":
        demo = "（演示数据）" if report.demo and report.clauses != PRINTED_CLAUSES else ""
        return f"{intent.day}{intent.city}的天气是{'，'.join(report.clauses)}。{demo}"
    day = f" {intent.day}" if intent.day else ""
    return f"The weather in {intent.city}{day}: {', '.join(report.clauses)}.{' (Demonstration data.)' if report.demo else ''}"


def _reason(intent: AskWeather, value: str, say: Phrases) -> str:
    if say.language == "en":
        if intent.unit:
            return f"Since it rains, I had it calculated how many {intent.unit} a year has: {intent.expression} = {value}, so a year has {value} {intent.unit}."
        return f"Since it rains, I had this calculated: {intent.expression} = {value}."
    if intent.unit == "小时":
        return f"由于{intent.day}有雨，我计算了一年有多少个小时：一年有365天，每天24小时，所以一年共有{value}个小时。"
    if intent.unit:
        return f"由于{intent.day}有雨，我计算了{_goal(intent)}：{intent.expression} = {value}，所以一年共有{value}个{intent.unit}。"
    return f"由于{intent.day}有雨，我计算了 {intent.expression} = {value}。"


def _dry(intent: AskWeather, say: Phrases) -> str:
    return "\n\n没有雨，所以不需要计算。" if say.language == "zh" else f"\n\nIt does not rain, so {intent.expression} need not be calculated."


def read_report(result: str) -> Report:
    """Return the weather that a result tells: a sentence with commas, or a JSON object, which may hold such a sentence as ``report``."""
    try:
        told = json.loads(result)
    except (ValueError, RecursionError):
        told = None
    if isinstance(told, dict) and isinstance(told.get("report"), str):
        return _report(_clauses(told["report"]), demo=told.get("demo") is True)
    return _report_of(told) if isinstance(told, dict) else _report(_clauses(first_line(result)))


def _clauses(sentence: str) -> list[str]:
    """Return the clauses of a sentence such as ``上海天气: 多云，气温 18°C``, without what stands before the colon."""
    line = sentence[:1000]
    _, colon, after = line.partition(":") if ":" in line else line.partition("：")
    return re.split(r"\s*[，,;；]\s*", after.strip() if colon else line)


def _report(clauses: list[str], *, demo: bool = False) -> Report:
    tidy = tuple(_SPACE_AT_NUMBER.sub("", clause.strip().rstrip("。.")) for clause in clauses if clause.strip()) or ("?",)
    words = _NO_RAIN.sub("", "，".join(tidy))
    rain = _RAIN.search(words)
    return Report(tidy, rain[0] if rain else "", demo)


def _report_of(told: Mapping[str, Any]) -> Report:
    plain = {key: value for key, value in told.items() if not isinstance(value, dict | list | bool)}
    clauses = [_clause(str(key), value) for key, value in plain.items() if key not in ("city", "location", "unit")]
    return _report(clauses, demo=told.get("demo") is True)


def _clause(key: str, value: object) -> str:
    plain = key in ("condition", "conditions", "weather", "sky", "summary", "description", "text")
    return shortened(str(value)) if plain else f"{key.replace('_', ' ')} {shortened(str(value))}"
