"""A click on the chip tells what holds commands: the self-test line by line, what is wrong, how to mend it; and it can be tested again."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QGuiApplication

from tests.ui.frame.sessions import opened_desk
from tests.ui.gui import Gui
from workbench.ui.desk import Desk
from workbench.ui.frame.confinement_card import ConfinementCard
from workbench.ui.frame.status_bar import StatusBar
from workbench.ui.kit.buttons import Button
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import column
from workbench.ui.settings.result_lines import ResultLines
from workbench.workspace.sandbox import Sandbox, SelfCheck, SelfTestReport

PROBLEM = "bubblewrap is installed, but this system forbids it <b>here</b>."
FAILED = SelfTestReport("none", (SelfCheck("tcp", True, "TCP is refused."), SelfCheck("home", False, "Home could be read.")), PROBLEM)


def found(desk: Desk, sandbox: Sandbox, lacks: str = "") -> None:
    """Let the program have found a sandbox."""
    desk.app.confining._take(sandbox)
    desk.confinement.lacks = lacks
    desk.confinement.changed.emit()


def bar_of(gui: Gui, desk: Desk) -> StatusBar:
    bar = StatusBar(desk)
    window = gui.show(column(None, bar))
    window.resize(1400, 700)
    return bar


def lines(gui: Gui) -> list[tuple[str, str]]:
    return [(line.outcome, line.sentence) for line in gui.find("What the self-test found", ResultLines).lines]


def words(card: ConfinementCard) -> list[str]:
    return [label.text() for label in card.findChildren(Label) if label.isVisible()]


async def test_a_click_opens_the_results_line_by_line(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        bar_of(gui, desk)
        found(desk, Sandbox(report=FAILED))
        await gui.click("Not confined: every command that may change something asks")
        card = gui.find("How commands are held", ConfinementCard)
        assert lines(gui) == [("ok", "TCP is refused."), ("failed", "Home could be read.")]
        assert PROBLEM in words(card), "letter by letter"
        assert card.window().rect().contains(card.card.geometry())


async def test_it_says_how_to_install_what_is_lacking_and_the_command_is_copied(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        bar = bar_of(gui, desk)
        found(desk, Sandbox(report=FAILED), lacks="bubblewrap")
        bar.open_confinement()
        await gui.click("Copy sudo apt install bubblewrap")
        assert QGuiApplication.clipboard().text() == "sudo apt install bubblewrap"
        found(desk, Sandbox(report=FAILED))
        assert "Copy sudo apt install bubblewrap" not in gui.names(), "it is there already"


async def test_all_is_well_says_so_without_a_problem(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        bar = bar_of(gui, desk)
        found(desk, Sandbox(rung="bwrap", report=SelfTestReport("bwrap", FAILED.checks[:1])))
        bar.open_confinement()
        card = gui.find("How commands are held", ConfinementCard)
        assert words(card)[:2] == ["Confined: this folder only, no network", "bubblewrap"]
        assert not any("forbids" in text for text in words(card))


async def test_it_can_be_tested_again_and_says_while_it_is(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        bar = bar_of(gui, desk)
        found(desk, Sandbox(report=FAILED))
        bar.open_confinement()
        again = gui.find("Test again", Button)
        again.click()
        assert lines(gui) == [("running", "Trying from inside what it must prevent…")]
        assert not again.isEnabled()
        await gui.until(lambda: not desk.confinement.testing)
        assert again.isEnabled()
        assert desk.app.sandbox.report != FAILED, "it was really tested"
        assert lines(gui) == [("ok" if check.passed else "failed", check.sentence) for check in desk.app.sandbox.report.checks]


async def test_esc_closes_it_and_gives_the_keyboard_back(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        bar = bar_of(gui, desk)
        bar.open_confinement()
        card = gui.find("How commands are held", ConfinementCard)
        for _turn in range(6):
            gui.keys(card, "Tab")
            assert card.isAncestorOf(card.window().focusWidget())
        gui.keys(card, "Esc")
        await gui.settle()
        assert "How commands are held" not in gui.names()
