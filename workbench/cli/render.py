"""A turn as lines in a terminal: the model's words on stdout, everything about them (calls, limits, failures) on stderr."""

from __future__ import annotations

import re
import sys
from typing import Literal, TypeAlias

from workbench.cli.columns import Flow
from workbench.cli.held import show_held, told_decision
from workbench.cli.output import answer, colour, columns_of, one_line, plain, prose, say
from workbench.conversation.checks import RequestHeld, RequestReleased
from workbench.conversation.events import (
    ApprovalResolved,
    Decided,
    Entry,
    ExchangeClosed,
    ExchangeOpened,
    LiveEvent,
    ModelResponded,
    Notice,
    RetryWaiting,
    StreamPieceArrived,
    ToolFinished,
    ToolOutputArrived,
    TurnFinished,
)
from workbench.conversation.stream import ReasoningDelta, TextDelta
from workbench.conversation.values import JsonObject
from workbench.inspection.costs import Spent
from workbench.words import _, cost_words, duration, kind_name, state_name, tell, tell_facts, tell_text

MARKS = {"ok": ("✓", "green"), "error": ("✗", "red"), "denied": ("⊘", "red"), "cancelled": ("■", "amber"), "timed_out": ("✗", "red")}

Kind: TypeAlias = Literal["text", "reasoning", "output"]

_ENDS_IN_TIME = re.compile(r"\d (?:ms|s|min)$")
_ERROR_HEAD = re.compile(r"^Error \(\w+\): ")


class TerminalView:
    """Shows a session's journal as it grows. `entry` and `live` are its listeners."""

    def __init__(self, *, reasoning: bool = True) -> None:
        self._reasoning = reasoning
        self._running: _Running | None = None
        self._decided: dict[str, Decided] = {}
        self._resolved: dict[str, ApprovalResolved] = {}
        self._numbers: dict[str, int] = {}
        self._streamed = False
        self._spent = Spent()

    def entry(self, entry: Entry) -> None:
        """Show one fact."""
        match entry.event:
            case ExchangeOpened() as opened:
                self._numbers[opened.exchange_id] = opened.number
                self._streamed = False
                if opened.repaired:
                    self._line(colour(_("Repaired before it was sent: {rules}.").format(rules=plain(", ".join(opened.repaired))), "faint"))
            case ExchangeClosed(cost=cost):
                self._spent = self._spent.with_cost(cost)
            case RequestHeld() as held:
                self._end_running()
                show_held(held)
            case RequestReleased(decision=decision):
                self._line(colour(told_decision(decision), "faint"))
            case ModelResponded() as responded:
                self._whole_message(responded)
            case Decided() as decided:
                self._decided[decided.call_id] = decided
            case ApprovalResolved() as resolved:
                self._resolved[resolved.call_id] = resolved
            case ToolFinished() as finished:
                self._finished(finished)
            case TurnFinished() as finished:
                self._turn_end(finished)
            case Notice() as notice:
                self._line(colour(plain(tell(notice)), "red" if notice.level == "error" else "amber" if notice.level == "warning" else "faint"))
            case _:
                return

    def live(self, event: LiveEvent) -> None:
        """Show one live sign."""
        match event:
            case StreamPieceArrived(piece=TextDelta(text=text)):
                self._streamed = True
                self._add("text", text)
            case StreamPieceArrived(piece=ReasoningDelta(text=text)) if self._reasoning:
                self._add("reasoning", text)
            case ToolOutputArrived(text=text):
                self._add("output", text)
            case RetryWaiting() as waiting:
                number, text = self._numbers.get(waiting.exchange_id, 0), plain(tell(waiting))
                sentence = _("#{number}: {text} Trying again in {seconds:.0f} s.").format(number=number, text=text, seconds=waiting.delay_s)
                self._line(colour(sentence, "amber"))
            case _:
                return

    def _add(self, kind: Kind, text: str) -> None:
        """Show a piece of running text; another kind begins on a new line."""
        if self._running is None or self._running.kind != kind:
            self._end_running()
            self._running = _Running(kind)
        self._running.add(text)

    def _end_running(self) -> None:
        if self._running is not None:
            self._running.end()
            self._running = None

    def _line(self, text: str) -> None:
        self._end_running()
        say(text)

    def _whole_message(self, responded: ModelResponded) -> None:
        """Show the text of an answer that did not stream (a late subscriber, a server that sends whole bodies)."""
        message = responded.message
        if not self._streamed and message.text():
            self._add("text", message.text())
        self._end_running()
        if message.state == "complete":  # else the turn's end tells it
            for problem in responded.problems:
                say(colour(f"! {plain(tell_text(problem))}", "amber"))

    def _finished(self, finished: ToolFinished) -> None:
        mark, tint = MARKS[finished.status]
        decided = self._decided.get(finished.call_id)
        target = one_line(call_target(decided.arguments), 60) if decided else ""
        parts = (colour(mark, tint), colour(one_line(finished.tool), "bold"), target, colour(one_line(self._facts(finished)), "faint"))
        self._line("  ".join((" ".join(part for part in parts[:3] if part), parts[3])))
        for line in self._why_not(finished):
            say(colour(f"    {one_line(line, 400)}", "faint"))
        for change in finished.files_changed:
            say(colour(f"    {one_line(change.path)}  +{change.added} −{change.removed}", "faint"))

    def _facts(self, finished: ToolFinished) -> str:
        resolved = self._resolved.get(finished.call_id)
        match finished.status:
            case "denied":
                return _refusal(resolved)
            case "cancelled":
                return tell_facts(finished.facts) or _("stopped")
            case "ok" | "error" | "timed_out":
                edited = _("edited by you") if resolved is not None and resolved.answer == "approve_edited" else ""
                return " · ".join(fact for fact in (*_figures(finished), edited) if fact)

    def _why_not(self, finished: ToolFinished) -> list[str]:
        """Return what should be known of a call that did not go well: a note, the rule that denied it, the error's first line."""
        resolved = self._resolved.get(finished.call_id)
        if finished.status == "denied":
            decided = self._decided.get(finished.call_id)
            reasons = [tell(reason) for reason in decided.reasons if reason.outcome == "deny"] if decided else []
            return [resolved.note] if resolved and resolved.note else reasons[:1]
        first = finished.result.text().partition("\n")[0]
        return [tell_text(_ERROR_HEAD.sub("", first))] if finished.status in ("error", "timed_out") and _ERROR_HEAD.match(first) else []

    def _turn_end(self, finished: TurnFinished) -> None:
        self._end_running()
        text = tell(finished) or {"answered": "", "stopped": _("Stopped.")}.get(finished.end, state_name(finished.end))
        if text:
            say(colour(plain(text), "amber"))
        if cost := cost_words(self._spent.amount, unknown=bool(self._spent.unknown)):
            say(colour(_("This turn: {cost}").format(cost=cost), "faint"))


def _refusal(resolved: ApprovalResolved | None) -> str:
    match resolved.by if resolved is not None else "":
        case "person" | "terminal":
            return _("rejected by you")
        case "policy":
            return _("rejected, nobody could be asked")
        case "program":
            return _("rejected")
        case _:
            return _("denied")


def _figures(finished: ToolFinished) -> tuple[str, str]:
    """Return a call's own figures and its time, unless they name one already or nothing ran."""
    facts = tell_facts(finished.facts) or kind_name(finished.kind).replace("_", " ")
    if finished.result.synthetic or _ENDS_IN_TIME.search(finished.facts):
        return facts, ""
    return facts, duration(finished.duration_s)


class _Running:
    """Text of one kind while it arrives; at a terminal its words are wrapped, but a command's output stays as it is."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        columns = 0 if kind == "output" else columns_of(sys.stdout if kind == "text" else sys.stderr)
        self._flow = Flow(columns) if columns else None
        self._whole_lines = True

    def add(self, text: str) -> None:
        shown = plain(text) if self.kind == "output" else prose(text)
        self._show(self._flow.feed(shown) if self._flow else shown)

    def end(self) -> None:
        if self._flow:
            self._show(self._flow.end())
        if not self._whole_lines:
            self._show("\n")

    def _show(self, text: str) -> None:
        if not text:
            return
        self._whole_lines = text.endswith("\n")
        if self.kind == "text":
            answer(text, end="")
        else:
            say(colour(text, "faint"), end="", fold=False)


def call_target(arguments: JsonObject) -> str:
    """Return the argument that says best what a call is about: its path, command or pattern; else the first text."""
    for name in ("file_path", "path", "command", "pattern", "expression", "city", "timezone"):
        if isinstance(arguments.get(name), str):
            return str(arguments[name])
    return next((value for value in arguments.values() if isinstance(value, str)), "")
