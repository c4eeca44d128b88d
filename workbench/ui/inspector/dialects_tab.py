"""The conversation as each provider would get it, side by side: ids of one call tied together, what is lost marked and told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QScrollArea, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.conversation.messages import ModelRequest
from workbench.inspection.side_by_side import SideBySide, side_by_side
from workbench.inspection.translations import HEAD, Translator, offered
from workbench.ui.bridge import Bridge
from workbench.ui.desk import Desk
from workbench.ui.inspector.dialect_choice import DialectChoice
from workbench.ui.inspector.dialect_text import DialectText
from workbench.ui.inspector.dialects_words import Told, title, told_of
from workbench.ui.inspector.lost_list import LostList
from workbench.ui.inspector.text_lines import TextLines
from workbench.ui.kit.buttons import IconButton
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import Panes, column, line, scrolls
from workbench.ui.kit.theme import theme
from workbench.words import _

LEAST_PANE = 190
"""The least width of a pane, in pixels at no zoom; more panes than fit are reached by a scroll bar."""

FIRST = ("anthropic", "gemini", "responses", "chat_completions")
"""What is shown at first beside the session's own dialect: the first of these that is another."""

PAUSE_S = 0.25
"""The conversation is translated at most this often, and a long one less often: at most a quarter of the time goes into it."""


class Shown(NamedTuple):
    """What a thread made ready to be shown."""

    request: ModelRequest
    panes: SideBySide
    texts: tuple[TextLines, ...]
    told: list[Told]


class DialectPane(QWidget):
    """A body with its head.

    Signals:
        copied: what was put on the clipboard, in a sentence.
    """

    copied = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.body = b""
        self.text = DialectText(_("Body for {name}").format(name=title(name)))
        self._note = Label("", "small", "faint", elide="right")
        copy = IconButton("copy", _("Copy the body as JSON"), small=True)
        copy.clicked.connect(self._copy)
        head = line(Label(title(name), "small", weight="bold", elide="right"), (self._note, 1), copy, margins=(10, 3, 6, 3), gap=7, ground="window", lines="b")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(column(head, (self.text, 1), ground="base"))
        self.setMinimumWidth(round(LEAST_PANE * theme.zoom))

    def show_note(self, words: str) -> None:
        """Say beside the name what the body is."""
        self._note.setText(words)

    def _copy(self) -> None:
        QApplication.clipboard().setText(self.body.decode("utf-8", "replace"))
        self.copied.emit(_("Copied as {name}.").format(name=title(self.name)))


class DialectsTab(QWidget):
    """The tab.

    Signals:
        choice_changed: names of the dialects that a person wants to see.
    """

    choice_changed = Signal(list)

    def __init__(self, bridge: Bridge, desk: Desk) -> None:
        super().__init__()
        self._bridge, self._desk = bridge, desk
        self._translators: dict[str, Translator] = {}
        self._shown: Shown | None = None
        self._working, self._stale, self._remembered = False, False, False
        self._session = 0
        self._followed = ("", HEAD)
        self._opening, self._newest, self._laying_out = True, HEAD, False
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.timeout.connect(self._renew)
        self.choice = DialectChoice(offered())
        self.panes: list[DialectPane] = []
        self._beside = Panes()
        self._area = QScrollArea()
        scrolls(self._area)
        self._area.setWidgetResizable(True)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(self._beside)
        self._words = Label("", "small", "muted", wrap=True)
        self._empty = line((self._words, 1), margins=(14, 12, 14, 12), ground="base")
        self.lost = LostList()
        self._stack = Panes(self._area, self.lost, vertical=True)
        self._stack.setStretchFactor(0, 1)
        self._stack.setStretchFactor(1, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(column(self.choice, ground="base", lines="b"))
        layout.addWidget(self._empty)
        layout.addWidget(self._stack, 1)
        self._connect()
        self._attach()

    def _connect(self) -> None:
        self._bridge.attached.connect(self._attach)
        self._bridge.facts.connect(self._renew_later)
        self._bridge.state_changed.connect(self._renew_later)
        self._desk.settings_changed.connect(self._forget_translators)
        self.choice.changed.connect(self._choose)
        self.lost.jump_wanted.connect(self._jump)

    def restore(self, names: Sequence[str]) -> None:
        """Show the dialects that a person left chosen; names that are none are left out, and without any the usual ones are shown."""
        known = [name for name in names if name in offered()]
        self._remembered = bool(known)
        self.choice.choose(known or self._usual())
        self._make_panes()

    @property
    def is_settled(self) -> bool:
        """Whether the panes show the conversation as it stands now."""
        return self._shown is not None and not (self._working or self._stale or self._again.isActive())

    # What comes

    def _attach(self) -> None:
        self._session += 1
        self._translators, self._shown, self._followed = {}, None, ("", HEAD)
        self._opening, self._newest = True, HEAD
        self._again.stop()
        if not self._remembered:
            self.choice.choose(self._usual())
        self._make_panes()

    def _usual(self) -> list[str]:
        opened = self._bridge.opened
        mine = opened.session.chosen.dialect if opened is not None else "chat_completions"
        other = next((name for name in FIRST if name != mine and name in offered()), None)
        return [name for name in offered() if name in (mine, other)]

    def _choose(self) -> None:
        self._remembered = True
        self.choice_changed.emit(self.choice.chosen())
        self._make_panes()

    def _forget_translators(self) -> None:
        self._translators = {}
        self._renew_later()

    def _renew_later(self) -> None:
        if not self._again.isActive():
            self._again.start(round(PAUSE_S * 1000))

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._opening = True
        self._renew()

    # Translating

    def _renew(self) -> None:
        """Translate what would go out now; a tab that is not in sight waits until it is."""
        if self._bridge.opened is None or not self.isVisible():
            return
        if not self._remembered and self.choice.chosen() != self._usual():  # another model goes on with the conversation
            self.choice.choose(self._usual())
            self._make_panes()
            return
        if self._working:
            self._stale = True
            return
        self._working, self._stale = True, False
        self._desk.spawn(self._translate(self._session), name="translate")

    async def _translate(self, session: int) -> None:
        began = time.monotonic()
        try:
            opened = self._bridge.opened
            if opened is None:
                return
            request, names = opened.session.next_request(), self.choice.chosen()
            mine = [self._translator(name) for name in names]
            shown = await asyncio.to_thread(_translated, mine, request, [pane.text.columns() for pane in self.panes])
            if session == self._session and names == self.choice.chosen():
                self._show(shown)
            else:
                self._stale = True
        finally:
            self._working = False
        if self._stale:
            self._again.start(round(max(PAUSE_S, 3 * (time.monotonic() - began)) * 1000))

    def _translator(self, name: str) -> Translator:
        opened = self._bridge.opened
        if name not in self._translators and opened is not None:
            known = next(known for known in offered() if known == name)
            self._translators[name] = Translator(known, self._desk.app.quirks_of(known, opened.choice))
        return self._translators[name]

    # What is shown

    def _make_panes(self) -> None:
        names = self.choice.chosen()
        kept = {pane.name: pane for pane in self.panes}
        self.panes = [kept.pop(name) if name in kept else self._pane(name) for name in names]
        for pane in kept.values():
            pane.setParent(None)
            pane.deleteLater()
        for place, pane in enumerate(self.panes):
            self._beside.insertWidget(place, pane)
        self._beside.setSizes([1000] * len(self.panes))
        opened = self._bridge.opened
        self._show_notes()
        self._words.setText(_("Open a folder to see what its conversation is in other dialects.") if opened is None else "")
        self._empty.setVisible(opened is None)
        self._stack.setVisible(opened is not None)
        self._renew()

    def _show_notes(self) -> None:
        opened = self._bridge.opened
        mine = opened.session.chosen.dialect if opened is not None else ""
        for pane in self.panes:
            pane.show_note(_("as sent") if pane.name == mine else _("translated"))

    def _pane(self, name: str) -> DialectPane:
        pane = DialectPane(name)
        pane.copied.connect(lambda words: self._desk.told.emit(words, "info"))
        pane.text.hovered.connect(self._point)
        pane.text.picked.connect(self._follow)
        pane.text.columns_changed.connect(self._renew_later)
        pane.text.verticalScrollBar().valueChanged.connect(self._scroll_along)
        return pane

    def _show(self, shown: Shown) -> None:
        first = self._shown is None
        self._shown = shown
        names = [side.translation.name for side in shown.panes.sides]
        self._show_notes()
        self._lay_out(shown, names)
        self.lost.show_told(shown.told, names, any(side.translation.findings is None for side in shown.panes.sides))
        if first:
            height = self.lost.wanted_height()
            self._stack.setSizes([max(1, self._stack.height() - height), height])
        if self._opening:
            self._open_at_newest(shown)

    def _lay_out(self, shown: Shown, names: Sequence[str]) -> None:
        """Give each pane its rows; where the first stood that was there before, all of them stand."""
        leading = next((pane for pane in self.panes if pane.text.shows_side), self.panes[0])
        self._laying_out = True
        for pane, side, lines in zip(self.panes, shown.panes.sides, shown.texts, strict=True):
            pane.body = side.translation.body
            pane.text.show_side(side, lines, shown.panes.numbers, names)
            pane.text.choose(*self._followed)
        self._laying_out = False
        self._scroll_along(leading.text.verticalScrollBar().value())

    def _open_at_newest(self, shown: Shown) -> None:
        """Begin at the newest prompt when the tab is opened; where a person looked before is kept while there is none newer."""
        self._opening = False
        messages = shown.request.messages
        newest = next((place for place in range(len(messages) - 1, -1, -1) if messages[place].role == "user"), HEAD)
        rows = shown.panes.rows_of(newest)
        if newest != self._newest and rows:
            for pane in self.panes:
                pane.text.verticalScrollBar().setValue(rows.start)
        self._newest = newest

    # Following one call

    def _scroll_along(self, value: int) -> None:
        if self._laying_out:  # the rows of the others are still the ones before
            return
        for pane in self.panes:
            if pane.text.verticalScrollBar().value() != value:
                pane.text.verticalScrollBar().setValue(value)

    def _point(self, call_id: str, _message: int) -> None:
        for pane in self.panes:
            pane.text.show_pointed(call_id)

    def _follow(self, call_id: str, message: int) -> None:
        """Show a call, or else a message, in all panes; the same again shows none."""
        wanted = (call_id, HEAD if call_id else message)
        self._followed = ("", HEAD) if wanted == self._followed else wanted
        for pane in self.panes:
            pane.text.choose(*self._followed)

    def _jump(self, place: int, row: int) -> None:
        text = self.panes[place].text
        text.go_to(row)
        for pane in self.panes:
            pane.text.go_to(row)


def _translated(translators: Sequence[Translator], request: ModelRequest, columns: Sequence[int]) -> Shown:
    """Do the slow part; called in a thread."""
    panes = side_by_side([translator.translate(request) for translator in translators], request, columns)
    return Shown(request, panes, tuple(TextLines(side.text) for side in panes.sides), told_of(panes))
