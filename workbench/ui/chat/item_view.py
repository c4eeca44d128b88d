"""What the scroller asks of everything it shows. Lengths are pixels; a view's own coordinates begin at its upper left corner."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from workbench.inspection.timeline_items import TimelineItem

INSET = 10
"""From a card's edge to its state icon."""
INDENT = INSET + 16 + 8
"""From a card's edge to the tool's name; bodies and notes line up with it."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where and how to paint.

    Attributes:
        x, y, width: the item's upper left corner in the viewport, and its width.
        top, bottom: the visible part of the viewport; nothing outside needs painting.
        pointer: the pointer in the item's own coordinates; None if it is elsewhere.
        selection: chosen characters of `ItemView.plain_text`, as (start, end); None if none are.
        focused: the item has the keyboard's place in the chat.
        caret_on: whether a blinking sign is in its visible half.
        now: seconds since 1970, for what counts up.
        turn_eighths: how far a turning sign has turned, 0–7.
        marks: characters of `ItemView.plain_text` that were searched for and found, as (start, end), ascending.
        mark: the one of them that was jumped to.
    """

    x: float
    y: float
    width: float
    top: float
    bottom: float
    pointer: QPointF | None = None
    selection: tuple[int, int] | None = None
    focused: bool = False
    caret_on: bool = True
    now: float = 0.0
    turn_eighths: int = 0
    marks: tuple[tuple[int, int], ...] = ()
    mark: tuple[int, int] | None = None


@dataclass(frozen=True, kw_only=True)
class ClickTarget:
    """A part of an item that does something.

    Attributes:
        area: in the item's own coordinates.
        action: what it does: ``toggle`` (open or close, handled by the view), ``stop_call``, ``show_call``, ``show_result``, ``show_request``, ``show_diff``,
            ``settings``, ``copy``, ``restore``, ``fork``, ``undo``, ``stop`` (the turn), ``raise_limit`` (the
            argument is the new bound), ``end_at_limit``, ``open_link``.
        argument: the call id, exchange id, text or address it is about.
        name: its accessible name and tool tip.
    """

    area: QRectF
    action: str
    argument: str = ""
    name: str = ""


class ItemView:
    """One item of the chat. Subclasses paint with rectangles, lines, text and icons only.

    Attributes:
        item: what is shown; its `revision` tells when it changed.
        before: space above it.
        opened: a part that can be folded is open.
        reads_as_text: the pointer over it is that of text.
    """

    before: float = 8
    reads_as_text: bool = False

    def __init__(self, item: TimelineItem) -> None:
        self.item = item
        self.opened = False

    def estimate(self, width: float) -> int:
        """Return about how high it is, from counts alone (no layout): it is asked for thousands of items at once."""
        raise NotImplementedError

    def measure(self, width: float) -> int:
        """Lay it out for `width` and return how high it is, exactly."""
        raise NotImplementedError

    def settle(self, width: float, top: float, bottom: float) -> int:  # noqa: ARG002 - for views too large to lay out whole
        """Lay out exactly what lies between `top` and `bottom`, in its own coordinates; return how high the item is, as far as is known."""
        return self.measure(width)

    def steady_at(self, width: float, top: float, bottom: float) -> int:  # noqa: ARG002
        """Return the offset of a character between `top` and `bottom` above which `settle` changes nothing that is in sight."""
        return 0

    def paint(self, p: QPainter, place: Place) -> None:
        """Paint it; `measure` was called with the same width after the last change."""
        raise NotImplementedError

    def targets(self, width: float) -> tuple[ClickTarget, ...]:  # noqa: ARG002
        """Return what can be clicked, in reading order."""
        return ()

    def toggle(self, argument: str) -> None:  # noqa: ARG002
        """Open or close what `argument` names; the scroller measures again."""
        self.opened = not self.opened

    def moves(self) -> bool:
        """Say whether it must be painted again as time passes (a turning arc, counted seconds, a caret)."""
        return False

    def plain_text(self) -> str:
        """Return its text for selection, copying, finding and screen readers."""
        raise NotImplementedError

    def offset_at(self, x: float, y: float, width: float) -> int:  # noqa: ARG002
        """Return the offset in `plain_text` that is nearest to a point; whole items answer 0 or the length."""
        return 0 if y < self.measure(width) / 2 else len(self.plain_text())

    def top_of(self, offset: int, width: float) -> float:  # noqa: ARG002 - for views of running text
        """Return the y of the line that shows a character of `plain_text`; 0 for what is shown as a whole."""
        return 0.0

    def reveal(self, offset: int) -> bool:  # noqa: ARG002
        """Open what hides a character of `plain_text`; True if it must be measured again."""
        return False

    def copied_by(self, argument: str) -> str:
        """Return what a target with the action ``copy`` puts on the clipboard."""
        return argument or self.plain_text()

    def selected_text(self, start: int, end: int) -> str:
        """Return what copying the characters gives."""
        return self.plain_text()[start:end]

    def accessible_name(self) -> str:
        """Return what a screen reader says, one line."""
        return " ".join(self.plain_text().split())[:400]

    def widget_areas(self, width: float) -> tuple[tuple[str, QRectF], ...]:  # noqa: ARG002
        """Return where real widgets stand over the item, by a key that is unique in it."""
        return ()

    def make_widget(self, key: str, parent: QWidget) -> QWidget:
        """Return the widget for a key; the scroller places it, keeps it while it is near the viewport, and deletes it afterwards."""
        raise NotImplementedError

    def drop_caches(self) -> None:
        """Forget what was laid out with the fonts and colours of before."""
