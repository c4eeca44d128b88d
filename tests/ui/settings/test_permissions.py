"""The mode of new sessions, what holds commands, the rules in force, and the demo tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.desks import FAST
from tests.ui.gui import Gui
from tests.ui.settings.dialogs import dialog_in, lines_of
from workbench.conversation.events import ApprovalRequested
from workbench.permissions.rules import PathRule
from workbench.settings.files import load_settings
from workbench.ui.desk import Desk
from workbench.ui.kit.buttons import Check
from workbench.ui.kit.cells import Table
from workbench.ui.kit.labels import Label
from workbench.ui.settings.dialog import SettingsDialog
from workbench.workspace.sandbox import Sandbox, SelfCheck, SelfTestReport

REPLACE = "replace hello with goodbye in README.md"
BACK = "replace goodbye with hello in README.md"


def words(dialog: SettingsDialog) -> list[str]:
    return [label.text() for label in dialog.findChildren(Label) if label.isVisible()]


def rules(gui: Gui) -> list[list[str]]:
    """Return the rules of the list but for those built in."""
    model = gui.find("Rules", Table).rows_model
    rows = [[model.cell(row, column).text for column in range(model.columnCount())] for row in range(model.rowCount())]
    return [row for row in rows if row[3] != "built in"]


async def test_the_mode_of_new_sessions_is_chosen_with_its_sentence(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="permissions") as (desk, dialog):
        assert gui.find("Ask", Check).isChecked()
        assert "Looks, and changes nothing." in words(dialog)
        (sentence,) = [label for label in dialog.findChildren(Label) if label.text() == "Edits in this folder pass; commands wait for you."]
        assert sentence.width() > dialog.width() // 2, "it has the room of the page, and breaks no sooner"
        await gui.click("Read only")
        await gui.until(lambda: desk.app.settings.mode == "read_only")
        assert load_settings(desk.app.settings_path).settings.mode == "read_only"
        assert await desk.new_session()
        assert desk.bridge.opened is not None
        assert desk.bridge.opened.session.mode == "ask", "a session in which nothing was said is still the same one"


async def test_auto_follows_the_sandbox_live_and_says_why_it_cannot_be_chosen(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="permissions") as (desk, dialog):
        desk.app.confining._take(Sandbox(report=SelfTestReport("none", (), "bubblewrap is not installed.")))
        desk.confinement.changed.emit()
        assert not gui.find("Auto", Check).isEnabled()
        assert "bubblewrap is not installed." in words(dialog)
        checks = (SelfCheck("tcp", True, "TCP is refused."), SelfCheck("home", True, "Home is hidden."))
        desk.app.confining._take(Sandbox(rung="bwrap", report=SelfTestReport("bwrap", checks)))
        desk.confinement.changed.emit()
        assert gui.find("Auto", Check).isEnabled()
        assert [line.sentence for line in lines_of(gui, "How commands are held")] == [
            "Confined: this folder only, no network", "TCP is refused.", "Home is hidden.",
        ]  # fmt: skip
        await gui.click("Auto")
        await gui.until(lambda: desk.app.settings.mode == "auto")


async def test_the_sandbox_is_tested_again_from_here(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="permissions") as (desk, _dialog):
        await gui.until(lambda: not desk.confinement.testing)
        await gui.click("Test again")
        await gui.until(lambda: not desk.confinement.testing)
        shown = [line.sentence for line in lines_of(gui, "How commands are held")]
        assert all(check.sentence in shown for check in desk.app.sandbox.report.checks)


@pytest.mark.parametrize(("label", "demo", "offered"), [("Always", True, True), ("Never", False, False)])
async def test_demo_tools_are_switched_for_the_open_session(gui: Gui, tmp_path: Path, label: str, demo: bool, offered: bool) -> None:
    async with dialog_in(gui, tmp_path, page="permissions") as (desk, _dialog):
        await gui.click(label)
        await gui.until(lambda: desk.app.settings.tools.demo is demo)
        assert desk.bridge.opened is not None
        assert ("calculator" in [tool.name for tool in desk.bridge.opened.session.next_request().tools]) is offered


async def ask(gui: Gui, desk: Desk, text: str) -> ApprovalRequested | None:
    """Say something; return the question that comes, None if the turn ends without one."""
    assert desk.bridge.opened is not None
    session = desk.bridge.opened.session
    assert await desk.bridge.send(text) == "started"
    await gui.until(lambda: session.pending or not session.running)
    return session.pending[0] if session.pending else None


async def test_a_rule_made_by_always_allow_is_listed_and_counted(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="permissions", settings=FAST) as (desk, dialog):
        assert "None of your own yet. “Always allow” in a question adds one." in words(dialog)
        question = await ask(gui, desk, REPLACE)
        assert question is not None
        assert desk.bridge.answer(question.approval_id, "approve", rules=[question.always[0]])
        await gui.until(lambda: rules(gui) == [["Allow", "edit", "README.md", "this session", "not used yet"]])
        assert desk.bridge.opened is not None
        await desk.bridge.opened.session.wait_idle()
        assert await ask(gui, desk, BACK) is None, "the rule allows it"
        await gui.until(lambda: rules(gui) == [["Allow", "edit", "README.md", "this session", "1 call"]])


async def test_another_session_has_its_own_rules_and_those_of_the_project(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="permissions", settings=FAST) as (desk, _dialog):
        question = await ask(gui, desk, REPLACE)
        assert question is not None
        assert desk.bridge.opened is not None
        kept = await desk.app.rules.keep((PathRule(effect="deny", tool="edit", path="docs/**"),), "project", desk.bridge.opened.bench.workspace)
        assert kept
        assert desk.bridge.answer(question.approval_id, "approve", rules=[question.always[0]])
        await desk.bridge.opened.session.wait_idle()
        first = desk.bridge.opened.session.session_id
        await gui.until(lambda: [row[3] for row in rules(gui)] == ["this project", "this session"])
        assert await desk.new_session()
        await gui.until(lambda: [row[3] for row in rules(gui)] == ["this project"])
        assert await desk.open_session(first)
        await gui.settle()
        assert [row[3] for row in rules(gui)] == ["this project"], "a session that is opened again has no rules of its own"
