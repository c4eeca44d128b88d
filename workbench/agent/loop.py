"""The loop of a turn: ask the model, carry out its calls, ask again, until it answers without calls.

    run_turn > _step > _respond (one request) > harness.run_step (its calls)

Whatever happens, a turn leaves a legal history: what came is kept, and every call has its result.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import replace

from workbench.agent.closing import end_open_calls
from workbench.agent.harness import Harness
from workbench.agent.history import History
from workbench.agent.limits import TurnLimits
from workbench.agent.model import Model, Review
from workbench.agent.outcomes import HeldBack, not_run, stopped
from workbench.conversation.assembler import Assembler
from workbench.conversation.events import (
    LimitReached,
    ModelResponded,
    StepPlace,
    StepStarted,
    StreamPieceArrived,
    ToolFinished,
    TurnEnd,
    TurnFinished,
    UserMessageAdded,
)
from workbench.conversation.journal import Journal
from workbench.conversation.messages import Message, MessageState, ModelRequest, ToolCallPart, mint_call_id, mint_id, text_message
from workbench.conversation.values import plain_values
from workbench.errors import DialectError, ProviderError, ProviderRefused, StoreFailed, StreamBroken, WorkbenchError

ENDS_TURN = {"no_space": "The disk is full, so the turn was ended. Make room, then go on."}
"""Tool errors that no model can do anything about, by kind, and what the person is told."""

MISREAD = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"})
"""Ends of an answer with a call that the provider itself could not read (Gemini); what stands beside it is no answer, and no call is run."""

MOST_MISREAD = 2
"""How often in a turn a model is told so and asked again."""

_MISREAD_HINT = "Your last tool call could not be read, so nothing was run. Call one of the tools you were offered, with arguments that are one JSON object."

MOST_CALLS = 128
"""Calls of one answer that are run; providers refuse more in one message, and a flood of them would hold the program up."""

MOST_CORRECTIONS = 3
"""Answers in a row that do not keep to their dialect's form before the turn ends (wire specification, section 6)."""


class TurnOutcome(NamedTuple):
    """How a turn ended; `text` is one sentence for a person when it is not simply answered, `error` what it is the sentence of."""

    end: TurnEnd
    text: str = ""
    failure: str = ""
    error: WorkbenchError | None = None

    def finished(self, turn_id: str, steps: int) -> TurnFinished:
        """Return the fact that ends a turn this way."""
        return TurnFinished(
            turn_id=turn_id,
            end=self.end,
            text=self.text,
            failure=self.failure,
            steps=steps,
            message_id=self.error.message_id if self.error else "",
            values=plain_values(self.error.values) if self.error else {},
        )


class _Response(NamedTuple):
    message: Message
    calls_may_run: bool
    error: WorkbenchError | None


@dataclass(kw_only=True)
class Loop:
    """Runs turns of one session, one after the other.

    Attributes:
        journal: takes the facts.
        history: a listener of that journal.
        harness: carries out calls.
        limits: pauses turns.
        model: gives the model in force; asked before each request.
        request: builds the request from a history; asked before each request.
        review: is asked about requests that would be refused.
        take_queued: moves what a person said meanwhile into the history of a turn.
        step: the step the turn is in, or was in when it ended.
        misread: answers of this turn with a call that the provider could not read.
        corrected: how many steps in a row only brought corrections of the model's form (ReAct text).
    """

    journal: Journal
    history: History
    harness: Harness
    limits: TurnLimits
    model: Callable[[], Model]
    request: Callable[[], ModelRequest]
    take_queued: Callable[[str], None]
    review: Review | None = None
    step: int = 0
    misread: int = 0
    corrected: int = 0

    async def run_turn(self, turn_id: str) -> TurnOutcome:
        """Run a turn whose user message is in the journal already.

        On cancel the request is closed, tools have ended, and the history is legal before CancelledError leaves.

        Raises:
            StoreError: the journal takes nothing more.
        """
        self.harness.begin_turn()
        self.limits.begin(turn_id)
        self.step = self.misread = self.corrected = 0
        while True:
            reached = await self.limits.may_begin(self.step + 1)
            if reached is not None:
                return TurnOutcome("limit", _limit_sentence(reached), reached.limit)
            _stop_here_if_cancelled()
            self.step += 1
            outcome = await self._step(StepPlace(turn_id, self.step))
            if outcome is not None:
                return outcome
            self.take_queued(turn_id)

    async def _step(self, place: StepPlace) -> TurnOutcome | None:
        """Run one step; return the turn's outcome, or None if another step follows."""
        self.journal.append(StepStarted(turn_id=place.turn_id, step=place.step))
        response = await self._respond(place)
        if response.error is not None:
            self._hold_back(place, "lost" if isinstance(response.error, StreamBroken) else "unknown_end")
            return TurnOutcome("failed", response.error.text, _failure(response.error), response.error)
        if response.message.finish_raw in MISREAD:
            return self._asked_again(place)
        calls = response.message.calls()
        if not calls:
            return _without_calls(response.message)
        if not response.calls_may_run:
            return self._held_back_step(response.message, place)
        return await self._carry_out(calls, place)

    def _asked_again(self, place: StepPlace) -> TurnOutcome | None:
        """Tell the model that its call could not be read; end the turn when that did not help."""
        self._hold_back(place, "unknown_end")
        self.misread += 1
        if self.misread > MOST_MISREAD:
            text = "The model's tool calls could not be read, again and again. Send your message again, or choose another model."
            return TurnOutcome("failed", text, "misread")
        hint = text_message("user", _MISREAD_HINT, created_at=time.time(), synthetic=True)
        self.journal.append(UserMessageAdded(turn_id=place.turn_id, message=hint))
        return None

    async def _carry_out(self, calls: tuple[ToolCallPart, ...], place: StepPlace) -> TurnOutcome | None:
        before = self.journal.last_seq
        try:
            await self.harness.run_step(calls[:MOST_CALLS], place)
        except asyncio.CancelledError:
            with suppress(StoreFailed):
                end_open_calls(self.journal, self.history, place.turn_id, lambda _call, started: stopped(running=started))
            raise
        self._hold_back(place, "too_many")  # answers nothing more in an answer of ordinary length
        ends = [ENDS_TURN[kind] for kind in self._kinds_since(before) if kind in ENDS_TURN]
        if ends:
            return TurnOutcome("failed", ends[0], "no_space")
        self.corrected = self.corrected + 1 if all(call.correction and call.status == "invalid_json" for call in calls) else 0
        if self.corrected < MOST_CORRECTIONS:
            return None
        return TurnOutcome("failed", f"The model did not keep to the form of an answer {MOST_CORRECTIONS} times in a row.", "invalid_form")

    def _kinds_since(self, seq: int) -> list[str]:
        return [entry.event.kind for entry in self.journal.entries[seq:] if isinstance(entry.event, ToolFinished)]

    def _held_back_step(self, message: Message, place: StepPlace) -> TurnOutcome | None:
        """End a step whose calls must not run; only a cut at the output limit, told or not, is worth another request."""
        cut_unsaid = message.finish_reason == "tool_use" and any(call.status == "truncated" for call in message.calls())
        if message.finish_reason == "length" or cut_unsaid:
            self._hold_back(place, "cut")
            return None
        self._hold_back(place, "lost" if message.state == "incomplete" else "unknown_end")
        if message.state == "incomplete" or message.finish_reason in {"content_filter", "refusal"}:
            return _without_calls(message)
        text = f"The answer ended with {message.finish_raw!r}, which this program does not know; its calls were not run."
        return TurnOutcome("failed", text, "unknown_end")

    def _hold_back(self, place: StepPlace, why: HeldBack) -> None:
        """Answer the calls of the newest answer without running them."""
        end_open_calls(self.journal, self.history, place.turn_id, lambda call, _started: not_run(call, why))

    async def _respond(self, place: StepPlace) -> _Response:
        """Send one request and write what came of the answer, whole or not."""
        model, assembler = self.model(), Assembler()
        error: WorkbenchError | None = None
        request = self.request()
        self.harness.offer(tool.name for tool in request.tools)
        try:
            async with aclosing(model.stream(request, place, self.review)) as events:
                async for event in events:
                    assembler.add(event)
                    self.journal.emit(StreamPieceArrived(place.turn_id, place.step, model.last_exchange_id, event))
        except asyncio.CancelledError:
            self._keep_stopped(assembler, model, place)
            raise
        except (ProviderError, DialectError) as failure:
            error = failure
        if error is None and assembler.failure is not None:
            error = ProviderRefused(assembler.failure.text, failure=assembler.failure.kind, status=200, original=assembler.failure.original)
        state: MessageState | None = "error" if error and not isinstance(error, StreamBroken) else None
        message = self._write_answer(assembler, model, place, state, even_if_empty=error is None)
        return _Response(message, bool(assembler.ended and assembler.ended.calls_may_run), error)

    def _keep_stopped(self, assembler: Assembler, model: Model, place: StepPlace) -> None:
        """Keep what came before a stop, and answer its calls."""
        with suppress(StoreFailed):
            self._write_answer(assembler, model, place, "cancelled", even_if_empty=False)
            end_open_calls(self.journal, self.history, place.turn_id, lambda _call, _started: stopped(running=False))

    def _write_answer(
        self, assembler: Assembler, model: Model, place: StepPlace, state: MessageState | None, *, even_if_empty: bool
    ) -> Message:
        """Write the answer as far as it came, in the state given, or the one that its end says."""
        origin = replace(model.origin, response_id=assembler.response_id)
        message = assembler.message(mint_id("msg"), created_at=time.time(), origin=origin, state=state)
        message = _with_new_ids(message, self.history.call_ids)
        if message.parts or even_if_empty:
            problems = tuple(problem.text for problem in assembler.problems)
            self.journal.append(
                ModelResponded(turn_id=place.turn_id, step=place.step, exchange_id=model.last_exchange_id, message=message, problems=problems)
            )
        self.limits.add_usage(message.usage)
        return message


def _with_new_ids(message: Message, used: set[str]) -> Message:
    """Give calls whose id was used before a new one; the provider's own is kept beside it, and the first use keeps its id."""
    taken = set(used)
    parts = list(message.parts)
    for at, part in enumerate(parts):
        if isinstance(part, ToolCallPart):
            if part.call_id in taken or not part.call_id:
                parts[at] = part = replace(part, call_id=mint_call_id(), wire_id=part.wire_id or part.call_id)
            taken.add(part.call_id)
    return replace(message, parts=tuple(parts))


def _without_calls(message: Message) -> TurnOutcome | None:
    """Return the outcome of an answer without calls; None if the model only paused."""
    match message.finish_reason:
        case "pause":
            return None
        case "length":
            return TurnOutcome("answered", "The answer was cut at the output limit.", "length")
        case "content_filter":
            return TurnOutcome("failed", "The provider's content filter stopped the answer.", "content_filter")
        case "refusal":
            return TurnOutcome("failed", "The model refused to answer.", "refusal")
        case "tool_use":
            return TurnOutcome("failed", "The model said that it calls tools, but sent no call. Send your message again.", "no_calls")
        case "incomplete":
            return TurnOutcome("failed", "The connection was lost before the answer was complete.", "connection_lost")
        case _:
            return TurnOutcome("answered", "" if message.text().strip() else "The model ended its answer without saying anything.")


def _limit_sentence(reached: LimitReached) -> str:
    amount = {"steps": f"{reached.maximum:g} steps", "tokens": f"{reached.maximum:g} tokens", "time": f"{reached.maximum:g} seconds"}
    return f"The turn reached its limit of {amount.get(reached.limit, reached.limit)}."


def _failure(error: WorkbenchError) -> str:
    match error:
        case ProviderRefused():
            return error.failure
        case StreamBroken():
            return "connection_lost"
        case ProviderError():
            return "unreachable"
        case _:
            return "unreadable"


def _stop_here_if_cancelled() -> None:
    """Leave now if a stop was asked for and a tool swallowed it."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
