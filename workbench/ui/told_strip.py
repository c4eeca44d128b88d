"""The strip that says in a sentence what a person should know now: why something was not done, what could not be saved."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.ui.kit.buttons import IconButton
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.paint import box
from workbench.words import _

LOOKS = {"info": ("info", "muted", "hover"), "warning": ("warning", "level2", "level2_tint"), "error": ("failed", "fail", "fail_tint")}
"""Icon, ink and ground by level."""
MOST_KEPT = 20


class ToldStrip(QWidget):
    """Shows one sentence at a time, the newest first. Hidden if there is none.

    A sentence of something that was goes when another comes or a person goes on (`go_on`). One of something that still holds stays, and
    comes back when those above it are closed.

    Args:
        holds: whether what a sentence tells of is still so.
    """

    def __init__(self, holds: Callable[[str], bool] = lambda _sentence: False) -> None:
        super().__init__()
        self._holds = holds
        self._sentences: deque[tuple[str, str]] = deque(maxlen=MOST_KEPT)
        self._icon = Icon("info", "muted")
        self._words = Label("", "small", wrap=True, select=True)
        self._close = IconButton("cross", _("Close this message"), small=True)
        self._close.clicked.connect(self._drop)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 5, 4)
        layout.setSpacing(6)
        layout.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(self._words, 1)
        layout.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self._show()

    @property
    def sentences(self) -> tuple[tuple[str, str], ...]:
        """What was told and not closed yet, the newest last: sentence and level."""
        return tuple(self._sentences)

    def tell(self, sentence: str, level: str = "info") -> None:
        """Show a sentence; one that is there already is not repeated."""
        told = (visible(sentence), level if level in LOOKS else "info")
        if not self._holds(told[0]):
            self._keep_what_holds()
        if told in self._sentences:
            self._sentences.remove(told)
        self._sentences.append(told)
        self._show()

    def go_on(self) -> None:
        """Forget what is over: a person goes on with something else, or what held holds no more."""
        self._keep_what_holds()
        self._show()

    def restore(self, sentences: tuple[tuple[str, str], ...]) -> None:
        """Take over what another strip showed."""
        self._sentences.extend(sentences)
        self._show()

    def _keep_what_holds(self) -> None:
        for told in tuple(self._sentences):
            if not self._holds(told[0]):
                self._sentences.remove(told)

    def _drop(self) -> None:
        self._sentences.pop()
        self._show()

    def _show(self) -> None:
        self.setVisible(bool(self._sentences))
        if self._sentences:
            sentence, level = self._sentences[-1]
            icon, ink, _ground = LOOKS[level]
            self._words.setText(sentence)
            self._words.set_token("text" if level == "info" else ink)
            self._icon.show_icon(icon, ink)
            self.setAccessibleName(sentence)
            self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        if self._sentences:
            with QPainter(self) as p:
                box(p, QRectF(self.rect()), LOOKS[self._sentences[-1][1]][2], None, 6)
