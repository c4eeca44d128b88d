"""Real sessions with the practice model: every drill, a stop at many points, a kill; what was heard live reads like the journal."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.program import FAST, Home
from tests.inspection.following import Recording, check_batches, replayed
from tests.inspection.wire import kinds
from tests.shared import ROOT
from workbench.app import App, OpenSession
from workbench.conversation.calls import Answer
from workbench.conversation.events import ApprovalRequested, Entry, LiveEvent
from workbench.inspection.timeline import Timeline
from workbench.inspection.timeline_items import CallsItem, NoticeItem, StepItem, TextItem
from workbench.store.session_store import SessionStore


class Practice(NamedTuple):
    """A session with the practice model, and all that was heard of it."""

    opened: OpenSession
    recording: Recording

    async def turn(self, text: str) -> Timeline:
        """Say something, wait for the end of the turn, check everything heard so far."""
        await self.opened.session.submit(text)
        await self.opened.session.wait_idle()
        return check_batches(self.recording.heard, (1,), (5, 2))


@asynccontextmanager
async def practice(folder: Path, *, answers: Answer = "approve") -> AsyncIterator[Practice]:
    """Open a session in a copy of the sample project; its questions are answered a moment after they come."""
    workspace, data = folder / "ws", folder / "data"
    shutil.copytree(ROOT / "resources" / "sample_project", workspace, dirs_exist_ok=True)
    data.mkdir(exist_ok=True)
    (data / "settings.toml").write_text(FAST)
    async with await App.open(data) as app:
        opened = await app.open_session(await app.workspace(workspace), await app.choose())

        def hear(entry: Entry) -> None:
            if isinstance(entry.event, ApprovalRequested):
                asked = entry.event.approval_id
                asyncio.get_running_loop().call_soon(lambda: opened.session.resolve(asked, answers))

        listening = opened.session.journal.subscribe(hear)
        recording = Recording(opened.session.journal)
        try:
            yield Practice(opened, recording)
        finally:
            listening.close()
            recording.close()
            await opened.aclose()


def notices(timeline: Timeline) -> list[str]:
    return [item.kind for item in timeline.items if isinstance(item, NoticeItem)]


@pytest.mark.parametrize(
    ("prompt", "ends_with"),
    [
        ("introduce this project", []),
        ("run echo hello", []),
        ("Drill: rate limit 0 s", []),
        ("Drill: overloaded 0 s", []),
        ("Drill: cut stream", ["turn_end"]),
        ("Drill: cut call", ["turn_end"]),
        ("Drill: broken arguments", ["problem"]),
        ("Drill: unknown tool", []),
        ("Drill: error inside", ["turn_end"]),
        ("Drill: slow 0.01 s", []),
    ],
)
async def test_a_practice_turn_reads_the_same_live_and_replayed(tmp_path: Path, prompt: str, ends_with: list[str]) -> None:
    async with practice(tmp_path) as session:
        timeline = await session.turn(prompt)
        assert kinds(timeline)[:2] == ["Prompt", "Step"]
        assert notices(timeline) == ends_with
        states = {call.state for item in timeline.items if isinstance(item, CallsItem) for call in item.calls}
        assert not states & {"arriving", "queued", "running", "waiting"}


async def test_a_retried_request_shows_each_try_in_its_step(tmp_path: Path) -> None:
    async with practice(tmp_path) as session:
        timeline = await session.turn("Drill: rate limit 0 s")
        step = next(item for item in timeline.items if isinstance(item, StepItem))
        assert [attempt.closed.status for attempt in step.attempts if attempt.closed] == [429, 200]
        assert step.attempts[0].closed is not None
        assert step.attempts[0].closed.retry_in_s is not None


async def test_a_cut_stream_keeps_what_was_read(tmp_path: Path) -> None:
    async with practice(tmp_path) as session:
        timeline = await session.turn("Drill: cut stream")
        text = next(item for item in timeline.items if isinstance(item, TextItem))
        assert text.cut
        assert text.text


async def test_an_endless_loop_ends_at_a_notice(tmp_path: Path) -> None:
    async with practice(tmp_path, answers="reject") as session:
        timeline = await session.turn("Drill: endless loop")
        assert sum(kind == "Step" for kind in kinds(timeline)) > 2


async def test_a_rejected_command_is_not_run_and_says_so(tmp_path: Path) -> None:
    async with practice(tmp_path, answers="reject") as session:
        timeline = await session.turn("run touch made")
        assert [call.state for item in timeline.items if isinstance(item, CallsItem) for call in item.calls] == ["rejected"]


@pytest.mark.parametrize("after", [4, 6, 9, 13, 20, 40, 80, 110, 140])
async def test_a_stop_at_any_point_reads_the_same_live_and_replayed(tmp_path: Path, after: int) -> None:
    async with practice(tmp_path) as session:
        with stop_after(session, after):
            timeline = await session.turn("introduce this project")
        states = {call.state for item in timeline.items if isinstance(item, CallsItem) for call in item.calls}
        assert states <= {"ok", "stopped", "failed"}
        assert "turn_end" in notices(timeline)
        assert kinds(await session.turn("what time is it"))[-1] == "Text"


class stop_after:  # noqa: N801
    """Stops the session's turn when a number of facts and live signs was heard."""

    def __init__(self, session: Practice, count: int) -> None:
        self._session, self._left = session.opened.session, count

    def __enter__(self) -> None:
        hear: Callable[[Entry | LiveEvent], None] = self._hear
        self._subscription = self._session.journal.subscribe(hear, live=hear, after=self._session.journal.last_seq)

    def __exit__(self, *_error: object) -> None:
        self._subscription.close()

    def _hear(self, _event: Entry | LiveEvent) -> None:
        self._left -= 1
        if self._left == 0:
            asyncio.get_running_loop().call_soon(lambda: self._session.spawn(self._session.stop(), name="stop"))


def test_the_journal_of_a_killed_program_reads_to_its_end(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.settings("[practice]\ntokens_per_s = 300\n")
    shutil.copytree(ROOT / "resources" / "sample_project", home.workspace, dirs_exist_ok=True)
    for count in (9, 14):
        more = ("--session", "last") if home.sessions() else ()
        command = home.command("run", "introduce this project", "--approve", "reads", "--json", *more)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=home.environment()) as process:
            assert process.stdout is not None
            for _ in range(count):
                process.stdout.readline()
            process.kill()
        check_batches(facts_of(home), (1,), (4,))
    home.settings(FAST)
    home.turn("what time is it", "--session", "last")
    timeline = check_batches(facts_of(home), (1,), (4,))
    assert notices(timeline).count("resumed") == 2
    assert kinds(timeline)[-1] == "Text"
    assert replayed(facts_of(home)).items


def facts_of(home: Home) -> list[Entry]:
    store = SessionStore.open(home.sessions()[0].folder, read_only=True)
    try:
        return list(store.entries())
    finally:
        store.close()
