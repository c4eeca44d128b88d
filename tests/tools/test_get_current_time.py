"""The time, in the zone that was asked for."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.tools.searching import run_tool, search_context
from workbench.errors import ToolError
from workbench.tools.get_current_time import GetCurrentTimeTool

MOMENT = datetime(2026, 11, 29, 12, 15, tzinfo=UTC)


def clock() -> GetCurrentTimeTool:
    return GetCurrentTimeTool(lambda: MOMENT)


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("Asia/Shanghai", "2026-11-29T20:15:00+08:00 Sunday (Asia/Shanghai)"),
        ("asia/shanghai ", "2026-11-29T20:15:00+08:00 Sunday (Asia/Shanghai)"),
        ("America/New_York", "2026-11-29T07:15:00-05:00 Sunday (America/New_York)"),
        ("Pacific/Kiritimati", "2026-11-30T02:15:00+14:00 Monday (Pacific/Kiritimati)"),
        ("UTC", "2026-11-29T12:15:00+00:00 Sunday (UTC)"),
    ],
)
async def test_named_zone(tmp_path: Path, zone: str, text: str) -> None:
    assert (await run_tool(clock(), search_context(tmp_path), timezone=zone)).text == text


async def test_local_time_names_its_zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    text = (await run_tool(GetCurrentTimeTool(), search_context(tmp_path))).text
    assert text.endswith("(Europe/Berlin)")
    assert abs((datetime.fromisoformat(text.split()[0]) - datetime.now(UTC)).total_seconds()) < 60


@pytest.mark.parametrize(
    ("zone", "suggestion"),
    [("Shanghai", "Asia/Shanghai"), ("New York", "America/New_York"), ("Asia/Shangai", "Asia/Shanghai"), ("../../etc", ""), ("\0", ""), ("X" * 5000, "")],
)
async def test_unknown_zone_gets_suggestions(tmp_path: Path, zone: str, suggestion: str) -> None:
    with pytest.raises(ToolError) as refused:
        await run_tool(clock(), search_context(tmp_path), timezone=zone)
    assert refused.value.kind == "unknown_timezone"
    assert suggestion in refused.value.advice
    assert len(refused.value.text) < 200
