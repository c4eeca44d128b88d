"""A field for several lines of code or JSON: what is typed is kept exactly, and Tab goes on to the next control."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPalette, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.ui.kit.layout import scrolls
from workbench.ui.kit.paint import box, focus_ring
from workbench.ui.kit.theme import theme

MOST_LINES = 14
LONGEST_WRAPPED = 5_000
"""Characters of a line; Qt takes seconds to wrap longer ones."""


class _Edit(QPlainTextEdit):
    def __init__(self, owner: CodeEdit) -> None:
        super().__init__(owner)
        self._owner = owner

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._owner.update()

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._owner.update()


class CodeEdit(QWidget):
    """A multi-line field. `whole` fills the room it gets; else it is as high as its text, up to `MOST_LINES`.

    Signals:
        changed: a person or the program changed the text.

    Attributes:
        edit: the editor inside.
    """

    changed = Signal()

    def __init__(self, name: str, *, whole: bool = False) -> None:
        super().__init__()
        self._whole = whole
        self.edit = _Edit(self)
        self.edit.setAccessibleName(name)
        self.edit.setTabChangesFocus(True)
        option = QTextOption()
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.edit.document().setDefaultTextOption(option)
        self.edit.document().setDocumentMargin(0)
        scrolls(self.edit)
        self.edit.setViewportMargins(7, 5, 7, 5)
        self.setFocusProxy(self.edit)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.addWidget(self.edit)
        self._restyle()
        theme.changed.connect(self._restyle)
        self.edit.textChanged.connect(self._fit)
        self.edit.textChanged.connect(self.changed)

    def text(self) -> str:
        """Return the text exactly; Qt's own `toPlainText` turns no-break spaces into spaces."""
        return self.edit.document().toRawText().replace("\u2029", "\n")

    def put(self, text: str) -> None:
        """Show another text."""
        longest = max(map(len, text.split("\n")))
        wraps = longest <= LONGEST_WRAPPED
        self.edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth if wraps else QPlainTextEdit.LineWrapMode.NoWrap)
        self.edit.setPlainText(text)
        self._fit()

    def mark(self, line: int, column: int) -> None:
        """Underline the character at a place, counted from 1; nothing at line 0."""
        if not line:
            self.edit.setExtraSelections([])
            return
        block = self.edit.document().findBlockByNumber(line - 1)
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + min(max(0, column - 2), max(0, block.length() - 1)))
        cursor.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor, 2)
        selection = QTextEdit.ExtraSelection()
        look = QTextCharFormat()
        look.setBackground(theme["fail_tint"])
        look.setUnderlineColor(theme["fail"])
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        selection.format, selection.cursor = look, cursor
        self.edit.setExtraSelections([selection])

    def _fit(self) -> None:
        if not self._whole:
            lines = min(max(1, self.edit.document().blockCount()), MOST_LINES)
            tall = round(lines * theme.metrics("code").height()) + 14
            if tall != self.height():
                self.setFixedHeight(tall)

    def _restyle(self) -> None:
        self.edit.setFont(theme.font("code"))
        self.edit.setTabStopDistance(4 * theme.metrics("code").horizontalAdvance("0"))
        palette = self.edit.palette()
        if palette.color(QPalette.ColorGroup.Active, QPalette.ColorRole.Base).alpha():
            palette.setColor(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
            self.edit.setPalette(palette)
        self._fit()
        self.update()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            box(p, QRectF(self.rect()), "base", "field", 5)
            if self.edit.hasFocus():
                focus_ring(p, QRectF(self.rect()))
