"""Areas, panes and scroll bars."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget

from tests.ui.gui import Gui
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import BAR, Ground, Panes, Scroll, column, line, scrolls
from workbench.ui.kit.theme import theme


def test_a_ground_has_its_colour_and_its_lines(gui: Gui) -> None:
    area = Ground("window", "tr")
    area.resize(40, 30)
    image = gui.picture(gui.show(area))
    colours = [image.pixelColor(x, y).name() for x, y in ((5, 0), (39, 10), (5, 15), (5, 29))]
    assert colours == [theme.hex("line"), theme.hex("line"), theme.hex("window"), theme.hex("window")]


def test_widgets_are_stacked_in_order_with_what_was_asked_between(gui: Gui) -> None:
    one, two, three = QWidget(), QWidget(), QWidget()
    for widget in (one, two):
        widget.setFixedSize(20, 10)
    stack = column(one, 7, two, (three, 1), margins=(3, 4, 5, 6))
    stack.resize(100, 100)
    gui.show(stack)
    assert (one.x(), one.y(), two.y()) == (3, 4, 21)
    assert three.geometry().bottom() == 93
    last = Label("b")
    row = line(Label("a"), None, last, gap=0)
    row.resize(300, 20)
    gui.show(row)
    assert last.geometry().right() == 299


def test_panes_are_divided_by_one_pixel(gui: Gui) -> None:
    panes = Panes(Ground("base"), Ground("base"), sizes=[100, 99])
    panes.resize(200, 40)
    image = gui.picture(gui.show(panes))
    assert [image.pixelColor(x, 20).name() for x in (99, 100, 101)] == [theme.hex("base"), theme.hex("line"), theme.hex("base")]


def test_scroll_bars_are_thin_and_darker_under_the_pointer(gui: Gui) -> None:
    edit = QPlainTextEdit("\n".join(map(str, range(200))))
    scrolls(edit)
    edit.resize(200, 200)
    gui.show(edit)
    bar = edit.verticalScrollBar()
    assert isinstance(bar, Scroll)
    assert bar.width() == BAR
    assert gui.picture(bar).pixelColor(5, 8).name() == theme.hex("edge")
    bar.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    QApplication.sendEvent(bar, QEnterEvent(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5)))
    assert gui.picture(bar).pixelColor(5, 8).name() == theme.hex("field")
    bar.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    QApplication.sendEvent(bar, QEvent(QEvent.Type.Leave))
    assert gui.picture(bar).pixelColor(5, 8).name() == theme.hex("edge")


def test_a_bar_with_nothing_to_scroll_is_empty(gui: Gui) -> None:
    edit = QPlainTextEdit("x")
    scrolls(edit)
    edit.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
    gui.show(edit)
    image = gui.picture(edit.verticalScrollBar())
    assert len({image.pixelColor(5, y).name() for y in range(image.height())}) == 1
