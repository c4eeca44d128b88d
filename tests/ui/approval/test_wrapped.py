"""Groups of widgets stay together, wrap where there is no room, and give way to none that is hidden."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from tests.ui.gui import Gui
from workbench.ui.approval.exact_label import ExactLabel
from workbench.ui.approval.wrapped import Wrapped
from workbench.ui.kit.labels import Icon, Label


def made(gui: Gui, width: int, *, last_right: bool = False) -> tuple[Wrapped, list[QWidget]]:
    groups: list[list[QWidget]] = [[Icon("agent"), Label("one two three")], [Icon("folder"), Label("four five six")], [Label("seven")]]
    wrapped = gui.show(Wrapped(groups, last_right=last_right))
    wrapped.resize(width, wrapped.heightForWidth(width))
    return wrapped, [widget for group in groups for widget in group]


async def test_a_group_that_does_not_fit_goes_to_the_next_row(gui: Gui) -> None:
    wide, (_first, _words, second, *_rest) = made(gui, 600)
    assert second.y() < 10
    narrow, (first, words, second, *_rest) = made(gui, 150)
    assert second.y() >= words.geometry().bottom()
    assert first.y() < second.y()
    assert second.x() == 0
    assert narrow.height() > wide.height()


async def test_the_last_group_may_stand_at_the_right(gui: Gui) -> None:
    _wrapped, widgets = made(gui, 600, last_right=True)
    assert widgets[-1].geometry().right() == 599


async def test_hidden_widgets_take_no_room_and_changed_ones_what_they_need(gui: Gui) -> None:
    _wrapped, widgets = made(gui, 600)
    before = widgets[-1].x()
    widgets[2].hide()
    widgets[3].hide()
    await gui.settle()
    assert widgets[-1].x() < before
    words = widgets[1]
    assert isinstance(words, Label)
    words.setText("much longer than it was before")
    await gui.settle()
    assert words.width() >= words.sizeHint().width()
    assert widgets[-1].x() > words.geometry().right()


async def test_a_text_that_is_wider_than_all_wraps_inside(gui: Gui) -> None:
    label = ExactLabel("word " * 60, lines=True)
    wrapped = gui.show(Wrapped([[label]]))
    wrapped.resize(200, wrapped.heightForWidth(200))
    await gui.settle()
    assert label.width() <= 200
    assert label.height() >= label.heightForWidth(label.width())
    assert wrapped.rect().contains(label.geometry())
