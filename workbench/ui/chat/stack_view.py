"""What prompts, answers and reasoning have in common as items of the chat: a stack of blocks somewhere in the item."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtGui import QPainter
from typing_extensions import override

from workbench.inspection.timeline_items import TimelineItem
from workbench.ui.chat.blocks import Shade, Shared, Spot
from workbench.ui.chat.documents import Look
from workbench.ui.chat.item_view import ClickTarget, ItemView, Place
from workbench.ui.chat.stack import Stack


class Inner(NamedTuple):
    """Where the stack is in the item: its upper left corner and its width."""

    left: float
    top: float
    width: float


class StackView(ItemView):
    """An item whose plain text is shown as a stack of blocks; they show what `plain_text` said when it was last measured."""

    reads_as_text = True

    def __init__(self, item: TimelineItem, shared: Shared, look: Look) -> None:
        super().__init__(item)
        self._shared, self._look = shared, look
        self._stack: Stack | None = None

    @property
    def stack(self) -> Stack:
        """The blocks; made when they are first needed, as most items of a long session never come in sight."""
        if self._stack is None:
            self._stack = Stack(self._shared, self._look)
        return self._stack

    def inner(self, width: float) -> Inner:
        """Return where the stack is."""
        return Inner(0, 0, width)

    def shows_stack(self) -> bool:
        """Say whether the stack is in sight, and not folded away."""
        return True

    def measured_stack(self, width: float) -> int:
        """Let the stack show the present text and return its height."""
        self.stack.show(self.plain_text())
        return self.stack.measure(self.inner(width).width)

    def paint_stack(self, p: QPainter, place: Place) -> None:
        """Paint the stack."""
        left, top, width = self.inner(place.width)
        self.stack.paint(p, Spot(place.x + left, place.y + top, width, place.top, place.bottom), Shade.of(place))

    @override
    def settle(self, width: float, top: float, bottom: float) -> int:
        if self.shows_stack():
            inner = self.inner(width)
            self.stack.show(self.plain_text())
            self.stack.settle(inner.width, top - inner.top, bottom - inner.top)
        return self.measure(width)

    @override
    def steady_at(self, width: float, top: float, bottom: float) -> int:
        inner = self.inner(width)
        return self.stack.steady_at(inner.width, top - inner.top, bottom - inner.top) if self.shows_stack() else 0

    @override
    def targets(self, width: float) -> tuple[ClickTarget, ...]:
        if not self.shows_stack():
            return ()
        left, top, inner_width = self.inner(width)
        return tuple(
            ClickTarget(area=target.area.translated(left, top), action=target.action, argument=target.argument, name=target.name)
            for target in self.stack.targets(inner_width)
        )

    @override
    def offset_at(self, x: float, y: float, width: float) -> int:
        if not self.shows_stack():
            return super().offset_at(x, y, width)
        left, top, inner_width = self.inner(width)
        return self.stack.offset_at(x - left, y - top, inner_width)

    @override
    def top_of(self, offset: int, width: float) -> float:
        inner = self.inner(width)
        return inner.top + self.stack.top_of(offset, inner.width) if self.shows_stack() and offset else 0.0

    @override
    def selected_text(self, start: int, end: int) -> str:
        text = self.plain_text()
        if start <= 0 and end >= len(text):
            return text
        self.stack.show(text)
        return self.stack.seen(start, end)

    @override
    def copied_by(self, argument: str) -> str:
        return self.stack.code_at(int(argument)) if argument else self.plain_text()

    @override
    def drop_caches(self) -> None:
        if self._stack is not None:
            self._stack.drop()
            self._stack = None

