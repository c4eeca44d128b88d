"""The calls of a step in one box, a hairline between them: one row for what went well, more for what did not, and each opens in place.

A call that waits for a person is a card of its own below the box; that one is a real widget.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from workbench.conversation.events import ApprovalRequested
from workbench.inspection.timeline_items import Call, CallsItem
from workbench.permissions.visible import visible
from workbench.ui.bridge import Bridge
from workbench.ui.chat.call_sheet import ICONS, RIGHT_INSET, TURNS, Body, contents_sheet, estimated_height, has_notes, notes_sheet, row_sheet, row_words
from workbench.ui.chat.call_words import facts_of
from workbench.ui.chat.item_view import INSET, ClickTarget, ItemView, Place
from workbench.ui.chat.sheet import Chosen, Sheet
from workbench.ui.chat.waiting_card import WaitingCard
from workbench.ui.chat.waiting_sheet import waiting_height
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import box, focus_ring, hline, text, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _, many, paragraph, state_name, strung

GAP = 8
ENDED = frozenset({"ok", "edited", "rejected", "denied", "failed", "stopped"})
PLAIN = frozenset({"ok", "edited", "rejected"})
"""States in which a call has one row, unless `has_notes` says otherwise."""


@dataclass
class _Kept:
    """A part of a call that was laid out, and what it was made from."""

    key: object = None
    body: Body = field(default_factory=lambda: Body(Sheet(0)))


@dataclass
class _Laid:
    """The parts of a call that were laid out."""

    row: _Kept = field(default_factory=_Kept)
    notes: _Kept = field(default_factory=_Kept)
    contents: _Kept = field(default_factory=_Kept)


@dataclass(frozen=True)
class _Part:
    """A part of a call in its place: where it begins, and where its words begin in the whole text."""

    top: float
    start: int
    body: Body


@dataclass(frozen=True)
class _Slot:
    """A call in the box. The first of its parts is its row."""

    call: Call
    parts: tuple[_Part, ...]
    waits: bool

    @property
    def top(self) -> float:
        return self.parts[0].top

    @property
    def bottom(self) -> float:
        return self.parts[-1].top + self.parts[-1].body.sheet.height

    @property
    def end(self) -> int:
        """Offset behind its words."""
        return self.parts[-1].start + self.parts[-1].body.sheet.length

    def words(self) -> str:
        return "\n".join(part.body.sheet.text for part in self.parts if part.body.sheet.length)


class CallsView(ItemView):
    """The calls of one step."""

    before = GAP

    def __init__(self, item: CallsItem, bridge: Bridge) -> None:
        super().__init__(item)
        self._calls_item = item
        self._bridge = bridge
        self._opened: set[Call] = set()
        self._laid: dict[Call, _Laid] = {}
        self._cards: dict[tuple[str, float], float] = {}
        self._now = time.time()
        self._slots: tuple[_Slot, ...] = ()
        self._slots_key: object = None
        self._width = 600.0

    # Size

    @override
    def estimate(self, width: float) -> int:
        height = sum(estimated_height(call) for call in self._boxed())
        cards = sum(GAP + theme.card_row + theme.lh + 9 * theme.mh for _requested in self._questions())
        return int(max(0, height + cards - (0 if self._boxed() else GAP)))

    @override
    def measure(self, width: float) -> int:
        areas = self.widget_areas(width)
        return round(areas[-1][1].bottom() if areas else self._box_height(width))

    def _box_height(self, width: float) -> float:
        slots = self._laid_out(width)
        return slots[-1].bottom if slots else 0.0

    @override
    def widget_areas(self, width: float) -> tuple[tuple[str, QRectF], ...]:
        areas: list[tuple[str, QRectF]] = []
        y = self._box_height(width)
        for requested in self._questions():
            y += GAP if y else 0
            height = self._card_height(requested, width)
            areas.append((requested.approval_id, QRectF(0, y, width, height)))
            y += height
        return tuple(areas)

    @override
    def make_widget(self, key: str, parent: QWidget) -> QWidget:
        call = next(call for call in self._calls_item.calls if call.approval is not None and call.approval.approval_id == key)
        return WaitingCard(call, self._bridge, parent)

    def _card_height(self, requested: ApprovalRequested, width: float) -> float:
        key = (requested.approval_id, width)
        if key not in self._cards:
            self._cards[key] = waiting_height(requested, width, self._bridge.rung)
        return self._cards[key]

    def _boxed(self) -> list[Call]:
        return [call for call in self._calls_item.calls if call.approval is None]

    def _questions(self) -> list[ApprovalRequested]:
        return [call.approval for call in self._calls_item.calls if call.approval is not None]

    # Layout

    def _laid_out(self, width: float) -> tuple[_Slot, ...]:
        """Return the calls of the box, laid out; what did not change since the last time is not laid out again."""
        self._width = width
        key = (width, self._calls_item.revision, len(self._opened), int(self._now) if self.moves() else 0)
        if key != self._slots_key:
            self._slots_key, self._slots = key, self._laid_out_anew(width)
        return self._slots

    def _laid_out_anew(self, width: float) -> tuple[_Slot, ...]:
        calls = self._boxed()
        self._laid = {call: self._laid.get(call, _Laid()) for call in calls}
        busy = list(accumulate((call.state not in ENDED for call in self._calls_item.calls), lambda one, other: one or other, initial=False))
        waits = dict(zip(self._calls_item.calls, busy, strict=False))
        slots: list[_Slot] = []
        for call in calls:
            bodies = [self._row(call, width, hovered=False, waits=waits[call]), self._notes(call, width)]
            bodies += [self._contents(call, width)] if call in self._opened else []
            slots.append(_Slot(call, _stacked(bodies, slots[-1] if slots else None), waits[call]))
        return tuple(slots)

    def _row(self, call: Call, width: float, *, hovered: bool, waits: bool) -> Body:
        facts = facts_of(call, now=self._now, waits_for_another=waits)
        right = width - RIGHT_INSET - (20 if hovered else 0)
        if call.state == "running":
            right = self._stop_area(width, 0).x() - RIGHT_INSET
        key = (call.state, call.tool, call.title, facts, right, width)
        return _kept(self._laid[call].row, key, lambda: Body(row_sheet(call, width, right, facts)))

    def _notes(self, call: Call, width: float) -> Body:
        opened = call in self._opened
        live = self._calls_item.revision if call.output else 0
        key = (call.state, opened, width, live, id(call.finished), call.note)
        return _kept(self._laid[call].notes, key, lambda: notes_sheet(call, width, opened=opened))

    def _contents(self, call: Call, width: float) -> Body:
        parts = (call.finished, call.decided, call.resolved, call.sent, call.ran, call.preview)
        key = (width, call.state, *map(id, parts), len(call.arguments_raw))
        return _kept(self._laid[call].contents, key, lambda: contents_sheet(call, width))

    @staticmethod
    def _stop_area(width: float, top: float) -> QRectF:
        wide = round(width_of(_("Stop this call"), theme.font("small"))) + 16
        return QRectF(width - 8 - wide, top + round((theme.card_row - theme.compact) / 2), wide, theme.compact)

    # Painting

    @override
    def paint(self, p: QPainter, place: Place) -> None:
        self._now = place.now or time.time()
        slots = self._laid_out(place.width)
        if not slots:
            return
        edge = "edge" if theme.name == "dark" else "line"
        box(p, QRectF(place.x, place.y, place.width, slots[-1].bottom), "card", edge, 6)
        for slot in slots:
            if place.y + slot.bottom >= place.top and place.y + slot.top <= place.bottom:
                self._paint_call(p, slot, place)
        if place.focused:
            focus_ring(p, QRectF(place.x, place.y, place.width, slots[-1].bottom), 6)

    def _paint_call(self, p: QPainter, slot: _Slot, place: Place) -> None:
        x, y, call = place.x, place.y + slot.top, slot.call
        if slot.top:
            hline(p, x + 1, x + place.width - 1, y)
        height = theme.card_row
        row = slot.parts[0].body
        if self._is_over_row(slot, place):
            box(p, QRectF(x + 3, y + 3, place.width - 6, height - 5), "hover", None, 4)
            if call.state != "running":
                row = self._row(call, place.width, hovered=True, waits=slot.waits)
                chevron = "chevron-down" if call in self._opened else "chevron-right"
                draw_icon(p, chevron, x + place.width - RIGHT_INSET - 12, round(y + (height - 12) / 2), "muted", 12)
        for number, part in enumerate(slot.parts):
            sheet = part.body.sheet if number else row.sheet
            sheet.paint(p, x, place.y + part.top, place.top, place.bottom, Chosen.of(place).within(part.start))
        if call.state in TURNS:
            icon, token = ICONS[call.state]
            draw_icon(p, icon, x + INSET, round(y + (height - 16) / 2), token, turn=place.turn_eighths)
        if call.state == "running":
            self._paint_stop(p, place, slot)

    def _paint_stop(self, p: QPainter, place: Place, slot: _Slot) -> None:
        local = self._stop_area(place.width, slot.top)
        over = place.pointer is not None and local.contains(place.pointer)
        area = local.translated(place.x, place.y)
        box(p, area, "hover" if over else "raised", "edge", 5)
        text(p, area.adjusted(8, 0, 0, 0), _("Stop this call"), theme.font("small"))

    @staticmethod
    def _is_over_row(slot: _Slot, place: Place) -> bool:
        return place.pointer is not None and QRectF(0, slot.top, place.width, theme.card_row).contains(place.pointer)

    # What can be done

    @override
    def targets(self, width: float) -> tuple[ClickTarget, ...]:
        found: list[ClickTarget] = []
        for slot in self._laid_out(width):
            running = slot.call.state == "running"
            stop = self._stop_area(width, slot.top)
            row = QRectF(0, slot.top, stop.x() if running else width, theme.card_row)
            found.append(ClickTarget(area=row, action="toggle", argument=slot.call.call_id, name=self._name_of(slot.call)))
            if running:
                found.append(ClickTarget(area=stop, action="stop_call", argument=slot.call.call_id, name=_("Stop this call")))
            found += [
                ClickTarget(area=target.area.translated(0, part.top), action=target.action, argument=target.argument, name=target.name)
                for part in slot.parts
                for target in part.body.targets
            ]
        return tuple(found)

    @override
    def toggle(self, argument: str) -> None:
        """Open or close the call of that id; without an id all of them."""
        calls = {call for call in self._boxed() if not argument or call.call_id == argument}
        self._opened = self._opened - calls if calls <= self._opened else self._opened | calls
        self.opened = bool(self._opened)
        self._slots_key = None

    @override
    def moves(self) -> bool:
        return any(call.state in TURNS for call in self._calls_item.calls)

    # Words

    @override
    def plain_text(self) -> str:
        boxed = self._words_alone() if self._slots_key is None else [slot.words() for slot in self._laid_out(self._width)]
        return "\n".join([*boxed, *(self._name_of(call) for call in self._calls_item.calls if call.approval is not None)])

    def _words_alone(self) -> list[str]:
        """Return the words of each call in the box; where rows say all, nothing is laid out for it: a search asks thousands of items."""
        calls = self._boxed()
        if self._opened or any(call.state not in PLAIN or has_notes(call) for call in calls):
            return [slot.words() for slot in self._laid_out(self._width)]
        return [row_words(call, facts_of(call, now=self._now, waits_for_another=False)) for call in calls]

    @override
    def offset_at(self, x: float, y: float, width: float) -> int:
        slots = self._laid_out(width)
        if not slots or y > slots[-1].bottom:
            return len(self.plain_text())
        parts = [part for slot in slots for part in slot.parts if part.body.sheet.length]
        part = next((part for part in parts if y < part.top + part.body.sheet.height), parts[-1])
        return part.start + part.body.sheet.offset_at(x, y - part.top)

    @override
    def top_of(self, offset: int, width: float) -> float:
        parts = [part for slot in self._laid_out(width) for part in slot.parts if part.body.sheet.length]
        part = next((part for part in reversed(parts) if part.start <= offset), None)
        return part.top + part.body.sheet.top_of(offset - part.start) if part else 0.0

    @override
    def accessible_name(self) -> str:
        calls = self._calls_item.calls
        said = (many("{n} call", "{n} calls", len(calls)), *map(self._name_of, calls))
        return paragraph(*(words + _(".") for words in said)).removesuffix(_("."))[:400]

    def _name_of(self, call: Call) -> str:
        facts = facts_of(call, now=self._now, waits_for_another=True).text
        parts = (f"{visible(call.tool)} {visible(call.title)}".strip(), _state_words(call), facts)
        return strung(*dict.fromkeys(parts))

    @override
    def drop_caches(self) -> None:
        self._laid.clear()
        self._cards.clear()
        self._slots_key = None


def _state_words(call: Call) -> str:
    """Return the word for a state whose facts do not say it: an icon is no word."""
    match call.state:
        case "ok" | "failed" | "running" | "arriving" | "queued":
            return {"ok": _("done"), "failed": state_name("failed"), "running": _("running"), "arriving": _("arriving"), "queued": _("queued")}[call.state]
        case _:
            return ""


def _kept(kept: _Kept, key: object, make: Callable[[], Body]) -> Body:
    if kept.key != key:
        kept.key, kept.body = key, make()
    return kept.body


def _stacked(bodies: list[Body], above: _Slot | None) -> tuple[_Part, ...]:
    """Put the parts of a call below each other, and their words behind those of the call above."""
    top, end = (above.bottom, above.end) if above else (0.0, -1)
    parts: list[_Part] = []
    for body in bodies:
        start = end + 1 if body.sheet.length else end
        parts.append(_Part(top, start, body))
        top, end = top + body.sheet.height, start + body.sheet.length
    return tuple(parts)
