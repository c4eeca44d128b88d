"""What the program tells of its own accord in the conversation, made from facts."""

from __future__ import annotations

from typing import Literal, assert_never

from workbench.conversation.events import ExchangeClosed, Notice, TurnEnd, TurnFinished
from workbench.inspection.timeline_items import Attempt, NoticeItem


def notice_of(notice: Notice, item_id: str, at: float) -> NoticeItem:
    """Return what a notice shows; `at` is seconds since 1970."""
    return NoticeItem(item_id=item_id, kind="notice", text=notice.text, message_id=notice.message_id, values=notice.values, level=notice.level, at=at)


def problem_of(text: str, item_id: str, turn_id: str, at: float) -> NoticeItem:
    """Return what a sentence shows that the decoder noted."""
    return NoticeItem(item_id=item_id, turn_id=turn_id, kind="problem", text=text, level="warning", at=at)


def retry_of(attempt: Attempt, closed: ExchangeClosed, item_id: str, at: float) -> NoticeItem:
    """Return what is shown while a failed request waits to be sent again."""
    return NoticeItem(
        item_id=item_id,
        turn_id=attempt.opened.turn_id,
        kind="retry",
        text=closed.error,
        message_id=closed.message_id,
        values=closed.values,
        level="warning",
        at=at,
        retry_at=at + (closed.retry_in_s or 0.0),
        attempt=attempt.opened.attempt + 1,
        original=closed.original,
        exchange_id=closed.exchange_id,
    )


def turn_end_of(finished: TurnFinished, item_id: str, at: float, closed: ExchangeClosed | None, stopped_calls: int) -> NoticeItem:
    """Return how a turn ended.

    Args:
        finished: the fact.
        item_id: the item's id.
        at: when it was written, seconds since 1970.
        closed: the turn's last exchange; tells what the provider said, if the turn failed.
        stopped_calls: how many calls of its last step were stopped.
    """
    failed = closed if finished.end == "failed" else None
    return NoticeItem(
        item_id=item_id,
        turn_id=finished.turn_id,
        kind="turn_end",
        text=finished.text,
        message_id=finished.message_id,
        values=finished.values,
        level=_level(finished.end),
        at=at,
        end=finished.end,
        stopped_calls=stopped_calls if finished.end == "stopped" else 0,
        original=failed.original if failed else "",
        exchange_id=failed.exchange_id if failed else "",
    )


def _level(end: TurnEnd) -> Literal["info", "warning", "error"]:
    match end:
        case "stopped":
            return "info"
        case "answered" | "limit" | "interrupted":
            return "warning"
        case "failed":
            return "error"
        case _:
            assert_never(end)
