"""The chosen part, whole: what the model sent, what ran, what it was told."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from workbench.inspection.estimates import Scale
from workbench.ui.inspector.messages_content import Content, Section
from workbench.ui.inspector.virtual_text import VirtualText
from workbench.ui.kit.buttons import Chip, IconButton
from workbench.ui.kit.choices import Segments
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import Ground, column, line
from workbench.words import _, many

REFRESH_MS = 250
"""A text that still grows is read anew this often."""


class PartDetail(Ground):
    """Title, state, id, and the texts of a part, one at a time.

    Signals:
        closed: a person closed it.
    """

    closed = Signal()

    def __init__(self) -> None:
        super().__init__("base")
        self.content: Content | None = None
        self._next: Content | None = None
        self._scale = Scale()
        self._segments: Segments | None = None
        self._title = Label("", "title", weight="bold", elide="right")
        self._code = Label("", "title", weight="bold", mono=True, elide="right")
        self._status = Chip("")
        self._ident = Label("", "code", "accent", select=True, elide="middle")
        self._figures = Label("", "tiny", "faint", elide="right")
        self._section = Label("", "small", "muted", "bold", elide="right")
        copy = IconButton("copy", _("Copy this text"), small=True)
        copy.clicked.connect(self._copy)
        close = IconButton("cross", _("Close"), small=True)
        close.clicked.connect(self.closed)
        self.text = VirtualText(_("The chosen part"), numbers=False)
        self._refresh = QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(REFRESH_MS)
        self._refresh.timeout.connect(self._show_next)
        self._choices = QWidget()
        QVBoxLayout(self._choices).setContentsMargins(0, 0, 0, 0)
        self._lay_out(copy, close)

    def _lay_out(self, copy: IconButton, close: IconButton) -> None:
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(0)
        stack.addWidget(line(self._title, self._code, self._status, None, copy, close, margins=(14, 8, 8, 0), gap=8))
        stack.addWidget(column(self._ident, margins=(14, 0, 14, 2)))
        stack.addWidget(line(self._choices, self._section, (self._figures, 1), margins=(14, 4, 14, 6), gap=8))
        stack.addWidget(self.text, 1)

    def show_content(self, content: Content, scale: Scale) -> None:
        """Show a part from its beginning; `scale` makes tokens of sizes."""
        self._refresh.stop()
        self._scale = scale
        self._show_heads(content)
        self._show_choices(content, content.first)
        self._show_section(content.first)

    def follow(self, content: Content, scale: Scale) -> None:
        """Show how the same part stands now, in a moment; the place in the text stays."""
        self._scale = scale
        if content == self.content:
            return
        self._next = content
        if not self._refresh.isActive():
            self._refresh.start()

    def _show_next(self) -> None:
        content, self._next = self._next, None
        if content is None or self.content is None:
            return
        chosen = self._segments.chosen if self._segments is not None else 0
        names = [section.name for section in self.content.sections]
        place, before = self.text.verticalScrollBar().value(), self._shown(chosen)
        self._show_heads(content)
        if names != [section.name for section in content.sections]:
            chosen = min(chosen, len(content.sections) - 1)
            self._show_choices(content, chosen)
        if self._shown(chosen) != before:
            self._show_section(chosen)
            self.text.verticalScrollBar().setValue(place)

    def _show_heads(self, content: Content) -> None:
        self.content = content
        for label, mono in ((self._title, False), (self._code, True)):
            label.setText(content.title)
            label.setVisible(content.mono is mono)
        self._status.setVisible(content.status is not None)
        if content.status is not None:
            self._status.show_status(*content.status)
        self._ident.setText(content.ident)
        if (holder := self._ident.parentWidget()) is not None:
            holder.setVisible(bool(content.ident))

    def _show_choices(self, content: Content, chosen: int) -> None:
        """Offer the sections, if there are several."""
        if self._segments is not None:
            self._segments.hide()
            self._segments.deleteLater()
            self._segments = None
        self._choices.setVisible(len(content.sections) > 1)
        if len(content.sections) > 1 and (layout := self._choices.layout()) is not None:
            self._segments = Segments([section.name for section in content.sections], chosen, name=_("Texts of this part"))
            self._segments.changed.connect(self._show_section)
            layout.addWidget(self._segments)
        self._section.setVisible(len(content.sections) == 1)

    def _shown(self, place: int) -> Section | None:
        sections = self.content.sections if self.content is not None else ()
        return sections[place] if place < len(sections) else None

    def _show_section(self, place: int) -> None:
        section = self._shown(place)
        if section is not None:
            self._section.setText(section.name)
            tokens = self._scale.tokens(section.size)
            self._figures.setText(" · ".join(piece for piece in (many("≈ {n} token", "≈ {n} tokens", tokens) if tokens else "", section.note) if piece))
            self.text.set_text(section.text, language=section.language, words=not section.language)
            self.text.set_marks(section.marks)

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()  # it closes the part and does not stop the turn
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _copy(self) -> None:
        section = self._shown(self._segments.chosen if self._segments is not None else 0)
        if section is not None:
            QGuiApplication.clipboard().setText(section.text)
