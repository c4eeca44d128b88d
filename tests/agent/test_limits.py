"""Limits pause a turn and ask; repeats are counted by tool and arguments."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.agent.dialogue import Dialogue
from tests.agent.scripted_model import Piece, answer, call
from workbench.agent.limits import Limits, Repeats, TurnLimits
from workbench.conversation.events import LimitRaised, LimitReached, StepStarted
from workbench.conversation.journal import Journal
from workbench.conversation.messages import Usage


def read(number: int) -> list[Piece]:
    return answer("", call("read", f"c{number}", file_path="a.txt", offset=number + 1))


async def test_turn_pauses_at_the_steps_limit_and_goes_on_when_it_is_raised(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "1\n2\n3\n4\n"}, limits=Limits(steps=2)) as d:
        await d.user("Go")
        d.model.say(*read(0))
        d.model.say(*read(1))
        reached = await d.fact(LimitReached)
        assert (reached.limit, reached.value, reached.maximum) == ("steps", 2, 2)
        assert d.session.waiting_limit == reached
        assert d.session.running
        with pytest.raises(ValueError, match="above 2"):
            d.session.raise_limit(2)
        assert d.session.raise_limit(3)
        assert not d.session.raise_limit(4)
        assert (await d.fact(LimitRaised)).maximum == 3
        d.model.say(*read(2))
        await d.fact(LimitReached)
        assert d.session.end_at_limit()
        end = await d.end()
        assert (end.end, end.steps, end.failure) == ("limit", 3, "steps")
        assert end.text == "The turn reached its limit of 3 steps."
        assert len(d.facts(StepStarted)) == 3
        await d.user("And now?")
        assert (await d.answers("A new turn counts anew.")).end == "answered"
        assert not d.session.end_at_limit()
        assert not d.session.raise_limit(9)


async def test_stop_takes_the_pause_back(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "1\n"}, limits=Limits(steps=1)) as d:
        await d.user("Go")
        d.model.say(*read(0))
        await d.fact(LimitReached)
        await d.session.stop()
        assert (await d.end()).end == "stopped"
        assert d.session.waiting_limit is None


async def test_without_a_person_the_turn_ends_at_its_limit(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "1\n"}, limits=Limits(steps=1, ask=False)) as d:
        await d.user("Go")
        d.model.say(*read(0))
        assert (await d.end()).end == "limit"


async def test_tokens_and_time_are_limits_too() -> None:
    now = [0.0]
    limits = TurnLimits(Journal(), Limits(tokens=100, time_s=60, ask=False), clock=lambda: now[0])
    limits.begin("t")
    limits.add_usage(Usage(input_tokens=60, output_tokens=30))
    limits.add_usage(None)
    limits.add_usage(Usage(input_tokens=None, output_tokens=None))
    assert await limits.may_begin(1) is None
    limits.add_usage(Usage(input_tokens=10))
    reached = await limits.may_begin(1)
    assert reached is not None
    assert (reached.limit, reached.value) == ("tokens", 100)
    limits.begin("t2")
    now[0] = 61
    reached = await limits.may_begin(1)
    assert reached is not None
    assert reached.limit == "time"


async def test_pause_does_not_count_as_time() -> None:
    now = [0.0]
    limits = TurnLimits(Journal(), Limits(steps=1, time_s=60), clock=lambda: now[0])
    limits.begin("t")
    async with asyncio.TaskGroup() as group:
        task = group.create_task(limits.may_begin(2))
        await asyncio.sleep(0)
        now[0] = 1000
        limits.raise_limit(5)
    assert task.result() is None
    assert await limits.may_begin(2) is None


def test_repeats_are_counted_by_tool_and_arguments() -> None:
    repeats = Repeats()
    assert [repeats.count("read", {"a": 1, "b": 2}), repeats.count("read", {"b": 2, "a": 1}), repeats.count("read", {"a": 1})] == [1, 2, 1]
    assert repeats.count("write", {"a": 1, "b": 2}) == 1
    assert repeats.count("read", {"a": 1, "b": 2}) == 3
