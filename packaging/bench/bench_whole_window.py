"""How soon the whole window answers while 2,000 pieces a second stream into a session of 10,000 messages, beside the window written first.

Ours is the program as it runs: the session is opened from its files, the request goes through its client to a model server in another
process, every byte is recorded, chat and inspector show what comes. The reference is what is written first: httpx and json, whose pieces
go into one QPlainTextEdit that holds all the text: it shows no Markdown, records nothing and looks into nothing, so it is the least that can
be done. Both run on the same loop in one process, twice in turns, and of each the calmer run counts. Lateness is that of a 5 ms timer,
which is what a key or a click waits; the frame gap is the time between two paintings.
"""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from lateness import Measured, Watch, row, share
from long_session import MESSAGES, facts, pieces, texts
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from workbench.app import App
from workbench.conversation.events import (
    Event,
    LiveEvent,
    ModeChosen,
    ModelChosen,
    ModelResponded,
    SessionOpened,
    StreamPieceArrived,
    TitleSet,
    UserMessageAdded,
)
from workbench.conversation.journal import Journal
from workbench.conversation.stream import TextDelta
from workbench.store.session_store import SessionStore
from workbench.store.sessions import sessions_folder
from workbench.ui.application import SWITCH_S, make_application
from workbench.ui.bridge import Bridge
from workbench.ui.desk import Desk
from workbench.ui.event_loop import new_event_loop
from workbench.ui.garbage import Garbage
from workbench.ui.look import Look
from workbench.ui.main_window import MainWindow
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse

PIECES_PER_S = 2_000
LASTS_S = 3.0
WARM_S = 0.3
"""So long after the first piece measuring begins."""
REPEATS = 2
SIZE = (1440, 900)
MODES = {"messages": "the messages", "requests.stream": "the stream"}
"""What the inspector shows: by its name, and in words."""


# The model server, in a process of its own


async def serve() -> None:
    """Answer until stdin is closed; the port is the first line of stdout."""
    chunks = [{"id": "r", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces(15_000)]
    events = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]
    end = json.dumps({"id": "r", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})

    async def answer() -> AsyncIterator[bytes]:
        begun, sent = time.perf_counter(), 0
        while sent < len(events):
            due = min(len(events), int((time.perf_counter() - begun) * PIECES_PER_S) + 1)
            yield b"".join(events[sent:due])
            sent = due
            await asyncio.sleep(0.001)
        yield f"data: {end}\n\ndata: [DONE]\n\n".encode()

    async def handle(_request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, [("content-type", "text/event-stream")], answer())

    async with LoopbackServer(handle) as server:
        print(server.port, flush=True)
        await asyncio.to_thread(sys.stdin.read)


# What is measured


@dataclass
class Run:
    """One run: while the session opens, from the wish to send until the first piece, and while pieces stream."""

    opening: Measured = field(default_factory=Measured)
    sending: Measured = field(default_factory=Measured)
    streaming: Measured = field(default_factory=Measured)
    pieces_per_s: float = 0.0


async def quiet(for_s: float = 0.4, longest_s: float = 20.0) -> None:
    """Return when nothing took longer than a few milliseconds for some time."""
    begun = since = time.perf_counter()
    while time.perf_counter() - since < for_s and time.perf_counter() - begun < longest_s:
        before = time.perf_counter()
        await asyncio.sleep(0.005)
        if time.perf_counter() - before > 0.02:
            since = time.perf_counter()


# The program


def write_session(data_folder: Path, workspace: Path) -> str:
    """Write the session into a data folder and return its id."""
    session_id = "long"
    store = SessionStore.create(sessions_folder(data_folder) / session_id, session_id)
    journal = Journal(store)
    head: list[Event] = [
        SessionOpened(session_id=session_id, workspace=str(workspace.resolve()), program_version="bench"),
        TitleSet(title="A long session"),
        ModelChosen(profile="bench", model="m", dialect="chat_completions"),
        ModeChosen(mode="ask"),
    ]
    for event in (*head, *facts()):
        journal.append(event)
    store.close()
    return session_id


@asynccontextmanager
async def program(data_folder: Path, workspace: Path) -> AsyncIterator[MainWindow]:
    """Yield the window, open on a workspace."""
    async with await App.open(data_folder, {}) as app:
        look = Look()
        look.use(app.settings.appearance)
        desk = Desk(app, Bridge())
        Garbage(desk)
        window = MainWindow(desk, look, data_folder / "window.ini")
        window.resize(*SIZE)
        window.show()
        await desk.open_folder(workspace)
        await desk.begin()
        try:
            yield window
        finally:
            window.close()
            await desk.aclose()
            window.finish()


async def ours(data_folder: Path, workspace: Path, session_id: str, tab: str) -> Run:
    """Measure the program with a tab of its inspector open."""
    run = Run()
    async with program(data_folder, workspace) as window:
        desk, bridge = window.desk, window.desk.bridge
        window.frame.inspector.choose_tab(tab)
        await quiet()
        watch = Watch(window.frame.chat.viewport())
        watch.begin()
        assert await desk.open_session(session_id), "the session cannot be opened"
        await quiet(0.2)
        run.opening = watch.end()
        taken, first = 0, asyncio.Event()

        def count(signs: tuple[LiveEvent, ...]) -> None:
            nonlocal taken
            taken += sum(isinstance(sign, StreamPieceArrived) and isinstance(sign.piece, TextDelta) for sign in signs)
            first.set()

        bridge.live.connect(count)
        watch.begin()
        await bridge.send("Go on.")
        await first.wait()
        run.sending = watch.end()
        if tab != "messages":
            window.frame.inspector.show_request(window.frame.inspector.requests.log.rows[-1].exchange_id)
        await asyncio.sleep(WARM_S)
        before, begun = taken, time.perf_counter()
        watch.begin()
        await asyncio.sleep(LASTS_S)
        run.streaming = watch.end()
        run.pieces_per_s = (taken - before) / (time.perf_counter() - begun)
        assert bridge.opened is not None
        await bridge.opened.session.stop()
        assert any(isinstance(entry.event, ModelResponded) for entry in bridge.entries[-5:]), "nothing was kept of the answer"
    return run


# The window that is written first


async def first_written(url: str, said: list[dict[str, Any]], text: str) -> Run:
    """Measure a QPlainTextEdit that holds the text, fed by httpx and json."""
    run = Run()
    edit = QPlainTextEdit()
    edit.resize(*SIZE)
    edit.show()
    await quiet()
    watch = Watch(edit.viewport())
    watch.begin()
    edit.setPlainText(text)
    edit.moveCursor(QTextCursor.MoveOperation.End)
    await quiet(0.2)
    run.opening = watch.end()
    watch.begin()
    taken = 0
    body = {"model": "m", "stream": True, "messages": [*said, {"role": "user", "content": "Go on."}]}
    with suppress(TimeoutError):
        async with httpx.AsyncClient(trust_env=False) as client, asyncio.timeout(None) as end, client.stream("POST", url, json=body) as response:
            rest, warm_at = "", 0.0
            async for data in response.aiter_text():
                *lines, rest = (rest + data).split("\n")
                for line in lines:
                    if line.startswith("data: {"):
                        edit.moveCursor(QTextCursor.MoveOperation.End)
                        edit.insertPlainText(json.loads(line[6:])["choices"][0]["delta"].get("content", ""))
                        taken += 1
                if not warm_at:
                    run.sending, warm_at = watch.end(), time.perf_counter() + WARM_S
                elif end.when() is None and time.perf_counter() > warm_at:
                    taken = 0
                    watch.begin()
                    end.reschedule(asyncio.get_running_loop().time() + LASTS_S)
    run.streaming = watch.end()
    run.pieces_per_s = taken / run.streaming.lasted_ms * 1000
    edit.hide()
    edit.deleteLater()
    return run


def spoken(events: list[Event]) -> list[dict[str, Any]]:
    """Return the messages as a program written first keeps them: as they are sent."""
    messages: list[dict[str, Any]] = []
    for event in events:
        match event:
            case UserMessageAdded(message=message) if message.role == "tool":
                messages += [{"role": "tool", "tool_call_id": result.call_id, "content": result.text()} for result in message.results()]
            case UserMessageAdded(message=message):
                messages.append({"role": "user", "content": message.text()})
            case ModelResponded(message=message):
                calls = [{"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments_raw}} for call in message.calls()]
                messages.append({"role": "assistant", "content": message.text()} | ({"tool_calls": calls} if calls else {}))
            case _:
                pass
    return messages


# Rows


def rows(mine: Run, other: Run, words: str) -> Iterator[str]:
    """Yield the rows of one way to look at it."""
    late = {
        "ours_late_p50_ms": share(mine.streaming.late_ms, 0.5),
        "ours_late_p99_ms": share(mine.streaming.late_ms, 0.99),
        "ours_late_max_ms": max(mine.streaming.late_ms),
        "reference_late_p50_ms": share(other.streaming.late_ms, 0.5),
        "reference_late_p99_ms": share(other.streaming.late_ms, 0.99),
        "reference_late_max_ms": max(other.streaming.late_ms),
        "ours_pieces_per_s": mine.pieces_per_s,
        "reference_pieces_per_s": other.pieces_per_s,
        "ours_cpu_share": mine.streaming.cpu_share,
        "reference_cpu_share": other.streaming.cpu_share,
    }
    name = f"whole window with {words}: lateness while streaming into {MESSAGES:,} messages, beside httpx and one QPlainTextEdit"
    yield row(name, late["ours_late_p99_ms"] / late["reference_late_p99_ms"], late)
    gap = {
        "ours_gap_p50_ms": share(mine.streaming.gaps_ms, 0.5),
        "ours_gap_p99_ms": share(mine.streaming.gaps_ms, 0.99),
        "ours_gap_max_ms": mine.streaming.longest_gap_ms,
        "reference_gap_p99_ms": share(other.streaming.gaps_ms, 0.99),
        "reference_gap_max_ms": other.streaming.longest_gap_ms,
    }
    yield row(f"whole window with {words}: frame gap, beside the same", gap["ours_gap_p99_ms"] / gap["reference_gap_p99_ms"], gap)


def rows_of_acts(mine: Run, other: Run) -> Iterator[str]:
    """Yield how long the window stands still at the longest when a session is opened, and when a request is sent."""
    acts: dict[str, Callable[[Run], Measured]] = {"opening": lambda run: run.opening, "sending a request of": lambda run: run.sending}
    for words, of in acts.items():
        numbers = {
            "ours_longest_still_ms": max(of(mine).late_ms),
            "ours_whole_ms": of(mine).lasted_ms,
            "reference_longest_still_ms": max(of(other).late_ms),
            "reference_whole_ms": of(other).lasted_ms,
        }
        name = f"whole window: standstill at {words} {MESSAGES:,} messages, beside the same"
        yield row(name, numbers["ours_longest_still_ms"] / numbers["reference_longest_still_ms"], numbers)


async def measure(port: int) -> None:
    """Measure both sides in turns and print the rows."""
    events = list(facts())
    said, text = spoken(events), "\n\n".join(texts(events))
    found: dict[str, list[Run]] = {name: [] for name in (*MODES, "")}
    for _ in range(REPEATS):
        for tab in MODES:
            with tempfile.TemporaryDirectory(prefix="workbench-bench-") as name:
                data_folder, workspace = Path(name) / "data", Path(name) / "ws"
                for folder in (data_folder, workspace):
                    folder.mkdir()
                profile = f'[[profiles]]\nname = "bench"\nbase_url = "http://127.0.0.1:{port}"\nmodels = ["m"]\n'
                (data_folder / "settings.toml").write_text(f'[model]\nprofile = "bench"\nmodel = "m"\n{profile}', encoding="utf-8")
                session_id = await asyncio.to_thread(write_session, data_folder, workspace)
                found[tab].append(await ours(data_folder, workspace, session_id, tab))
            gc.unfreeze()
            gc.collect()
        found[""].append(await first_written(f"http://127.0.0.1:{port}/chat/completions", said, text))
    calmest = {name: min(runs, key=lambda run: share(run.streaming.late_ms, 0.99)) for name, runs in found.items()}
    for tab, words in MODES.items():
        for line in rows(calmest[tab], calmest[""], words):
            print(line)
    for line in rows_of_acts(calmest["messages"], calmest[""]):
        print(line)


def main() -> None:
    """Start the server and measure."""
    with subprocess.Popen([sys.executable, "-P", __file__, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        app: QApplication = make_application()
        sys.setswitchinterval(SWITCH_S)
        try:
            with asyncio.Runner(loop_factory=lambda: new_event_loop(app)) as runner:
                runner.run(measure(port))
        finally:
            server.communicate()


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        asyncio.run(serve())
    else:
        main()
