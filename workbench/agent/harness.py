"""The harness carries out the calls of a step: look up, validate, prepare, decide, ask, run; each call ends with exactly one result.

Calls that are allowed and only read run at once and in parallel. The others run in the order given, each when its approval is there
and the ones before it have ended. All questions of a step are asked together, but for calls that need what an earlier one will change.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from workbench.agent.approvals import Answered, Approval, Approvals
from workbench.agent.call_facts import decided_fact, question_fact
from workbench.agent.gatekeeper import Gatekeeper, action_of, digest_of, paths_of
from workbench.agent.granting import workspace_for
from workbench.agent.limits import Repeats
from workbench.agent.locks import PathLocks
from workbench.agent.outcomes import Ended, denied, edited_note, failed, finished, internal_error, not_run, rejected, stopped, unknown_tool
from workbench.agent.redacting import redact_kept, redacted
from workbench.agent.second_run import SecondRun
from workbench.agent.slots import CallEnded, Ready, Slot, exactly, would_change
from workbench.conversation.calls import Outcome, Reason
from workbench.conversation.events import StepPlace, ToolOutputArrived, ToolStarted
from workbench.conversation.journal import Journal
from workbench.conversation.messages import ToolCallPart, ToolResultPart
from workbench.errors import StoreError, ToolError, WorkspaceError
from workbench.permissions.gate import Action, Decision
from workbench.tools.arguments import Arguments, fit_arguments, parse_arguments
from workbench.tools.base import Interrupted, Plan, Result, Tool, ToolContext
from workbench.tools.registry import ToolRegistry
from workbench.workspace import worker

PARALLEL_READS = 8

log = logging.getLogger(__name__)


class Harness:
    """Carries out calls for one session (or one sub-agent).

    Attributes:
        context: the surroundings of every call; may be replaced between steps.
        gatekeeper: decides.
        agent: the chain of sub-agents this works for, empty for the main one.
    """

    def __init__(
        self,
        *,
        journal: Journal,
        registry: ToolRegistry,
        context: ToolContext,
        gatekeeper: Gatekeeper,
        approvals: Approvals,
        locks: PathLocks | None = None,
        agent: tuple[str, ...] = (),
    ) -> None:
        self.context = context
        self.gatekeeper = gatekeeper
        self.agent = agent
        self._journal = journal
        self._registry = self._offered = registry
        self._approvals = approvals
        self._locks = locks or PathLocks()
        self._repeats = Repeats()
        self._reading = asyncio.Semaphore(PARALLEL_READS)
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def begin_turn(self) -> None:
        """Forget which calls came before: repeats count within a turn."""
        self._repeats = Repeats()

    def offer(self, names: Iterable[str]) -> None:
        """Take only tools of these names from now on: what a model was not told of, it cannot call."""
        self._offered = self._registry.only(names)

    async def run(self, call: ToolCallPart, place: StepPlace) -> ToolResultPart:
        """Carry out one call; see `run_step`."""
        (result,) = await self.run_step((call,), place)
        return result

    async def run_step(self, calls: Sequence[ToolCallPart], place: StepPlace) -> tuple[ToolResultPart, ...]:
        """Carry out the calls of a step and return their results in call order.

        On cancel every call that has no result gets one that says so, open questions become void, and tools have ended before
        CancelledError leaves.

        Raises:
            StoreError: the journal takes nothing more; calls may be without a result then.
        """
        slots = [self._slot(call, place) for call in calls]
        try:
            for number, slot in enumerate(slots):
                await self._at_border(slot, functools.partial(self._consider, slot, slots[:number]))
            await self._carry_out_all(slots)
        finally:
            self._close(slots)
        return tuple(finished(slot.call, slot.place, slot.ended).result for slot in slots if slot.ended)

    def stop_call(self, call_id: str) -> bool:
        """Stop one call; the others go on. False if it does not run or wait."""
        task = self._tasks.get(call_id)
        return task is not None and task.cancel()

    # The step

    def _slot(self, call: ToolCallPart, place: StepPlace) -> Slot:
        def emit(text: str) -> None:
            self._journal.emit(ToolOutputArrived(call.call_id, text))

        return Slot(call=call, place=place, context=replace(self.context, call_id=call.call_id, on_output=emit))

    async def _carry_out_all(self, slots: Sequence[Slot]) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for number, slot in enumerate(slots):
                    if slot.ended is None:
                        work = self._at_border(slot, functools.partial(self._carry_out, slot, slots[:number]))
                        self._tasks[slot.call.call_id] = group.create_task(work, name=f"call {slot.call.call_id}")
        except ExceptionGroup as errors:
            raise _first(errors) from None

    async def _carry_out(self, slot: Slot, earlier: Sequence[Slot]) -> None:
        """Bring a call from its decision to its end."""
        if slot.at_once:
            async with self._reading:
                await self._execute(slot)
            return
        if slot.ready is not None:
            await self._approved(slot)
        for other in earlier:
            if not other.at_once:
                await other.done.wait()
        if slot.ready is None:
            await self._consider(slot, ())
            await self._approved(slot)
        disturbed = any(other.started and other.has_effects for other in earlier)
        while await self._changed(slot, disturbed=disturbed) or await self._stricter_now(slot):
            await self._approved(slot)
        await self._execute(slot)

    def _close(self, slots: Sequence[Slot]) -> None:
        """Leave no question and no call without its end behind."""
        self._tasks.clear()
        for slot in slots:
            if slot.ready is not None and slot.ready.approval is not None:
                with contextlib.suppress(StoreError):
                    slot.ready.approval.void()
            if slot.ended is None:
                with contextlib.suppress(StoreError):
                    self._finish(slot, stopped(running=slot.started))

    async def _at_border(self, slot: Slot, work: Callable[[], Awaitable[None]]) -> None:
        """Do a part of a call's work; whatever goes wrong in it, but for a dead journal, becomes the call's result."""
        try:
            await work()
        except CallEnded as end:
            self._finish(slot, end.ended)
        except (ToolError, WorkspaceError) as error:
            self._finish(slot, self._ended(slot, failed(error)))
        except Interrupted as interrupted:
            self._finish(slot, self._ended(slot, interrupted.result))
            raise
        except asyncio.CancelledError:
            self._finish(slot, stopped(running=slot.started))
            raise
        except StoreError:
            raise
        except Exception:
            log.exception("call %s of tool %s failed (journal %d)", slot.call.call_id, slot.call.name, self._journal.last_seq)
            self._finish(slot, internal_error(self._journal.last_seq))

    def _finish(self, slot: Slot, ended: Ended) -> None:
        """Write a call's end, once."""
        if slot.ended is None:
            self._journal.append(finished(slot.call, slot.place, ended))
            slot.ended = ended
            slot.done.set()

    def _ended(self, slot: Slot, result: Result) -> Ended:
        if slot.ready is None or not slot.started:
            return Ended(redacted(result, slot.context.redactor), "none")
        shown = redacted(_with_note(result, slot.ready), slot.context.redactor, slot.ready)
        return Ended(shown, slot.ready.by, synthetic=False, duration_s=slot.duration_s)

    # From the call to a decision

    async def _consider(self, slot: Slot, earlier: Sequence[Slot]) -> None:
        """Look up, validate, prepare, decide, and ask if need be; or leave it for later if an earlier call may change what it touches."""
        if slot.call.status != "complete":
            raise CallEnded(not_run(slot.call, ""))
        slot.tool = self._offered.get(slot.call.name)
        if slot.tool is None:
            raise CallEnded(unknown_tool(slot.call, self._offered.suggest(slot.call.name), self._offered.names()))
        slot.context = replace(slot.context, workspace=await workspace_for(slot.tool, self.context.workspace, self.gatekeeper))
        arguments = _arguments(slot.call, slot.tool)
        slot.repeats = slot.repeats or self._repeats.count(slot.call.name, arguments.values)
        try:
            plan = await slot.tool.prepare(arguments.values, slot.context)
        except (ToolError, WorkspaceError):
            if any(other.runs_in_turn for other in earlier):
                return
            raise
        if would_change(earlier, plan):
            return
        under = self.gatekeeper.in_force
        decision = await self._decide(slot, plan, arguments.notices)
        asks = decision.outcome == "ask"
        slot.ready = Ready(
            plan=plan,
            decision=decision,
            digest=digest_of(plan),
            approval=self._ask(slot, plan, decision) if asks else None,
            by="auto",
            original=arguments.values,
            under=under,
        )
        slot.at_once = not asks and not slot.has_effects

    async def _decide(self, slot: Slot, plan: Plan, notices: tuple[str, ...] = (), *, edited: bool = False) -> Decision:
        """Let the gate decide on a plan, write the fact, and end the call if it is refused."""
        action = self._action(slot, plan, edited=edited)
        decision = await self.gatekeeper.judge(action)
        self._journal.append(decided_fact(slot, plan, decision, digest=action.digest, notices=notices, edited=edited))
        if decision.outcome == "deny":
            raise CallEnded(denied(decision))
        return decision

    def _action(self, slot: Slot, plan: Plan, *, edited: bool) -> Action:
        return replace(action_of(slot.found, plan, slot.call, repeats=slot.repeats, edited=edited), confinement=slot.wanted)

    # Asking

    def _ask(self, slot: Slot, plan: Plan, decision: Decision, *, edited: bool = False, note: Reason | None = None) -> Approval:
        action = self._action(slot, plan, edited=edited)

        def judged_again() -> Outcome:
            now = self.gatekeeper.decide(action)
            unseen = note is not None or now.confinement != decision.confinement  # a person must see what is noted, and what would run is held as shown
            return "ask" if unseen and now.outcome == "allow" else now.outcome

        folder = self.context.workspace.path
        requested = question_fact(slot, plan, decision, digest=action.digest, folder=folder, agent=self.agent, note=note)
        return self._approvals.request(requested, rejudge=judged_again)

    async def _approved(self, slot: Slot) -> None:
        """Wait until the call may run as it stands; ends it if it may not."""
        while (approval := slot.decided.approval) is not None:
            answered = await approval.answer()
            match answered.answer:
                case "approve":
                    slot.ready = slot.decided.approved()
                case "approve_edited":
                    slot.ready = await self._edited(slot, answered)
                case "reject":
                    raise CallEnded(rejected(answered))
                case "stop":
                    raise CallEnded(stopped(running=False))
                case _:
                    assert_never(answered.answer)

    async def _edited(self, slot: Slot, answered: Answered) -> Ready:
        """Take a person's arguments through the same steps; they are asked again only if the new decision is stricter than what they saw."""
        seen = slot.decided
        try:
            arguments = fit_arguments(answered.arguments, slot.found.definition.input_schema)
            if exactly(arguments.values) == exactly(seen.plan.arguments):
                return seen.approved()
            plan = await slot.found.prepare(arguments.values, slot.context)
        except (ToolError, WorkspaceError) as error:
            note = Reason(code="edit.unusable", text=f"Your edit cannot be used: {error.text}", subject=getattr(error, "kind", ""))
            return replace(seen, approval=self._ask(slot, seen.plan, seen.decision, edited=seen.by == "edited", note=note))
        decision = await self._decide(slot, plan, arguments.notices, edited=True)
        approval = self._ask(slot, plan, decision, edited=True) if decision.stricter_than(seen.decision) else None
        return replace(seen, plan=plan, decision=decision, digest=digest_of(plan), approval=approval, by="edited")

    async def _changed(self, slot: Slot, *, disturbed: bool) -> bool:
        """Prepare again what a person approved or another call may have touched; ask again if it is not the same any more.

        Returns:
            True if there is something new to be approved.
        """
        ready = slot.decided
        if not disturbed and (ready.by == "auto" or not ready.plan.base_hashes):
            return False
        plan = await slot.found.prepare(ready.plan.arguments, slot.context)
        if digest_of(plan) == ready.digest:
            return False
        edited = ready.by == "edited"
        decision = await self._decide(slot, plan, edited=edited)
        note = Reason(code="call.changed", text="What this call would do has changed since it was shown.")
        asks = ready.by != "auto" or decision.outcome == "ask"
        approval = self._ask(slot, plan, decision, edited=edited, note=note) if asks else None
        slot.ready = replace(ready, plan=plan, decision=decision, digest=digest_of(plan), approval=approval)
        return approval is not None

    async def _stricter_now(self, slot: Slot) -> bool:
        """Decide again if mode or rules changed while the call waited for its turn: what is refused now does not run, nor without a person what asks now.

        Returns:
            True if there is something to be approved.
        """
        ready, edited = slot.decided, slot.decided.by == "edited"
        if self.gatekeeper.in_force == ready.under:
            return False
        slot.ready = ready = replace(ready, under=self.gatekeeper.in_force)
        now = await self.gatekeeper.judge(self._action(slot, ready.plan, edited=edited))
        if now.outcome == "allow" or (now.outcome == "ask" and ready.by != "auto"):
            return False
        decision = await self._decide(slot, ready.plan, edited=edited)
        approval = self._ask(slot, ready.plan, decision, edited=edited) if decision.outcome == "ask" else None
        slot.ready = replace(ready, decision=decision, approval=approval)
        return approval is not None

    # Running

    async def _execute(self, slot: Slot) -> None:
        """Run the plan that was decided on, and no other; once more if a person lets it do what the sandbox stopped."""
        await worker.in_thread(slot.context.redactor.look)  # what is known before the call may be gone after it
        result = await self._run_plan(slot)
        if result.stopped_by_sandbox:
            result = await SecondRun(self._approvals, self._decide, self._ask, self._run_plan).after(slot, result)
        try:
            await worker.finished(worker.in_thread(lambda: redact_kept(result, slot.found, slot.context)))
        finally:  # what was done is told even if the call is stopped now
            self._finish(slot, self._ended(slot, result))

    async def _run_plan(self, slot: Slot) -> Result:
        ready, plan, tool = slot.decided, slot.decided.plan, slot.found
        if digest_of(plan) != ready.digest:
            raise RuntimeError("the plan was changed after it was decided on")
        async with self._locks.hold(paths_of(plan.targets, changing=False), paths_of(plan.targets, changing=True)):
            seq = self._journal.append(
                ToolStarted(
                    turn_id=slot.place.turn_id, step=slot.place.step, call_id=slot.call.call_id, tool=slot.call.name, arguments=plan.arguments
                )
            )
            slot.start()
            if slot.has_effects:
                await self._journal.settled(seq)
            return await tool.apply(plan, slot.held_context())


def _arguments(call: ToolCallPart, tool: Tool) -> Arguments:
    """Return a call's arguments; the free text of a custom call is the one parameter ``input``."""
    raw = json.dumps({"input": call.arguments_raw}) if call.kind == "custom" else call.arguments_raw
    return parse_arguments(raw, tool.definition.input_schema)


def _with_note(result: Result, ready: Ready) -> Result:
    """Tell the model what a person changed; an error keeps its first line."""
    if ready.by != "edited":
        return result
    note = edited_note(ready.original, ready.plan.arguments)
    return replace(result, text=f"{note}\n{result.text}" if result.status == "ok" else f"{result.text}\n{note}")


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first single error of a group: they can only be the journal's, and they are all the same."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
