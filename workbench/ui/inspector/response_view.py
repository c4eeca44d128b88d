"""A response as a whole: how it ended, what went wrong in a sentence and in the provider's words, the answer joined or the body laid out, and the raw bytes."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.inspection.requests import RequestRow
from workbench.inspection.streams import read_stream
from workbench.store.session_store import SessionStore
from workbench.ui.desk import Desk
from workbench.ui.inspector.answer_text import Readable, joined, language_of
from workbench.ui.inspector.figures import failure_words, one_line, seconds, size, status_words
from workbench.ui.inspector.recorded import Recorded, exactness, laid_out
from workbench.ui.inspector.search_field import SearchField
from workbench.ui.inspector.text_lines import TextLines
from workbench.ui.inspector.virtual_text import VirtualText
from workbench.ui.kit.choices import Segments
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.layout import column, line
from workbench.ui.kit.paint import box
from workbench.ui.kit.theme import theme
from workbench.words import _, tell

READ, RAW = range(2)


class ErrorStrip(QWidget):
    """What went wrong: the program's sentence, and what comes next."""

    def __init__(self) -> None:
        super().__init__()
        self.sentence = Label("", "small", "text", wrap=True, select=True)
        self.sentence.setAccessibleName(_("Error"))
        self.next = Label("", "tiny", "muted", wrap=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 7, 12, 7)
        row.setSpacing(8)
        row.addWidget(Icon("warning", "fail"))
        row.addWidget(column(self.sentence, self.next, gap=2), 1)

    def show_row(self, row: RequestRow | None) -> None:
        """Show the error of a request; nothing if there is none."""
        sentence, after = _error(row)
        self.sentence.setText(one_line(sentence, 2_000))
        self.next.setText(after)
        self.next.setVisible(bool(after))
        self.setVisible(bool(sentence))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            box(p, QRectF(self.rect()), "fail_tint", None, 6)


def _error(row: RequestRow | None) -> tuple[str, str]:
    """Return the sentence of an error, and what the program does about it."""
    if row is None or row.state != "failed":
        return "", ""
    if row.closed is None:
        return _("No end of the response was recorded: the program ended first."), ""
    after = _("It is sent again after {time}.").format(time=seconds(row.retry_in_s)) if row.retry_in_s is not None else ""
    return tell(row.closed) or failure_words(row), after


class _Response(NamedTuple):
    """A response, read for showing."""

    raw: TextLines
    language: str
    read: Readable
    exact: bool


class ResponseView(QWidget):
    """The response of the chosen request."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._recorded = Recorded(desk, self)
        self._row: RequestRow | None = None
        self._response: _Response | None = None
        self._icon = Icon("check", "ok")
        self._status = Label("", "small", "text", "medium")
        self._facts = Label("", "small", "faint", elide="right")
        self.strip = ErrorStrip()
        self.form = Segments([_("Read"), _("Raw")], name=_("How the response is shown"))
        self.form.changed.connect(self._show_form)
        self.search = SearchField(_("Search in the response"))
        self.search.setMaximumWidth(round(220 * theme.zoom))
        self.text = VirtualText(_("Text of the response"))
        self.search.searched.connect(self.text.search)
        self.search.next_wanted.connect(self.text.search_next)
        self.search.previous_wanted.connect(self.text.search_previous)
        self.text.matches_changed.connect(self.search.show_matches)
        head = line(self._icon, self._status, (self._facts, 1), margins=(12, 8, 12, 2), gap=8, ground="base")
        tools = line(self.form, (self.search, 4), None, margins=(10, 6, 8, 6), gap=8, ground="base", lines="b")
        self._strip_holder = column(self.strip, margins=(12, 4, 12, 4), ground="base")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(column(head, self._strip_holder, tools, (self.text, 1)))
        self.show_row(None)

    def show_row(self, row: RequestRow | None) -> None:
        """Show the response of a request, anew when more of it is known."""
        if row is not None and row == self._row:
            return
        same = row is not None and self._row is not None and row.exchange_id == self._row.exchange_id
        self._row = row
        self._show_head()
        if not same:
            self._response = None
            self.search.set_text("")
        if row is None or row.state == "running":
            self._recorded.forget()
            self.text.set_text(_("Choose a request to read its response.") if row is None else _("The response is still coming; Stream shows it as it comes."))
        else:
            self._recorded.read(partial(_read, row=row), self._put, self.text.set_text)

    def _show_head(self) -> None:
        row = self._row
        self.strip.show_row(row)
        self._strip_holder.setVisible(self.strip.isVisibleTo(self._strip_holder))
        if row is None:
            self._icon.hide()
            self._status.setText("")
            self._facts.setText("")
            return
        name, token = {"running": ("running", "text"), "done": ("check", "ok"), "failed": ("failed", "fail")}[row.state]
        self._icon.show()
        self._icon.show_icon(name, token)
        self._status.setText(status_words(row))
        closed = row.closed
        words = [closed.http_version, seconds(closed.duration_s), size(closed.size_bytes)] if closed is not None else []
        if self._response is not None and not self._response.exact:
            words.append(exactness(exact=False))
        self._facts.setText(" · ".join(filter(None, words)))

    def _put(self, response: _Response) -> None:
        self._response = response
        self._show_head()
        self._show_form()

    def _show_form(self) -> None:
        if self._response is None:
            return
        if self.form.chosen == RAW:
            self.text.show_lines(self._response.raw, language=self._response.language)
        else:
            self.text.show_lines(self._response.read.lines, language=self._response.read.language, words=not self._response.read.language)
            self.text.set_marks(dict.fromkeys(self._response.read.headings, "sunken"))
        if self.search.text():
            self.text.search(self.search.text())


def _read(store: SessionStore, *, row: RequestRow) -> _Response:
    """Read a response. Blocking, for a thread.

    Raises:
        StoreError: it is damaged.
    """
    chunks = store.chunks(row.exchange_id)
    data = b"".join(chunk.data for chunk in chunks)
    language = language_of(data)
    exact = not store.response_spans(row.exchange_id)
    if not data:
        read = Readable(TextLines(_("No byte of a response came.")))
    elif language == "sse" or row.responded is not None:
        headers, original = (row.closed.headers, row.closed.original) if row.closed else ((), "")
        message = row.responded.message if row.responded else read_stream(row.opened.dialect, headers, chunks).message()
        read = joined(message, laid_out(original.encode()).decode())
    else:
        read = Readable(TextLines(laid_out(data) if language == "json" else data), language=language)
    return _Response(TextLines(data), language, read, exact)
