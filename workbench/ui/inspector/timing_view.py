"""When what happened: the tries of a step on one time axis, waits between them included, and the figures of the chosen one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.inspection.requests import RequestRow
from workbench.ui.inspector.figures import NONE, clock, cost_figures, figure, rate, seconds, size, status_words
from workbench.ui.inspector.stream_lanes import axis_span, axis_step, label_area
from workbench.ui.kit.cells import Cell, CellModel, CellTable
from workbench.ui.kit.layout import column
from workbench.ui.kit.paint import RIGHT, box, fill, hatch, hline, text, vline, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _

TOP, AXIS, BAR = 12, 22, 12
LEGEND = 24
TICK_MS = 100


class Phase(NamedTuple):
    """A stretch of time in seconds after the first try was sent, and what it was spent on: ``wait``, ``stream`` or ``pause`` (before a retry)."""

    start_s: float
    end_s: float
    kind: str


def phases(row: RequestRow, first: RequestRow, now: float) -> tuple[Phase, ...]:
    """Return what a try spent its time on, in order; one that runs ends now."""
    begin = max(0.0, row.at - first.at)
    ends = begin + (row.duration_s if row.duration_s is not None else max(0.0, now - row.at) if row.state == "running" else 0.0)
    answered = begin + row.first_byte_s if row.first_byte_s is not None else ends
    found = [Phase(begin, answered, "wait")]
    if row.first_byte_s is not None:
        found.append(Phase(answered, ends, "stream"))
    if row.retry_in_s is not None:
        found.append(Phase(ends, ends + row.retry_in_s, "pause"))
    return tuple(found)


class Waterfall(QWidget):
    """The tries of a step as bars on one axis; the chosen one is emphasised."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(_("Times of the request and its retries"))
        self._now = now
        self._tries: Sequence[RequestRow] = ()
        self._chosen = ""

    def show_tries(self, tries: Sequence[RequestRow], chosen: str) -> None:
        """Show the tries of a step; `chosen` is the exchange id of one of them."""
        self._tries, self._chosen = tries, chosen
        self.setAccessibleDescription("; ".join(f"#{row.number} {status_words(row)} {_words(row)}" for row in tries))
        self.updateGeometry()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        lines = max((row for _x, row, _kind, _words in self._legend_places()), default=0)
        return QSize(320, TOP + len(self._tries) * theme.row + AXIS + LEGEND + lines * theme.lh if self._tries else 0)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.sizeHint().height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            fill(p, QRectF(self.rect()), "base")
            if self._tries:
                self._paint(p)
            hline(p, 0, self.width(), self.height() - 1)

    def _paint(self, p: QPainter) -> None:
        shown = [phases(row, self._tries[0], self._now()) for row in self._tries]
        span = axis_span(max(phase.end_s for row in shown for phase in row))
        small = theme.font("small")
        left = 24 + max(width_of(_label(row), small) for row in self._tries)
        right = 24 + max(width_of(_words(row), small) for row in self._tries)
        scale = max(20.0, self.width() - left - right) / span
        bottom = TOP + len(self._tries) * theme.row
        self._axis(p, left, scale, span, bottom)
        for n, (row, stretches) in enumerate(zip(self._tries, shown, strict=True)):
            area = QRectF(0, TOP + n * theme.row, self.width(), theme.row)
            self._try(p, row, area, left, scale, stretches)
        self._legend(p, bottom + AXIS)

    def _axis(self, p: QPainter, left: float, scale: float, span: float, bottom: int) -> None:
        step = axis_step(span)
        for n in range(int(span / step + 1e-6) + 1):
            x = round(left + n * step * scale)
            vline(p, x, TOP, bottom)
            label = _("{seconds} s").format(seconds=f"{n * step:.3g}")
            text(p, label_area(label, x, bottom + 2, self.width()), label, theme.font("tiny"), "faint")

    def _try(self, p: QPainter, row: RequestRow, area: QRectF, left: float, scale: float, stretches: Sequence[Phase]) -> None:
        chosen = row.exchange_id == self._chosen
        font = theme.font("small", "medium" if chosen else "regular")
        text(p, QRectF(12, area.y(), left - 20, area.height()), _label(row), font, "fail" if row.state == "failed" else "text" if chosen else "muted")
        text(p, area.adjusted(0, 0, -12, 0), _words(row), font, "text" if chosen else "muted", RIGHT)
        y = round(area.y() + (area.height() - BAR) / 2)
        for phase in stretches:
            _draw(p, QRectF(left + phase.start_s * scale, y, max(1.0, (phase.end_s - phase.start_s) * scale), BAR), phase.kind)
        if row.state == "failed":
            ends = stretches[-1].start_s if stretches[-1].kind == "pause" else stretches[-1].end_s
            p.fillRect(QRectF(round(left + ends * scale) - 1, y - 3, 2, BAR + 6), theme["fail"])

    def _legend_places(self) -> list[tuple[float, int, str, str]]:
        """Return (x, line, kind, words) for each sort of time that is shown; lines that do not fit are broken."""
        places: list[tuple[float, int, str, str]] = []
        x, row = 12.0, 0
        kinds = {phase.kind for one in self._tries for phase in phases(one, self._tries[0], self._now())}
        for kind, words in (("wait", _("waiting for the first byte")), ("stream", _("response coming")), ("pause", _("pause before the retry"))):
            wide = 18 + width_of(words, theme.font("tiny")) + 14
            if kind not in kinds:
                continue
            if places and x + wide - 14 > self.width():
                x, row = 12.0, row + 1
            places.append((x, row, kind, words))
            x += wide
        return places

    def _legend(self, p: QPainter, y: int) -> None:
        for x, row, kind, words in self._legend_places():
            _draw(p, QRectF(x, y + row * theme.lh + 4, 12, 8), kind)
            text(p, QRectF(x + 18, y + row * theme.lh, self.width() - x - 18, 16), words, theme.font("tiny"), "faint")


def _draw(p: QPainter, area: QRectF, kind: str) -> None:
    match kind:
        case "wait":
            hatch(p, area, "field", 5)
            box(p, area, None, "field", 0)
        case "stream":
            fill(p, area, "role_assistant")
        case _:
            fill(p, area, "level2_tint")
            hatch(p, area, "level2", 5)


def _label(row: RequestRow) -> str:
    return f"#{row.number}  {status_words(row)}"


def _words(row: RequestRow) -> str:
    words = seconds(row.duration_s)
    return words if row.retry_in_s is None else f"{words} + {seconds(row.retry_in_s)}"


class TimingView(QWidget):
    """The times of the chosen request.

    Args:
        tries: gives all tries of the step that a request belongs to.
        now: gives seconds since 1970.
    """

    def __init__(self, tries: Callable[[RequestRow], Sequence[RequestRow]], *, now: Callable[[], float] = time.time) -> None:
        super().__init__()
        self._tries, self._now = tries, now
        self._row: RequestRow | None = None
        self.waterfall = Waterfall(now)
        self.facts = CellModel([], 2)
        self.table = CellTable(self.facts, [_("What"), _("Figure")], stretch=1, head=False, name=_("Times and sizes"))
        self._ticking = QTimer(self)
        self._ticking.setInterval(TICK_MS)
        self._ticking.timeout.connect(self._tick)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(column(self.waterfall, (self.table, 1), ground="base"))

    def show_row(self, row: RequestRow | None) -> None:
        """Show the times of a request."""
        self._row = row
        self.waterfall.show_tries(self._tries(row) if row is not None else (), row.exchange_id if row is not None else "")
        self.facts.set_rows([] if row is None else [[Cell(name, token="muted"), Cell(value)] for name, value in facts_of(row)])
        self.table.setColumnWidth(0, round(150 * theme.zoom))
        if row is not None and row.state == "running":
            self._ticking.start()
        else:
            self._ticking.stop()

    def _tick(self) -> None:
        if self.isVisible():
            self.waterfall.update()


def facts_of(row: RequestRow) -> list[tuple[str, str]]:
    """Return the figures of a request, each with its name."""
    stream_s = (row.duration_s or 0.0) - (row.first_byte_s or 0.0) if row.first_byte_s is not None else None
    received = row.closed.size_bytes if row.closed is not None else 0
    tokens = row.usage.output_tokens
    facts = [
        (_("Sent"), f"{clock(row.at)} · {size(row.opened.body.size_bytes)}"),
        (_("First byte"), seconds(row.first_byte_s)),
        (_("Response coming"), seconds(stream_s)),
        (_("End"), seconds(row.duration_s)),
        (_("Received"), " · ".join(filter(None, (size(received), rate(received, stream_s or 0.0)))) if row.closed is not None else NONE),
    ]
    if row.usage.input_tokens is not None:
        facts.append((_("Tokens in"), figure(row.usage.input_tokens)))
    if row.usage.cached_tokens:
        facts.append((_("of these cached"), figure(row.usage.cached_tokens)))
    if tokens is not None:
        speed = _("{n} tokens/s").format(n=f"{tokens / stream_s:,.0f}") if tokens and stream_s else ""
        facts.append((_("Tokens out"), " · ".join(filter(None, (figure(tokens), speed)))))
    if row.usage.reasoning_tokens:
        facts.append((_("of these reasoning"), figure(row.usage.reasoning_tokens)))
    if row.cost is not None:
        facts.append((_("Cost"), cost_figures(row.cost)))
    if row.retry_in_s is not None:
        facts.append((_("Pause before the retry"), seconds(row.retry_in_s)))
    return facts
