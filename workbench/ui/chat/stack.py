"""A text as a stack of blocks, one under the other: what a prompt, an answer and reasoning are shown with. It grows at its end.

A stack of many blocks lays out only those in sight; the heights of the others are estimates until then.
"""

from __future__ import annotations

from math import ceil, floor

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from workbench.ui.chat.blocks import Block, Shade, Shared, Source, Spot
from workbench.ui.chat.code import CodeBlock
from workbench.ui.chat.documents import Look
from workbench.ui.chat.heights import Heights
from workbench.ui.chat.item_view import ClickTarget
from workbench.ui.chat.pictures import HIGHEST, Frame
from workbench.ui.chat.prose import ProseBlock
from workbench.ui.chat.segments import Splitter
from workbench.ui.kit.theme import theme

GAP = 8
HEADING_GAP = 14
AT_ONCE = 24
"""So many blocks are laid out to know their heights; of more, only those in sight."""


class Stack:
    """The blocks of one text."""

    def __init__(self, shared: Shared, look: Look) -> None:
        self._source = Source()
        self._shared, self._look = shared, look
        self._forget()

    def _forget(self) -> None:
        self._source.text = ""
        self._splitter = Splitter()
        self._blocks: list[Block] = []
        self._width = -1.0
        self._heights = Heights()
        self._inexact: set[int] = set()
        self._painted = range(0)

    @property
    def text(self) -> str:
        """All of the text as it was sent; offsets are of this."""
        return self._source.text

    def show(self, text: str) -> None:
        """Show a text; if it goes on from what was shown, only its end is looked at."""
        known = self._source.text
        if text is known or text == known:
            return
        if len(text) < len(known) or not text.startswith(known[-200:], max(0, len(known) - 200)):
            self._forget()
        self._source.text = text
        first = self._splitter.grow(text)
        segments = self._splitter.segments
        kept = min(first, len(self._blocks))
        if kept < len(self._blocks) and kept < len(segments) and self._blocks[kept].segment is segments[kept]:
            kept += 1
        for block in self._blocks[kept:]:
            block.drop()
        del self._blocks[kept:]
        self._blocks += [self._block(number) for number in range(kept, len(segments))]
        self._heights.truncate(min(first, len(self._heights)))
        self._inexact = {number for number in self._inexact if number < first}

    def _block(self, number: int) -> Block:
        segment = self._splitter.segments[number]
        return CodeBlock(segment, self._source, self._shared) if segment.kind == "code" else ProseBlock(segment, self._source, self._shared, self._look)

    def drop(self) -> None:
        """Forget everything that can be made again from the text."""
        for block in self._blocks:
            block.drop()
        self._forget()

    # Layout

    def measure(self, width: float) -> int:
        """Return the height of all: exact if there are few blocks, else as far as it is known."""
        self._set_width(width)
        if len(self._inexact) <= AT_ONCE:
            for number in tuple(self._inexact):
                self._lay_out(number)
        return self._heights.total

    def settle(self, width: float, top: float, bottom: float) -> int:
        """Lay out what lies between `top` and `bottom`, and return the height of all."""
        self.measure(width)
        while self._inexact:
            unknown = [number for number in self._between(top, bottom) if number in self._inexact]
            if not unknown:
                break
            for number in unknown:
                self._lay_out(number)
        return self._heights.total

    def steady_at(self, width: float, top: float, bottom: float) -> int:
        """Return the offset of a block whose place does not change when others are laid out: the first in sight that is laid out."""
        self._set_width(width)
        seen = self._between(top, bottom)
        number = next((number for number in seen if number not in self._inexact), seen.start)
        return self._blocks[number].segment.start if self._inexact and self._blocks else 0

    def _set_width(self, width: float) -> None:
        if self._width != width:
            self._width = width
            self._heights.reset(())
            self._inexact.clear()
        for number in range(len(self._heights), len(self._blocks)):
            self._heights.append(self._gap(number) + self._blocks[number].estimate(width))
            self._inexact.add(number)

    def _lay_out(self, number: int) -> None:
        self._heights[number] = self._gap(number) + self._blocks[number].height(self._width)
        self._inexact.discard(number)

    def _between(self, top: float, bottom: float) -> range:
        if not self._blocks:
            return range(0)
        return range(self._heights.at(floor(top)), self._heights.at(ceil(bottom)) + 1)

    def _top(self, number: int) -> int:
        return self._heights.top(number) + self._gap(number)

    def _gap(self, number: int) -> int:
        """Return the space above a block; a text that is shown as it was written has a line there if it had one."""
        if not number:
            return 0
        before, this = self._blocks[number - 1].segment, self._blocks[number].segment
        if not self._look.markdown and "code" not in (before.kind, this.kind):
            lines = self.text.count("\n", before.end, this.start)
            return max(0, lines - 1) * theme.lh
        return HEADING_GAP if this.kind == "heading" else GAP

    # Painting

    def paint(self, p: QPainter, spot: Spot, shade: Shade) -> None:
        """Paint what is visible."""
        self.measure(spot.width)
        self._painted = self._between(spot.top - spot.y, spot.bottom - spot.y)
        for number in self._painted:
            self._paint_block(p, self._blocks[number], Spot(spot.x, spot.y + self._top(number), spot.width, spot.top, spot.bottom), shade)

    def _paint_block(self, p: QPainter, block: Block, spot: Spot, shade: Shade) -> None:
        height = block.height(spot.width)
        if height > HIGHEST or shade.within(block.segment.start, block.segment.end + 1):
            block.paint(p, spot, shade)
            return
        alone = Spot(0, 0, spot.width, 0, height)
        frame = Frame(QPointF(round(spot.x), round(spot.y)), (ceil(spot.width), height), self._look.ground)
        self._shared.pictures.paint(p, block, block.look(), frame, lambda painter: block.paint(painter, alone, shade))

    def end_of_text(self, width: float) -> QRectF:
        """Return where a caret stands after the last character."""
        if not self._blocks:
            return QRectF(0, 0, 0, theme.lh)
        self.measure(width)
        return self._blocks[-1].end_of_text(width).translated(0, self._top(len(self._blocks) - 1))

    # Places

    def offset_at(self, x: float, y: float, width: float) -> int:
        """Return the offset of the character nearest to a point."""
        self.measure(width)
        if not self._blocks:
            return 0
        number = self._heights.at(y)
        return self._blocks[number].offset_at(x, y - self._top(number), width)

    def top_of(self, offset: int, width: float) -> float:
        """Return the y of the line that shows a character."""
        self.measure(width)
        if not self._blocks:
            return 0.0
        number = self._number_at(offset)
        return self._top(number) + self._blocks[number].top_of(offset, width)

    def _number_at(self, offset: int) -> int:
        low, high = 0, len(self._blocks) - 1
        while low < high:
            middle = (low + high + 1) // 2
            if self._blocks[middle].segment.start <= offset:
                low = middle
            else:
                high = middle - 1
        return low

    def targets(self, width: float) -> tuple[ClickTarget, ...]:
        """Return what can be clicked of what was painted last, in reading order."""
        self.measure(width)
        found: list[ClickTarget] = []
        for number in self._painted:
            if number < len(self._blocks):
                top = self._top(number)
                found += (_moved(target, top) for target in self._blocks[number].targets(width))
        return tuple(found)

    # Text

    def seen(self, start: int, end: int) -> str:
        """Return a selection to be copied.

        Inside one block it is what is seen. A longer one is Markdown, as it was sent, but for what is seen of a block that it begins or ends in.
        """
        if not self._blocks:
            return self.text[start:end]
        first, last = self._number_at(start), self._number_at(max(start, end - 1))
        if first == last and not self._whole(first, start, end):
            return self._blocks[first].seen(start, end)
        before = after = ""
        middle_start, middle_end = start, end
        if not self._whole(first, start, end):
            middle_start = self._blocks[first].segment.end
            before = self._blocks[first].seen(start, middle_start)
        if not self._whole(last, start, end):
            middle_end = self._blocks[last].segment.start
            after = self._blocks[last].seen(middle_end, end)
        return before + self.text[middle_start:middle_end] + after

    def _whole(self, number: int, start: int, end: int) -> bool:
        segment = self._blocks[number].segment
        return start <= segment.start and end >= segment.end

    def code_at(self, start: int) -> str:
        """Return the whole text of the block that begins at an offset: code without its fence."""
        block = self._blocks[self._number_at(start)]
        return block.code() if isinstance(block, CodeBlock) else self.text[block.segment.start : block.segment.end]


def _moved(target: ClickTarget, down: float) -> ClickTarget:
    return ClickTarget(area=target.area.translated(0, down), action=target.action, argument=target.argument, name=target.name)
