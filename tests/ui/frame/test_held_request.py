"""The panel of a held request is there only while one waits; what a person chooses reaches the one who waits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.ui.frame.sessions import opened_desk
from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.conversation.checks import Edit, Finding, ReleaseDecision, RequestHeld
from workbench.conversation.events import TurnFinished, TurnStarted
from workbench.ui.desk import Desk
from workbench.ui.frame.held_request import HeldRequestPanel
from workbench.ui.kit.layout import column

FAULT = Finding(
    rule="chat.call-name",
    severity="error",
    pointer="/messages/2/tool_calls/0/function/name",
    message="The called name 'get <b>weather</b>!' is not made of letters.",
    fix="Replace the other characters.",
    edits=(Edit(op="replace", pointer="/messages/2/tool_calls/0/function/name", value="get_weather"),),
)
PERSON = Finding(rule="chat.too-many-tools", severity="error", pointer="/tools", message="200 tools are offered.")


def panel_of(gui: Gui, desk: Desk) -> HeldRequestPanel:
    panel = HeldRequestPanel(desk.bridge)
    gui.show(column(panel, None))
    return panel


def held(*findings: Finding, mends: bool = True, number: int = 6) -> RequestHeld:
    return RequestHeld(hold_id="hold_1", turn_id="t", step=2, findings=findings, mends=mends, number=number)


@asynccontextmanager
async def waiting(gui: Gui, desk: Desk, panel: HeldRequestPanel, request: RequestHeld) -> AsyncIterator[list[ReleaseDecision]]:
    """Hold a request in the session that is shown; yield what is decided."""
    assert desk.bridge.opened is not None
    session, decided = desk.bridge.opened.session, list[ReleaseDecision]()

    async def wait() -> None:
        decided.append(await session._holds.decide(request))

    desk.spawn(wait(), name="wait for a decision")
    await gui.until(panel.isVisible)
    yield decided
    await gui.until(lambda: bool(decided))
    desk.bridge.flush()
    await gui.until(lambda: not panel.isVisible())


@pytest.mark.parametrize(("button", "decision"), [("Repair and send", "repair"), ("Send as it is", "send")])
async def test_a_decision_reaches_the_request(gui: Gui, tmp_path: Path, button: str, decision: ReleaseDecision) -> None:
    async with opened_desk(tmp_path) as desk:
        panel = panel_of(gui, desk)
        assert not panel.isVisible()
        async with waiting(gui, desk, panel, held(FAULT)) as decided:
            assert panel.accessibleName() == "Request #6 was not sent: its provider would refuse it."
            assert "Replace the other characters." in panel.accessibleDescription()
            assert_plain(panel)
            await gui.click(button)
        assert decided == [decision]


async def test_what_only_a_person_can_mend_offers_no_repair(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        panel = panel_of(gui, desk)
        async with waiting(gui, desk, panel, held(PERSON, mends=False, number=0)):
            assert not panel.repair.isVisible()
            assert panel.accessibleName() == "The request was not sent: its provider would refuse it."
            await gui.click("Send as it is")


async def test_a_repair_that_leaves_something_says_so(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        panel = panel_of(gui, desk)
        async with waiting(gui, desk, panel, held(FAULT, PERSON, mends=False)):
            await gui.click("Repair what can be repaired, and send")


async def test_many_findings_are_counted(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        panel = panel_of(gui, desk)
        async with waiting(gui, desk, panel, held(*[FAULT] * 5)):
            assert panel._more.text() == "and 2 more"
            assert panel._more.isVisible()
            await gui.click("Repair and send")


async def test_a_session_with_a_held_request_waits_for_a_person(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        panel = panel_of(gui, desk)
        assert desk.bridge.opened is not None
        journal = desk.bridge.opened.session.journal
        journal.append(TurnStarted(turn_id="t"))
        async with waiting(gui, desk, panel, held(FAULT)):
            await gui.until(lambda: [row.state for row in desk.sessions] == ["waits"])
            await gui.click("Send as it is")
        await gui.until(lambda: [row.state for row in desk.sessions] == ["running"])
        journal.append(TurnFinished(turn_id="t", end="answered", text=""))
