"""A paragraph, list, table or quote, laid out by a small text document; what would take a document too long is shown as it was sent."""

from __future__ import annotations

import re
from collections.abc import Hashable
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QAbstractTextDocumentLayout, QBrush, QPainter, QPalette, QTextBlock, QTextCharFormat, QTextCursor
from typing_extensions import override

from workbench.ui.chat.blocks import Block, Shade, Shared, Source, Spot
from workbench.ui.chat.code import CodeBlock
from workbench.ui.chat.documents import Link, Look, Written, write
from workbench.ui.chat.item_view import ClickTarget
from workbench.ui.chat.segments import Segment
from workbench.ui.kit.paint import hline, vline
from workbench.ui.kit.theme import theme

LONGEST = 20_000
LONGEST_RUN = 10_000
"""Characters without a blank: laying them out takes time by their square."""
MOST_MARKS = 400
"""Marks of code, links, pictures, emphasis and table cells: each is a piece that is styled by itself."""

_MARKS = re.compile(r"`+|\]\(|!\[|\*+|(?<!\w)_|\||&\w+;")
_INDENT = 6
"""Pixels for a blank before what stands inside an item of a list."""
_DEEPEST_INDENT = 8


class ProseBlock(Block):
    """Markdown of one segment.

    Attributes:
        written: the document, while it is kept.
    """

    def __init__(self, segment: Segment, source: Source, shared: Shared, look: Look) -> None:
        super().__init__(segment, source)
        self.written: Written | None = None
        self._shared, self._look = shared, look
        self._revision = -1
        self._heights: dict[float, int] = {}
        self._wild = False
        self._raw: CodeBlock | None = None
        self._rules: list[float] = []

    # Layout

    def _markdown(self) -> str:
        markdown = self.source.text[self.segment.start : self.segment.end]
        indent = self.segment.indent
        return re.sub(rf"^[ \t]{{1,{indent}}}", "", markdown, flags=re.MULTILINE) if indent else markdown

    def _left(self) -> float:
        quoted = 12 if self.segment.kind == "quote" and self._look.markdown else 0
        return min(self.segment.indent, _DEEPEST_INDENT) * _INDENT + quoted

    def _update(self) -> None:
        """Forget what is not true any more after the segment grew."""
        if self._revision != self.segment.revision:
            self._revision = self.segment.revision
            self._heights.clear()
            self._shared.documents.drop(self)
            self._wild = too_wild(self.source.text[self.segment.start : self.segment.end])

    def _document(self, width: float) -> Written | None:
        """Return the document, laid out; None if the text is to be shown as it was sent."""
        self._update()
        if self._wild:
            return None
        if self.written is None:
            self.written = write(self._markdown(), self._look)
        self._shared.documents.used(self)
        room = width - self._left()
        if self.written.width == room:
            return self.written
        needed, _height = self.written.lay_out(room)
        self._rules = self.written.rules() if self.segment.kind == "prose" else []
        if needed > room + 1:
            self.written.width = -1
            return None
        return self.written

    def _as_sent(self) -> CodeBlock:
        if self._raw is None:
            self._raw = CodeBlock(self.segment, self.source, self._shared)
        return self._raw

    @override
    def estimate(self, width: float) -> int:
        return estimated(self._markdown(), width, self._look.size)

    @override
    def height(self, width: float) -> int:
        self._update()
        if width not in self._heights:
            written = self._document(width)
            self._heights[width] = round(written.document.size().height()) if written else self._as_sent().height(width)
        return self._heights[width]

    @override
    def drop(self) -> None:
        self._shared.documents.drop(self)
        self._heights.clear()
        self._raw = None

    # Painting

    @override
    def paint(self, p: QPainter, spot: Spot, shade: Shade) -> None:
        written = self._document(spot.width)
        if written is None:
            self._as_sent().paint(p, spot, shade)
            return
        left = self._left()
        own = shade.within(self.segment.start, self.segment.end)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette = _palette(self._look.token)
        context.clip = QRectF(0, spot.top - spot.y, spot.width, spot.bottom - spot.top)
        context.selections = self._selections(written, own)
        if self.segment.kind == "quote":
            vline(p, spot.x + left - 12, spot.y, spot.y + self.height(spot.width), "edge", 2)
        p.save()
        p.translate(spot.x + left, spot.y)
        written.document.documentLayout().draw(p, context)
        for y in self._rules:
            hline(p, 0, written.document.idealWidth(), round(y))
        p.restore()

    @override
    def look(self) -> Hashable:
        return (self.segment.revision, self._raw.look() if self._raw is not None else None)

    def _selections(self, written: Written, own: Shade) -> list[QAbstractTextDocumentLayout.Selection]:
        spans: list[tuple[tuple[int, int], str, str | None]] = [(mark, "level2_tint", None) for mark in own.marks]
        spans += [(own.selection, "select", None)] if own.selection else []
        spans += [(own.mark, "accent_fill", "on_fill")] if own.mark else []
        return [self._selection(written, span, ground, ink) for span, ground, ink in spans]

    def _selection(self, written: Written, span: tuple[int, int], ground: str, ink: str | None) -> QAbstractTextDocumentLayout.Selection:
        start, end = (written.alignment.position_of(offset - self.segment.start) for offset in span)
        selection = QAbstractTextDocumentLayout.Selection()
        cursor = QTextCursor(written.document)
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        look = QTextCharFormat()
        look.setBackground(QBrush(theme[ground]))
        if ink:
            look.setForeground(theme[ink])
        selection.cursor, selection.format = cursor, look
        return selection

    # Places

    @override
    def offset_at(self, x: float, y: float, width: float) -> int:
        written = self._document(width)
        if written is None:
            return self._as_sent().offset_at(x, y, width)
        position = written.document.documentLayout().hitTest(QPointF(x - self._left(), y), Qt.HitTestAccuracy.FuzzyHit)
        return self.segment.start + written.alignment.source_of(position)

    @override
    def top_of(self, offset: int, width: float) -> float:
        written = self._document(width)
        if written is None:
            return self._as_sent().top_of(offset, width)
        return max(0.0, _line_area(written, written.alignment.position_of(offset - self.segment.start)).top())

    @override
    def seen(self, start: int, end: int) -> str:
        """The document tells what is seen; it is written again if it is not kept, but not laid out."""
        self._update()
        if self._wild:
            return self.source.text[start:end]
        if self.written is None:
            self.written = write(self._markdown(), self._look)
        self._shared.documents.used(self)
        return self.written.alignment.seen(start - self.segment.start, end - self.segment.start)

    @override
    def targets(self, width: float) -> tuple[ClickTarget, ...]:
        written = self._document(width)
        if written is None:
            return self._as_sent().targets(width)
        return tuple(target for link in written.links for target in self._link_targets(written, link))

    def _link_targets(self, written: Written, link: Link) -> list[ClickTarget]:
        """Return a target for each line that a link stands on; one that leads nowhere only tells its address."""
        found = []
        start = link.start
        while start < link.end:
            block = written.document.findBlock(start)
            line = block.layout().lineForTextPosition(start - block.position())
            if not line.isValid():
                break
            end = min(link.end, block.position() + line.textStart() + line.textLength())
            area = _area(written, block, start, end).translated(self._left(), 0)
            found.append(ClickTarget(area=area, action="open_link" if link.address else "", argument=link.address, name=link.shown))
            start = max(end, start + 1)
        return found

    @override
    def end_of_text(self, width: float) -> QRectF:
        written = self._document(width)
        if written is None:
            return self._as_sent().end_of_text(width)
        last = written.document.lastBlock()
        while not last.text() and last.previous().isValid():  # the one after a table stands to the right of it
            last = last.previous()
        return _area(written, last, last.position() + last.length() - 1, last.position() + last.length() - 1).translated(self._left(), 0)


def too_wild(source: str) -> bool:
    """Say whether a document of a text would take too long: too much of it, a run without a break, or too many marks."""
    if len(source) > LONGEST:
        return True
    if len(source) > LONGEST_RUN and max(map(len, source.split()), default=0) > LONGEST_RUN:
        return True
    if len(source) <= MOST_MARKS:
        return False
    return sum(1 for _mark in _MARKS.finditer(source)) > MOST_MARKS


def estimated(text: str, width: float, size: str = "prose") -> int:
    """Return about how high a text would be, from its length alone."""
    letter, line = _letter_and_line(size, theme.language, theme.zoom)
    rows = len(text) * letter / max(10 * letter, width) + 0.55 * text.count("\n") + 0.6
    return int(rows * line) + 1


@lru_cache(maxsize=16)
def _letter_and_line(size: str, _language: str, _zoom: float) -> tuple[float, float]:
    """Return the width of a letter and the height of a line, about; thousands of estimates ask for it."""
    metrics = theme.metrics(size)
    return metrics.averageCharWidth() / 1.05, metrics.height() * 1.3


def _palette(token: str) -> QPalette:
    return _palette_of(theme.name, token)


@lru_cache(maxsize=8)
def _palette_of(_theme: str, token: str) -> QPalette:
    palette = theme.palette()
    palette.setColor(QPalette.ColorRole.Text, theme[token])
    return palette


def _line_area(written: Written, position: int) -> QRectF:
    block = written.document.findBlock(position)
    return _area(written, block if block.isValid() else written.document.lastBlock(), position, position)


def _area(written: Written, block: QTextBlock, start: int, end: int) -> QRectF:
    """Return the place of some characters of one line, by their positions in the document."""
    corner = written.document.documentLayout().blockBoundingRect(block).topLeft()
    line = block.layout().lineForTextPosition(start - block.position())
    if not line.isValid():
        return QRectF(corner.x(), corner.y(), 0, theme.lh)
    left, right = (_x_of(line.cursorToX(position - block.position())) for position in (start, end))
    return QRectF(corner.x() + left, corner.y() + line.y(), right - left, line.height())


def _x_of(found: object) -> float:
    """Return the x of a cursor: PySide gives it alone or together with the position that was meant."""
    return float(found[0] if isinstance(found, tuple) else found)  # type: ignore[arg-type]
