"""The printed weather conversation, three rounds: what is asked, what tools answer, what the model says. Kept here so that a bare clone has it."""

from __future__ import annotations

from typing import NamedTuple


class Round(NamedTuple):
    """One answer as it is printed."""

    reasoning: str
    text: str
    call: tuple[str, str, str] | None
    usage: tuple[int, int, int]


QUESTION = "明天上海天气怎么样？如果有雨，则计算一年有多少个小时"
RESULTS = ("上海天气: 多云转小雨，气温 18°C，湿度 75%，东南风 2 级", "8760")
ROUNDS = (
    Round(
        "用户问明天上海天气怎么样，如果有雨，则计算一年有多少个小时。\n\n我需要：\n1. 先查询上海的天气情况\n2. 根据天气结果判断是否有雨\n"
        "3. 如果有雨，计算一年有多少个小时\n\n让我先调用 get_weather 工具查询上海天气。",
        "",
        ("call_9af19d6503564492a3d6abc3", "get_weather", '{"city": "上海"}'),
        (503, 91, 61),
    ),
    Round(
        "上海明天的天气是多云转小雨，所以有雨。需要计算一年有多少个小时。\n一年通常按365天计算（非闰年），一天24小时。\n计算：365 * 24",
        "",
        ("call_f610b53ee7dd4d1dbc76ec84", "calculator", '{"expression": "365 * 24"}'),
        (571, 83, 47),
    ),
    Round(
        "信息齐了：明天上海有小雨，一年有 8760 个小时，可以给出最终回答。",
        "明天上海的天气是多云转小雨，气温18°C，湿度75%，东南风2级。\n\n由于明天有雨，我计算了一年有多少个小时：一年有365天，每天24小时，所以一年共有8760个小时。",
        None,
        (624, 167, 107),
    ),
)
