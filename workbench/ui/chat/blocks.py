"""What a text is shown as: blocks, one per segment of Markdown. Here is what they have in common; code.py and prose.py hold the two kinds.

Offsets are characters of the whole text of the item; coordinates are the block's own, from its upper left corner.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from workbench.ui.chat.colours import ColourQueue
from workbench.ui.chat.documents import Documents
from workbench.ui.chat.item_view import ClickTarget, Place
from workbench.ui.chat.pictures import Pictures
from workbench.ui.chat.segments import Segment


@dataclass(frozen=True)
class Shared:
    """What all blocks of a chat share: documents and pictures that are kept, code that waits for its colours."""

    documents: Documents
    colours: ColourQueue
    pictures: Pictures = field(default_factory=Pictures)


@dataclass(frozen=True)
class Shade:
    """Characters that stand out, as (start, end): what is selected, what was found, and the one hit that was jumped to."""

    selection: tuple[int, int] | None = None
    marks: Sequence[tuple[int, int]] = ()
    mark: tuple[int, int] | None = None

    @classmethod
    def of(cls, place: Place) -> Shade:
        """Return what a place says of an item."""
        return cls(place.selection, place.marks, place.mark)

    def __bool__(self) -> bool:
        return self.selection is not None or bool(self.marks)

    def within(self, start: int, end: int) -> Shade:
        """Return what of it lies in a range; the same object if it is empty anyway."""
        if not self:
            return self
        return Shade(
            _overlap(self.selection, start, end),
            tuple(mark for mark in self.marks if _overlap(mark, start, end)),
            _overlap(self.mark, start, end),
        )


def _overlap(span: tuple[int, int] | None, start: int, end: int) -> tuple[int, int] | None:
    if span is None:
        return None
    first, last = max(span[0], start), min(span[1], end)
    return (first, last) if first < last else None


@dataclass(frozen=True)
class Spot:
    """Where a block is painted: its upper left corner and width in the viewport, and the visible part of the viewport from `top` to `bottom`."""

    x: float
    y: float
    width: float
    top: float
    bottom: float


@dataclass(eq=False)
class Source:
    """The text of an item, which may grow: one place for all of its blocks, so that none keeps an older one alive."""

    text: str = ""


class Block:
    """A segment as it is shown.

    Attributes:
        segment: what it shows; it may still grow.
        source: the text that the segment is of.
    """

    def __init__(self, segment: Segment, source: Source) -> None:
        self.segment = segment
        self.source = source

    def estimate(self, width: float) -> int:
        """Return about how high it is, from its length alone."""
        raise NotImplementedError

    def height(self, width: float) -> int:
        """Return how high it is, exactly, laying it out if need be."""
        raise NotImplementedError

    def paint(self, p: QPainter, spot: Spot, shade: Shade) -> None:
        """Paint what is visible of it."""
        raise NotImplementedError

    def look(self) -> Hashable:
        """Return what changes whenever it would be painted differently at the same width with nothing standing out."""
        return self.segment.revision

    def offset_at(self, x: float, y: float, width: float) -> int:
        """Return the offset of the character nearest to a point."""
        raise NotImplementedError

    def top_of(self, offset: int, width: float) -> float:
        """Return the y of the line that shows a character."""
        raise NotImplementedError

    def seen(self, start: int, end: int) -> str:
        """Return the characters of a range as they are seen."""
        raise NotImplementedError

    def targets(self, width: float) -> tuple[ClickTarget, ...]:
        """Return what can be clicked."""
        raise NotImplementedError

    def end_of_text(self, width: float) -> QRectF:
        """Return where a caret stands after the last character."""
        raise NotImplementedError

    def drop(self) -> None:
        """Forget what was laid out with the fonts and colours of before."""
