"""The conversation as a person reads it, folded from facts and live signs; replaying a journal gives the same items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, assert_never

from workbench.conversation.checks import RefusalExplained, RequestHeld, RequestReleased
from workbench.conversation.events import (
    ApprovalRequested,
    ApprovalResolved,
    Decided,
    Entry,
    ExchangeClosed,
    ExchangeOpened,
    LimitRaised,
    LimitReached,
    LiveEvent,
    ModeChosen,
    ModelChosen,
    ModelResponded,
    Notice,
    RetryWaiting,
    SessionOpened,
    StepStarted,
    StreamPieceArrived,
    TitleSet,
    ToolFinished,
    ToolOutputArrived,
    ToolStarted,
    TurnFinished,
    TurnStarted,
    UserMessageAdded,
)
from workbench.conversation.messages import Message
from workbench.inspection.arriving import ArrivingMessage
from workbench.inspection.call_title import call_title
from workbench.inspection.notices import notice_of, problem_of, retry_of, turn_end_of
from workbench.inspection.running_output import RunningOutput
from workbench.inspection.timeline_items import Attempt, Call, CallsItem, CallState, Changes, NoticeItem, PromptItem, StepItem, TimelineItem


class _CallPlace(NamedTuple):
    call: Call
    box: CallsItem


class Timeline:
    """The items of one session.

    What is not settled yet stands at the end: the parts of a message that still streams, a retry that waits, a warning that no fact tells.
    Facts that come meanwhile go before it, where a replay without live signs puts them too.

    Attributes:
        items: oldest first; only read by others.
        title: what the session is called; empty before anything was said.
        last_seq: number of the newest fact in it; 0 if there is none.
    """

    def __init__(self) -> None:
        self.items: list[TimelineItem] = []
        self.title = ""
        self.last_seq = 0
        self._settled = 0
        self._kept = 0
        self._changed: set[int] = set()
        self._places: dict[str, int] = {}
        self._calls: dict[str, _CallPlace] = {}
        self._outputs: dict[str, RunningOutput] = {}
        self._attempts: dict[str, tuple[Attempt, StepItem]] = {}
        self._workspace = ""
        self._step: StepItem | None = None
        self._box: CallsItem | None = None
        self._arriving: ArrivingMessage | None = None
        self._now: float | None = None
        self._limit: NoticeItem | None = None
        self._live_notices = 0

    def apply(self, arrived: Sequence[Entry | LiveEvent], *, now: float | None = None) -> Changes:
        """Fold facts and live signs, in the order they came, into `items` and say what changed.

        Args:
            arrived: the facts and live signs.
            now: when they came, seconds since 1970; None for a replay, which then does not know how long the model thought.
        """
        before = self._kept = len(self.items)
        self._changed.clear()
        self._now = now
        for event in arrived:
            if isinstance(event, Entry):
                self._take_fact(event)
                self.last_seq = event.seq
            else:
                self._take_sign(event)
        self._join()
        return Changes(
            appended=len(self.items) - self._kept,
            changed=tuple(sorted(place for place in self._changed if place < self._kept)),
            removed_from=self._kept if self._kept < before else None,
        )

    def call(self, call_id: str) -> Call | None:
        """Return a call by its id; None while its message still streams."""
        found = self._calls.get(call_id)
        return found.call if found else None

    def place_of(self, call_id: str) -> int | None:
        """Return the index of the item that holds a call; None while its message still streams."""
        found = self._calls.get(call_id)
        return self._places[found.box.item_id] if found else None

    # What comes

    def _take_fact(self, entry: Entry) -> None:
        match entry.event:
            case SessionOpened() as opened:
                self._open(opened, entry)
            case UserMessageAdded() as added:
                self._add_prompt(added.message, added.turn_id, entry)
            case StepStarted() as started:
                self._begin_step(started, entry.seq)
            case ExchangeOpened() as exchange:
                self._open_exchange(exchange, entry.at)
            case ExchangeClosed() as exchange:
                self._close_exchange(exchange, entry.at)
            case ModelResponded() as responded:
                self._settle_message(responded, entry)
            case Decided() as decided:
                self._decide(decided)
            case ApprovalRequested() as requested:
                self._ask(requested)
            case ApprovalResolved() as resolved:
                self._resolve(resolved)
            case ToolStarted() as started:
                self._start(started, entry.at)
            case ToolFinished() as finished:
                self._finish(finished)
            case LimitReached() as reached:
                self._reach(reached, entry)
            case LimitRaised() as raised:
                self._raise(raised)
            case TurnFinished() as finished:
                self._end_turn(finished, entry)
            case Notice() as notice:
                self._place(notice_of(notice, f"{entry.seq}", entry.at))
            case TitleSet(title=title):
                self.title = title
            case ModelChosen() | ModeChosen() | TurnStarted() | RequestHeld() | RequestReleased() | RefusalExplained():
                pass  # shown elsewhere in the window
            case _:
                assert_never(entry.event)

    def _take_sign(self, sign: LiveEvent) -> None:
        match sign:
            case StreamPieceArrived():
                if self._arriving is not None and self._step is not None and (sign.turn_id, sign.step) == (self._step.turn_id, self._step.step):
                    shown = len(self._arriving.items)
                    self._arriving.add(sign.piece)
                    if len(self._arriving.items) != shown:
                        self._show_unsettled(self._arriving.items)
            case ToolOutputArrived():
                if sign.call_id in self._outputs:
                    self._outputs[sign.call_id].add(sign.text)
            case Notice():
                self._live_notices += 1
                self._place(notice_of(sign, f"live{self._live_notices}", 0.0))
            case RetryWaiting():
                pass  # its ExchangeClosed said so already
            case _:
                assert_never(sign)

    def _join(self) -> None:
        """Let what grew in this batch be seen."""
        for item in self._arriving.join(self._now) if self._arriving is not None else ():
            self._touch(item)
        for call_id, output in self._outputs.items():
            if output.grew:
                call, box = self._calls[call_id]
                call.output, call.output_lines = output.join()
                self._touch(box)

    # The list

    def _push(self, item: TimelineItem) -> None:
        self._places[item.item_id] = len(self.items)
        self.items.append(item)

    def _cut(self, at: int) -> None:
        self._kept = min(self._kept, at)
        for item in self.items[at:]:
            del self._places[item.item_id]
        del self.items[at:]

    def _touch(self, item: TimelineItem) -> None:
        item.revision += 1
        place = self._places.get(item.item_id)
        if place is not None:
            self._changed.add(place)

    def _place(self, item: TimelineItem) -> None:
        """Append a settled item, before what is not settled yet."""
        unsettled = self.items[self._settled :]
        if unsettled:
            self._cut(self._settled)
        self._push(item)
        self._settled = len(self.items)
        for other in unsettled:
            self._push(other)

    def _show_unsettled(self, wanted: Sequence[TimelineItem]) -> None:
        """Let exactly `wanted` stand behind the settled items; those that stand there already stay."""
        same = 0
        for item, other in zip(self.items[self._settled :], wanted, strict=False):
            if item is not other:
                break
            same += 1
        if self._settled + same < len(self.items):
            self._cut(self._settled + same)
        for item in wanted[same:]:
            self._push(item)

    # Session and turn

    def _open(self, opened: SessionOpened, entry: Entry) -> None:
        self._workspace = opened.workspace
        self._show_unsettled(())
        last = self.items[-1] if self.items else None
        if isinstance(last, NoticeItem) and last.kind == "resumed":
            last.at = entry.at
            self._touch(last)
        elif opened.resumed and last is not None:
            self._place(NoticeItem(item_id=f"{entry.seq}", kind="resumed", at=entry.at))

    def _add_prompt(self, message: Message, turn_id: str, entry: Entry) -> None:
        if message.role == "user" and not message.synthetic:
            self._place(PromptItem(item_id=f"{entry.seq}", turn_id=turn_id, message=message, at=entry.at))

    def _reach(self, reached: LimitReached, entry: Entry) -> None:
        self._limit = NoticeItem(
            item_id=f"{entry.seq}", turn_id=reached.turn_id, kind="limit", level="warning", at=entry.at, limit=reached, waits=True
        )
        self._place(self._limit)

    def _raise(self, raised: LimitRaised) -> None:
        if self._limit is not None:
            self._limit.waits, self._limit.raised = False, raised.maximum
            self._touch(self._limit)
            self._limit = None

    def _end_turn(self, finished: TurnFinished, entry: Entry) -> None:
        self._show_unsettled(())
        self._arriving = None
        if self._limit is not None:
            limit, self._limit = self._limit, None
            limit.waits, limit.end = False, finished.end
            self._touch(limit)
            if finished.end == "limit":
                return
        if finished.end != "answered" or finished.text:
            calls = self._box.calls if self._box is not None and self._box.turn_id == finished.turn_id else ()
            stopped = sum(call.state == "stopped" for call in calls)
            self._place(turn_end_of(finished, f"{entry.seq}", entry.at, self._last_closed(finished.turn_id), stopped))

    def _last_closed(self, turn_id: str) -> ExchangeClosed | None:
        attempts = self._step.attempts if self._step is not None and self._step.turn_id == turn_id else ()
        return attempts[-1].closed if attempts else None

    # A step and its request

    def _begin_step(self, started: StepStarted, seq: int) -> None:
        self._show_unsettled(())
        self._step = StepItem(item_id=f"{seq}", turn_id=started.turn_id, step=started.step)
        self._box = None
        self._arriving = ArrivingMessage(item_id=f"{seq}", turn_id=started.turn_id, step=started.step)
        self._place(self._step)

    def _open_exchange(self, opened: ExchangeOpened, at: float) -> None:
        step = self._step
        if step is None or (step.turn_id, step.step) != (opened.turn_id, opened.step):
            return
        self._show_unsettled(self._arriving.items if self._arriving is not None else ())
        attempt = Attempt(opened=opened, opened_at=at)
        step.attempts.append(attempt)
        self._attempts[opened.exchange_id] = (attempt, step)
        self._touch(step)

    def _close_exchange(self, closed: ExchangeClosed, at: float) -> None:
        if closed.exchange_id not in self._attempts:
            return
        attempt, step = self._attempts.pop(closed.exchange_id)
        attempt.closed = closed
        self._touch(step)
        if closed.retry_in_s is not None and step is self._step:
            retry = retry_of(attempt, closed, f"{step.item_id}.retry{len(step.attempts)}", at)
            self._show_unsettled([retry])

    def _settle_message(self, responded: ModelResponded, entry: Entry) -> None:
        """Put the message in the place of what streamed of it."""
        arriving, self._arriving = self._arriving, None
        step = self._step
        if step is None or arriving is None or (step.turn_id, step.step) != (responded.turn_id, responded.step):
            arriving = ArrivingMessage(item_id=f"{entry.seq}", turn_id=responded.turn_id, step=responded.step)
        elif responded.message.usage is not None:
            step.usage = responded.message.usage
            self._touch(step)
        items = arriving.settle(responded.message, self._now)
        self._show_unsettled(items)
        for item in items:
            self._touch(item)
            if isinstance(item, CallsItem):
                self._note_calls(item)
        self._settled = len(self.items)
        if responded.message.state == "complete":  # else the turn's end tells it
            for number, problem in enumerate(responded.problems):
                self._place(problem_of(problem, f"{entry.seq}.problem{number}", responded.turn_id, entry.at))

    def _note_calls(self, box: CallsItem) -> None:
        self._box = box
        for call in box.calls:
            call.title = call_title(call.sent or {}, (), self._workspace)
            self._calls[call.call_id] = _CallPlace(call, box)

    # A call

    def _changing(self, call_id: str) -> Call | None:
        found = self._calls.get(call_id)
        if found is None:
            return None
        self._touch(found.box)
        return found.call

    def _decide(self, decided: Decided) -> None:
        if (call := self._changing(decided.call_id)) is None:
            return
        if decided.edited:
            call.edited, call.ran = True, decided.arguments
        elif call.decided is None:
            call.sent = decided.arguments
        if call.decided is not None:
            call.decided_before = (*call.decided_before, (call.decided, call.resolved))
        call.decided = decided
        call.title = call_title(decided.arguments, decided.targets, self._workspace) or call.title

    def _ask(self, requested: ApprovalRequested) -> None:
        if (call := self._changing(requested.call_id)) is not None:
            call.state, call.approval, call.preview = "waiting", requested, requested.preview
            call.asked = requested

    def _resolve(self, resolved: ApprovalResolved) -> None:
        call = self._changing(resolved.call_id)
        if call is None or call.approval is None or call.approval.approval_id != resolved.approval_id:
            return
        call.approval, call.resolved = None, resolved
        call.state = "rejected" if resolved.answer == "reject" else "queued"
        if resolved.answer == "reject":
            call.note = resolved.note

    def _start(self, started: ToolStarted, at: float) -> None:
        if (call := self._changing(started.call_id)) is not None:
            call.state, call.started_at = "running", at
            if call.edited:
                call.ran = started.arguments
            self._outputs[started.call_id] = RunningOutput()

    def _finish(self, finished: ToolFinished) -> None:
        self._outputs.pop(finished.call_id, None)
        if (call := self._changing(finished.call_id)) is not None:
            call.state, call.finished, call.approval = _end_state(finished, edited=call.edited), finished, None
            call.output, call.output_lines = "", 0


def _end_state(finished: ToolFinished, *, edited: bool) -> CallState:
    match finished.status:
        case "ok" if finished.exit_code:
            return "failed"  # the tool did its work, but the command says that it failed
        case "ok":
            return "edited" if edited else "ok"
        case "error" | "timed_out":
            return "failed"
        case "denied":
            return "rejected" if finished.decision == "rejected" else "denied"
        case "cancelled":
            return "stopped"
        case _:
            assert_never(finished.status)
