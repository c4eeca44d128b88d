"""What a call's card says in words, in the chosen language: its facts at the right edge, and what stands under its row."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, assert_never

from workbench.conversation.events import ApprovalResolved, ToolFinished
from workbench.inspection.timeline_items import Call
from workbench.permissions.visible import visible
from workbench.ui.frame.moments import elapsed_text
from workbench.words import _, duration, kind_name, many, tell, tell_facts, tell_text

CHANGES_SHOWN = 3
LONGEST_VALUE = 400
"""Characters of a changed argument that are looked at for the card; the approval dialog shows all."""

_ENDS_IN_TIME = re.compile(r"\d (?:ms|s|min)$")
_ERROR_HEAD = re.compile(r"^Error \(\w+\): ")
_TRAILER = re.compile(r"^\[.*\]$|^\(no output\)$|^\(the command ended in ")
"""What the tool says of a command itself, below or in place of its output."""
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]+[0-~]|[@-Z\\-_])")
_BY_PERSON = "The user stopped "


class Said(NamedTuple):
    """Words and the token of their colour."""

    text: str
    token: str = "muted"


class Note(NamedTuple):
    """A sentence under a call's row; `icon` is a 12-pixel icon before it, or empty."""

    text: str
    token: str = "muted"
    icon: str = ""


class Changed(NamedTuple):
    """An argument that a person changed: what the model sent, and what ran; None where it is missing."""

    name: str
    sent: str | None
    ran: str | None


def facts_of(call: Call, *, now: float, waits_for_another: bool) -> Said:
    """Return what stands at the right edge of a call's row.

    Args:
        call: the call.
        now: seconds since 1970.
        waits_for_another: a call before it in its step has not ended.
    """
    match call.state:
        case "arriving":
            return Said(many("{n} character of arguments", "{n} characters of arguments", len(call.arguments_raw)), "faint")
        case "queued":
            return Said(_("after the call above") if waits_for_another else "")
        case "waiting":
            return Said(_("waiting for you"), "level2")
        case "running":
            return Said(elapsed_text(now - (now if call.started_at is None else call.started_at)), "text")
        case "ok":
            return Said(_figures(call.finished))
        case "edited":
            return Said(_joined(_("edited by you"), _figures(call.finished)), "accent")
        case "rejected":
            return Said(_refusal(call.resolved))
        case "denied":
            return Said(_("denied by a rule") if _rule_of(call) else _("denied"), "fail")
        case "failed":
            edited = _("edited by you") if call.edited else ""
            return Said(_joined(edited, _figures(call.finished)), "fail")
        case "stopped":
            return Said(_stopped(call.finished))
        case _:
            assert_never(call.state)


def note_of(call: Call) -> Note | None:
    """Return the sentence that explains how a call ended, if it did not simply end well."""
    finished = call.finished
    if finished is None:
        return None
    match call.state:
        case "failed":
            return Note(_failure(finished), "fail") if _failure(finished) else None
        case "denied":
            reason = _first_denial(call)
            return Note(visible(reason), "muted", "shield") if reason else None
        case "stopped":
            sentence = _sentence(finished)
            proven = not finished.result.synthetic and not finished.ui.get("survivors")
            return Note(visible(sentence), "muted", "check" if proven else "") if sentence else None
        case _:
            return None


def changed_arguments(call: Call) -> tuple[Changed, ...]:
    """Return which arguments a person changed, in the model's order; of texts of several lines the first line that differs."""
    if not call.edited or call.sent is None or call.ran is None:
        return ()
    sent, ran = call.sent, call.ran
    names = [name for name in dict.fromkeys((*sent, *ran)) if name not in sent or name not in ran or sent[name] != ran[name]]
    return tuple(_changed(name, sent, ran) for name in names)


def pretty(arguments: Any) -> str:
    """Return arguments as JSON over several lines, each character as it is."""
    return json.dumps(arguments, indent=2, ensure_ascii=False)


def terminal_lines(output: str, count: int) -> list[str]:
    """Return the last lines of an output as a terminal would show them, without colours: a carriage return begins the line anew.

    Args:
        output: as it came; escape sequences are taken out.
        count: so many lines at most.
    """
    lines = output.rstrip("\n").rsplit("\n", count)[-count:]
    return [_overwritten(_ESCAPE.sub("", line)) for line in lines]


def _overwritten(line: str) -> str:
    """Return what is left of a line in which later text was written over earlier text."""
    shown = ""
    for part in line.split("\r"):
        shown = part + shown[len(part) :] if part else shown
    return shown


def _figures(finished: ToolFinished | None) -> str:
    """Return a call's own figures and its time, unless they name one already or nothing ran."""
    if finished is None:
        return ""
    facts = visible(tell_facts(finished.facts) or kind_name(finished.kind).replace("_", " "))
    if finished.result.synthetic or _ENDS_IN_TIME.search(finished.facts):
        return facts
    return _joined(facts, duration(finished.duration_s))


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _refusal(resolved: ApprovalResolved | None) -> str:
    match resolved.by if resolved is not None else "":
        case "policy":
            return _("rejected, nobody could be asked")
        case "program":
            return _("rejected since the mode or the rules changed")
        case _:
            return _("rejected by you")


def _stopped(finished: ToolFinished | None) -> str:
    if finished is None:
        return _("stopped")
    words = _("stopped by you") if _bare_sentence(finished).startswith(_BY_PERSON) else _("stopped")
    return _joined(words, elapsed_text(finished.duration_s) if finished.duration_s >= 1 else "")


def _rule_of(call: Call) -> bool:
    return call.decided is not None and any(reason.code == "rule.deny" for reason in call.decided.reasons)


def _first_denial(call: Call) -> str:
    reasons = call.decided.reasons if call.decided is not None else ()
    return next((tell(reason) for reason in reasons if reason.outcome == "deny"), "")


def _failure(finished: ToolFinished) -> str:
    """Return the first line of a tool's error; of a command that failed, the last line it wrote, which says most often why."""
    if _ERROR_HEAD.match(finished.result.text()):
        return visible(_sentence(finished))
    lines = (line.strip() for line in reversed(finished.result.text().split("\n")))
    return visible(next((line for line in lines if line and not _TRAILER.match(line)), ""))


def _bare_sentence(finished: ToolFinished) -> str:
    first = finished.result.text().partition("\n")[0]
    return _ERROR_HEAD.sub("", first) if _ERROR_HEAD.match(first) else ""


def _sentence(finished: ToolFinished) -> str:
    return tell_text(_bare_sentence(finished))


def _changed(name: str, sent: dict[str, Any], ran: dict[str, Any]) -> Changed:
    before, after = (_shown(values[name]) if name in values else None for values in (sent, ran))
    if before is None or after is None:
        return Changed(name, _first_line(before), _first_line(after))
    for one, other in _line_pairs(before, after):
        if one != other:
            return Changed(name, one, other)
    return Changed(name, _first_line(before), _first_line(after))


def _line_pairs(before: str, after: str) -> Iterator[tuple[str | None, str | None]]:
    olds, news = before.split("\n"), after.split("\n")
    for place in range(max(len(olds), len(news))):
        yield (olds[place] if place < len(olds) else None, news[place] if place < len(news) else None)


def _first_line(text: str | None) -> str | None:
    return None if text is None else text.partition("\n")[0]


def _shown(value: Any) -> str:
    return value[: 100 * LONGEST_VALUE] if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
