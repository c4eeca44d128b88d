"""Closing the window while everything is at work: tests/cases/bug_reports_window.jsonl, the program as a process in a real window."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.cli.program import Home, of_type
from tests.ui.driver import CASES
from tests.ui.scripted_server import ScriptedServer
from tests.ui.test_real_window import Program
from tests.ui.window_process import PATIENCE_S, POLL_S
from workbench.cli.output import flat
from workbench.store.session_store import SessionStore

CASE = "close-window-while-running"
STREAM_S = 60
MARGIN = 10
"""Ten times what a person should wait for is no slow machine but a hang."""


@contextmanager
def served(command: str) -> Iterator[ScriptedServer]:
    """Serve a model whose first answer streams for a minute and whose second calls a command."""
    ready, done = threading.Event(), threading.Event()
    serving: list[ScriptedServer] = []

    async def serve() -> None:
        async with ScriptedServer() as server:
            server.answer().text("word ", STREAM_S * 20, gap_s=0.05)
            server.answer().call("bash", command=command, description="wait").end()
            serving.append(server)
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert ready.wait(PATIENCE_S)
        yield serving[0]
    finally:
        done.set()
        thread.join()


def running(program: Program, command: str) -> list[psutil.Process]:
    """Wait until the command runs, which changes nothing and so asks nobody, and return all processes under the program."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        children = psutil.Process(program.process.pid).children(recursive=True)
        if any(command in " ".join(child.cmdline()) for child in children if child.is_running()):
            return children
        time.sleep(POLL_S)
    raise AssertionError(f"{command!r} does not run")


def test_closing_during_work_ends_all_of_it_in_order(display: str, tmp_path: Path) -> None:
    case = CASES[CASE]
    send, tool, close, choose = case["input"]["actions"]
    assert (send["server"], close["do"], choose["option"]) == ("streams 60 s", "close_window", "Stop and close")
    home = Home(tmp_path)
    with served(tool["command"]) as server:
        home.settings(server.settings)
        program = Program(home, display, tmp_path)
        try:
            begin_both(program, server)
            children = running(program, tool["command"])
            close_window(program, children, case["expect"])
        finally:
            program.end()
    facts = [facts_of(home, summary.folder) for summary in home.sessions()]
    assert [[fact["end"] for fact in of_type(session, "TurnFinished")] for session in facts] == [["stopped"], ["stopped"]]
    streamed = next(session for session in facts if not of_type(session, "ToolStarted"))
    (answer,) = of_type(streamed, "ModelResponded")
    assert answer["message"]["state"] == "cancelled"
    assert answer["message"]["parts"][0]["text"].startswith("word word ")


def begin_both(program: Program, server: ScriptedServer) -> None:
    """Let one session stream, and run the command in another."""
    program.wait_for_folder()
    program.click("Message")
    program.wait("Message", active=True, focus=True)
    program.type("stream")
    program.wait("Message", "stream")
    program.xdo("key", "Return")
    program.wait("Stop")
    asked(server)
    program.xdo("key", "ctrl+n")
    program.wait("Send")
    program.wait("Message", active=True, focus=True)
    program.type("run")
    program.wait("Message", "run")
    program.xdo("key", "Return")


def asked(server: ScriptedServer) -> None:
    """Wait until the first request is there: the one that comes first gets the answer that streams."""
    end = time.monotonic() + PATIENCE_S
    while not server.asked:
        assert time.monotonic() < end, "the model was not asked"
        time.sleep(POLL_S)


def close_window(program: Program, children: list[psutil.Process], expect: dict[str, object]) -> None:
    """Close the window as a person does; it asks nothing, and stops everything."""
    program.click("Message")
    program.wait("Message", active=True)
    begun = time.monotonic()
    program.xdo("key", "alt+F4")
    assert program.process.wait(MARGIN * int(str(expect["max_ms"])) / 1000) == expect["exit"]
    took_ms = 1000 * (time.monotonic() - begun)
    sys.stdout.write(f"\nclosed in {took_ms:.0f} ms\n")
    said = program.log()
    assert not [words for words in list(expect["stderr_not_contains"]) if words in said], said  # type: ignore[call-overload]
    assert said == ""
    left = [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]
    assert len(left) == expect["children"]


def facts_of(home: Home, folder: Path) -> list[dict[str, object]]:
    assert folder.is_relative_to(home.data)
    store = SessionStore.open(folder, read_only=True)
    try:
        return [flat(entry) for entry in store.entries()]
    finally:
        store.close()
