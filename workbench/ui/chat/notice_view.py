"""What the program tells inside the chat: one row with an icon, the whole sentence however long, a note, and up to two small buttons."""

from __future__ import annotations

import time

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from typing_extensions import override

from workbench.inspection.timeline_items import NoticeItem
from workbench.permissions.visible import visible
from workbench.ui.chat.code_rows import plain_lines, put_rows, rows_of
from workbench.ui.chat.item_view import INDENT, INSET, ClickTarget, ItemView, Place
from workbench.ui.chat.notice_words import NoticeButton, Told, told
from workbench.ui.chat.sheet import Chosen, Sheet, broken
from workbench.ui.kit.paint import box, focus_ring, text, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _

BETWEEN = 6
LEAST_WORDS = 240
"""If the buttons leave less room than this for the words, they stand below them."""
DETAIL_LINES = 200


class NoticeView(ItemView):
    """A notice."""

    before = 10

    def __init__(self, item: NoticeItem) -> None:
        super().__init__(item)
        self._notice = item
        self._now = time.time()
        self._key: object = None
        self._sheet = Sheet(0)
        self._targets: list[ClickTarget] = []

    @override
    def estimate(self, width: float) -> int:
        rows = 1 + len(self._notice.text) * 6 // max(80, int(width) - 200)
        return int(theme.card_row + (rows - 1) * (theme.lh + 2))

    @override
    def measure(self, width: float) -> int:
        return round(self._laid_out(width).height)

    def _laid_out(self, width: float) -> Sheet:
        said = told(self._notice, self._now)
        key = (said, width, self.opened)
        if key != self._key:
            self._key, self._targets = key, []
            self._sheet = self._lay_out(said, width)
        return self._sheet

    def _lay_out(self, said: Told, width: float) -> Sheet:
        sheet, height = Sheet(width), theme.lh + 2
        top = (theme.card_row - height) / 2
        sheet.icon(said.icon, INSET, round((theme.card_row - 16) / 2), said.token)
        taken = _buttons_width(said.buttons)
        beside = width - INDENT - taken - 8 >= LEAST_WORDS
        inner = QRectF(INDENT, top, width - INDENT - (taken + 8 if beside and taken else 0) - (20 if said.details else 0), height)
        bottom = self._put_words(sheet, said, inner)
        if beside:
            self._place_buttons(said.buttons, width - taken, round((theme.card_row - theme.compact) / 2), width)
        elif taken:
            bottom = self._place_buttons(said.buttons, INDENT, round(bottom + 2), width)
        sheet.height = max(theme.card_row, bottom + top)
        if said.details:
            self._put_details(sheet, said.details, QRectF(INDENT, 0, width - INDENT, theme.card_row))
        return sheet

    def _put_words(self, sheet: Sheet, said: Told, inner: QRectF) -> float:
        """Put the sentence and the note, on one line if both fit; return where they end."""
        strong, small = theme.font("small", "medium"), theme.font("small")
        rows = broken(said.words, strong, inner.width())
        used = sheet.sentence(said.words, inner, strong, said.token)
        if not said.note:
            return inner.y() + used
        left = inner.x() + width_of(rows[-1].rstrip(), strong) + 8
        last = QRectF(left, inner.y() + used - inner.height(), inner.right() - left, inner.height())
        if width_of(said.note, small) <= last.width():
            sheet.words(said.note, last, small, "muted", before=" ")
            return inner.y() + used
        below = inner.translated(0, used)
        return below.y() + sheet.sentence(said.note, below, small, "muted", before=" ")

    def _place_buttons(self, buttons: tuple[NoticeButton, ...], left: float, y: float, width: float) -> float:
        """Place buttons side by side from `left` on, in as many rows as they need; return where they end."""
        x = left
        for button in buttons:
            wide = _button_width(button)
            if x > left and x + wide > width:
                x, y = left, y + theme.compact + BETWEEN
            area = QRectF(x, y, wide, theme.compact)
            self._targets.append(ClickTarget(area=area, action=button.action, argument=button.argument, name=button.label))
            x += wide + BETWEEN
        return y + theme.compact

    def _put_details(self, sheet: Sheet, details: str, row: QRectF) -> None:
        """Put the chevron that unfolds what the provider said, and that itself if it is unfolded."""
        side = min((target.area.x() - 8 for target in self._targets if target.area.y() < row.bottom() - theme.compact), default=row.right())
        sheet.icon("chevron-down" if self.opened else "chevron-right", side - 16, round((row.height() - 12) / 2), "muted", 12)
        area = QRectF(0, 0, side, sheet.height)
        self._targets.insert(0, ClickTarget(area=area, action="toggle", name=_("Show what the provider said")))
        if self.opened:
            rows = list(rows_of(plain_lines(details, DETAIL_LINES), row.width() - 16))
            place = QRectF(row.x(), sheet.height, row.width(), len(rows) * theme.mh + 8)
            put_rows(sheet, rows, place)
            sheet.height = place.bottom() + 4

    @override
    def paint(self, p: QPainter, place: Place) -> None:
        self._now = place.now or time.time()
        sheet = self._laid_out(place.width)
        sheet.paint(p, place.x, place.y, place.top, place.bottom, Chosen.of(place))
        for target in self._targets:
            if target.action == "toggle":
                continue
            over = place.pointer is not None and target.area.contains(place.pointer)
            area = target.area.translated(place.x, place.y)
            box(p, area, "hover" if over else "raised", "edge", 5)
            text(p, area.adjusted(8, 0, 0, 0), target.name, theme.font("small"))
        if place.focused:
            focus_ring(p, QRectF(place.x, place.y, place.width, sheet.height), 6)

    @override
    def targets(self, width: float) -> tuple[ClickTarget, ...]:
        self._laid_out(width)
        return tuple(self._targets)

    @override
    def moves(self) -> bool:
        return self._notice.kind == "retry"

    @override
    def plain_text(self) -> str:
        if not self._sheet.length:
            self._laid_out(self._sheet.width or 600)
        return self._sheet.text

    @override
    def offset_at(self, x: float, y: float, width: float) -> int:
        return self._laid_out(width).offset_at(x, y)

    @override
    def top_of(self, offset: int, width: float) -> float:
        return self._laid_out(width).top_of(offset)

    @override
    def accessible_name(self) -> str:
        said = told(self._notice, self._now)
        return visible(" ".join(part for part in (said.words, said.note) if part))[:400]

    @override
    def drop_caches(self) -> None:
        self._key = None


def _button_width(button: NoticeButton) -> float:
    return round(width_of(button.label, theme.font("small"))) + 16


def _buttons_width(buttons: tuple[NoticeButton, ...]) -> float:
    return sum(map(_button_width, buttons)) + BETWEEN * max(0, len(buttons) - 1)
