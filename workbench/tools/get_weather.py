"""The demonstration tool get_weather: a fixed table, the same answer every time, and it says that it is not real."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from workbench.errors import ToolError
from workbench.tools.base import Plan, Result, ToolContext
from workbench.tools.definitions import UnplannedTool


class _Weather(NamedTuple):
    """One city: names and words in Chinese and English, degrees Celsius, humidity in percent."""

    chinese: str
    english: str
    sky: tuple[str, str]
    celsius: int
    humidity: int
    wind: tuple[str, str]


_CLEAR = ("晴", "clear")
_CLOUDY = ("多云", "cloudy")
_OVERCAST = ("阴", "overcast")
_LIGHT_RAIN = ("小雨", "light rain")
_CLOUDY_THEN_RAIN = ("多云转小雨", "cloudy turning to light rain")

_TABLE = (
    _Weather("上海", "Shanghai", _CLOUDY_THEN_RAIN, 18, 75, ("东南风 2 级", "south-east wind, force 2")),
    _Weather("北京", "Beijing", _CLEAR, 12, 35, ("北风 3 级", "north wind, force 3")),
    _Weather("广州", "Guangzhou", ("雷阵雨", "thundershowers"), 27, 85, ("南风 2 级", "south wind, force 2")),
    _Weather("深圳", "Shenzhen", _CLOUDY, 26, 78, ("东风 2 级", "east wind, force 2")),
    _Weather("杭州", "Hangzhou", _LIGHT_RAIN, 17, 82, ("东风 2 级", "east wind, force 2")),
    _Weather("南京", "Nanjing", _OVERCAST, 15, 70, ("东北风 2 级", "north-east wind, force 2")),
    _Weather("成都", "Chengdu", _OVERCAST, 16, 80, ("微风 1 级", "light breeze, force 1")),
    _Weather("武汉", "Wuhan", _CLOUDY, 19, 66, ("南风 2 级", "south wind, force 2")),
    _Weather("西安", "Xi'an", _CLEAR, 14, 45, ("西风 2 级", "west wind, force 2")),
    _Weather("重庆", "Chongqing", ("雾", "fog"), 17, 90, ("微风 1 级", "light breeze, force 1")),
    _Weather("香港", "Hong Kong", _CLOUDY, 25, 80, ("东风 3 级", "east wind, force 3")),
    _Weather("台北", "Taipei", _LIGHT_RAIN, 22, 84, ("东北风 3 级", "north-east wind, force 3")),
    _Weather("东京", "Tokyo", _CLEAR, 16, 50, ("北风 2 级", "north wind, force 2")),
    _Weather("首尔", "Seoul", _CLEAR, 9, 42, ("西北风 3 级", "north-west wind, force 3")),
    _Weather("新加坡", "Singapore", ("雷阵雨", "thundershowers"), 30, 84, ("南风 2 级", "south wind, force 2")),
    _Weather("巴黎", "Paris", _OVERCAST, 11, 78, ("西风 3 级", "west wind, force 3")),
    _Weather("伦敦", "London", _LIGHT_RAIN, 10, 88, ("西南风 4 级", "south-west wind, force 4")),
    _Weather("柏林", "Berlin", _CLOUDY, 7, 74, ("西风 3 级", "west wind, force 3")),
    _Weather("罗马", "Rome", _CLEAR, 17, 60, ("南风 2 级", "south wind, force 2")),
    _Weather("纽约", "New York", _CLEAR, 8, 52, ("西北风 4 级", "north-west wind, force 4")),
    _Weather("旧金山", "San Francisco", ("雾转晴", "fog, then clear"), 15, 72, ("西风 3 级", "west wind, force 3")),
    _Weather("悉尼", "Sydney", _CLEAR, 24, 55, ("东北风 3 级", "north-east wind, force 3")),
)


class GetWeatherTool(UnplannedTool):
    """Tells the weather of a city in the table."""

    def __init__(self) -> None:
        super().__init__("get_weather", "none")

    async def apply(self, plan: Plan, context: ToolContext) -> Result:  # noqa: ARG002
        """Return the weather as JSON: a sentence (`report`) in the language of the city's name, its parts, and ``"demo": true``.

        Raises:
            ToolError: ``unknown_city``, with the names there are.
        """
        city = str(plan.arguments["city"]).strip()
        told = _told(city, _find(city), fahrenheit=plan.arguments.get("unit") == "fahrenheit")
        return Result(text=json.dumps(told, ensure_ascii=False), facts=f"{told['temperature']}°", ui=told)


def _find(city: str) -> _Weather:
    wanted = _folded(city)
    found = next((row for row in _TABLE if wanted in (_folded(row.chinese), _folded(row.english))), None)
    if found is not None:
        return found
    names = ", ".join(f"{row.english} ({row.chinese})" for row in _TABLE)
    raise ToolError("unknown_city", f"There is no weather for {city[:60]!r}: this is demonstration data.", f"Cities: {names}.")


def _told(city: str, row: _Weather, *, fahrenheit: bool) -> dict[str, Any]:
    language = 1 if city.isascii() else 0
    temperature = round(row.celsius * 9 / 5 + 32) if fahrenheit else row.celsius
    degrees = f"{temperature}°{'F' if fahrenheit else 'C'}"
    name, sky, wind = (row.chinese, row.english)[language], row.sky[language], row.wind[language]
    reports = (
        f"{name}天气: {sky}，气温 {degrees}，湿度 {row.humidity}%，{wind}",
        f"Weather in {name}: {sky}, {degrees}, humidity {row.humidity}%, {wind}",
    )
    return {
        "city": name,
        "report": reports[language],
        "condition": sky,
        "temperature": temperature,
        "unit": "fahrenheit" if fahrenheit else "celsius",
        "humidity_percent": row.humidity,
        "wind": wind,
        "demo": True,
    }


def _folded(name: str) -> str:
    """Return a name without what people add or leave out: case, blanks, apostrophes, the word for city."""
    return name.casefold().replace(" ", "").replace("'", "").replace("-", "").removesuffix("市")
