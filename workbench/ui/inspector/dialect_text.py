"""One body of several side by side: a text whose gutter ties the ids of a call together and marks what is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QToolTip
from typing_extensions import override

from workbench.inspection.side_by_side import Side
from workbench.inspection.translations import HEAD
from workbench.ui.inspector.dialects_words import short_title
from workbench.ui.inspector.text_colours import JsonColours, Span
from workbench.ui.inspector.text_lines import Piece, TextLines
from workbench.ui.inspector.text_painter import PAD
from workbench.ui.inspector.virtual_text import VirtualText
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.labels import tip_text
from workbench.ui.kit.paint import CENTRE, box, fill, text, width_of
from workbench.ui.kit.theme import theme
from workbench.words import strung, tell_text

LEFT = 8
LOST_ICON = 14


class RowColours:
    """The colours of JSON whose lines are wrapped."""

    def __init__(self, lines: TextLines, in_string: bytearray) -> None:
        self._json, self._in_string = JsonColours(lines), in_string

    def spans(self, line: int, piece: Piece, /) -> list[Span]:
        """Return the coloured bytes of a piece of a row."""
        inside = line < len(self._in_string) and self._in_string[line]
        return self._json.spans(line, piece._replace(in_string=True) if inside else piece)


class DialectText(VirtualText):
    """A body in one dialect.

    Signals:
        hovered: (call id, message) under the pointer; empty and HEAD for none.
        picked: (call id, message) that a person clicked, or chose with Enter.
        columns_changed: there is room for more or fewer cells across.
    """

    hovered = Signal(str, int)
    picked = Signal(str, int)
    columns_changed = Signal()

    def __init__(self, name: str) -> None:
        self._side: Side | None = None
        self._numbers_of: Mapping[str, int] = {}
        self._names: Sequence[str] = ()
        self._wide = 0
        self._losses: dict[int, list[str]] = {}
        self._refused: dict[int, list[str]] = {}
        self._chosen, self._chosen_message, self._under = "", HEAD, ("", HEAD)
        super().__init__(name, language="json", numbers=False, wrap=False)
        self.viewport().setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.activated.connect(self._pick_at)

    # What is shown

    def show_side(self, side: Side, lines: TextLines, numbers: Mapping[str, int], names: Sequence[str]) -> None:
        """Show a body, or how it stands now; what was in sight stays there, and its end if that was.

        Args:
            side: the body.
            lines: its rows.
            numbers: of the calls, by their id.
            names: the dialects of all panes.
        """
        upright = self.verticalScrollBar()
        top, caret = upright.value(), self._line_at(self._caret)
        sight = self._line_in(top)
        inside = top - self._row_of(sight)
        followed = self._side is not None and top > 0 and top == upright.maximum()
        self._side, self._numbers_of, self._names = side, numbers, names
        self._note()
        self.show_lines(lines)
        self._anchor = self._caret = self.lines.start(self._row_of(caret))
        upright.setValue(upright.maximum() if followed else self._row_of(sight) + inside)

    @property
    def shows_side(self) -> bool:
        """Whether a body is shown yet."""
        return self._side is not None

    def _line_in(self, row: int) -> int:
        """Return the line in a row, or in the next row above that has one."""
        if self._side is None:
            return 0
        return next((self._side.lines[at] for at in range(min(row, len(self._side.lines) - 1), -1, -1) if self._side.lines[at] >= 0), 0)

    def _line_at(self, offset: int) -> int:
        return self._line_in(self.lines.line_at(offset))

    def _row_of(self, line: int) -> int:
        rows = self._side.rows if self._side is not None else ()
        return rows[min(line, len(rows) - 1)] if rows else 0

    @override
    def _colour(self) -> None:
        self._colours = RowColours(self.lines, self._side.in_string if self._side is not None else bytearray())

    def _note(self) -> None:
        self._losses, self._refused = {}, {}
        if self._side is None:
            return
        for line, loss in self._side.translation.losses:
            if line >= 0:
                self._losses.setdefault(self._side.rows[line], []).append(f"{loss.rule}: {tell_text(loss.text)}")
        for row, found in self._side.elsewhere.items():
            self._losses.setdefault(row, []).extend(f"→ {short_title(self._names[pane])}: {loss.rule}: {tell_text(loss.text)}" for pane, loss in found)
        for line, finding in self._side.translation.findings or ():
            self._refused.setdefault(self._side.rows[line], []).append(f"{finding.rule}: {tell_text(finding.message)}")

    def choose(self, call_id: str, message: int) -> None:
        """Show which call, or which message, is followed."""
        if (call_id, message) != (self._chosen, self._chosen_message):
            self._chosen, self._chosen_message = call_id, message
            self.viewport().update()

    def row_of_call(self, call_id: str, *, result: bool) -> int | None:
        """Return the row that names a call, or the next that names it: its result; None if none does."""
        if self._side is None:
            return None
        rows = [self._side.rows[number] for number, line in enumerate(self._side.translation.lines) if line.call_id == call_id]
        return rows[-1 if result else 0] if rows else None

    def go_to(self, row: int) -> None:
        """Put the caret into a row and bring it into sight, some rows below the top."""
        if not 0 <= row < len(self.lines):
            return
        page = self.verticalScrollBar().pageStep()
        if not self.verticalScrollBar().value() <= row < self.verticalScrollBar().value() + page:
            self.verticalScrollBar().setValue(row - page // 4)
        self._move_to(self.lines.start(row), keep=False)

    # Painting

    def columns(self) -> int:
        """Return how many cells there is room for across."""
        return self._columns()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        before = self._wide
        super().resizeEvent(event)
        self._wide = self._columns()
        if self._wide != before:
            self.columns_changed.emit()

    @override
    def _text_x(self) -> int:
        widest = max(map(self._circle_width, (9, len(self._numbers_of)))) if self._numbers_of else 0
        return round(max(widest, theme.mh) + 2 * LEFT + 2)

    def _circle_width(self, number: int) -> float:
        return max(theme.mh - 2, width_of(str(number), theme.font("tiny", "bold")) + 6)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        self._marks = self._washes()
        super().paintEvent(event)
        with QPainter(self.viewport()) as p:
            top = self.verticalScrollBar().value()
            for row in self._rows_in_sight():
                self._gutter(p, row, PAD + (row - top) * self._metrics.row)

    def _rows_in_sight(self) -> range:
        top = self.verticalScrollBar().value()
        return range(top, min(len(self.lines), top + self.verticalScrollBar().pageStep() + 2))

    def _washes(self) -> dict[int, str]:
        """Return the washes of the rows in sight."""
        washes: dict[int, str] = {}
        for row in self._rows_in_sight():
            line, first = self._side.line(row) if self._side is not None else None, self._first(row)
            if first in self._refused:
                washes[row] = "fail_tint"
            elif first in self._losses:
                washes[row] = "level2_tint"
            elif line is not None and line.call_id and line.call_id in (self._chosen, self._under[0]):
                washes[row] = "accent_tint"
        return washes

    def _first(self, row: int) -> int:
        """Return the first row of the line in a row; of an empty row the row itself."""
        return self._side.rows[self._side.lines[row]] if self._side is not None and self._side.line(row) is not None else row

    def _gutter(self, p: QPainter, row: int, y: float) -> None:
        line = self._side.line(row) if self._side is not None else None
        side = theme.mh - 2
        if line is not None and line.message == self._chosen_message != HEAD:
            fill(p, QRectF(0, y, 2, self._metrics.row), "accent_fill")
        if line is not None and line.call_id and self._side is not None and self._side.begins(row):
            number = self._numbers_of.get(line.call_id, 0)
            on = line.call_id in (self._chosen, self._under[0])
            area = QRectF(LEFT, y + 1, self._circle_width(number), side)
            box(p, area, "accent_fill" if on else "base", None if on else "accent", side / 2)
            text(p, area, str(number), theme.font("tiny", "bold"), "on_fill" if on else "accent", CENTRE)
        elif row in self._refused and not (line is not None and line.call_id):
            draw_icon(p, "failed", LEFT + (side - LOST_ICON) / 2, y + 2, "fail", LOST_ICON)
        elif row in self._losses:
            draw_icon(p, "lost", LEFT + (side - LOST_ICON) / 2, y + 2, "level2", LOST_ICON)

    # Pointing

    def _row_at(self, point: QPoint) -> int:
        return self.verticalScrollBar().value() + int((point.y() - PAD) // self._metrics.row)

    def _at(self, row: int) -> tuple[str, int]:
        line = self._side.line(row) if self._side is not None else None
        if line is None or self._side is None:
            return "", HEAD
        call_id = line.call_id or (self._call_of(row) if line.origin is not None else "")
        return call_id, line.message if line.message < self._side.messages else HEAD

    def _call_of(self, row: int) -> str:
        """Return the call that a row is part of, of the lines around it that come from the same part."""
        side = self._side
        line = side.line(row) if side is not None else None
        if side is None or line is None:
            return ""
        for step in (-1, 1):
            near = row
            while (other := side.line(near)) is not None and other.origin == line.origin:
                if other.call_id:
                    return other.call_id
                near += step
        return ""

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if not event.buttons():
            self._point(self._at(self._row_at(event.position().toPoint())))

    @override
    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point(("", HEAD))

    def _point(self, under: tuple[str, int]) -> None:
        if under != self._under:
            self._under = under
            self.hovered.emit(*under)
            self.viewport().update()

    def show_pointed(self, call_id: str) -> None:
        """Show which call the pointer is on in another pane."""
        if call_id != self._under[0]:
            self._under = (call_id, HEAD)
            self.viewport().update()

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        start, end = self.selection()
        if event.button() == Qt.MouseButton.LeftButton and start == end:
            self.picked.emit(*self._at(self._row_at(event.position().toPoint())))

    def _pick_at(self, offset: int) -> None:
        self.picked.emit(*self._at(self.lines.line_at(offset)))

    # Telling

    @override
    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            words = self.words_of(self._row_at(event.pos()))
            QToolTip.showText(event.globalPos(), tip_text(words) if words else "", self.viewport())
            return True
        return super().viewportEvent(event)

    def words_of(self, row: int) -> str:
        """Return what is lost or refused in a row, one sentence a line."""
        first = self._first(row)
        return "\n".join((*self._refused.get(first, ()), *self._losses.get(first, ())))

    @override
    def caret_line(self) -> str:
        row = self.lines.line_at(self._caret)
        return strung(super().caret_line(), self.words_of(row))
