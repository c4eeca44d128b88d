"""The loop behaves as asyncio's own does, and Qt gets its turn whatever the tasks do. `gui` runs every test here on it."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from tests.ui.gui import Gui
from tests.wire.asking import client, url
from workbench.ui.event_loop import MANY_CANCELLED, FastQEventLoop
from workbench.wire.client import HttpRequest
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse

FAR_S = 600.0

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="qasync's own loop serves there")


def the_loop() -> FastQEventLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, FastQEventLoop)
    return loop


def nothing() -> None:
    return


# Timers


async def test_cancelled_timers_are_dropped(gui: Gui) -> None:
    for _ in range(20_000):
        the_loop().call_later(FAR_S, nothing).cancel()
    assert len(the_loop()._scheduled) <= 2 * MANY_CANCELLED


@pytest.mark.parametrize("delay_s", [0.0, 0.001, 0.02, 0.1])
async def test_sleep_never_ends_early(gui: Gui, delay_s: float) -> None:
    begun = time.monotonic()
    await asyncio.sleep(delay_s)
    assert time.monotonic() - begun >= delay_s


async def test_timers_run_in_the_order_of_their_times(gui: Gui) -> None:
    ran: list[int] = []
    now = the_loop().time()
    for tick in (3, 1, 2):
        the_loop().call_at(now + tick / 1000, ran.append, tick)
    the_loop().call_at(now + 0.0005, ran.append, 0).cancel()
    await gui.until(lambda: len(ran) == 3)
    assert ran == [1, 2, 3]


async def test_earlier_timer_moves_the_alarm(gui: Gui) -> None:
    ran: list[str] = []
    late = the_loop().call_later(FAR_S, ran.append, "late")
    the_loop().call_later(0.001, ran.append, "early")
    await gui.until(lambda: ran == ["early"])
    assert not late.cancelled()
    late.cancel()


async def test_timer_handle_knows_its_time(gui: Gui) -> None:
    handle = the_loop().call_later(FAR_S, nothing)
    assert handle.when() == pytest.approx(the_loop().time() + FAR_S, abs=1.0)
    handle.cancel()


# The ready queue


async def test_callbacks_run_in_the_order_they_came(gui: Gui) -> None:
    ran: list[int] = []
    for number in range(1000):
        the_loop().call_soon(ran.append, number)
    await gui.until(lambda: len(ran) == 1000)
    assert ran == list(range(1000))


async def test_queue_carries_many_items(gui: Gui) -> None:
    queue: asyncio.Queue[int | None] = asyncio.Queue()

    async def produce() -> None:
        for number in range(20_000):
            queue.put_nowait(number)
            if number % 100 == 0:
                await asyncio.sleep(0)
        queue.put_nowait(None)

    total = 0
    async with asyncio.TaskGroup() as group:
        group.create_task(produce())
        while (number := await queue.get()) is not None:
            total += number
    assert total == sum(range(20_000))


async def test_context_is_kept_on_every_way_in(gui: Gui) -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="")
    got: list[str] = []
    variable.set("own")
    other = contextvars.copy_context()
    other.run(variable.set, "given")
    loop = the_loop()
    for call in (loop.call_soon, loop.call_soon_threadsafe):
        call(lambda: got.append(variable.get()))
        call(lambda: got.append(variable.get()), context=other)
    loop.call_later(0, lambda: got.append(variable.get()), context=other)
    await gui.until(lambda: len(got) == 5)
    assert sorted(got) == ["given", "given", "given", "own", "own"]


async def test_other_threads_wake_the_loop(gui: Gui) -> None:
    ran_in: asyncio.Future[int] = the_loop().create_future()
    thread = threading.Thread(target=lambda: ran_in.get_loop().call_soon_threadsafe(lambda: ran_in.set_result(threading.get_ident())))
    thread.start()
    assert await ran_in == threading.get_ident()
    thread.join()
    assert [await asyncio.to_thread(abs, -number) for number in range(50)] == list(range(50))


async def test_closed_loop_refuses_calls_from_threads(gui: Gui) -> None:
    def run_another() -> asyncio.AbstractEventLoop:
        loop = FastQEventLoop(QApplication.instance())
        loop.close()
        return loop

    with pytest.raises(RuntimeError, match="closed"):
        run_another().call_soon_threadsafe(nothing)


# Structured concurrency


async def test_cancellation_waits_for_the_clean_up(gui: Gui) -> None:
    steps: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(FAR_S)
        finally:
            steps.append("clean-up begins")
            await asyncio.sleep(0.001)
            steps.append("clean-up ends")

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.002):
            await work()
    assert steps == ["clean-up begins", "clean-up ends"]


async def test_task_group_ends_its_other_tasks(gui: Gui) -> None:
    async def fail() -> None:
        raise ValueError("x")

    others: list[asyncio.Task[None]] = []

    async def both() -> None:
        async with asyncio.TaskGroup() as group:
            others.append(group.create_task(asyncio.sleep(FAR_S)))
            group.create_task(fail())

    with pytest.raises(ExceptionGroup) as caught:
        await both()
    assert caught.group_contains(ValueError, match="x")
    assert others[0].cancelled()


async def test_anyio_groups_streams_and_threads_work(gui: Gui) -> None:
    anyio = await asyncio.to_thread(importlib.import_module, "anyio")
    got: list[int] = []

    async def produce(stream: Any) -> None:
        async with stream:
            for number in range(100):
                await stream.send(number)

    sending, receiving = anyio.create_memory_object_stream(3)
    async with anyio.create_task_group() as group:
        group.start_soon(produce, sending)
        async with receiving:
            async for number in receiving:
                got.append(number)  # noqa: PERF401 - one is received at a time
    with anyio.move_on_after(0.002) as scope:
        await anyio.sleep(FAR_S)
    assert got == list(range(100))
    assert scope.cancelled_caught
    assert await anyio.to_thread.run_sync(lambda: anyio.from_thread.run(anyio.sleep, 0) or 5) == 5


MCP_SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("echo")
@server.tool()
def echo(text: str) -> str:
    return "echo " + text
server.run("stdio")
"""


async def test_tool_server_on_standard_input_is_spoken_to(gui: Gui, tmp_path: Path) -> None:
    mcp = await asyncio.to_thread(importlib.import_module, "mcp")
    stdio = await asyncio.to_thread(importlib.import_module, "mcp.client.stdio")
    program = tmp_path / "server.py"
    program.write_text(MCP_SERVER)
    parameters = mcp.StdioServerParameters(command=sys.executable, args=["-P", str(program)])
    async with stdio.stdio_client(parameters) as (reading, writing), mcp.ClientSession(reading, writing) as session:
        await session.initialize()
        answers = [await session.call_tool("echo", {"text": f"你好 {number}"}) for number in range(5)]
    assert [answer.content[0].text for answer in answers] == [f"echo 你好 {number}" for number in range(5)]


# Processes, sockets, signals


async def test_processes_run_and_their_pipes_are_read(gui: Gui) -> None:
    pipe = asyncio.subprocess.PIPE
    command = "echo out; echo err >&2; cat; exit 7"
    process = await asyncio.create_subprocess_exec("sh", "-c", command, stdin=pipe, stdout=pipe, stderr=pipe)
    assert await process.communicate(b"hello") == (b"out\nhello", b"err\n")
    assert process.returncode == 7
    many = [await asyncio.create_subprocess_exec("true") for _ in range(10)]
    assert [await one.wait() for one in many] == [0] * 10


async def test_large_pipe_is_read_to_its_end(gui: Gui) -> None:
    process = await asyncio.create_subprocess_exec("sh", "-c", "yes x | head -c 4000000", stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    assert len(await process.stdout.read()) == 4_000_000
    assert await process.wait() == 0


async def test_killed_process_group_ends_its_readers(gui: Gui) -> None:
    process = await asyncio.create_subprocess_exec(
        "sh", "-c", "echo begun; sleep 60 & sleep 60", start_new_session=True, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"begun\n"
    os.killpg(process.pid, signal.SIGKILL)
    assert await process.stdout.read() == b""
    assert await process.wait() == -signal.SIGKILL


async def test_signal_reaches_its_handler(gui: Gui) -> None:
    came = asyncio.Event()
    the_loop().add_signal_handler(signal.SIGTERM, came.set)
    os.kill(os.getpid(), signal.SIGTERM)
    await came.wait()
    assert the_loop().remove_signal_handler(signal.SIGTERM)


async def test_stream_of_a_server_is_read_and_broken_off(gui: Gui) -> None:
    left = asyncio.Event()

    async def answer(request: ServerRequest) -> ServerResponse:
        async def body() -> AsyncIterator[bytes]:
            try:
                while True:
                    yield b"data: x\n\n"
                    await asyncio.sleep(0.001)
            finally:
                left.set()

        return ServerResponse(200, (("Content-Type", "text/event-stream"),), body())

    async with LoopbackServer(answer) as server:
        http = client()
        async with http.stream(HttpRequest("GET", url(server))) as response:
            read = 0
            async for chunk in response.chunks():
                read += len(chunk)
                if read > 100:
                    break
        await left.wait()
        await http.aclose()


# What goes wrong


class Source(QObject):
    """Has a signal."""

    happened = Signal()


@pytest.mark.qt_no_exception_capture
async def test_exception_in_a_slot_reaches_the_hook(gui: Gui, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, _error, _trace: seen.append(kind))

    def fail() -> None:
        raise KeyError("in a slot")

    source = Source()
    source.happened.connect(fail)
    source.happened.emit()
    QTimer.singleShot(0, fail)
    await gui.until(lambda: seen == [KeyError, KeyError])


def test_exception_of_a_lost_task_reaches_the_loop_s_handler(gui: Gui) -> None:
    told: list[str] = []

    async def fail() -> None:
        raise OSError("nobody saw this")

    async def main() -> None:
        the_loop().set_exception_handler(lambda _loop, context: told.append(str(context["exception"])))
        start: Callable[..., object] = the_loop().create_task
        start(fail())
        await gui.settle()
        gc.collect()

    with asyncio.Runner(loop_factory=lambda: FastQEventLoop(QApplication.instance())) as runner:
        runner.run(main())
    assert told == ["nobody saw this"]
