"""A turn as lines in a terminal: the model's words on stdout, everything about them (calls, limits, failures) on stderr."""

from __future__ import annotations

from workbench.cli.output import answer, colour, one_line, plain, prose, say
from workbench.conversation.events import (
    ApprovalResolved,
    Decided,
    Entry,
    ExchangeClosed,
    ExchangeOpened,
    LimitReached,
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
from workbench.words import _, tell

MARKS = {"ok": ("✓", "green"), "error": ("✗", "red"), "denied": ("⊘", "red"), "cancelled": ("■", "amber"), "timed_out": ("✗", "red")}


class TerminalView:
    """Shows a session's journal as it grows. `entry` and `live` are its listeners."""

    def __init__(self, *, reasoning: bool = True) -> None:
        self._reasoning = reasoning
        self._open = ""
        self._arguments: dict[str, JsonObject] = {}
        self._numbers: dict[str, int] = {}
        self._streamed = False

    def entry(self, entry: Entry) -> None:
        """Show one fact."""
        match entry.event:
            case ExchangeOpened() as opened:
                self._numbers[opened.exchange_id] = opened.number
                self._streamed = False
            case ExchangeClosed() as closed if closed.error:
                self._line(colour(f"! #{self._numbers.get(closed.exchange_id, 0)} {plain(closed.error)}", "amber"))
            case ModelResponded() as responded:
                self._whole_message(responded)
            case Decided() as decided:
                self._arguments[decided.call_id] = decided.arguments
            case ApprovalResolved() as resolved if resolved.answer == "reject":
                self._line(colour("  " + _("rejected") + (f": {plain(resolved.note)}" if resolved.note else ""), "amber"))
            case ToolFinished() as finished:
                self._finished(finished)
            case LimitReached() as reached:
                self._line(colour(_("The limit of {limit} is reached ({maximum:g}).").format(limit=reached.limit, maximum=reached.maximum), "amber"))
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
                self._switch("text")
                self._streamed = True
                answer(prose(text), end="")
            case StreamPieceArrived(piece=ReasoningDelta(text=text)) if self._reasoning:
                self._switch("reasoning")
                say(colour(prose(text), "faint"), end="")
            case ToolOutputArrived(text=text):
                self._switch("output")
                say(colour(plain(text), "faint"), end="")
            case RetryWaiting(delay_s=delay_s, text=text):
                self._line(colour(_("{text} Trying again in {seconds:.0f} s.").format(text=plain(text), seconds=delay_s), "amber"))
            case _:
                return

    def _whole_message(self, responded: ModelResponded) -> None:
        """Show the text of an answer that did not stream (a late subscriber, a server that sends whole bodies)."""
        text = responded.message.text()
        if text and not self._streamed:
            self._switch("text")
            answer(prose(text), end="")
        self._switch("")
        for problem in responded.problems:
            say(colour(f"! {plain(problem)}", "amber"))

    def _finished(self, finished: ToolFinished) -> None:
        mark, tint = MARKS[finished.status]
        target = one_line(call_target(self._arguments.get(finished.call_id, {})), 60)
        took = f"{finished.duration_s * 1000:.0f} ms" if finished.duration_s < 1 else f"{finished.duration_s:.1f} s"
        facts = f"{finished.facts or finished.kind} · {took}".removeprefix(" · ")
        self._line(f"{colour(mark, tint)} {colour(one_line(finished.tool), 'bold')} {target}  {colour(one_line(facts), 'faint')}")
        for change in finished.files_changed:
            say(colour(f"    {one_line(change.path)}  +{change.added} −{change.removed}", "faint"))

    def _turn_end(self, finished: TurnFinished) -> None:
        self._switch("")
        if finished.end != "answered":
            say(colour(plain(finished.text) or finished.end, "amber"))

    def _line(self, text: str) -> None:
        self._switch("")
        say(text)

    def _switch(self, to: str) -> None:
        """End the running line when another kind of text begins."""
        if self._open and self._open != to:
            answer("") if self._open == "text" else say("")
        self._open = to


def call_target(arguments: JsonObject) -> str:
    """Return the argument that says best what a call is about: its path, command or pattern; else the first text."""
    for name in ("file_path", "path", "command", "pattern", "expression", "city", "timezone"):
        if isinstance(arguments.get(name), str):
            return str(arguments[name])
    return next((value for value in arguments.values() if isinstance(value, str)), "")
