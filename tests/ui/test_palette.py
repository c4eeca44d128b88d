"""The palette by keyboard: it finds, runs, says why not, and gives the keyboard back."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.ui.commands import Command, Commands
from workbench.ui.kit.layout import column
from workbench.ui.palette import Hit, Palette

WHY_NOT = "A step is running."


class Window:
    """A window with a composer, four commands and a palette; `ran` is what ran, in order."""

    def __init__(self, gui: Gui, *, files: bool = False) -> None:
        self.ran: list[str] = []
        self.asked: list[str] = []
        self.composer = QLineEdit()
        self.window = column(None, self.composer, ground="base")
        self.window.resize(900, 600)
        gui.show(self.window).activateWindow()
        self.commands = Commands()
        self._add("session.retry", "Retry the last request", why_not=WHY_NOT, where="Session")
        self._add("approvals.review", "Review waiting calls", keys="Alt+R", icon="hand", where="Approvals")
        self._add("changes.review", "Review changes of this turn", icon="diff", where="Changes")
        self._add("file.reveal", "Reveal dates.py in the workspace", icon="file", where="Workspace")
        self.files = files

    def _add(self, command_id: str, title: str, why_not: str = "", **fields: str) -> None:
        self.commands.add(Command(command_id=command_id, title=title, run=lambda: self.ran.append(command_id), why_not=lambda: why_not, **fields))

    def _hits(self, query: str) -> Sequence[Hit]:
        self.asked.append(query)
        return [Hit("src/revision.py", lambda: self.ran.append("revision.py"), where="src")]

    async def open(self, gui: Gui, query: str = "") -> None:
        await gui.until(self.window.isActiveWindow)
        self.composer.setFocus()
        await gui.until(self.composer.hasFocus)
        self.palette = Palette(self.commands, self.window, self._hits if self.files else None)
        self.palette.open()
        await gui.until(self.palette.query.hasFocus)
        gui.type(self.palette.query, query)

    def titles(self) -> list[str]:
        return [entry.title for entry in self.palette.rows.entries]


async def test_a_few_letters_find_and_enter_runs(gui: Gui) -> None:
    window = Window(gui)
    await window.open(gui, "rev")
    assert window.titles() == ["Review waiting calls", "Review changes of this turn", "Reveal dates.py in the workspace"]
    gui.keys(window.palette.query, "Down")
    gui.keys(window.palette.query, "Return")
    assert window.ran == ["changes.review"]
    assert not window.palette.isVisible()
    await gui.until(window.composer.hasFocus)


async def test_what_cannot_run_comes_last_says_why_and_does_not_run(gui: Gui) -> None:
    window = Window(gui)
    await window.open(gui)
    last = window.palette.rows.entries[-1]
    assert (last.title, last.why_not) == ("Retry the last request", WHY_NOT)
    gui.type(window.palette.query, "retry")
    gui.keys(window.palette.query, "Return")
    assert window.ran == []
    assert window.palette.isVisible()
    assert WHY_NOT in window.palette.query.accessibleDescription()


async def test_where_a_command_belongs_finds_it_too(gui: Gui) -> None:
    window = Window(gui)
    await window.open(gui, "approvals")
    assert window.titles() == ["Review waiting calls"]


async def test_escape_closes_and_the_keyboard_returns(gui: Gui) -> None:
    window = Window(gui)
    stopped: list[int] = []
    stop = QAction(window.window)
    stop.setShortcut(QKeySequence("Esc"))
    stop.triggered.connect(lambda: stopped.append(1))
    window.window.addAction(stop)
    await window.open(gui, "rev")
    gui.keys(window.palette.query, "Escape")
    assert not window.palette.isVisible()
    assert not stopped
    await gui.until(window.composer.hasFocus)


async def test_the_same_key_closes_it_and_none_is_left(gui: Gui) -> None:
    window = Window(gui)
    await window.open(gui, "rev")
    Palette(window.commands, window.window).open()
    assert not window.palette.isVisible()
    await gui.until(lambda: not window.window.findChildren(Palette))
    await gui.until(window.composer.hasFocus)
    await window.open(gui)
    assert (window.palette.query.text(), len(window.titles())) == ("", 4)


async def test_ctrl_enter_runs_and_stays(gui: Gui) -> None:
    window = Window(gui)
    await window.open(gui, "rev")
    for _ in range(2):
        QTest.keyClick(window.palette.query, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert window.ran == ["approvals.review"] * 2
    assert window.palette.isVisible()
    gui.type(window.palette.query, "x y z")
    QTest.keyClick(window.palette.query, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert len(window.ran) == 2


async def test_keys_are_shown_and_fitting_letters_marked(gui: Gui) -> None:
    window = Window(gui)
    await window.open(gui, "wait")
    entry = window.palette.rows.entries[0]
    assert (entry.note, entry.offsets) == ("Alt+R", (7, 8, 9, 10))


async def test_files_and_sessions_come_after_commands(gui: Gui) -> None:
    window = Window(gui, files=True)
    await window.open(gui, "rev")
    assert window.titles()[-1] == "src/revision.py"
    assert window.palette.query.hint == "4 hits"
    gui.keys(window.palette.query, "Up")  # round the ends
    gui.keys(window.palette.query, "Return")
    assert window.ran == ["revision.py"]


async def test_a_prefix_asks_for_files_alone(gui: Gui) -> None:
    window = Window(gui, files=True)
    await window.open(gui, "@rev")
    assert window.titles() == ["src/revision.py"]
    assert window.asked == ["@", "@r", "@re", "@rev"]


async def test_nothing_is_said_in_words(gui: Gui) -> None:
    window = Window(gui)
    await window.open(gui, "zzz <b>")
    assert window.titles() == []
    assert "zzz <b>" in window.palette.query.accessibleDescription()
    gui.keys(window.palette.query, "Return")
    assert window.palette.isVisible()


async def test_a_click_runs_and_one_beside_closes(gui: Gui) -> None:
    window = Window(gui)
    await window.open(gui, "rev")
    rows = window.palette.rows
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=rows.visualRect(rows.entries_model.index(1)).center())
    assert window.ran == ["changes.review"]
    await window.open(gui)
    QTest.mouseClick(window.palette, Qt.MouseButton.LeftButton, pos=window.palette.rect().bottomLeft())
    assert not window.palette.isVisible()


@pytest.mark.parametrize("size", [(900, 600), (420, 200)])
async def test_it_stands_where_the_look_says_and_inside_the_window(gui: Gui, size: tuple[int, int]) -> None:
    window = Window(gui)
    window.window.resize(*size)
    await window.open(gui)
    card = window.palette.card.geometry()
    assert window.window.rect().contains(card)
    if size[0] == 900:
        assert (card.top(), card.width(), card.center().x()) == (72, 644, 449)


async def test_the_palette_is_named_and_plain(gui: Gui) -> None:
    window = Window(gui)
    await window.open(gui)
    assert_plain(window.palette)
    assert window.palette.rows.entries_model.index(0).data(Qt.ItemDataRole.AccessibleTextRole) == "Review waiting calls, Approvals, Alt+R"


async def test_resizing_the_window_moves_it(gui: Gui) -> None:
    window = Window(gui)
    await window.open(gui)
    window.window.resize(700, 400)
    await gui.until(lambda: window.palette.size() == window.window.size())
    window.palette.dismiss()
    window.window.resize(500, 300)
    await gui.until(lambda: not window.window.findChildren(Palette))
