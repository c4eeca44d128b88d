"""What the model thought: one quiet line, which shows its last words while they arrive; opened, muted text behind a hairline."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from typing_extensions import override

from workbench.inspection.timeline_items import ReasoningItem
from workbench.permissions.visible import visible
from workbench.ui.chat.blocks import Shared
from workbench.ui.chat.documents import Look
from workbench.ui.chat.item_view import ClickTarget, Place
from workbench.ui.chat.prose import estimated
from workbench.ui.chat.stack_view import Inner, StackView
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import box, fill, focus_ring, text, vline
from workbench.ui.kit.theme import theme
from workbench.words import _, duration, many, strung

LEFT = 22
LOOK = Look(token="muted", size="body")
_LIVE_CHARACTERS = 300
"""How much of the end is looked at for the live line."""


class ReasoningView(StackView):
    """Reasoning, folded until it is opened."""

    before = 6

    def __init__(self, item: ReasoningItem, shared: Shared) -> None:
        super().__init__(item, shared, LOOK)
        self._thought = item

    @override
    def plain_text(self) -> str:
        return self._thought.text

    @override
    def inner(self, width: float) -> Inner:
        return Inner(LEFT, theme.row, width - LEFT - 2)

    @override
    def shows_stack(self) -> bool:
        return self.opened and bool(self._thought.text)

    @override
    def estimate(self, width: float) -> int:
        return theme.row + (estimated(self._thought.text, width - LEFT, "body") + 4 if self.shows_stack() else 0)

    @override
    def measure(self, width: float) -> int:
        return theme.row + (self.measured_stack(width) + 4 if self.shows_stack() else 0)

    # Words

    def _title(self) -> str:
        if not self._thought.done:
            return _("Thinking")
        if self._thought.duration_s is None:
            return _("Thought")
        return _("Thought for {time}").format(time=duration(self._thought.duration_s))

    def _note(self) -> str:
        """Return the tokens it took; while it arrives, its last line."""
        if not self._thought.done and not self.opened:
            return visible(" ".join(self._thought.text[-_LIVE_CHARACTERS:].rstrip().rpartition("\n")[2].split()))
        return many("{n} token", "{n} tokens", self._thought.tokens) if self._thought.tokens is not None else ""

    # Painting

    @override
    def paint(self, p: QPainter, place: Place) -> None:
        x, y, row = place.x, place.y, QRectF(place.x, place.y, place.width, theme.row)
        if self._thought.text and place.pointer is not None and place.pointer.y() < theme.row:
            box(p, row.adjusted(-4, 1, 4, -1), "hover", None, 4)
        if place.selection and not self.shows_stack():
            fill(p, row.adjusted(0, 2, 0, -2), "select")
        draw_icon(p, "thought", x - 1, round(y + theme.row / 2 - 8), "faint")
        left = x + LEFT
        left += text(p, QRectF(left, y, place.width - LEFT, theme.row), self._title(), theme.font("small"), "muted")
        live = not self._thought.done
        if note := self._note():
            room = QRectF(left + 8, y, max(0.0, x + place.width - left - 26), theme.row)
            left += 8 + text(p, room, note, theme.font("small"), "faint", elide="left" if live else "right")
        left += 4
        if self._thought.text:
            draw_icon(p, "chevron-down" if self.opened else "chevron-right", left, round(y + theme.row / 2 - 6), "faint", 12)
        if self.shows_stack():
            height = self.measure(place.width)
            vline(p, x + 7, y + theme.row, y + height - 4, "edge")
            self.paint_stack(p, place)
        if place.focused:
            focus_ring(p, QRectF(x - 6, y, place.width + 12, self.measure(place.width)), 6)

    # What can be done

    @override
    def targets(self, width: float) -> tuple[ClickTarget, ...]:
        if not self._thought.text:
            return ()
        name = _("Fold the reasoning") if self.opened else _("Show the reasoning")
        return (ClickTarget(area=QRectF(0, 0, width, theme.row), action="toggle", name=name), *super().targets(width))

    @override
    def reveal(self, offset: int) -> bool:
        opened, self.opened = self.opened, True
        return not opened

    @override
    def selected_text(self, start: int, end: int) -> str:
        """Folded, it gives the line that is seen."""
        return super().selected_text(start, end) if self.opened else f"({self.accessible_name()})"

    @override
    def accessible_name(self) -> str:
        tokens = many("{n} token", "{n} tokens", self._thought.tokens) if self._thought.tokens is not None else ""
        return strung(self._title(), tokens)
