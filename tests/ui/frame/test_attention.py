"""The strip is there only while something waits, and what it offers works."""

from __future__ import annotations

from pathlib import Path

from tests.ui.frame.sessions import REPLACE, asked, opened_desk, shown, stopped
from tests.ui.gui import Gui
from workbench.conversation.events import LimitRaised, LimitReached, TurnFinished
from workbench.ui.desk import Desk
from workbench.ui.frame.attention import AttentionStrip, _at_limit
from workbench.ui.kit.layout import column


def strip_of(gui: Gui, desk: Desk) -> AttentionStrip:
    """Return a strip in a window, where it hides and shows itself."""
    strip = AttentionStrip(desk.bridge)
    gui.show(column(strip, None))
    return strip


LIMITED = "[practice]\ntokens_per_s = 0\n\n[limits]\nsteps = 2\n"


async def test_waiting_call_shows_the_strip_and_its_answer_hides_it(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        strip = strip_of(gui, desk)
        assert not strip.isVisible()
        reviewed: list[bool] = []
        strip.review_wanted.connect(lambda: reviewed.append(True))
        await asked(gui, desk, REPLACE)
        assert strip.isVisible()
        assert strip.accessibleName() == "1 call waits for you"
        await gui.click("Review…")
        assert reviewed == [True]
        desk.bridge.answer(desk.bridge.pending[0].approval_id, "reject")
        await gui.until(lambda: not strip.isVisible())
        await gui.until(lambda: not desk.bridge.running)


async def test_limit_can_be_raised_as_far_again(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path, settings=LIMITED) as desk:
        strip = strip_of(gui, desk)
        assert await desk.bridge.send("Drill: endless loop") == "started"
        await gui.until(strip.isVisible)
        assert strip.accessibleName() == "The turn reached 2 steps. It can go on up to 4."
        await gui.click("Continue")
        await gui.until(lambda: bool(desk.bridge.pending))  # the same call a third time asks
        desk.bridge.answer(desk.bridge.pending[0].approval_id, "approve")
        await gui.until(lambda: bool(desk.bridge.pending) or strip.accessibleName().startswith("The turn reached 4 steps"))
        for request in desk.bridge.pending:
            desk.bridge.answer(request.approval_id, "approve")
        await gui.until(lambda: strip.accessibleName() == "The turn reached 4 steps. It can go on up to 8.")
        raised = [entry.event.maximum for entry in desk.bridge.entries if isinstance(entry.event, LimitRaised)]
        assert raised == [4.0]
        await gui.click("End the turn")
        await gui.until(lambda: not desk.bridge.running)
        await gui.until(lambda: not strip.isVisible())
        last = desk.bridge.entries[-1].event
        assert isinstance(last, TurnFinished)
        assert last.end == "limit"


async def test_stopping_takes_the_question_back(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path, settings=LIMITED) as desk:
        strip = strip_of(gui, desk)
        assert await desk.bridge.send("Drill: endless loop") == "started"
        await gui.until(strip.isVisible)
        await stopped(gui, desk)
        await gui.until(lambda: not strip.isVisible())
        assert shown(desk).session.waiting_limit is None


async def test_another_session_shows_its_own(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        strip = strip_of(gui, desk)
        await asked(gui, desk, REPLACE)
        first = shown(desk).session.session_id
        assert await desk.new_session()
        assert not strip.isVisible()
        assert await desk.open_session(first)
        assert strip.isVisible()
        await stopped(gui, desk)


def test_each_limit_has_its_sentence() -> None:
    def said(limit: str, value: float, maximum: float) -> str:
        return _at_limit(LimitReached(turn_id="t", limit=limit, value=value, maximum=maximum)).words  # type: ignore[arg-type]

    assert said("tokens", 523_400, 500_000) == "The turn used 523.4k tokens. It can go on up to 1M."
    assert said("time", 600, 600) == "The turn took 10:00. It can go on up to 20:00."
    assert said("cost", 2, 2) == "The turn reached a limit. It can go on as far again."
