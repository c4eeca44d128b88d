"""A sentence at the head of the dialog with what can be done about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench.permissions.visible import visible
from workbench.ui.kit.buttons import Button, IconButton
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.layout import Ground
from workbench.ui.settings.rows import INSET
from workbench.words import _

LOOKS = {"info": ("info", "muted", "sunken"), "warning": ("warning", "level2", "level2_tint"), "error": ("failed", "fail", "fail_tint")}
"""Icon, its colour and the ground for each level."""


class Action(NamedTuple):
    """A button of a strip."""

    label: str
    run: Callable[[], None]


class Strip(Ground):
    """Shows one sentence at a time; hidden while there is none. `inset`: pixels at its left and right."""

    def __init__(self, inset: int = INSET) -> None:
        super().__init__("sunken", "b")
        self._icon, self.label = Icon("info"), Label("", "small", wrap=True, select=True)
        self.label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._close = IconButton("cross", _("Close this message"), small=True)
        self._close.clicked.connect(self.clear)
        self._actions: list[QWidget] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(inset, 6, inset - 8, 6)
        self._row.setSpacing(8)
        for widget, stretch in ((self._icon, 0), (self.label, 1), (self._close, 0)):
            self._row.addWidget(widget, stretch, Qt.AlignmentFlag.AlignVCenter)
        self.hide()

    def tell(self, sentence: str, level: str = "info", actions: Sequence[Action] = ()) -> None:
        """Show a sentence, whatever was there before."""
        icon, token, self.token = LOOKS[level]
        self._icon.show_icon(icon, token)
        self.label.setText(visible(sentence, keep="\n"))
        self._drop_actions()
        for action in actions:
            button = Button(action.label, small=True)
            button.clicked.connect(action.run)
            self._row.insertWidget(self._row.count() - 1, button, 0, Qt.AlignmentFlag.AlignVCenter)
            self._actions.append(button)
        self.setAccessibleName(sentence)
        self.show()
        self.update()

    def clear(self) -> None:
        """Show nothing."""
        self.hide()
        self.label.setText("")
        self._drop_actions()

    def _drop_actions(self) -> None:
        for button in self._actions:
            button.hide()
            button.deleteLater()
        self._actions = []
