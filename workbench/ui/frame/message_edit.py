"""The field a message is written in: Enter sends, Shift+Enter breaks the line, an input method that composes is left alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QImage, QInputMethodEvent, QKeyEvent, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit
from typing_extensions import override

from workbench.ui.kit.layout import scrolls
from workbench.ui.kit.theme import theme

LINES_AT_LEAST, LINES_AT_MOST = 2, 10
INSET_X, INSET_Y = 12, 10
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)

_MENTION = re.compile(r"(?:^|(?<=\s))@(?P<query>[^\s@]*)$")
_COMMAND = re.compile(r"^/(?P<query>[\w.-]*)$")


class Asked(NamedTuple):
    """What the text before the caret asks to be completed: a file after ``@``, or a command after ``/`` at the very beginning."""

    kind: str
    query: str


class MessageEdit(QPlainTextEdit):
    """Plain text of two to ten lines.

    Signals:
        submitted: Enter was pressed, and no input method was composing.
        asked: what is to be completed now, an `Asked`, or None.
        earlier_wanted: Up (+1) or Down (-1) was pressed where it means an earlier, or a later, message.
        pictures_given: a picture was pasted or dropped, a `QImage`.
        files_given: files were pasted or dropped, a list of local paths.
        focus_changed: it got, or lost, the keyboard.

    Attributes:
        takes_key: asked before every key; True means that somebody else (the completer) dealt with it.
        completing: whether the completer is open, so that Esc is its own and no shortcut's.
        recalls: whether Up and Down mean earlier messages just now.
    """

    submitted = Signal()
    asked = Signal(object)
    earlier_wanted = Signal(int)
    pictures_given = Signal(QImage)
    files_given = Signal(list)
    focus_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        scrolls(self)
        self.takes_key: Callable[[QKeyEvent], bool] = lambda _event: False
        self.completing: Callable[[], bool] = lambda: False
        self.recalls: Callable[[], bool] = lambda: not self.toPlainText()
        self._composing = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.setViewportMargins(INSET_X, INSET_Y, INSET_X, 0)
        self.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit())
        self.cursorPositionChanged.connect(self._tell_asked)
        self.textChanged.connect(self._tell_asked)
        theme.changed.connect(self._restyle)
        self._restyle()

    # What it holds

    def hint(self, words: str) -> None:
        """Show words while nothing is written; Qt paints them only when they come or go, not when they change."""
        self.setPlaceholderText(words)
        self.viewport().update()

    def put(self, words: str) -> None:
        """Replace the text; undo brings back what was there."""
        cursor = self.textCursor()
        cursor.beginEditBlock()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(words)
        cursor.endEditBlock()
        self.moveCursor(QTextCursor.MoveOperation.End)

    def put_word(self, word: str) -> None:
        """Insert a word at the caret, with blanks around it where there are none."""
        cursor = self.textCursor()
        text = self.toPlainText()
        before, after = text[: cursor.selectionStart()][-1:], text[cursor.selectionEnd() :][:1]
        cursor.insertText(("" if not before or before.isspace() else " ") + word + ("" if after.isspace() else " "))
        self.setTextCursor(cursor)

    def complete(self, asked: Asked, words: str) -> None:
        """Put words in the place of what was asked to be completed."""
        cursor = self.textCursor()
        cursor.setPosition(cursor.position() - len(asked.query) - 1, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(words)
        self.setTextCursor(cursor)

    def what_is_asked(self) -> Asked | None:
        """Return what the text before the caret asks for."""
        cursor = self.textCursor()
        if cursor.hasSelection() or self._composing:
            return None
        line = cursor.block().text()[: cursor.positionInBlock()]
        if cursor.blockNumber() == 0 and (found := _COMMAND.search(line)):
            return Asked("command", found["query"])
        return Asked("file", found["query"]) if (found := _MENTION.search(line)) else None

    # What Qt tells

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if self._composing and event.key() in ENTER:
            event.accept()  # it ends the composing; the input method has had it
        elif self.takes_key(event):
            event.accept()
        elif event.key() in ENTER and modifiers in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier):
            self._enter(breaks=bool(modifiers))
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and not modifiers and self.recalls():
            self.earlier_wanted.emit(1 if event.key() == Qt.Key.Key_Up else -1)
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._keeps(event):
            event.accept()
            return True
        return super().event(event)

    @override
    def focusNextPrevChild(self, next: bool) -> bool:
        if next and self.completing():  # Qt would move the keyboard before `keyPressEvent` sees the Tab
            return self.takes_key(QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier))
        return super().focusNextPrevChild(next)

    @override
    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)
        self._tell_asked()

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit()

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_changed.emit()

    @override
    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasImage() or source.hasUrls() or super().canInsertFromMimeData(source)

    @override
    def insertFromMimeData(self, source: QMimeData) -> None:
        files = [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
        if files:
            self.files_given.emit(files)
        elif source.hasImage() and not source.hasText():
            image = source.imageData()
            self.pictures_given.emit(image if isinstance(image, QImage) else QImage(image))
        else:
            super().insertFromMimeData(source)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.height_of(LINES_AT_LEAST))

    def height_of(self, lines: int) -> int:
        """Return the height in pixels at which so many lines are seen."""
        return lines * self.fontMetrics().lineSpacing() + 2 * INSET_Y

    def _keeps(self, event: QKeyEvent) -> bool:
        """Say whether a key is the completer's before it is a shortcut's; asked without doing anything."""
        return event.key() == Qt.Key.Key_Escape and self.completing()

    def _enter(self, *, breaks: bool) -> None:
        if breaks:
            self.insertPlainText("\n")  # Qt itself would insert a line separator, which is another character
        else:
            self.submitted.emit()

    def _tell_asked(self) -> None:
        self.asked.emit(self.what_is_asked())

    def _fit(self) -> None:
        """Be as high as the text needs, within bounds; the size of a plain text layout is counted in lines."""
        lines = max(LINES_AT_LEAST, min(round(self.document().size().height()), LINES_AT_MOST))
        self.setFixedHeight(self.height_of(lines))

    def _restyle(self) -> None:
        self.setFont(theme.font("prose"))
        palette = self.palette()
        palette.setColor(palette.ColorRole.Base, Qt.GlobalColor.transparent)
        palette.setColor(palette.ColorRole.Highlight, theme["select"])
        self.setPalette(palette)
        self._fit()
