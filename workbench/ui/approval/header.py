"""The head of a question: who wants what, how dangerous it is, where it would run, why it asks, what the model says, and all reasons on request.

The words are the program's own but for the tool's name, the target, the paths and the one bar that says it quotes the model.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.conversation.calls import Reason
from workbench.conversation.events import ApprovalRequested
from workbench.permissions.visible import visible
from workbench.ui.approval.exact_label import ExactLabel, line_height
from workbench.ui.approval.held import further_grant, is_further
from workbench.ui.approval.link import Link
from workbench.ui.approval.pills import Pill, Pills
from workbench.ui.approval.scroll_page import ScrollPage
from workbench.ui.approval.subject import (
    DESCRIPTION_CHARACTERS,
    Made,
    agents_of,
    marks_of,
    notes_of,
    outside_targets,
    sentence_of,
    shortened,
    title_of,
    why_lines,
    workspace_name,
)
from workbench.ui.approval.wrapped import Wrapped
from workbench.ui.confinement_words import Look
from workbench.ui.kit.labels import Badge, Icon, Label
from workbench.ui.kit.layout import column
from workbench.ui.kit.paint import box, vline
from workbench.words import _, many, paragraph, state_name, titled

SIDE = 20
GRAVE = 3
"""From this level on the reasons stand on the wash of the level."""
REASONS_AT_ONCE = 4
REASONS_IN_TRACE = 200
LARGEST_SHARE = 0.45
"""The head takes at most this much of the dialog; more of it scrolls."""
_OUTCOMES = {"allow": ("check", "ok"), "ask": ("question", "muted"), "deny": ("shield-cross", "fail")}


class Header(ScrollPage):
    """Shows the head of one question.

    Signals:
        seen_changed: its end has been in sight.
        grown: it is higher or lower now, so that what is below it moved.

    Attributes:
        seen: everything in it has been in sight.
    """

    seen_changed = Signal()
    grown = Signal()

    def __init__(self) -> None:
        super().__init__(_("What is asked"))
        self.seen = False
        self._requested: ApprovalRequested | None = None
        self._tall = 0
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.verticalScrollBar().valueChanged.connect(self._look)
        self._trace: QWidget | None = None
        self._link = Link(_("Rule trace"))

    def show_question(self, requested: ApprovalRequested, made: Made, folder: str, held: Look | None, *, seen: bool = False) -> None:
        """Show the head of a question.

        Args:
            requested: the question.
            made: how it came about.
            folder: the workspace.
            held: how the call would be held if it were allowed; None if nothing can be said.
            seen: a person had all of it before their eyes already.
        """
        self._requested, self.seen, self._trace = requested, seen, None
        self._link = Link(_("Rule trace"))
        self._link.clicked.connect(self._toggle_trace)
        content = column(
            self._title(requested), self._facts(requested, folder, held), *self._more(requested, made), margins=(SIDE, 16, SIDE, 8), gap=8, ground="raised"
        )
        content.installEventFilter(self)
        self.setWidget(content)
        self.to_top()
        self.fit()

    # Parts

    @staticmethod
    def _title(requested: ApprovalRequested) -> QWidget:
        title = title_of(requested)
        tool = ExactLabel(title.tool, "title", weight="bold", mono=True)
        tool.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        target: QWidget = Label(title.target, "title", "muted") if title.words else ExactLabel(title.target, "title", mono=True)
        return _row(tool, (target, 1), Badge(requested.danger), gap=10, first=line_height("title"))

    @staticmethod
    def _facts(requested: ApprovalRequested, folder: str, held: Look | None) -> QWidget:
        """Return who asks, where, how it would be held, and the marks; what does not fit beside goes into a second row."""
        marks = [Pill(words, f"level{requested.danger}" if requested.danger >= GRAVE else "wait") for words in marks_of(requested)]
        chip = [Pill(held.words, held.tone, held.icon, outline=held.outline)] if held is not None else []
        pills = Pills([*chip, *marks])
        pills.setAccessibleDescription(held.sentence if held is not None else "")
        labels = [ExactLabel(words, "small", "muted") for words in (agents_of(requested), workspace_name(folder))]
        where = [(Icon("folder", "faint", 12), labels[1])] if folder else []
        return Wrapped([(Icon("agent", "faint", 12), labels[0]), *where, (pills,)])

    def _more(self, requested: ApprovalRequested, made: Made) -> Iterator[QWidget]:
        for target in outside_targets(requested):
            yield _sentence("warning", f"level{max(requested.danger, GRAVE)}", _("outside the workspace: {path}").format(path=target.name), "text")
        yield self._why(requested)
        if is_further(requested):
            yield _sentence("shield-part" if requested.confinement == "network" else "shield-off", f"level{GRAVE}", further_grant(requested), "text")
        for note in notes_of(requested, made):
            yield _sentence("info", "muted", note, "muted")
        if requested.description:
            yield Quote(shortened(requested.description, DESCRIPTION_CHARACTERS))

    def _why(self, requested: ApprovalRequested) -> QWidget:
        lines = why_lines(requested)
        shown = lines[:REASONS_AT_ONCE]
        if len(lines) > REASONS_AT_ONCE:
            shown.append(many("… and {n} more reason", "… and {n} more reasons", len(lines) - REASONS_AT_ONCE))
        grave = requested.danger >= GRAVE
        ink = f"level{requested.danger}" if grave else "muted"
        above = max(0, (self._link.sizeHint().height() - line_height("body")) // 2)
        words = column(*(ExactLabel(sentence, lines=True) for sentence in shown), margins=(0, above, 0, 0), gap=2)
        band = Band(f"level{requested.danger}_tint" if grave else "", "warning" if grave else "question", ink, words, self._link)
        band.setAccessibleName(_("Why it asks"))
        band.setAccessibleDescription(paragraph(*map(visible, shown)))
        self._place = column()
        return column(band, self._place)

    # The trace

    @property
    def trace_shown(self) -> bool:
        """Whether all reasons are shown."""
        return self._trace is not None

    def _toggle_trace(self) -> None:
        """Show all reasons in place, or hide them."""
        if self._trace is None and self._requested is not None:
            self._trace = trace_of(self._requested)
            if layout := self._place.layout():
                layout.addWidget(self._trace)
            self._link.setText(_("Hide the trace"))
        elif self._trace is not None:
            self._trace.hide()
            self._trace.deleteLater()
            self._trace = None
            self._link.setText(_("Rule trace"))

    # Size

    def fit(self) -> None:
        """Be as high as the content, up to the share of the dialog."""
        content = self.widget()
        if content is None:
            return
        wanted = content.heightForWidth(max(1, self.viewport().width()))
        tall = min(wanted, int(self.window().height() * LARGEST_SHARE))
        if tall != self._tall:
            self._tall = tall
            self.setFixedHeight(tall)
            self.grown.emit()

    def _look(self) -> None:
        """Note whether the end is in sight."""
        if not self.seen and self.isVisible() and self._tall and self.at_end:
            self.seen = True
            self.seen_changed.emit()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.fit()
        elif event.type() == QEvent.Type.Paint:
            self._look()
        return super().eventFilter(watched, event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()


class Band(QWidget):
    """Sentences that say why it asks: an icon, the words, and at the right the way to all reasons; on a wash if it is grave."""

    def __init__(self, wash: str, icon: str, ink: str, words: QWidget, link: QWidget) -> None:
        super().__init__()
        self._wash = wash
        margins = (12, 8, 8, 8) if wash else (0, 0, 0, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*margins)
        layout.addWidget(_row(Icon(icon, ink), (words, 1), link, gap=8, first=max(link.sizeHint().height(), line_height("body"))))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        if self._wash:
            with QPainter(self) as p:
                box(p, QRectF(self.rect()), self._wash, None, 6)


class Quote(QWidget):
    """What the model says of its own call: labelled, behind a bar, never a title."""

    def __init__(self, words: str) -> None:
        super().__init__()
        label = Label(_("The model says"), "small", "faint", "medium")
        quoted = ExactLabel(words, "small", "muted", lines=True, name=_("The model says"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 2, 0, 2)
        layout.addWidget(_row(label, (quoted, 1), gap=8, first=line_height("small")))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            vline(p, 0, 2, self.height() - 2, "edge", 2)


def trace_of(requested: ApprovalRequested) -> QWidget:
    """Return all reasons with their outcomes, as they stand in the journal."""
    rows = [_trace_row(reason, requested) for reason in requested.reasons[:REASONS_IN_TRACE]]
    left = len(requested.reasons) - len(rows)
    if left > 0:
        rows.append(Label(many("… and {n} more reason", "… and {n} more reasons", left), "small", "faint"))
    return column(*rows, margins=(0, 6, 0, 0), gap=4)


def _trace_row(reason: Reason, requested: ApprovalRequested) -> QWidget:
    icon, ink = _OUTCOMES[reason.outcome]
    outcome = Label(state_name(reason.outcome), "small", ink, "medium")
    row = _row(Icon(icon, ink, 12), outcome, (ExactLabel(sentence_of(reason, requested), "small", "muted", lines=True), 1), gap=6, first=line_height("small"))
    row.setAccessibleName(titled(state_name(reason.outcome), visible(sentence_of(reason, requested))))
    return row


def _sentence(icon: str, ink: str, words: str, token: str) -> QWidget:
    return _row(Icon(icon, ink, 12), (ExactLabel(words, "small", token, lines=True), 1), gap=8, first=line_height("small"))


def _row(*items: QWidget | tuple[QWidget, int], gap: int, first: int = 0) -> QWidget:
    """Set widgets side by side, all from the upper edge; one with a stretch takes the room that is left.

    Icons are as high as the first line, `first` pixels, so that they stand in its middle whatever the fonts are; 0 leaves them.
    """
    holder = QWidget()
    layout = QHBoxLayout(holder)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(gap)
    for item in items:
        if isinstance(item, tuple):
            layout.addWidget(*item)
        else:
            if first and isinstance(item, Icon):
                item.setFixedHeight(first)
            layout.addWidget(item, 0, Qt.AlignmentFlag.AlignTop)
    return holder

