"""What a person wrote: the only tinted block of text, shown as it was written; its files, its time, and a way to copy it."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from typing_extensions import override

from workbench.conversation.messages import FilePart, ImagePart, TextPart
from workbench.inspection.timeline_items import PromptItem
from workbench.permissions.visible import visible
from workbench.ui.chat.blocks import Shared
from workbench.ui.chat.documents import CODE_SPAN, Look
from workbench.ui.chat.figures import clock_text
from workbench.ui.chat.item_view import INDENT, INSET, ClickTarget, Place
from workbench.ui.chat.prose import estimated
from workbench.ui.chat.stack_view import Inner, StackView
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import RIGHT, box, focus_ring, pill, pill_width, text, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _, aside, many

TOP = 10
LOOK = Look(markdown=False, ground="accent_tint")
RIGHT_INSET = 12
_LONGEST_NAME = 40


class PromptView(StackView):
    """A prompt: neither Markdown nor anything else changes what was written; only code between ticks looks like code."""

    before = 16

    def __init__(self, item: PromptItem, shared: Shared) -> None:
        super().__init__(item, shared, LOOK)
        self._prompt = item
        self._text = item.message.text()

    @cached_property
    def _files(self) -> list[tuple[str, str]]:
        """Name and icon of everything that is attached."""
        return _files(self._prompt)

    @property
    def _time(self) -> str:
        return clock_text(self._prompt.at)

    @override
    def plain_text(self) -> str:
        return self._text

    @override
    def inner(self, width: float) -> Inner:
        right = 16.0 if self._files else self._corner_width()
        return Inner(INDENT, TOP, width - INDENT - right)

    def _corner_width(self) -> float:
        """Return the width of the time and the copy sign, in the lower right corner."""
        return RIGHT_INSET + width_of(self._time, theme.font("tiny")) + 12 + 12 + 8

    def _foot(self) -> int:
        return theme.lh + 10 if self._files else 0

    @override
    def estimate(self, width: float) -> int:
        foot = self._foot() if len(self._prompt.message.parts) > 1 else 0
        return max(theme.lh + 4, estimated(self._text, width - 3 * INDENT)) + 2 * TOP + foot

    @override
    def measure(self, width: float) -> int:
        words = self.measured_stack(width) if self._text.strip() else 0
        return (words or (0 if self._files else theme.lh)) + 2 * TOP + self._foot() - (10 if self._files and not words else 0)

    # Painting

    @override
    def paint(self, p: QPainter, place: Place) -> None:
        area = QRectF(place.x, place.y, place.width, self.measure(place.width))
        box(p, area, "accent_tint", None, 6)
        draw_icon(p, "user", place.x + INSET, place.y + 13, "accent")
        if self._text.strip():
            self.paint_stack(p, place)
        self._paint_files(p, area)
        line = QRectF(area.x(), area.bottom() - self._line_from_below() - theme.lh / 2, area.width() - RIGHT_INSET, theme.lh)
        text(p, line, self._time, theme.font("tiny"), "muted", RIGHT)
        if place.pointer is not None or place.focused:
            sign = self._copy_area(place.width, area.height()).center()
            over = place.pointer is not None and self._copy_area(place.width, area.height()).contains(place.pointer)
            draw_icon(p, "copy", place.x + sign.x() - 6, place.y + sign.y() - 6, "accent" if over else "muted", 12)
        if place.focused:
            focus_ring(p, area, 6)

    def _paint_files(self, p: QPainter, area: QRectF) -> None:
        x, middle = area.x() + INDENT, area.bottom() - self._line_from_below()
        limit = area.right() - self._corner_width()
        for number, (name, icon) in enumerate(self._files):
            left = len(self._files) - number
            more = f"+{left}"
            last = x + pill_width(name, icon) + 6 + (pill_width(more) if left > 1 else 0) > limit
            if last:
                pill(p, x, middle, more if number else many("{n} file", "{n} files", left), "plain", None if number else icon)
                break
            x += pill(p, x, middle, name, "plain", icon) + 6

    def _line_from_below(self) -> float:
        """Return how far the middle of the last line is from the lower edge."""
        return theme.lh / 2 + 11 if self._files else TOP + theme.metrics("prose").height() * 0.65

    def _copy_area(self, width: float, height: float) -> QRectF:
        right = width - RIGHT_INSET - width_of(self._time, theme.font("tiny")) - 8
        return QRectF(right - 20, height - self._line_from_below() - theme.lh / 2 - 2, 20, theme.lh + 4)

    # What can be done

    @override
    def targets(self, width: float) -> tuple[ClickTarget, ...]:
        copying = ClickTarget(area=self._copy_area(width, self.measure(width)), action="copy", name=_("Copy what you wrote"))
        return (*super().targets(width), copying)

    @override
    def accessible_name(self) -> str:
        files = ", ".join(name for name, _icon in self._files)
        said = _("You: {words}").format(words=super().accessible_name())
        return aside(said, files) if files else said

    def first_line(self) -> str:
        """Return the beginning of it on one line, for the bar that repeats it."""
        words = visible(" ".join(CODE_SPAN.sub(r"\1", self._text[:2000]).split()))
        return words or ", ".join(name for name, _icon in self._files)


def _files(item: PromptItem) -> list[tuple[str, str]]:
    """Return name and icon of everything that is attached."""
    found = []
    for part in item.message.parts:
        match part:
            case FilePart(name=name, media_type=kind):
                found.append((_short(name or kind), "file"))
            case ImagePart(media_type=kind):
                found.append((_short(kind), "image"))
            case TextPart():
                pass
            case _:
                pass
    return found


def _short(name: str) -> str:
    name = visible(name)
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME // 2]}…{name[-_LONGEST_NAME // 2 :]}"
