"""What stands in the chat before anything was said: who answers, what could be said first, and the way to a real model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.app import is_practice
from workbench.permissions.visible import visible
from workbench.ui.desk import Desk
from workbench.ui.frame.choices_row import servers_found
from workbench.ui.frame.errands import Errands
from workbench.ui.frame.paragraph import Paragraph
from workbench.ui.frame.suggestions import Suggestion, SuggestionKind, suggestions_for
from workbench.ui.kit.buttons import Button, Painted
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import Ground, scrolls
from workbench.ui.kit.paint import box, fill, focus_ring, hline
from workbench.ui.kit.theme import theme
from workbench.words import _, language, marked

WIDTH = 560
MARGIN = 20
SUGGESTION_LEFT, SUGGESTION_ROOM = 44, 80
"""Pixels before the words of a suggestion, and on both sides of them together."""

TALLEST = 10_000
WRAPPED = int(Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)
ICONS: dict[SuggestionKind, str] = {"introduce": "folder-open", "replace": "pen", "write": "pen", "drill": "retry"}
_SHOWS: dict[SuggestionKind, str] = dict(
    zip(
        ("introduce", "replace", "write", "drill"),
        marked(
            "Lists the folder, reads up to four files at once, sums up",
            "Stops at an approval with the exact difference",
            "Stops at an approval with the new file",
            "A 429 arrives; watch the wait and the second try in Requests",
        ),
        strict=True,
    )
)
_TO_A_MODEL = dict(
    zip(
        ("folder-open", "terminal", "pen"),
        (
            marked("Introduce this project.", "The model looks around; reading in this folder asks nobody"),
            marked("How are the tests run here? Run them.", "Stops at an approval with the command"),
            marked("Find one thing that is wrong or unclear, and mend it.", "Stops at an approval with the exact difference"),
        ),
        strict=True,
    )
)
"""Sentences for a real model, by their icon: what to say, and what it will show."""


class SuggestionRow(Painted):
    """A sentence to try, and what it will show; the whole row is the button. Words that do not fit go on in the next line."""

    def __init__(self, icon_name: str, words: str, shows: str, *, last: bool) -> None:
        self.icon_name, self.shows, self.last = icon_name, shows, last
        super().__init__(visible(words))
        self.setAccessibleDescription(shows)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)  # a fixed height would be that of the width before
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @override
    def hasHeightForWidth(self) -> bool:
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        words, shows = self._heights(width)
        return words + shows + 20

    @override
    def tall(self) -> int:
        return self.heightForWidth(self.width())

    @override
    def measure(self) -> float:
        return 200

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        ground = self.pointer_ground()
        if ground:
            fill(p, rect, ground)
        draw_icon(p, self.icon_name, 14, 13, "accent")
        words, shows = self._heights(int(rect.width()))
        room = rect.width() - SUGGESTION_ROOM
        _draw_wrapped(p, QRectF(SUGGESTION_LEFT, 10, room, words), self.text(), theme.font("body", "medium"), "text")
        _draw_wrapped(p, QRectF(SUGGESTION_LEFT, 11 + words, room, shows), self.shows, theme.font("small"), "muted")
        draw_icon(p, "chevron-right", rect.width() - 28, (rect.height() - 12) / 2, "faint", 12)
        if not self.last:
            hline(p, 0, rect.width(), rect.height() - 1)
        if self.state("focus"):
            focus_ring(p, rect)

    def _heights(self, width: int) -> tuple[int, int]:
        """Return how high the sentence and what it shows are, pixels."""
        room = width - SUGGESTION_ROOM
        return _wrapped_height(self.text(), theme.font("body", "medium"), room), _wrapped_height(self.shows, theme.font("small"), room)


def _wrapped_height(words: str, font: QFont, width: int) -> int:
    lines = QFontMetrics(font).boundingRect(QRect(0, 0, max(width, 40), TALLEST), WRAPPED, words).height()
    return max(theme.lh, lines) + 2


def _draw_wrapped(p: QPainter, rect: QRectF, words: str, font: QFont, token: str) -> None:
    p.setFont(font)
    p.setPen(theme[token])
    p.drawText(rect, WRAPPED, words)


class SuggestionBox(QWidget):
    """Suggestions in one outline.

    Signals:
        chosen: the sentence of the one that was pressed.
    """

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[SuggestionRow] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(1, 1, 1, 1)
        self._layout.setSpacing(0)

    def show_suggestions(self, suggestions: Sequence[tuple[str, str, str]]) -> None:
        """Show others: each an icon, the sentence, and what it shows."""
        for row in self._rows:
            row.hide()
            row.deleteLater()
        self._rows = []
        for icon_name, words, shows in suggestions:
            row = SuggestionRow(icon_name, words, shows, last=len(self._rows) == len(suggestions) - 1)
            row.clicked.connect(lambda _checked=False, words=words: self.chosen.emit(words))
            self._layout.addWidget(row)
            row.show()  # the layout would do it later, and count it only then
            self._rows.append(row)
        self.setVisible(bool(suggestions))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            box(p, QRectF(self.rect()), "card", "edge", 6)


class Welcome(QScrollArea):
    """The first page.

    Signals:
        suggested: a sentence that a person wants to say.
        folder_wanted: a folder is to be chosen.
        provider_wanted: a provider is to be added.
    """

    suggested = Signal(str)
    folder_wanted = Signal()
    provider_wanted = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        scrolls(self)
        self._desk, self._errands = desk, Errands(desk, self)
        self._asked = 0
        self._title = Label("", "display", weight="bold", wrap=True)
        self._about = Paragraph()
        self._try = Label(_("Try one of these"), "small", "muted", "bold")
        self._suggestions = SuggestionBox()
        self._open = Button(_("Open folder…"), "primary", "folder-open")
        self._ready = Label(_("Ready for a real model?"), "small", "muted")
        self._find = Button(_("Find local servers"), small=True, icon_name="search")
        self._add = Button(_("Add a provider…"), small=True, icon_name="key")
        self._found = Label("", "small", "muted", wrap=True)
        self._page = QWidget()
        self._lay_out()
        self._connect()
        self._show()

    def _lay_out(self) -> None:
        real = self._real = QHBoxLayout()
        real.setSpacing(8)
        for widget in (self._ready, self._find, self._add):
            real.addWidget(widget)
        real.addStretch(1)
        column = self._column = QVBoxLayout(self._page)
        column.setContentsMargins(0, MARGIN, 0, MARGIN)
        column.setSpacing(0)
        for item in (self._title, 8, self._about, 20, self._try, 8, self._suggestions, self._open, 16):
            column.addSpacing(item) if isinstance(item, int) else column.addWidget(item)
        column.addLayout(real)
        column.addSpacing(8)
        column.addWidget(self._found)
        self._open.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        ground = Ground("base")
        middle = QVBoxLayout(ground)
        middle.setContentsMargins(MARGIN, 0, MARGIN, 0)
        middle.addStretch(1)
        middle.addWidget(self._page, 0, Qt.AlignmentFlag.AlignHCenter)
        middle.addStretch(2)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(ground)
        self._found.hide()

    def _connect(self) -> None:
        self._suggestions.chosen.connect(self.suggested)
        self._open.clicked.connect(self.folder_wanted)
        self._find.clicked.connect(lambda: self._errands.spawn(self._find_servers(), "find local servers"))
        self._add.clicked.connect(self.provider_wanted)
        bridge = self._desk.bridge
        for signal in (self._desk.workspace_changed, self._desk.models_changed, self._desk.trust.changed, bridge.attached, bridge.state_changed):
            signal.connect(self._renew)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        """Make the page as wide as can be read well, and as high as its texts are then."""
        width = max(200, min(WIDTH, self.viewport().width() - 2 * MARGIN))
        in_a_line = sum(widget.sizeHint().width() for widget in (self._ready, self._find, self._add)) + 2 * self._real.spacing()
        self._real.setDirection(QBoxLayout.Direction.LeftToRight if in_a_line <= width else QBoxLayout.Direction.TopToBottom)
        self._column.invalidate()
        self._page.setFixedSize(width, self._column.totalHeightForWidth(width))

    # What is shown

    def _renew(self) -> None:
        if self.isVisible():  # else `showEvent` does
            self._show()

    def _show(self) -> None:
        self._show_words()
        self._fit()

    def _show_words(self) -> None:
        workspace, opened = self._desk.workspace, self._desk.bridge.opened
        for widget in (self._try, self._suggestions):
            widget.setVisible(workspace is not None)
        self._open.setVisible(workspace is None)
        if workspace is None or opened is None:
            self._title.setText(_("Open a folder to begin."))
            self._about.set_words(_("Everything a model reads or changes lies in one folder that you choose. Nothing leaves this computer before you send it."))
            self._suggestions.show_suggestions(())
            return
        name = visible(workspace.path.name or str(workspace.path))
        self._title.setText(_("{name} is open. Nothing has been sent yet.").format(name=name))
        practice = is_practice(opened.session.chosen.profile)
        self._about.set_words(_about_practice() if practice else _about_model(opened.session.chosen.model, opened.choice.profile.title))
        self._ready.setText(_("Ready for a real model?") if practice else _("Another model?"))
        if practice and self.isVisible():
            self._errands.spawn(self._suggest(), "look for something to suggest")
        elif not practice:
            self._asked += 1
            self._suggestions.show_suggestions([(icon_name, _(words), _(shows)) for icon_name, (words, shows) in _TO_A_MODEL.items()])

    async def _suggest(self) -> None:
        """Look in the folder for what would work there; what was looked for last is shown."""
        self._asked += 1
        asked, workspace = self._asked, self._desk.workspace
        if workspace is None:
            return
        known = self._desk.app.trust.known(workspace)
        reads = known.trusted or not known.digest  # what a folder says is not shown as ours before it is trusted
        found = await asyncio.to_thread(suggestions_for, workspace.path, language(), reads=reads)
        if asked == self._asked:
            self._suggestions.show_suggestions([_row(suggestion) for suggestion in found])
            self._fit()

    async def _find_servers(self) -> None:
        self._find.setEnabled(False)
        self._say(_("Looking…"))
        try:
            self._say(servers_found(await self._desk.find_local_servers()))
        finally:
            self._find.setEnabled(True)

    def _say(self, sentence: str) -> None:
        self._found.setText(sentence)
        self._found.setAccessibleName(sentence)
        self._found.show()
        self._fit()


def _row(suggestion: Suggestion) -> tuple[str, str, str]:
    return ICONS[suggestion.kind], suggestion.words, _(_SHOWS[suggestion.kind])


def _about_practice() -> str:
    return _(
        "You are talking to the practice model: a script, not an AI. It needs no key, runs on this computer, and really drives the tools. "
        "What it wants to change or run, you decide."
    )


def _about_model(model: str, provider: str) -> str:
    sentence = _(
        "You are talking to {model} at {provider}. It gets your messages and what its calls read in this folder; "
        "what it wants to change or run, you decide."
    )
    return sentence.format(model=visible(model), provider=visible(provider or model))
