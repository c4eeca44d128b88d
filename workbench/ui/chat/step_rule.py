"""A line across the chat where a request to the model begins; each number opens the exchange in the inspector."""

from __future__ import annotations

import time
from typing import NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QPainter
from typing_extensions import override

from workbench.conversation.messages import Usage
from workbench.inspection.timeline_items import Attempt, StepItem
from workbench.ui.chat.figures import tokens_text
from workbench.ui.chat.item_view import ClickTarget, ItemView, Place
from workbench.ui.frame.moments import elapsed_text
from workbench.ui.kit.paint import box, fill, focus_ring, hline, text, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _, duration

_SHORTEST_LINE = 24
_AFTER_NUMBER = "  "
_FINE = 400
_MOST_TRIES = 4


class _Piece(NamedTuple):
    """A part of the facts at the right: its words, their colour, and the exchange that it opens."""

    words: str
    token: str = "faint"
    exchange_id: str = ""


class StepView(ItemView):
    """One step."""

    before = 18

    def __init__(self, item: StepItem) -> None:
        super().__init__(item)
        self._step = item
        self._now = time.time()

    @override
    def estimate(self, width: float) -> int:
        return theme.lh

    @override
    def measure(self, width: float) -> int:
        return theme.lh

    # Words

    def _label(self) -> str:
        return _("Step {n}").format(n=self._step.step)

    def _pieces(self) -> list[_Piece]:
        """Return the facts in reading order; of many tries only the last."""
        pieces: list[_Piece] = []
        for attempt in self._step.attempts[-_MOST_TRIES:]:
            if pieces:
                pieces.append(_Piece(", "))
            number = f"#{attempt.opened.number}"
            pieces += [_Piece(number, "accent", attempt.opened.exchange_id), _Piece(_AFTER_NUMBER), self._status(attempt)]
        facts = " · ".join(self._facts())
        return [*pieces, _Piece(f" · {facts}")] if facts else pieces

    def _status(self, attempt: Attempt) -> _Piece:
        closed = attempt.closed
        if closed is None:
            return _Piece(elapsed_text(self._now - attempt.opened_at) if attempt.opened_at else _("running"), "muted")
        if closed.status is not None and (closed.status < _FINE or not closed.failure):
            return _Piece(str(closed.status))
        return _Piece(str(closed.status) if closed.status is not None else _failure(closed.failure), "fail")

    def _facts(self) -> list[str]:
        last = self._step.attempts[-1].closed if self._step.attempts else None
        facts = [duration(last.duration_s)] if last is not None and last.duration_s is not None else []
        return facts + _usage_texts(self._step.usage) if self._step.usage else facts

    # Painting

    @override
    def paint(self, p: QPainter, place: Place) -> None:
        self._now = place.now or time.time()
        x, y, height = place.x, place.y, theme.lh
        if place.selection:
            fill(p, QRectF(x, y, place.width, height), "select")
        used = text(p, QRectF(x, y, place.width, height), self._label(), theme.font("tiny", "bold"), "muted")
        placed = self._placed(place.width)
        left = placed[0][1].x() if placed else place.width
        if left - used > _SHORTEST_LINE:
            hline(p, x + used + 10, x + left - 10, round(y + height / 2))
        for piece, area in placed:
            self._paint_piece(p, piece, area, place)
        if place.focused:
            focus_ring(p, QRectF(x - 6, y - 3, place.width + 12, height + 6), 5)

    def _paint_piece(self, p: QPainter, piece: _Piece, area: QRectF, place: Place) -> None:
        moved = area.translated(place.x, place.y)
        if piece.exchange_id and place.pointer is not None and area.adjusted(-4, -2, 4, 2).contains(place.pointer):
            box(p, moved.adjusted(-4, -1, 4, 1), "hover", None, 4)
        text(p, moved.adjusted(0, 0, 2, 0), piece.words, _font(piece), piece.token)

    def _placed(self, width: float) -> list[tuple[_Piece, QRectF]]:
        """Return the facts with their places, right-aligned; where there is no room, the last ones are cut off."""
        pieces = self._pieces()
        room = width - width_of(self._label(), theme.font("tiny", "bold")) - _SHORTEST_LINE
        widths = [width_of(piece.words, _font(piece)) for piece in pieces]
        while pieces and sum(widths) > room:
            piece = pieces.pop()
            wide = widths.pop()
            head, dot, _last = piece.words.rpartition(" · ")
            if dot and head:
                pieces.append(_Piece(head, piece.token))
                widths.append(width_of(head, _font(piece)))
            elif room - sum(widths) > wide:
                break
        left = width - sum(widths)
        placed = []
        for piece, wide in zip(pieces, widths, strict=True):
            placed.append((piece, QRectF(left, 0, wide, theme.lh)))
            left += wide
        return placed

    # What can be done

    @override
    def targets(self, width: float) -> tuple[ClickTarget, ...]:
        return tuple(
            ClickTarget(
                area=area.adjusted(-4, -2, 4, 2),
                action="show_request",
                argument=piece.exchange_id,
                name=_("Show request {number}").format(number=piece.words),
            )
            for piece, area in self._placed(width)
            if piece.exchange_id
        )

    @property
    def exchange_id(self) -> str:
        """The last request of the step; empty if none went out yet."""
        return self._step.attempts[-1].opened.exchange_id if self._step.attempts else ""

    @override
    def moves(self) -> bool:
        return any(attempt.closed is None for attempt in self._step.attempts)

    @override
    def plain_text(self) -> str:
        facts = "".join(piece.words for piece in self._pieces()).replace(_AFTER_NUMBER, " ")
        return f"{self._label()} · {facts}" if facts else self._label()


def _font(piece: _Piece) -> QFont:
    return theme.font("tiny", "medium" if piece.exchange_id else "regular")


def _usage_texts(usage: Usage) -> list[str]:
    """Return what went in and came out, as far as the provider said it."""
    texts = []
    if usage.input_tokens is not None:
        went_in = tokens_text(usage.input_tokens)
        cached = tokens_text(usage.cached_tokens) if usage.cached_tokens else ""
        texts.append(_("{n} in, {cached} cached").format(n=went_in, cached=cached) if cached else _("{n} in").format(n=went_in))
    if usage.output_tokens is not None:
        texts.append(_("{n} out").format(n=tokens_text(usage.output_tokens)))
    return texts


def _failure(failure: str) -> str:
    """Return a word for a request that got no response."""
    if failure == "stopped":
        return _("stopped")
    return _("no response") if failure else _("cut off")
