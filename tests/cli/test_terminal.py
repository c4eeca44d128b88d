"""Reading lines from a pseudo-terminal without holding up the loop."""

from __future__ import annotations

import asyncio
import os
import pty
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple, TextIO

import pytest

from workbench.cli.terminal import GUARD_S, Terminal


class Line(NamedTuple):
    """Both ends of a terminal: the keyboard as a file number, and the stream the program reads."""

    keyboard: int
    stream: TextIO

    def type(self, text: str) -> None:
        os.write(self.keyboard, text.encode())


@pytest.fixture
def line() -> Iterator[Line]:
    keyboard, inner = pty.openpty()
    with os.fdopen(inner, "r", encoding="utf-8") as stream:
        yield Line(keyboard, stream)
    with suppress(OSError):
        os.close(keyboard)


async def test_a_line_comes_without_its_end(line: Line) -> None:
    line.type("你好 x\n")
    assert await Terminal(line.stream).read_line("? ") == "你好 x"


async def test_lines_typed_ahead_are_read_one_by_one(line: Line) -> None:
    terminal = Terminal(line.stream)
    line.type("one\ntwo\n")
    assert [await terminal.read_line(""), await terminal.read_line("")] == ["one", "two"]


async def test_a_question_throws_away_what_was_typed_before(line: Line) -> None:
    terminal = Terminal(line.stream)
    line.type("y\ny")
    async with asyncio.TaskGroup() as group:
        asked = group.create_task(terminal.ask("? "))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        line.type("n\n")
    assert asked.result() == "n"


async def test_the_end_of_input_is_none(line: Line) -> None:
    line.type("\x04")
    assert await Terminal(line.stream).read_line("") is None


async def test_cancelling_a_read_leaves_the_terminal_readable(line: Line) -> None:
    terminal = Terminal(line.stream)
    async with asyncio.TaskGroup() as group:
        reading = group.create_task(terminal.read_line(""))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        reading.cancel()
    line.type("later\n")
    assert await terminal.read_line("") == "later"


async def test_interrupting_gives_an_empty_line_and_drops_the_half_one(line: Line) -> None:
    terminal = Terminal(line.stream)
    async with asyncio.TaskGroup() as group:
        reading = group.create_task(terminal.read_line(""))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        line.type("half")
        terminal.interrupt()
    assert reading.result() == ""
    line.type("whole\n")
    assert await terminal.read_line("") == "whole"


async def test_the_guard_lets_the_loop_run(line: Line) -> None:
    loop = asyncio.get_running_loop()
    began_s, turns = loop.time(), 0
    async with asyncio.TaskGroup() as group:
        guard = group.create_task(Terminal(line.stream).guard())
        while not guard.done():
            turns += 1
            await asyncio.sleep(0.01)
    assert loop.time() - began_s >= GUARD_S * 0.99
    assert turns > 3


def test_a_person_is_there_only_if_both_ends_are_terminals(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    async def present(stdin: TextIO | None, stderr: TextIO | None) -> bool:
        monkeypatch.setattr(sys, "stdin", stdin)
        monkeypatch.setattr(sys, "stderr", stderr)
        return Terminal().present

    with open(os.devnull) as nothing:  # noqa: PTH123 - a stream that is no terminal
        for stdin, stderr, expected in ((line.stream, line.stream, True), (nothing, line.stream, False), (line.stream, nothing, False)):
            assert asyncio.run(present(stdin, stderr)) is expected
    assert asyncio.run(present(None, line.stream)) is False
