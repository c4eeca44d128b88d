"""The reading end of a command's pipe: log, live lines, limits, and its own end."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.workspace.running import open_descriptors
from workbench.workspace import output_reader
from workbench.workspace.output_reader import OutputReader


class Writer:
    """The writing end, and what came out of the reader."""

    def __init__(self, log: Path, *, cap_bytes: int = 10_000_000) -> None:
        self.live: list[str] = []
        self.came = asyncio.Event()
        read_end, self.end = os.pipe()
        self.reader = OutputReader(read_end, log, self._take, cap_bytes=cap_bytes)

    def _take(self, text: str) -> None:
        self.live.append(text)
        self.came.set()

    def write(self, data: bytes) -> None:
        os.write(self.end, data)

    async def close(self) -> None:
        os.close(self.end)
        await self.reader.ended.wait()

    async def next(self) -> str:
        await self.came.wait()
        self.came.clear()
        return self.live[-1]


async def test_little_plain_output_makes_no_file(tmp_path: Path) -> None:
    before = open_descriptors()
    writer = Writer(tmp_path / "log")
    writer.write(b"one\ntwo\n")
    await writer.close()
    assert writer.reader.excerpt().text == "one\ntwo\n"
    assert "".join(writer.live) == "one\ntwo\n"
    assert not (tmp_path / "log").exists()
    assert writer.reader.keep_log()
    assert (tmp_path / "log").read_bytes() == b"one\ntwo\n"
    writer.reader.stop()
    assert open_descriptors() == before


async def test_much_output_goes_to_the_file_as_it_comes(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "log")
    for _ in range(20):
        writer.write(b"x" * 9_999 + b"\n")
    await writer.close()
    assert (tmp_path / "log").read_bytes() == (b"x" * 9_999 + b"\n") * 20
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600


async def test_over_the_cap_is_told_once_and_the_writer_never_waits(tmp_path: Path) -> None:
    told: list[str] = []
    writer = Writer(tmp_path / "log", cap_bytes=100_000)
    writer.reader.when_over_cap(lambda: told.append("over"))
    for _ in range(10):
        await asyncio.to_thread(writer.write, b"y" * 65_536)
    await writer.close()
    assert told == ["over"]
    assert writer.reader.is_over_cap
    assert (tmp_path / "log").stat().st_size == 100_000


async def test_exactly_the_cap_is_not_over_it(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "log", cap_bytes=5)
    writer.write(b"12345")
    await writer.close()
    assert not writer.reader.is_over_cap


async def test_stop_ends_reading_although_somebody_holds_the_pipe(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "log")
    writer.write(b"a\n")
    await writer.next()
    writer.reader.stop()
    await writer.reader.ended.wait()
    with pytest.raises(BrokenPipeError):
        writer.write(b"b\n")
    os.close(writer.end)


async def test_open_line_is_shown_live_once_it_stands_still(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_reader, "PENDING_SHOWN_AFTER_S", 0.05)
    writer = Writer(tmp_path / "log")
    writer.write(b"Continue? ")
    assert await writer.next() == "Continue? "
    writer.write(b"yes\n")
    assert await writer.next() == "yes\n"
    writer.write(b"50%")
    assert await writer.next() == "50%"
    writer.write(b"\r100%\n")
    assert await writer.next() == "\n100%\n"
    await writer.close()
    assert writer.reader.excerpt().text == "Continue? yes\n100%\n"


async def test_flood_reaches_those_who_watch_shortened(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "log")
    for _ in range(40):
        await asyncio.to_thread(writer.write, b"line\n" * 10_000)
    await writer.close()
    assert sum(map(len, writer.live)) < 400_000
    assert any("[...]" in text for text in writer.live)
    assert writer.reader.excerpt().total_lines == 400_000


async def test_after_release_output_goes_only_to_the_log(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "log")
    writer.write(b"before\n")
    await writer.next()
    writer.reader.release()
    assert writer.reader.keep_log()
    writer.write(b"after\n")
    await writer.close()
    assert writer.live == ["before\n"]
    assert writer.reader.excerpt().text == "before\n"
    assert (tmp_path / "log").read_bytes() == b"before\nafter\n"


async def test_log_that_cannot_be_written_does_not_stop_the_output(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "no such folder" / "log")
    for _ in range(3):
        await asyncio.to_thread(writer.write, b"z" * 60_000 + b"\n")
    await writer.close()
    assert writer.reader.excerpt().total_lines == 3
    assert not writer.reader.keep_log()


async def test_log_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "log").symlink_to("victim")
    writer = Writer(tmp_path / "log")
    writer.write(b"x\n")
    await writer.close()
    assert not writer.reader.keep_log()
    assert (tmp_path / "victim").read_text() == "mine"
