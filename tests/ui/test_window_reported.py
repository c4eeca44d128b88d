"""Faults of other programs that people reported of questions and Stop: tests/cases/bug_reports_window.jsonl, in the whole window."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QPushButton

from tests.ui import test_window_reported_closing, test_window_reported_flow, test_window_reported_text
from tests.ui.driver import CASES, Case, Driver, driving
from tests.ui.gui import Gui
from workbench.agent.harness import Harness
from workbench.conversation.events import ApprovalResolved, ToolFinished, TurnFinished
from workbench.conversation.messages import ToolCallPart
from workbench.conversation.values import json_bytes
from workbench.permissions.rules import TextRule
from workbench.ui.approval.exact_label import ExactLabel
from workbench.ui.approval.guard import GUARD_MS
from workbench.ui.approval.queue import QueueRow

LEAST_GUARD_MS = 400
"""As the case of the typing says."""


def head_words(d: Driver) -> str:
    """Return the foreign and the program's own words at the head of the question on the screen."""
    return "\n".join(label.text() for label in d.dialog.header.findChildren(ExactLabel) if label.isVisible())


async def scroll_to_end(d: Driver, area: QAbstractScrollArea) -> None:
    bar = area.verticalScrollBar()
    while bar.value() < bar.maximum():
        d.turn_wheel(area.viewport(), -300)
        await d.gui.settle()
    d.dialog.grab()


def press_everything_that_allows(d: Driver) -> None:
    """Do whatever could allow the question on the screen, short of holding a button for a second."""
    footer = d.dialog.footer
    for button in (footer.once, footer.always, footer.hold):
        d.gui.click_at(button, button.rect().center())
        button.click()
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
            QTest.keyClick(button, key)
    for keys in ("A", "Shift+A", "Return", "Y"):
        d.gui.keys(d.dialog, keys)


# The cases


async def full_command_visible(d: Driver, case: Case) -> None:
    (request,) = case["input"]["actions"]
    await d.do(request)
    dialog, length = d.dialog, case["expect"]["length_shown"]
    assert case["expect"]["shown_text_equals_command"]
    assert dialog.command_text() == request["command"]
    assert len(dialog.command_text()) == length
    assert d.gui.find("Command", QAbstractScrollArea).accessibleDescription().startswith(request["command"])
    assert f"{length:,} characters" in dialog.content.pane.progress().words
    await d.gui.until(lambda: dialog.guard.is_open)
    assert dialog.footer.offer.blocked
    assert not dialog.footer.hold.isEnabled()
    press_everything_that_allows(d)
    assert len(d.bridge.pending) == 1
    for area in (dialog.header, dialog.content.pane.command):
        await scroll_to_end(d, area)
    assert not dialog.footer.offer.blocked
    assert dialog.footer.hold.isEnabled()
    assert "It deletes whole folders, or without asking. (rm -rf /srv/data)" in head_words(d), f"{case['expect']['flag']}, quoted"
    await d.gui.until(lambda: dialog.guard.is_open)
    press_everything_that_allows(d)
    assert len(d.bridge.pending) == 1, "what destroys must be held"


async def bidi_zero_width_shown(d: Driver, case: Case) -> None:
    (request,) = case["input"]["actions"]
    await d.do(request)
    expect, dialog = case["expect"], d.dialog
    view = dialog.content.pane.command
    for words in (view.plain_text(), view.accessibleDescription()):
        for escape in expect["visible_escapes"]:
            assert f"⟨{escape}⟩" in words
        assert not [character for character in words if not character.isprintable() and character != "\n"]
    assert dialog.command_text() == request["command"]
    assert f"It holds {expect['hidden_count']} hidden characters: {', '.join(expect['visible_escapes'])}" in head_words(d)
    for word in expect["mixed_script"]:
        assert f"mixed script: {word}" in view.plain_text()
    for area in (dialog.header, view):
        await scroll_to_end(d, area)
    await d.gui.until(lambda: dialog.guard.is_open)
    assert dialog.footer.always.isVisible() == expect["always_offered"]
    assert d.bridge.pending[0].always == ()
    press_everything_that_allows(d)
    assert len(d.bridge.pending) == 1


async def changed_while_dialog_open(d: Driver, case: Case) -> None:
    for name, text in case["input"]["workspace"].items():
        (d.folder / name).write_text(text)
    *before, approve = case["input"]["actions"]
    await d.do(*before)
    (asked,) = d.bridge.pending
    assert asked.preview.before == case["input"]["workspace"]["q.txt"]
    await d.do(approve)
    await d.gui.until(lambda: any(isinstance(entry.event, ToolFinished) and entry.event.call_id == asked.call_id for entry in d.bridge.entries))
    await d.seen()
    for name, text in case["expect"]["files_text"].items():
        assert (d.folder / name).read_text() == text
    call = d.bridge.timeline.call(asked.call_id)
    assert call is not None
    assert call.finished is not None
    assert case["expect"]["dialog_or_error"]
    assert (call.state, call.finished.kind) == ("failed", "stale_file")
    card = d.chat.views[d.bridge.timeline.place_of(asked.call_id) or 0]
    assert "The file changed on disk" in card.plain_text()
    assert not d.dialog.isVisible()
    d.speaking().text("I will read it again.").end()
    await d.rest()
    for name, text in case["expect"]["files_text"].items():
        assert (d.folder / name).read_text() == text


async def typing_does_not_approve(d: Driver, case: Case) -> None:
    for action in case["input"]["actions"]:
        await d.do(action)
    (requested,) = d.bridge.pending
    assert case["expect"]["pending"]
    assert d.keyboard() is d.composer
    kept = " ".join((*d.session.queued, d.window.frame.composer.edit.toPlainText()))
    assert kept.strip() == case["expect"]["typed_text_kept"]
    footer = d.dialog.footer
    for button in (footer.once, footer.always, footer.hold):
        assert not button.default
        assert not isinstance(button, QPushButton), "no default and no auto-default button of Qt"
        assert not button.hasFocus()
    assert GUARD_MS >= LEAST_GUARD_MS
    await d.gui.until(lambda: d.dialog.guard.is_open)
    await d.do(*case["input"]["actions"][3:])
    assert d.bridge.pending == (requested,), "typing allows nothing later either"
    d.answer = None
    d.window.reject_front()
    d.speaking().text("Then not.").end()
    await d.rest()


async def stop_with_open_approval(d: Driver, case: Case) -> None:
    call, waits, stop, late, send, again = case["input"]["actions"]
    await d.do(call, waits, stop)
    await d.gui.until(lambda: not d.dialog.isVisible())
    await d.rest()
    await d.do(late)
    d.answer = None
    await d.do(send, again)
    await d.do(waits)
    for name in case["expect"]["absent"]:
        assert not (d.folder / name).exists()
    assert len(d.bridge.pending) == case["expect"]["pending"]
    await d.do(late)
    assert len(d.bridge.pending) == case["expect"]["pending"], "a click meant for what was there before"
    assert d.dialog.command_text() == again["args"]["command"]
    assert [entry.event.answer for entry in d.bridge.entries if isinstance(entry.event, ApprovalResolved)] == ["stop"]
    first = d.bridge.timeline.call(call["id"])
    assert first is not None
    assert first.state == "stopped"
    assert first.resolved is None or first.resolved.answer != "reject"
    await d.do(stop)
    await d.rest()
    assert [entry.event.end for entry in d.bridge.entries if isinstance(entry.event, TurnFinished)] == ["stopped"] * 2
    assert not [name for name in case["expect"]["absent"] if (d.folder / name).exists()]


class Agents:
    """Runs calls beside the answer that streams, as agents do: through the session's own gate and questions."""

    def __init__(self, d: Driver) -> None:
        self._d = d
        self._count = 0
        (d.folder.parent / "outside").write_text("secret\n")
        (d.folder / "a").symlink_to(d.folder.parent / "outside")
        keeper = d.opened.bench.gatekeeper
        keeper.rules = keeper.rules.with_rule(TextRule(effect="ask", text="ls"))  # it would not be asked about by itself

    async def ask(self, action: dict[str, Any]) -> None:
        """Let an agent ask for a call, and wait until the question is there."""
        d, bench = self._d, self._d.opened.bench
        self._count += 1
        chain = () if action["source"] == "main" else (action["source"],)
        approvals = d.session._approvals
        harness = Harness(
            journal=d.session.journal, registry=bench.registry, context=bench.context, gatekeeper=bench.gatekeeper, approvals=approvals, agent=chain
        )
        argument = "command" if action["tool"] == "bash" else "file_path"
        raw = json_bytes({argument: action["command"], **({"description": "do it"} if action["tool"] == "bash" else {})}).decode()
        call = ToolCallPart(call_id=f"agent{self._count}", name=action["tool"], arguments_raw=raw)
        known = len(d.bridge.pending)
        d.session.spawn(harness.run(call, d.session._history.place), name=f"agent {self._count}")
        await d.gui.until(lambda: len(d.bridge.pending) == known + 1)


async def dialog_while_streaming(d: Driver, case: Case) -> None:
    stream, first, second, wait, approve, reject = case["input"]["actions"]
    agents = Agents(d)
    await d.do(stream)
    answer = d.speaking()
    await d.gui.until(lambda: answer.sent > 5)
    await agents.ask(first)
    await agents.ask(second)
    await d.gui.until(lambda: d.dialog.isVisible())
    shown, sent = len(d.words.text), answer.sent
    await d.do(wait)
    assert answer.sent > sent + 50
    assert len(d.words.text) > shown, "the stream goes on while the questions are open"
    assert [question.agent for question in d.bridge.pending] == [(first["source"],), ()]
    assert len(d.dialog.queue.findChildren(QueueRow)) == 2
    await d.do(approve)
    await d.gui.until(lambda: len(d.bridge.pending) == 1)
    await d.do(reject)
    await d.said()
    assert answer.sent == case["expect"]["deltas_shown"]
    assert d.words.text == answer.said
    answers = {"approve": "approved", "reject": "rejected"}
    assert [answers[entry.event.answer] for entry in d.bridge.entries if isinstance(entry.event, ApprovalResolved)] == case["expect"]["answers"]
    for way in ("close", "Esc"):
        await agents.ask(first)
        await d.gui.until(lambda: d.dialog.isVisible() and d.dialog.guard.is_open)
        d.dialog.close() if way == "close" else d.gui.keys(d.dialog, "Esc")
        await d.seen()
    assert [entry.event.answer for entry in d.bridge.entries if isinstance(entry.event, ApprovalResolved)].count("approve") == 1
    await d.do({"do": "click", "target": "stop"})


def test_every_case_is_run() -> None:
    assert {*CHECKS, *test_window_reported_text.CHECKS, *test_window_reported_flow.CHECKS, test_window_reported_closing.CASE} == set(CASES)


CHECKS: dict[str, Callable[[Driver, Case], Coroutine[Any, Any, None]]] = {
    "full-command-visible": full_command_visible,
    "bidi-zero-width-shown": bidi_zero_width_shown,
    "changed-while-dialog-open": changed_while_dialog_open,
    "typing-does-not-approve": typing_does_not_approve,
    "stop-with-open-approval": stop_with_open_approval,
    "dialog-while-streaming": dialog_while_streaming,
}
UNSAID = CASES["dialog-while-streaming"]["expect"]["log_not_contains"]


@pytest.mark.parametrize("name", CHECKS)
async def test_a_reported_fault_is_not_ours(gui: Gui, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], name: str) -> None:
    with caplog.at_level(logging.WARNING):
        async with driving(gui, tmp_path) as d:
            await CHECKS[name](d, CASES[name])
    said = caplog.text + "".join(capfd.readouterr())
    assert not [words for words in UNSAID if words in said]
