"""A field shows the keyboard, tells what is typed, and what is wrong with it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.ui.kit.fields import Field
from workbench.ui.kit.layout import column
from workbench.ui.kit.theme import theme


def edge(image: QImage) -> str:
    return image.pixelColor(image.width() // 2, 0).name()


async def test_the_outline_shows_the_keyboard(gui: Gui) -> None:
    one, other = Field("Filter"), Field("Other")
    gui.show(column(one, other)).activateWindow()
    one.setFocus()
    await gui.until(one.edit.hasFocus)
    assert (edge(gui.picture(one)), edge(gui.picture(other))) == (theme.hex("focus"), theme.hex("field"))
    gui.keys(one.edit, "Tab")
    await gui.until(other.edit.hasFocus)
    assert (edge(gui.picture(one)), edge(gui.picture(other))) == (theme.hex("field"), theme.hex("focus"))


def test_what_is_typed_is_told(gui: Gui) -> None:
    field = Field("Search", icon_name="search", note="Ctrl+K")
    told: list[str] = []
    field.changed.connect(told.append)
    field.entered.connect(lambda: told.append("entered"))
    gui.show(field)
    gui.type(field.edit, "ab")
    QTest.keyClick(field.edit, Qt.Key.Key_Return)
    field.set_text("set")
    assert told == ["a", "ab", "entered", "set"]
    assert field.text() == "set"


def test_a_field_is_named_and_plain(gui: Gui) -> None:
    assert_plain(gui.show(column(Field("Filter"), Field(value="x", mono=True, name="Pattern"))))


def test_what_is_wrong_is_seen_and_said(gui: Gui) -> None:
    field = gui.show(Field("Address"))
    field.set_problem("There is no such host.")
    assert edge(gui.picture(field)) == theme.hex("fail")
    assert field.edit.accessibleDescription() == "There is no such host."
    field.set_problem("")
    assert edge(gui.picture(field)) == theme.hex("field")


async def test_a_note_leaves_room_for_the_text(gui: Gui) -> None:
    field = Field("Filter")
    field.resize(300, field.height())
    gui.show(field)
    width = field.edit.width()
    field.set_note("12 of 40")
    await gui.until(lambda: field.edit.width() < width - 30)


async def test_a_field_follows_theme_and_zoom(gui: Gui) -> None:
    field = gui.show(Field("Filter", "text"))
    height = field.height()
    theme.use("dark", "en", 2.0)
    await gui.settle()
    assert field.height() > height
    assert gui.picture(field).pixelColor(4, field.height() // 2).name() == theme.hex("base")
    field.setEnabled(False)
    assert edge(gui.picture(field)) == theme.hex("line")
