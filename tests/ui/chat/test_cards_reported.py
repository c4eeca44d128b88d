"""Faults of other programs that people reported of approval cards, Stop and results: tests/cases/bug_reports_cards.jsonl, every case."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from typing_extensions import override

from tests.agent.dialogue import Dialogue
from tests.agent.scripted_model import call as model_call
from tests.agent.scripted_model import command as model_command
from tests.inspection.following import Recording, check_batches
from tests.pace import not_hung
from tests.shared import ROOT
from tests.ui.approval import asked
from tests.ui.chat.calls import box, call, finished, waiting
from tests.ui.chat.stage import Stage, keyboard_is_free
from tests.ui.gui import Gui
from workbench.conversation.calls import Answer
from workbench.conversation.events import ApprovalRequested, ToolFinished, ToolStarted, TurnFinished
from workbench.inspection.timeline import Timeline
from workbench.inspection.timeline_items import CallsItem
from workbench.ui.bridge import Bridge
from workbench.ui.chat.calls_view import CallsView
from workbench.ui.chat.waiting_card import WaitingCard
from workbench.ui.chat.waiting_sheet import waiting_sheet

Case: TypeAlias = dict[str, Any]

FILE = ROOT / "tests" / "cases" / "bug_reports_cards.jsonl"
CASES: dict[str, Case] = {case["id"]: case for line in FILE.read_text(encoding="utf-8").splitlines() for case in [json.loads(line)]}
WIDTH = 800


class Seen(Bridge):
    """The window's bridge on a session whose model is a script."""

    def __init__(self, d: Dialogue) -> None:
        super().__init__()
        self.session = d.session
        self.said = Timeline()
        self.said.apply(d.journal.entries)

    @property
    @override
    def pending(self) -> tuple[ApprovalRequested, ...]:
        return self.session.pending

    @override
    def answer(self, approval_id: str, answer: Answer, **fields: Any) -> bool:
        return self.session.resolve(approval_id, answer, **fields)


def card_of(gui: Gui, d: Dialogue) -> tuple[WaitingCard, Stage]:
    """Return the card of the first question of a session, on a stage."""
    bridge = Seen(d)
    item = next(item for item in reversed(bridge.said.items) if isinstance(item, CallsItem))
    stage = gui.show(Stage(CallsView(item, bridge), WIDTH))
    card = stage.widgets[d.session.pending[0].approval_id]
    assert isinstance(card, WaitingCard)
    return card, stage


async def full_command_visible(gui: Gui, folder: Path, case: Case) -> None:
    text = case["input"]["actions"][0]["command"]
    assert len(text) == case["expect"]["length_shown"]
    requested = asked.command(text, folder=folder)  # the gate refuses it; were it asked about, it would look so
    bridge = asked.HeldBridge(requested)
    card = WaitingCard(waiting(requested), bridge)
    card.resize(WIDTH, card.heightForWidth(WIDTH))
    gui.show(card)
    assert requested.preview.body == text
    shown = waiting_sheet(requested, WIDTH).sheet.text
    assert "more characters of this line" in shown, "what is missing is said"
    await gui.until(lambda: card.ready)
    assert not card.allow(), "only the dialog, which shows all of it, can allow it"
    assert bridge.answers == []


async def bidi_zero_width_shown(gui: Gui, folder: Path, case: Case) -> None:
    text = case["input"]["actions"][0]["command"]
    async with Dialogue(folder) as d:
        await d.user("Go")
        await d.streams("", model_command(text, "c1"))
        requested = await d.question()
        card, _stage = card_of(gui, d)
        laid = waiting_sheet(requested, WIDTH)
        assert {"hidden_characters", "mixed_script"} <= set(requested.badges)
        assert len(laid.pills) == 1 + len(requested.badges), "how it would be held stands before them"
        for code in case["expect"]["visible_escapes"]:
            assert f"⟨{code}⟩" in card.accessibleName()
        assert not [character for character in card.accessibleName() if not character.isprintable()]


async def typing_does_not_approve(gui: Gui, folder: Path, case: Case) -> None:
    async with Dialogue(folder) as d:
        window = gui.show(QWidget())
        window.resize(WIDTH, 400)
        composer = QLineEdit(window)
        composer.show()
        composer.setFocus()
        gui.type(composer, "please also ")
        await d.user("Go")
        await d.streams("", model_command("rm -rf build", "c1"))
        requested = await d.question()
        card, stage = card_of(gui, d)
        stage.setParent(window)
        stage.show()
        gui.type(composer, "y 1 check it")
        await gui.until(lambda: card.ready)
        QTest.keyClicks(window, "\r ")
        assert composer.text().strip() == case["expect"]["typed_text_kept"]
        assert keyboard_is_free(card)
        assert d.session.pending == (requested,)


async def stop_with_open_approval(gui: Gui, folder: Path, case: Case) -> None:
    async with Dialogue(folder) as d:
        recording = Recording(d.journal)
        await d.user("Go")
        await d.streams("", model_command("touch old.txt", "m1"))
        await d.question()
        card, _stage = card_of(gui, d)
        await gui.until(lambda: card.ready)
        await d.session.stop()
        assert not card.can_allow_here()
        assert not card.allow()
        gui.click_at(card.reject_button, QPoint(5, 5))
        await d.user("again")
        await d.streams("", model_command("touch new.txt", "m1"))
        again = await d.question()
        assert not card.allow(), "a card of before cannot answer a new question"
        assert not card.reject()
        assert d.session.pending == (again,)
        timeline = check_batches(recording.heard)
        first = timeline.call("m1")
        assert first is not None
        assert (first.state, first.approval) == ("stopped", None), "it was stopped, not rejected"
        for name in case["expect"]["absent"]:
            assert not (d.folder / name).exists()
        await d.session.stop()
        recording.close()


async def stop_ends_batch(_gui: Gui, folder: Path, case: Case) -> None:
    async with Dialogue(folder, headless="all") as d:
        recording = Recording(d.journal)
        await d.user("Go")
        (first, _name, wanted), *others = case["input"]["model_turns"][0]["calls"]
        writes = [model_call(name, call_id, file_path=arguments["path"], content=arguments["content"]) for call_id, name, arguments in others]
        await d.streams("", model_command(wanted["command"], first), *writes)
        assert (await d.fact(ToolStarted)).call_id == first
        await d.session.stop()
        assert (await d.end()).end == "stopped"
        await d.user("next")
        await d.answers("Yes.")
        timeline = check_batches(recording.heard)
        assert [one.state for item in timeline.items if isinstance(item, CallsItem) for one in item.calls] == ["stopped"] * 3
        assert {fact.call_id for fact in d.facts(ToolFinished)} == set(case["expect"]["results_for"])
        assert [fact.end for fact in d.facts(TurnFinished)] == ["stopped", "answered"]
        assert len(d.model.requests) == case["expect"]["requests"]
        assert not any((d.folder / name).exists() for name in case["expect"]["absent"])
        recording.close()


async def giant_line_view(gui: Gui, _folder: Path, case: Case) -> None:
    text = '{"a":"' + "x" * 3_000_000 + '"}'
    stage = gui.show(Stage(CallsView(box(call("read", "ok", "a.json", finished=finished("read", text=text))), Bridge())))
    with not_hung(10 * case["expect"]["max_gui_gap_ms"] / 1000):
        stage.view.toggle("")
        stage.renew()
        gui.picture(stage)
    assert len(stage.target("copy").argument) == case["expect"]["copy_len"]


CHECKS: dict[str, Callable[[Gui, Path, Case], Coroutine[Any, Any, None]]] = {
    "full-command-visible": full_command_visible,
    "bidi-zero-width-shown": bidi_zero_width_shown,
    "typing-does-not-approve": typing_does_not_approve,
    "stop-with-open-approval": stop_with_open_approval,
    "stop-ends-batch": stop_ends_batch,
    "giant-line-view": giant_line_view,
}


@pytest.mark.parametrize("name", CASES)
async def test_a_reported_fault_is_not_ours(gui: Gui, tmp_path: Path, name: str) -> None:
    await CHECKS[name](gui, tmp_path, CASES[name])
