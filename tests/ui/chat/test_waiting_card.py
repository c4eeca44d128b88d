"""The card of a waiting call: shows exactly what would happen, lets nothing pass by accident, and answers its own question only."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from typing_extensions import override

from tests.ui.chat.calls import call, command, question, waiting
from tests.ui.chat.stage import Stage, keyboard_is_free
from tests.ui.desks import desk_in, project
from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.conversation.calls import Answer, Preview, RuleScope
from workbench.conversation.events import ApprovalRequested
from workbench.conversation.values import JsonObject
from workbench.inspection.timeline_items import CallsItem
from workbench.ui.bridge import Bridge
from workbench.ui.chat.calls_view import CallsView
from workbench.ui.chat.waiting_card import WaitingCard
from workbench.ui.chat.waiting_sheet import waiting_sheet
from workbench.ui.desk import Desk
from workbench.ui.kit.theme import theme

DIFF = "--- a\n+++ a\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+three\n four\n"
WIDTH = 600


class Answers(Bridge):
    """A bridge with open questions of its own, which keeps what is answered."""

    def __init__(self, *questions: ApprovalRequested) -> None:
        super().__init__()
        self.open = list(questions)
        self.given: list[tuple[str, str]] = []

    @property
    @override
    def pending(self) -> tuple[ApprovalRequested, ...]:
        return tuple(self.open)

    @override
    def answer(
        self, approval_id: str, answer: Answer, *, note: str = "", arguments: JsonObject | None = None,
        rules: Sequence[JsonObject] = (), scope: RuleScope = "session",
    ) -> bool:  # fmt: skip
        if approval_id not in [one.approval_id for one in self.open]:
            return False
        self.open = [one for one in self.open if one.approval_id != approval_id]
        self.given.append((approval_id, answer))
        return True


def shown(gui: Gui, requested: ApprovalRequested, width: int = WIDTH) -> tuple[WaitingCard, Answers]:
    bridge = Answers(requested)
    card = WaitingCard(waiting(requested), bridge)
    card.resize(width, card.heightForWidth(width))
    return gui.show(card), bridge


# What it shows


@pytest.mark.parametrize(
    ("preview", "words"),
    [
        (Preview(kind="diff", title="a", body=DIFF), " one\n-two\n+2\n+three\n four"),
        (Preview(kind="new_file", title="a", body="x\ny\n"), "+x\n+y"),
        (Preview(kind="command", title="make", body="make \\\n  docs"), "make \\\n   docs"),
        (Preview(kind="text", title="t", body="GET https://tides.example/v2"), "GET https://tides.example/v2"),
        (Preview(kind="none", title="t"), '{\n  "url": "https://x"\n}'),
    ],
)
async def test_the_card_shows_the_content_itself(gui: Gui, preview: Preview, words: str) -> None:
    requested = question("tool", preview, "Asks.", arguments={"url": "https://x"})
    laid = waiting_sheet(requested, WIDTH)
    assert words in laid.sheet.text
    assert laid.whole
    card, _bridge = shown(gui, requested)
    assert card.height() == laid.sheet.height


async def test_why_it_asks_is_told_whole_and_more_reasons_are_counted(gui: Gui) -> None:
    sentence = "Asks because " + "this is a long sentence that must not be cut, " * 5 + "and ends here."
    requested = command("make", sentence, "Second.", "Third.")
    for width in (330, WIDTH):
        text = waiting_sheet(requested, width).sheet.text
        assert sentence in text
        assert "and 2 more reasons" in text
        assert "Second." not in text


async def test_what_does_not_fit_is_counted_and_no_key_allows_it(gui: Gui) -> None:
    body = "".join(f"line {number}\n" for number in range(39))
    card, bridge = shown(gui, question("write", Preview(kind="new_file", title="a", body=body), "Asks."))
    text = waiting_sheet(card.requested, WIDTH).sheet.text
    assert "+line 7" in text
    assert "line 8" not in text
    assert "… 31 more lines" in text
    assert "Alt+Y review" in text
    await gui.until(lambda: card.ready)
    assert not card.can_allow_here()
    assert not card.allow()
    assert bridge.given == []


async def test_a_long_single_line_says_how_much_of_it_is_missing(gui: Gui) -> None:
    text = "ssh host '" + "printf ok; " * 200 + "rm -rf /srv/data'"
    laid = waiting_sheet(command(text, "Asks."), WIDTH)
    assert not laid.whole
    shown_part = laid.sheet.text.split("\n")[-3]
    missing = len(text) - len(shown_part)
    assert text.startswith(shown_part)
    assert f"… {missing} more characters of this line" in laid.sheet.text


async def test_no_key_allows_what_its_first_row_has_no_room_to_name(gui: Gui) -> None:
    path = "src/" + "a" * 80 + "/../../" + "b" * 80 + "/notes.txt"
    preview = Preview(kind="new_file", title=path, body="x\n", after="x\n")
    assert not waiting_sheet(question("write", preview, "Asks."), WIDTH).whole
    assert waiting_sheet(question("write", preview, "Asks."), 2 * WIDTH + 1_000).whole
    assert waiting_sheet(command("echo " + "a" * 90, "Asks."), WIDTH).whole, "its rows show a command to the end"


async def test_a_card_must_have_been_wholly_in_sight_for_a_moment(gui: Gui) -> None:
    requested = command("make", "Asks.")
    window, bridge = QWidget(), Answers(requested)
    window.resize(WIDTH, 100)
    card = WaitingCard(waiting(requested), bridge, window)
    card.setGeometry(0, 80, WIDTH, card.heightForWidth(WIDTH))
    gui.show(window)
    await gui.until(lambda: card.ready)
    window.resize(WIDTH, 400)
    await gui.settle()
    assert not card.allow(), "its last lines came into sight just now"
    await gui.until(card.allow)


async def test_a_change_far_down_a_large_difference_is_what_is_shown(gui: Gui) -> None:
    body = "--- a\n+++ a\n@@ -1,12 +1,12 @@\n" + "".join(f" same {number}\n" for number in range(10)) + "-old\n+new\n"
    text = waiting_sheet(question("edit", Preview(kind="diff", title="a", body=body), "Asks."), WIDTH).sheet.text
    assert "-old\n+new" in text


@pytest.mark.parametrize(
    ("confinement", "words", "tone"),
    [
        ("confined", "Confined: this folder only, no network", "ok"),
        ("network", "This folder, with network", "level3"),
        ("unconfined", "With all your rights", "fail"),
    ],
)
async def test_how_a_command_would_be_held_is_shown(gui: Gui, confinement: str, words: str, tone: str) -> None:
    requested = command("make", "Asks.", confinement=confinement)
    mark = waiting_sheet(requested, WIDTH, "bwrap").pills[0]
    assert (mark.words, mark.tone) == (words, tone)
    for width in (300, WIDTH):
        for one in waiting_sheet(requested, width, "bwrap").pills:
            assert one.x + 20 < width
    card, _bridge = shown(gui, command("make", "Asks.", confinement="network"))
    assert "This folder, with network" in card.accessibleName()


async def test_marks_and_notes_are_shown(gui: Gui) -> None:
    requested = command("make", "Asks.", badges=("outside", "hidden_characters"))
    assert [mark.words for mark in waiting_sheet(requested, WIDTH).pills] == ["With all your rights", "outside", "hidden characters"]
    edited = question("edit", Preview(kind="diff", title="a", body=DIFF), "Asks.", badges=("outside",))
    assert [mark.words for mark in waiting_sheet(edited, WIDTH).pills] == ["outside"], "a file tool runs no command"
    notes = ("Runs in src.", "Is stopped after 5 s.")
    preview = Preview(kind="command", title="make", body="make", notes=notes)
    quiet = question("bash", preview, "Asks.", arguments={"command": "make", "description": "Build"})
    assert "Runs in" not in waiting_sheet(quiet, WIDTH).sheet.text
    told = question("bash", preview, "Asks.", arguments={"command": "make", "workdir": "src"})
    assert "Runs in src.\nIs stopped after 5 s." in waiting_sheet(told, WIDTH).sheet.text
    edit = question("edit", Preview(kind="diff", title="a", body=DIFF, notes=("Matched ignoring indentation.",)), "Asks.")
    assert "Matched ignoring indentation." in waiting_sheet(edit, WIDTH).sheet.text


async def test_hidden_characters_are_boxes_and_never_in_words(gui: Gui) -> None:
    card, _bridge = shown(gui, command("curl http://x/\u202emoc\u2069/d", "A name \u202e hides."))
    clear, _other = shown(gui, command("curl http://x/moc/d", "A name hides."))
    assert "⟨U+202E⟩" in card.accessibleName()
    assert "\u202e" not in card.accessibleName()
    red = theme.hex("level4_fill")
    image, plain = gui.picture(card), gui.picture(clear)
    assert any(image.pixelColor(x, y).name() == red for x in range(0, image.width(), 2) for y in range(image.height()))
    assert not any(plain.pixelColor(x, y).name() == red for x in range(0, plain.width(), 2) for y in range(plain.height()))


@pytest.mark.parametrize(("danger", "token"), [(1, "level2"), (3, "level2"), (4, "level4")])
async def test_the_bar_has_the_colour_of_waiting_and_of_level_four(gui: Gui, danger: int, token: str) -> None:
    card, _bridge = shown(gui, command("make", "Asks.", danger=danger))
    assert gui.picture(card).pixelColor(2, card.height() // 2) == theme[token]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("width", [280, 330, 820])
@pytest.mark.parametrize("zoom", [1.0, 1.6])
async def test_nothing_overlaps_or_leaves_the_card(gui: Gui, language: str, width: int, zoom: float) -> None:
    theme.use("dark", language, zoom)
    card, _bridge = shown(gui, command("make docs && " * 9, "Asks because no rule knows it.", badges=("outside", "secret", "padding")), width)
    buttons = [card.review_button.geometry(), card.reject_button.geometry()]
    assert all(card.rect().contains(area) for area in buttons)
    assert not buttons[0].intersects(buttons[1])
    image = gui.picture(card)
    inside = {image.pixelColor(image.width() - 4, y).name() for y in range(8, image.height() - 8)}
    assert inside == {theme.hex("card")}, "nothing reaches the right edge"


async def test_a_new_theme_is_taken_over(gui: Gui) -> None:
    card, _bridge = shown(gui, command("make", "Asks."))
    before = gui.picture(card)
    theme.use("dark")
    await gui.settle()
    assert gui.picture(card) != before


async def test_the_card_holds_no_faults_of_text_or_names(gui: Gui) -> None:
    card, _bridge = shown(gui, command("<b>make</b> & \u202e", "Asks <i>because</i>."))
    assert_plain(card)
    assert card.review_button.accessibleName() == "Review… bash <b>make</b> & ⟨U+202E⟩"


# What it lets through


async def test_nothing_is_taken_for_a_moment_after_it_appears(gui: Gui) -> None:
    card, bridge = shown(gui, command("make", "Asks."))
    activated: list[tuple[str, str]] = []
    card.activated.connect(lambda action, argument: activated.append((action, argument)))
    assert not card.review_button.takes
    assert card.review_button.state("disabled"), "it looks as it is"
    gui.click_at(card.reject_button, QPoint(5, 5))
    gui.click_at(card.review_button, QPoint(5, 5))
    assert not card.allow()
    assert not card.reject()
    card.review()
    assert (bridge.given, activated) == ([], [])
    await gui.until(lambda: card.ready and card.review_button.takes)
    gui.click_at(card.review_button, QPoint(5, 5))
    assert activated == [("review", card.requested.approval_id)]
    gui.click_at(card.reject_button, QPoint(5, 5))
    assert bridge.given == [(card.requested.approval_id, "reject")]
    assert not card.reject(), "it is answered once"


async def test_the_moment_is_as_long_as_it_should_be_and_begins_anew_when_shown_again(gui: Gui) -> None:
    begun = time.perf_counter()
    card, _bridge = shown(gui, command("make", "Asks."))
    await gui.until(lambda: card.ready)
    assert time.perf_counter() - begun >= 0.38
    card.hide()
    card.show()
    assert not card.can_allow_here(), "it is shown anew"
    await gui.until(card.can_allow_here)


@pytest.mark.parametrize(("danger", "allowed"), [(0, True), (3, True), (4, False)])
async def test_a_key_allows_only_what_is_whole_in_sight_and_not_of_level_four(gui: Gui, danger: int, allowed: bool) -> None:
    card, bridge = shown(gui, command("make", "Asks.", danger=danger))
    assert not card.can_allow_here(), "not yet"
    await gui.until(lambda: card.ready)
    assert card.can_allow_here() is allowed
    assert card.allow() is allowed
    assert bridge.given == ([(card.requested.approval_id, "approve")] if allowed else [])
    assert not card.can_allow_here()


async def test_a_card_that_is_partly_out_of_sight_allows_nothing(gui: Gui) -> None:
    requested = command("make", "Asks.")
    window = QWidget()
    window.resize(WIDTH, 100)
    card = WaitingCard(waiting(requested), Answers(requested), window)
    card.setGeometry(0, -30, WIDTH, card.heightForWidth(WIDTH))
    gui.show(window)
    await gui.until(lambda: card.ready)
    assert not card.can_allow_here()
    window.resize(WIDTH, 400)
    card.move(0, 0)
    await gui.until(card.can_allow_here)


async def test_it_never_takes_the_keyboard(gui: Gui) -> None:
    requested = command("rm -rf build", "Asks.")
    window, bridge = QWidget(), Answers(requested)
    window.resize(700, 300)
    field = QLineEdit(window)
    field.setGeometry(0, 250, 600, 28)
    gui.show(window)
    field.setFocus()
    gui.type(field, "please also ")
    card = WaitingCard(waiting(requested), bridge, window)
    card.setGeometry(0, 0, WIDTH, card.heightForWidth(WIDTH))
    card.show()
    gui.type(field, "y 1 check it")
    QTest.keyClicks(window, " \r")
    await gui.until(lambda: card.ready)
    gui.click_at(card, QPoint(200, 10))
    assert field.text().startswith("please also y 1 check it")
    assert keyboard_is_free(card)
    assert bridge.given == []


async def test_its_buttons_are_reached_with_the_tab_key_review_first(gui: Gui) -> None:
    card, bridge = shown(gui, command("make", "Asks."))
    await gui.until(lambda: card.ready)
    card.activateWindow()
    card.review_button.setFocus()
    QTest.keyClick(card.review_button, Qt.Key.Key_Tab)
    assert card.reject_button.hasFocus()
    QTest.keyClick(card.reject_button, Qt.Key.Key_Space)
    assert bridge.given == [(card.requested.approval_id, "reject")]


def test_only_a_waiting_call_has_a_card(gui: Gui) -> None:
    with pytest.raises(ValueError, match="waits"):
        WaitingCard(call("bash", "ok"), Answers())


# With a real session


async def asked(gui: Gui, desk: Desk, text: str) -> WaitingCard:
    """Say something that asks, and return the card of the question."""
    assert await desk.bridge.send(text) == "started"
    requested = await gui.until(lambda: desk.bridge.pending and desk.bridge.pending[0])
    desk.bridge.flush()
    assert requested
    box = next(item for item in reversed(desk.bridge.timeline.items) if isinstance(item, CallsItem))
    stage = gui.show(Stage(CallsView(box, desk.bridge)))
    card = stage.widgets[requested.approval_id]
    assert isinstance(card, WaitingCard)
    return card


async def test_allowing_on_the_card_runs_the_call(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        assert await desk.open_folder(project(tmp_path))
        card = await asked(gui, desk, "run touch made")
        await gui.until(lambda: card.ready)
        assert card.allow()
        assert not card.allow()
        await gui.until(lambda: not desk.bridge.running)
        assert (tmp_path / "ws" / "made").exists()


async def test_rejecting_on_the_card_runs_nothing(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        assert await desk.open_folder(project(tmp_path))
        card = await asked(gui, desk, "run touch made")
        await gui.until(lambda: card.ready)
        gui.click_at(card.reject_button, QPoint(5, 5))
        await gui.until(lambda: not desk.bridge.running)
        desk.bridge.flush()
        assert not (tmp_path / "ws" / "made").exists()
        box = next(item for item in desk.bridge.timeline.items if isinstance(item, CallsItem))
        assert [one.state for one in box.calls] == ["rejected"]
