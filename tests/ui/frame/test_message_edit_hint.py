"""The hint of an empty message field is painted as soon as it is another one."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from typing_extensions import override

from tests.ui.gui import Gui
from workbench.ui.frame.message_edit import MessageEdit


class Paints(QObject):
    """Counts how often a widget was painted."""

    count = 0

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return super().eventFilter(watched, event)


async def test_another_hint_is_painted(gui: Gui) -> None:
    edit = gui.show(MessageEdit())
    edit.hint("Open a folder to begin")
    paints = Paints()
    edit.viewport().installEventFilter(paints)
    await gui.until(lambda: edit.isVisible())
    await gui.settle()
    before = paints.count
    edit.hint("Message the model")
    await gui.until(lambda: paints.count > before)
