"""Notices say the whole sentence, offer what can be done now, and keep the provider's own words at hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ui.chat.stage import MARGIN, NOW, Stage
from tests.ui.gui import Gui
from workbench.conversation.events import LimitReached, TurnEnd
from workbench.inspection.timeline_items import NoticeItem
from workbench.ui.chat.notice_view import NoticeView
from workbench.ui.chat.notice_words import told
from workbench.ui.kit.theme import theme
from workbench.words import choose_language, tell

LONG = "Provider answered 400: " + "messages.3: tool_use ids were found without tool_result blocks. " * 6
ORIGINAL = '{"type": "error", "error": {"message": "<b>No</b> \u202e"}}'


def notice(kind: Any, **fields: Any) -> NoticeItem:
    return NoticeItem(item_id="1", kind=kind, **fields)


def limit(**fields: Any) -> NoticeItem:
    return notice("limit", limit=LimitReached(turn_id="t", limit="steps", value=50, maximum=50), **fields)


def end(ended: TurnEnd, **fields: Any) -> NoticeItem:
    return notice("turn_end", end=ended, **fields)


RETRY = notice("retry", text="Provider answered 429: Slow down.", values={"status": 429}, retry_at=NOW + 12, attempt=2, original=ORIGINAL)


@pytest.mark.parametrize(
    ("item", "words", "actions"),
    [
        (RETRY, "429 from the provider try 2 in 12 s", [("stop", "Stop", "")]),
        (notice("retry", text="No answer came.", retry_at=NOW, attempt=3), "No answer came. try 3 now", [("stop", "Stop", "")]),
        (
            limit(waits=True),
            "The turn reached its limit of 50 steps. It waits for you.",
            [("raise_limit", "Continue to 100 steps", "100"), ("end_at_limit", "End the turn", "")],
        ),
        (limit(raised=100.0), "The turn reached its limit of 50 steps. You let it go on to 100 steps.", []),
        (limit(end="limit"), "The turn reached its limit of 50 steps. It ended there.", []),
        (end("failed", text="No.", exchange_id="x1"), "No.", [("show_request", "Show answer", "x1")]),
        (end("failed", text="No."), "No.", []),
        (end("stopped", stopped_calls=2), "Stopped by you 2 calls were stopped with it", []),
        (end("stopped"), "Stopped by you", []),
        (end("interrupted", text="The program ended while this turn ran."), "The program ended while this turn ran.", []),
        (end("answered", text="The answer was cut at the output limit."), "The answer was cut at the output limit.", []),
        (notice("resumed", at=NOW - 60), "Opened again", []),
        (notice("notice", text="The disk is full.", level="error"), "The disk is full.", []),
        (notice("notice", text="Rules.", level="warning", message_id="rules.broken_file"), "Rules.", [("settings", "Permissions", "permissions")]),
        (notice("problem", text="A call is not JSON."), "A call is not JSON.", []),
    ],
)
async def test_words_and_buttons(gui: Gui, item: NoticeItem, words: str, actions: list[tuple[str, str, str]]) -> None:
    stage = gui.show(Stage(NoticeView(item), 700))
    gui.picture(stage)
    assert stage.view.plain_text().startswith(words)
    assert [(target.action, target.name, target.argument) for target in stage.view.targets(700) if target.action != "toggle"] == actions
    assert stage.view.measure(700) == theme.card_row
    assert stage.view.accessible_name().startswith(words)


@pytest.mark.parametrize("width", [250, 330, 500, 820])
@pytest.mark.parametrize("item", [end("failed", text=LONG, exchange_id="x", original=ORIGINAL), notice("notice", text=LONG), limit(waits=True)])
async def test_a_sentence_is_never_cut_and_nothing_overlaps(gui: Gui, item: NoticeItem, width: int) -> None:
    stage = gui.show(Stage(NoticeView(item), width))
    image = gui.picture(stage)
    if item.text:
        assert "".join(stage.view.plain_text().split()) == "".join(item.text.split())
        assert stage.view.measure(width) > theme.card_row
    areas = [target.area for target in stage.view.targets(width) if target.action != "toggle"]
    assert all(not one.intersects(other) for one in areas for other in areas if one is not other)
    assert all(area.bottom() <= stage.view.measure(width) and area.right() <= width + 1 for area in areas)
    edge = {image.pixelColor(image.width() - MARGIN // 2, y).name() for y in range(image.height())}
    assert edge == {theme.hex("base")}


async def test_a_retry_counts_down_without_moving_what_is_below(gui: Gui) -> None:
    view = NoticeView(RETRY)
    stage = gui.show(Stage(view, 330))
    heights = []
    for left in (12, 11, 1, 0, -3):
        stage.now = NOW + 12 - left
        gui.picture(stage)
        heights.append(view.measure(330))
        assert told(RETRY, stage.now).note == ("try 2 now" if left <= 0 else f"try 2 in {left} s")
    assert len(set(heights)) == 1
    assert view.moves()
    assert not NoticeView(limit()).moves()


async def test_the_providers_own_words_unfold_as_they_are(gui: Gui) -> None:
    stage = gui.show(Stage(NoticeView(end("failed", text="No.", exchange_id="x", original=ORIGINAL)), 600))
    closed = stage.view.measure(600)
    assert ORIGINAL not in stage.view.plain_text()
    gui.click_at(stage, stage.middle(stage.target("toggle")))
    assert stage.view.measure(600) > closed
    assert stage.view.plain_text() == f"No.\n{ORIGINAL}"
    gui.click_at(stage, stage.middle(stage.target("show_request")))
    assert stage.done == [("toggle", ""), ("show_request", "x")]


def test_nothing_to_unfold_is_no_target(gui: Gui) -> None:
    assert NoticeView(end("failed", text="No.")).targets(600) == ()


@pytest.mark.parametrize(("name", "value", "amount"), [("steps", 50, "100 steps"), ("tokens", 1_000, "2000 tokens"), ("time", 90, "03:00")])
def test_the_offered_bound_is_twice_as_far(gui: Gui, name: Any, value: float, amount: str) -> None:
    item = notice("limit", waits=True, limit=LimitReached(turn_id="t", limit=name, value=value, maximum=value))
    first = told(item, NOW).buttons[0]
    assert first.label == f"Continue to {amount}"
    assert float(first.argument) == value * 2


def test_a_bound_that_was_overrun_is_offered_above_what_was_used(gui: Gui) -> None:
    item = notice("limit", waits=True, limit=LimitReached(turn_id="t", limit="tokens", value=5_000, maximum=1_000))
    assert float(told(item, NOW).buttons[0].argument) > 5_000


def test_notices_of_the_program_are_told_in_chinese(gui: Gui) -> None:
    choose_language("zh_CN")
    text = "The program ended while this turn ran."
    words = told(end("interrupted", text=text), NOW).words
    assert words == tell(end("interrupted", text=text))
    assert words != text
