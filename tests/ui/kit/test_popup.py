"""Menus by keyboard and pointer, inside the window, with reasons; the keyboard goes back where it was."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.ui.kit.buttons import MenuButton
from workbench.ui.kit.layout import column, line
from workbench.ui.kit.overlay import PAD
from workbench.ui.kit.popup import Entry, PopupMenu
from workbench.ui.kit.popup_list import matched_runs
from workbench.ui.kit.theme import theme

MODES = (
    Entry(entry_id="read_only", title="Read only", sentence="looks, changes nothing", icon="eye"),
    Entry(entry_id="ask", title="Ask", sentence="edits and unknown commands wait for you", icon="question", chosen=True),
    Entry(entry_id="auto", title="Auto", sentence="confined commands pass", icon="play", why_not="Commands cannot be confined here."),
)
MODELS = tuple(Entry(entry_id=name, title=name, group=group, note="200k") for group, name in (("Acme", "alpha-1"), ("Acme", "alpha-2"), ("Local", "beta")))


class Opened:
    """A menu over a window with a button, and what it told."""

    def __init__(self, gui: Gui, entries: Sequence[Entry], size: tuple[int, int] = (700, 420), **options: str) -> None:
        self.button = MenuButton("Ask", "shield")
        self.window = column(None, line(10, self.button, None), 10, ground="base")
        self.window.resize(*size)
        gui.show(self.window).activateWindow()
        self.menu = PopupMenu(entries, self.button, **options)
        self.told: list[str] = []
        self.menu.chosen.connect(self.told.append)
        self.menu.closed.connect(lambda: self.told.append("closed"))

    async def open(self, gui: Gui) -> Opened:
        await gui.until(self.window.isActiveWindow)
        self.button.setFocus()
        await gui.until(self.button.hasFocus)
        self.menu.above(self.button)
        await gui.until(self.menu.first().hasFocus)
        return self


async def test_keys_move_and_enter_chooses(gui: Gui) -> None:
    opened = await Opened(gui, MODES, title="Mode of this session", keys="Alt+M").open(gui)
    rows = opened.menu.rows
    assert rows.currentIndex().row() == 1  # the one in force
    gui.keys(rows, "Up")
    gui.keys(rows, "Return")
    assert opened.told == ["closed", "read_only"]
    await gui.until(opened.button.hasFocus)


async def test_escape_closes_and_gives_the_keyboard_back(gui: Gui) -> None:
    opened = await Opened(gui, MODES).open(gui)
    gui.keys(opened.menu.rows, "Escape")
    assert opened.told == ["closed"]
    await gui.until(opened.button.hasFocus)


async def test_escape_does_not_reach_the_shortcuts_of_the_window(gui: Gui) -> None:
    opened = Opened(gui, MODES)
    stopped: list[int] = []
    stop = QAction(opened.window)
    stop.setShortcut(QKeySequence("Esc"))
    stop.triggered.connect(lambda: stopped.append(1))
    opened.window.addAction(stop)
    await opened.open(gui)
    gui.keys(opened.menu.rows, "Escape")
    assert (stopped, opened.told) == ([], ["closed"])
    await gui.until(opened.button.hasFocus)
    gui.keys(opened.button, "Escape")
    assert stopped == [1]


async def test_what_cannot_be_chosen_is_not(gui: Gui) -> None:
    opened = await Opened(gui, MODES).open(gui)
    gui.keys(opened.menu.rows, "Down")
    gui.keys(opened.menu.rows, "Return")
    place = opened.menu.rows.visualRect(opened.menu.rows.entries_model.index(2)).center()
    QTest.mouseClick(opened.menu.rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert opened.told == []
    assert "Commands cannot be confined here." in opened.menu.rows.entries_model.index(2).data(Qt.ItemDataRole.AccessibleTextRole)


async def test_a_click_chooses_and_one_beside_closes(gui: Gui) -> None:
    opened = await Opened(gui, MODES).open(gui)
    rows = opened.menu.rows
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=rows.visualRect(rows.entries_model.index(0)).center())
    assert opened.told == ["closed", "read_only"]
    again = await Opened(gui, MODES).open(gui)
    QTest.mouseClick(again.menu, Qt.MouseButton.LeftButton, pos=QPoint(again.menu.width() - 5, 5))
    assert again.told == ["closed"]


@pytest.mark.parametrize("size", [(700, 420), (300, 160), (240, 90)])
async def test_a_menu_stays_inside_its_window(gui: Gui, size: tuple[int, int]) -> None:
    opened = await Opened(gui, MODES, size).open(gui)
    room = opened.window.rect().adjusted(PAD, PAD, -PAD, -PAD)
    assert room.contains(opened.menu.card.geometry())
    opened.window.resize(250, 120)
    await gui.until(lambda: opened.window.rect().contains(opened.menu.card.geometry()))


async def test_below_and_above_open_on_the_side_with_room(gui: Gui) -> None:
    opened = await Opened(gui, MODES).open(gui)
    button = opened.menu.place_of(opened.button)
    assert opened.menu.card.geometry().bottom() < button.top()
    opened.menu.dismiss()
    below = PopupMenu(MODES, opened.button)
    below.below(opened.button)  # there is no room below
    assert below.card.geometry().bottom() < button.top()
    at = PopupMenu(MODES, opened.button)
    at.at(QPoint(20, 20))
    assert at.card.geometry().top() > 20


async def test_typing_shortens_the_list(gui: Gui) -> None:
    opened = await Opened(gui, MODELS, filter_words="Filter models", foot="Changing the model keeps the session.").open(gui)
    field = opened.menu.first()
    gui.type(field, "2")
    assert [entry.title for entry in opened.menu.rows.entries] == ["alpha-2"]
    gui.keys(field, "Backspace")
    gui.type(field, "local")
    gui.keys(field, "Return")
    assert opened.told == ["closed", "beta"]


async def test_keys_in_the_field_move_in_the_list(gui: Gui) -> None:
    opened = await Opened(gui, MODELS, filter_words="Filter models").open(gui)
    for key in ("Down", "PgDown", "Up"):
        gui.keys(opened.menu.first(), key)
    gui.keys(opened.menu.first(), "Return")
    assert opened.told == ["closed", "alpha-2"]


async def test_a_menu_is_named_and_plain(gui: Gui) -> None:
    opened = await Opened(gui, MODES, title="Mode of this session").open(gui)
    assert_plain(opened.menu)
    assert opened.menu.accessibleName() == "Mode of this session"
    words = [opened.menu.rows.entries_model.index(n).data(Qt.ItemDataRole.AccessibleTextRole) for n in range(3)]
    assert words[0] == "Read only, looks, changes nothing"


async def test_a_closed_menu_is_gone(gui: Gui) -> None:
    opened = await Opened(gui, MODES).open(gui)
    gone: list[int] = []
    opened.menu.destroyed.connect(lambda: gone.append(1))
    opened.menu.dismiss()
    opened.menu.dismiss()
    await gui.until(lambda: QApplication.sendPostedEvents(None, 52) or gone)  # 52: deferred delete
    assert gone == [1]


async def test_the_tick_is_painted_and_the_theme_followed(gui: Gui) -> None:
    opened = await Opened(gui, MODES).open(gui)
    light = gui.picture(opened.window)
    theme.use("dark")
    await gui.settle()
    dark = gui.picture(opened.window)
    card = opened.menu.card.geometry()
    assert dark.pixelColor(card.center().x(), card.bottom() - 2).name() == theme.hex("raised")
    assert light != dark


def test_what_fits_is_bold_accent(gui: Gui) -> None:
    bold = theme.font("body", "bold")
    runs = matched_runs("Review calls", (0, 1, 2, 7), "text", bold)
    assert [(run.string, run.token) for run in runs] == [("Rev", "accent"), ("iew ", "text"), ("c", "accent"), ("alls", "text")]


def test_a_menu_needs_a_window(gui: Gui) -> None:
    lone = gui.show(QWidget())
    menu = PopupMenu(MODELS, lone)
    menu.at(QPoint(0, 0))
    assert menu.parentWidget() is lone
