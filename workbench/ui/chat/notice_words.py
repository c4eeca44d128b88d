"""What a notice of the chat says, in the chosen language: icon, words, a note beside them, and its buttons."""

from __future__ import annotations

from typing import NamedTuple, assert_never

from workbench.conversation.events import LimitReached
from workbench.inspection.timeline_items import NoticeItem
from workbench.permissions.visible import visible
from workbench.ui.frame.moments import elapsed_text, moment_text
from workbench.words import _, many, tell, tell_text

LEVELS = {"info": ("info", "muted"), "warning": ("warning", "level2"), "error": ("failed", "fail")}
RULES_CHANGED = frozenset({"rules.broken_file", "rules.changed"})
"""Ids of what is told when files of kept rules are not as this program left them."""


class NoticeButton(NamedTuple):
    """A small button: its words, what it does (see `item_view.ClickTarget`), and what with."""

    label: str
    action: str
    argument: str = ""


class Told(NamedTuple):
    """A notice in words.

    Attributes:
        icon, token: the icon, and the colour of icon and words.
        words: the sentence.
        note: quieter words after it.
        buttons: at most two.
        details: foreign text that can be unfolded; empty if there is none.
    """

    icon: str
    token: str
    words: str
    note: str = ""
    buttons: tuple[NoticeButton, ...] = ()
    details: str = ""


def told(item: NoticeItem, now: float) -> Told:
    """Return what a notice says at a moment (seconds since 1970)."""
    match item.kind:
        case "retry":
            return _retry(item, now)
        case "limit":
            return _limit(item)
        case "turn_end":
            return _turn_end(item)
        case "resumed":
            return Told("session", "muted", _("Opened again"), moment_text(item.at, now))
        case "problem":
            return Told("warning", "level2", visible(tell_text(item.text)))
        case "notice":
            icon, token = LEVELS[item.level]
            return Told(icon, token, visible(tell(item), keep="\n"), buttons=_where_to(item))
        case _:
            assert_never(item.kind)


def _where_to(item: NoticeItem) -> tuple[NoticeButton, ...]:
    """Return what leads to where a notice is dealt with: rules that somebody else changed are looked at, accepted or put back in the settings."""
    return (NoticeButton(_("Permissions"), "settings", "permissions"),) if item.message_id in RULES_CHANGED else ()


def _retry(item: NoticeItem, now: float) -> Told:
    status = item.values.get("status")
    refused = isinstance(status, int) and status >= 300
    words = _("{status} from the provider").format(status=status) if refused else visible(tell(item))
    left_s = max(0, round((item.retry_at or now) - now))
    note = _("try {n} in {seconds} s").format(n=item.attempt, seconds=left_s) if left_s else _("try {n} now").format(n=item.attempt)
    sentence = visible(tell(item), keep="\n") if refused else ""
    details = "\n".join(part for part in (sentence, item.original) if part)
    return Told("retry", "level2", words, note, (NoticeButton(_("Stop"), "stop"),), details)


def _limit(item: NoticeItem) -> Told:
    if item.limit is None:
        return Told("gauge", "level2", visible(tell(item)))
    words = _("The turn reached its limit of {amount}.").format(amount=_amount(item.limit.limit, item.limit.maximum))
    if item.waits:
        more = _raised(item.limit)
        label = _("Continue to {amount}").format(amount=_amount(item.limit.limit, more))
        buttons = (NoticeButton(label, "raise_limit", f"{more:g}"), NoticeButton(_("End the turn"), "end_at_limit"))
        return Told("gauge", "level2", words, _("It waits for you."), buttons)
    if item.raised is not None:
        return Told("gauge", "muted", words, _("You let it go on to {amount}.").format(amount=_amount(item.limit.limit, item.raised)))
    return Told("gauge", "muted", words, _("It ended there.") if item.end == "limit" else "")


def _raised(reached: LimitReached) -> float:
    """Return the bound that is offered: as much again, and above what was used."""
    return max(reached.maximum * 2, float(int(reached.value) + 1))


def _amount(limit: str, amount: float) -> str:
    match limit:
        case "steps":
            return many("{n} step", "{n} steps", round(amount))
        case "tokens":
            return many("{n} token", "{n} tokens", round(amount))
        case "time":
            return elapsed_text(amount)
        case "cost":
            return f"${amount:.2f}"
        case _:
            return f"{amount:g}"


def _turn_end(item: NoticeItem) -> Told:
    match item.end:
        case "stopped":
            ended = many("{n} call was stopped with it", "{n} calls were stopped with it", item.stopped_calls) if item.stopped_calls else ""
            return Told("stopped", "muted", _("Stopped by you"), ended)
        case "failed":
            button = (NoticeButton(_("Show answer"), "show_request", item.exchange_id),) if item.exchange_id else ()
            return Told("failed", "fail", visible(tell(item), keep="\n") or _("The turn failed."), "", button, item.original)
        case "interrupted":
            return Told("warning", "level2", visible(tell(item)) or _("The program ended while this turn ran."))
        case "answered" | "limit" | None:
            return Told("warning", "level2", visible(tell(item), keep="\n"))
        case _:
            assert_never(item.end)
