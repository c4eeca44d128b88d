"""The one door between a session and the window: facts arrive in order and together, another session starts anew, wishes go out as calls."""

from __future__ import annotations

from pathlib import Path

from tests.ui.desks import desk_in, project, said
from tests.ui.gui import Gui
from workbench.conversation.events import Entry, TurnFinished
from workbench.inspection.timeline_items import PromptItem
from workbench.ui.bridge import Bridge, replayed
from workbench.ui.desk import Desk

REPLACE = "replace hello with goodbye in README.md"


class Heard:
    """Counts signals and keeps facts."""

    def __init__(self, bridge: Bridge) -> None:
        self.facts: list[Entry] = []
        self.batches = self.attached = self.pending = 0
        self.running: list[bool] = []
        self.refused: list[str] = []
        self._bridge = bridge
        bridge.facts.connect(self._take)
        bridge.attached.connect(self._attach)
        bridge.pending_changed.connect(self._pend)
        bridge.state_changed.connect(lambda: self.running.append(bridge.running))
        bridge.refused.connect(self.refused.append)

    def _take(self, facts: tuple[Entry, ...]) -> None:
        self.facts += facts
        self.batches += 1

    def _attach(self) -> None:
        self.attached += 1

    def _pend(self) -> None:
        self.pending += 1


def bridge_of(desk: Desk) -> Bridge:
    assert desk.bridge.opened is not None
    return desk.bridge


async def test_facts_arrive_once_in_order_and_in_few_batches(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.open_folder(project(tmp_path))
        heard, before = Heard(desk.bridge), len(desk.bridge.entries)
        await said(gui, desk, "introduce this project")
        assert [entry.seq for entry in heard.facts] == [entry.seq for entry in desk.bridge.entries[before:]]
        assert heard.batches < len(heard.facts)


async def test_rest_is_told_when_the_turn_is_saved(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.open_folder(project(tmp_path))
        heard = Heard(desk.bridge)
        await desk.bridge.send("hi")
        await gui.until(lambda: heard.running[-1:] == [False] and len(heard.running) > 1)
        assert isinstance(desk.bridge.entries[-1].event, TurnFinished)


async def test_another_session_is_replayed_and_the_one_before_is_not_heard(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.open_folder(project(tmp_path))
        await said(gui, desk, "first words")
        first = bridge_of(desk).opened
        heard = Heard(desk.bridge)
        await desk.new_session()
        assert heard.attached == 1
        assert desk.bridge.timeline.items == []
        assert heard.facts == []
        assert first is not None
        await desk.open_session(first.session.session_id)
        assert heard.attached == 2
        assert [item.message.text() for item in desk.bridge.timeline.items if isinstance(item, PromptItem)] == ["first words"]


async def test_questions_are_told_and_answered_once(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.open_folder(project(tmp_path))
        heard = Heard(desk.bridge)
        await desk.bridge.send(REPLACE)
        await gui.until(lambda: desk.bridge.pending and heard.pending)
        (question,) = desk.bridge.pending
        assert desk.bridge.answer(question.approval_id, "reject")
        assert not desk.bridge.answer(question.approval_id, "approve")
        await gui.until(lambda: not desk.bridge.running)
        assert "hello" in (tmp_path / "ws" / "README.md").read_text()


async def test_empty_message_is_refused_in_a_sentence(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        assert await desk.bridge.send("hi") == "refused"
        await desk.open_folder(project(tmp_path))
        heard = Heard(desk.bridge)
        assert await desk.bridge.send("   ") == "refused"
        assert len(heard.refused) == 1
        assert not desk.bridge.choose_mode("auto")
        assert len(heard.refused) == 2


async def test_stop_ends_the_turn(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.open_folder(project(tmp_path))
        await desk.bridge.send(REPLACE)
        await gui.until(lambda: desk.bridge.pending)
        desk.bridge.stop()
        await gui.until(lambda: not desk.bridge.running)
        desk.bridge.flush()
        last = desk.bridge.entries[-1].event
        assert isinstance(last, TurnFinished)
        assert last.end == "stopped"
        assert desk.bridge.pending == ()


async def test_facts_that_come_while_others_are_replayed_are_shown_too(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.open_folder(project(tmp_path))
        await said(gui, desk, "one")
        opened = bridge_of(desk).opened
        assert opened is not None
        timeline = await replayed(opened)
        await said(gui, desk, "two")
        bridge = Bridge()
        bridge.attach(opened, timeline)
        assert bridge.timeline is timeline
        assert [item.message.text() for item in timeline.items if isinstance(item, PromptItem)] == ["one", "two"]
        assert timeline.last_seq == opened.session.journal.last_seq
        bridge.detach()
