"""A one-line field."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit
from typing_extensions import override

from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import RIGHT, box, focus_ring, text, width_of
from workbench.ui.kit.theme import theme


class _Edit(QLineEdit):
    """What is typed into; its ground and its outline are those of the field around it."""

    def __init__(self, value: str, owner: Field) -> None:
        super().__init__(value, owner)
        self._owner = owner
        self.setFrame(False)

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._owner.update()

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._owner.update()


class Field(QFrame):
    """A one-line field: optional icon, text, optional trailing note; the outline is 3:1, the ring shows the keyboard.

    Args:
        placeholder: what it is for, shown while it is empty.
        value: what stands in it at first.
        icon_name: an icon before the text.
        note: a few quiet words at the right.
        mono: its text is code.
        ground: token of its ground.
        focused: shows the ring always, for a picture.
        name: accessible name; without it, the placeholder.

    Signals:
        changed: the text, after every change.
        entered: Enter was pressed.

    Attributes:
        edit: the QLineEdit inside.
    """

    changed = Signal(str)
    entered = Signal()

    def __init__(
        self,
        placeholder: str = "",
        value: str = "",
        icon_name: str = "",
        note: str = "",
        mono: bool = False,
        ground: str = "base",
        focused: bool = False,
        name: str = "",
    ) -> None:
        super().__init__()
        self.icon_name, self.note, self.mono, self.ground, self.focused, self._problem = icon_name, note, mono, ground, focused, ""
        self.edit = _Edit(value, self)
        self.edit.setPlaceholderText(placeholder)
        self.edit.setAccessibleName(name or placeholder)
        self.edit.textChanged.connect(self.changed)
        self.edit.returnPressed.connect(self.entered)
        self.setFocusProxy(self.edit)
        QHBoxLayout(self).addWidget(self.edit)
        self._restyle()
        theme.changed.connect(self._restyle)

    def text(self) -> str:
        """Return what stands in it."""
        return self.edit.text()

    def set_text(self, value: str) -> None:
        """Put other text into it."""
        self.edit.setText(value)

    def set_note(self, note: str) -> None:
        """Show other words at the right."""
        self.note = note
        self._make_room()
        self.update()

    def set_problem(self, problem: str) -> None:
        """Say what is wrong with the text: the outline is in the colour of failure; empty: nothing is."""
        self._problem = problem
        self.edit.setAccessibleDescription(problem)
        self.update()

    def _restyle(self) -> None:
        self.edit.setFont(theme.font("code" if self.mono else "body", mono=self.mono))
        palette = self.edit.palette()
        if palette.color(palette.ColorGroup.Active, palette.ColorRole.Base).alpha():
            for group in (palette.ColorGroup.Active, palette.ColorGroup.Inactive, palette.ColorGroup.Disabled):
                palette.setColor(group, palette.ColorRole.Base, Qt.GlobalColor.transparent)
            self.edit.setPalette(palette)
        self.setFixedHeight(theme.control)
        self._make_room()
        self.update()

    def _make_room(self) -> None:
        right = ceil(width_of(self.note, theme.font("tiny"))) + 6 if self.note else 0
        self.setContentsMargins(0, 0, 0, 0)
        if layout := self.layout():
            layout.setContentsMargins(28 if self.icon_name else 6, 1, 8 + right, 1)

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            rect = QRectF(self.rect())
            off = not self.isEnabled()
            box(p, rect, "window" if off else self.ground, "fail" if self._problem else "line" if off else "field", 5)
            if self.icon_name:
                draw_icon(p, self.icon_name, 8, (rect.height() - 16) / 2, "edge" if off else "muted")
            if self.note:
                text(p, rect.adjusted(0, 0, -9, 0), self.note, theme.font("tiny"), "faint", RIGHT)
            if self.focused or self.edit.hasFocus():
                focus_ring(p, rect)
