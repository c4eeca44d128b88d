"""The status bar is honest about now: mode, confinement, provider, gauges, and a failure to save."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ui.desks import desk_in, said
from tests.ui.frame.sessions import asked, opened_desk, shown, stopped
from tests.ui.gui import Gui
from workbench.conversation.events import ExchangeClosed
from workbench.conversation.exchange import Cost
from workbench.errors import StoreFailed
from workbench.permissions.modes import GateFacts, Rung
from workbench.permissions.rules import RuleSet
from workbench.ui.desk import Desk
from workbench.ui.frame.status_bar import Gauge, StatusBar
from workbench.ui.kit.buttons import Chip
from workbench.ui.kit.labels import Label

NOT_CONFINED = "Not confined: every command that may change something asks"
PARTLY = "Partly confined: other programs' sockets and file attributes are not covered"


def bar_of(gui: Gui, desk: Desk, width: int = 1400) -> StatusBar:
    bar = StatusBar(desk)
    bar.resize(width, bar.height())
    return gui.show(bar)


def words(bar: StatusBar) -> Iterator[str]:
    yield from (label.text() for label in bar.findChildren(Label) if label.isVisible())


async def test_no_sandbox_is_said_in_red_with_its_sentence(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        bar_of(gui, desk)
        chip = gui.find(NOT_CONFINED, Chip)
        assert (chip.icon_name, chip.tone, chip.outline) == ("shield-off", "fail", True)
        assert "There is no sandbox" in chip.toolTip()
        assert GateFacts().unconfined_because in chip.accessibleDescription()


@pytest.mark.parametrize(
    ("rung", "words", "icon", "tone"),
    [("bwrap", "Confined: this folder only, no network", "shield-check", "ok"), ("landlock", PARTLY, "shield-part", "wait")],
)
async def test_confinement_is_said_by_its_rung(gui: Gui, tmp_path: Path, rung: Rung, words: str, icon: str, tone: str) -> None:
    async with opened_desk(tmp_path) as desk:
        shown(desk).bench.gatekeeper.facts = GateFacts(rung=rung, unconfined_because="" if rung == "bwrap" else "It holds in part.")
        bar_of(gui, desk)
        chip = gui.find(words, Chip)
        assert (chip.icon_name, chip.tone, chip.outline) == (icon, tone, False)
        assert ("It holds in part." in chip.accessibleDescription()) is (rung == "landlock")


async def test_confinement_is_short_where_there_is_no_room_and_its_tip_says_all(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        shown(desk).bench.gatekeeper.facts = GateFacts(rung="landlock")
        bar = bar_of(gui, desk, 1200)
        assert PARTLY in gui.find("Partly confined", Chip).accessibleDescription()
        bar.resize(1500, bar.height())
        await gui.settle()
        assert gui.find(PARTLY, Chip).isVisible()


async def test_a_test_of_the_sandbox_is_said_while_it_runs(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        bar_of(gui, desk)
        desk.confinement.test()
        assert gui.find("Testing the sandbox…", Chip).tone == "plain"
        await gui.until(lambda: not desk.confinement.testing)
        assert "Testing the sandbox…" not in gui.names()


async def test_nothing_is_said_of_the_sandbox_before_it_is_known(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        desk.confinement.announce()
        bar_of(gui, desk)
        assert gui.find("Testing the sandbox…", Chip).tone == "plain"
        assert NOT_CONFINED not in gui.names()
        desk.confinement.begin()
        await gui.until(lambda: not desk.confinement.testing)
        assert "Testing the sandbox…" not in gui.names()


async def test_the_mode_that_is_used_is_shown_and_why(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        bar = bar_of(gui, desk)
        assert (bar._mode.text(), bar._mode.tone, bar._mode.toolTip()) == ("Ask", "plain", "")
        keeper = shown(desk).bench.gatekeeper
        keeper.rules = RuleSet(broken="The rules cannot be used.")
        desk.bridge.state_changed.emit()
        assert (bar._mode.text(), bar._mode.tone) == ("Read only", "wait"), "whatever was chosen, nothing may be changed now"
        assert "The rules cannot be used." in bar._mode.toolTip()


async def test_mode_follows_the_session_and_can_be_asked_for(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        bar = bar_of(gui, desk)
        asked_for: list[bool] = []
        bar.mode_wanted.connect(lambda: asked_for.append(True))
        await gui.click("Ask")
        assert asked_for == [True]
        desk.bridge.choose_mode("read_only")
        desk.bridge.flush()
        assert gui.find("Read only", Chip).icon_name == "eye"


async def test_where_requests_go_leaves_a_narrow_window(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        bar = bar_of(gui, desk)
        assert any(text.startswith("practice · 127.0.0.1:") for text in words(bar))
        bar.resize(1199, bar.height())
        await gui.settle()
        assert not any("127.0.0.1" in text for text in words(bar))


async def test_gauges_follow_the_turn_and_stop_with_it(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path, settings="[practice]\ntokens_per_s = 0\n\n[limits]\nsteps = 3\ntokens = 9000\n") as desk:
        bar = bar_of(gui, desk)
        steps, tokens = bar.findChildren(Gauge)
        assert (steps.value, tokens.value) == ("0 / 3", "0 / 9k")
        assert not gui.find("Time of the turn", visible=False).isVisible()
        await asked(gui, desk, "replace hello with goodbye in README.md")
        assert steps.value == "2 / 3"
        assert tokens.share > 0
        assert gui.find("Time of the turn", Label).text() == "00:00"
        assert bar._timer.isActive()
        await stopped(gui, desk)
        assert not bar._timer.isActive()


async def test_gauge_that_is_nearly_full_warns_with_a_sign(gui: Gui) -> None:
    gauge = gui.show(Gauge("steps"))
    looks: list[tuple[str, bool, int]] = []
    for used, maximum in ((32, 40), (33, 40), (90, None)):
        gauge.show_value(used, maximum)
        gui.picture(gauge)
        looks.append((gauge.accessibleName(), gauge.tight, gauge.sizeHint().width()))
    (roomy, warned, without) = looks
    assert [look[:2] for look in looks] == [("steps 32 / 40", False), ("steps 33 / 40", True), ("steps 90", False)]
    assert warned[2] > roomy[2] > without[2]


async def test_failure_to_save_is_said_whole_even_in_a_narrow_window(gui: Gui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened_desk(tmp_path) as desk:
        bar = bar_of(gui, desk, 1000)
        assert not gui.find("Not saved", visible=False).isVisible()
        failure = StoreFailed("Nothing is saved any more: the disk is full.")
        monkeypatch.setattr(type(shown(desk).session), "failure", property(lambda _self: failure))
        desk.bridge.state_changed.emit()
        assert gui.find("Not saved", Chip).tone == "fail"
        assert failure.text in words(bar)
        assert gui.find("Not saved", Chip).toolTip() == failure.text


async def test_bar_without_a_session(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        bar = bar_of(gui, desk)
        assert gui.find("Ask", Chip).isVisible()
        assert gui.find(NOT_CONFINED, Chip).isVisible()
        assert await desk.open_folder(Path(tmp_path / "data").parent / "missing") is False
        await gui.settle()
        assert bar.findChildren(Gauge)[0].value == "0 / 50"


async def test_figures_of_the_last_turn_stay(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        await said(gui, desk, "hi")
        bar = bar_of(gui, desk)
        assert bar.findChildren(Gauge)[0].value == "1 / 50"
        assert bar.findChildren(Gauge)[1].value != "0"


async def test_the_cost_of_the_session_is_told_once_something_has_a_price(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        bar = bar_of(gui, desk)
        journal = shown(desk).session.journal

        def spend(cost: Cost | None) -> str:
            journal.append(ExchangeClosed(exchange_id="x", status=200, cost=cost))
            desk.bridge.flush()
            return bar._cost.text() if bar._cost.isVisible() else ""

        assert spend(None) == "", "what runs here has no price"
        assert spend(Cost(total_usd=0.02)) == "$0.0200"
        assert spend(Cost(total_usd=1.0)) == "$1.02"
        assert spend(Cost()) == "at least $1.02"
        assert bar_of(gui, desk)._cost.text() == "at least $1.02", "and it is summed up anew from what was written"
