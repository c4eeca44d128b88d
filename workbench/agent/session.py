"""A session as front ends use it: say something, stop, answer questions, choose model and mode. It owns the turn and all tasks.

Commands come in here as calls; what happens goes out as facts of the journal only.
"""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Collection, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from msgspec.structs import replace

from workbench.agent.approvals import Approvals, check_offered
from workbench.agent.closing import end_open_calls
from workbench.agent.harness import Harness
from workbench.agent.history import History
from workbench.agent.holds import Holds
from workbench.agent.limits import Limits, TurnLimits
from workbench.agent.locks import PathLocks
from workbench.agent.loop import Loop, TurnOutcome
from workbench.agent.model import Model
from workbench.agent.outcomes import stopped
from workbench.agent.resume import begin
from workbench.agent.rule_keeping import SessionRules
from workbench.agent.saving import Saving
from workbench.agent.session_setup import SessionSetup, title_of
from workbench.agent.system_prompt import system_prompt
from workbench.agent.tasks import Owner
from workbench.conversation.calls import Answer, RuleScope
from workbench.conversation.checks import ReleaseDecision, RequestHeld
from workbench.conversation.events import ApprovalRequested, LimitReached, ModeChosen, ModelChosen, Notice, TitleSet, TurnStarted, UserMessageAdded
from workbench.conversation.messages import FilePart, ImagePart, Message, ModelRequest, RequestOptions, TextPart, mint_id
from workbench.conversation.values import JsonObject, clean_text
from workbench.errors import StoreError, UsageError, WorkbenchError
from workbench.permissions.modes import Mode, mode_available

__all__ = ["Session", "SessionSetup", "open_session"]

INTERNAL = "The program made an error, so the turn was ended. The log says more under the journal's number."

T = TypeVar("T")


class Session:
    """One conversation in one workspace. Made by `open_session`, ended by `aclose`; all methods are called on the loop's thread.

    Attributes:
        journal: the facts; front ends subscribe here.
        session_id: its id.
    """

    def __init__(self, setup: SessionSetup) -> None:
        self.journal, self.session_id = setup.journal, setup.session_id
        self._setup = setup
        self._chosen, self._model = setup.chosen, setup.model
        self._gatekeeper = setup.gatekeeper
        self._history = History()
        self._listening = self.journal.subscribe(self._history.add)
        self._approvals = Approvals(self.journal, headless=setup.headless)
        self._holds = Holds(self.journal, headless=setup.headless is not None)
        self._limits = TurnLimits(self.journal, setup.limits)
        self._owner = Owner(where=lambda: f"journal {self.journal.last_seq}", on_failure=self._note_failure)
        self._rules = SessionRules(
            gatekeeper=setup.gatekeeper, journal=self.journal, approvals=self._approvals, keeper=setup.keeper, owner=self._owner
        )
        self._harness = Harness(
            journal=self.journal,
            registry=setup.registry,
            context=setup.context,
            gatekeeper=setup.gatekeeper,
            approvals=self._approvals,
            locks=PathLocks(),
        )
        self._loop = Loop(
            journal=self.journal,
            history=self._history,
            harness=self._harness,
            limits=self._limits,
            model=lambda: self._model,
            request=self.next_request,
            take_queued=self._take_queued,
            review=self._holds,
        )
        self._queue: list[Message] = []
        self._titled, self._turn_id = False, ""
        self._hidden = setup.hidden
        self._task: asyncio.Task[None] | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._saving = Saving(self.journal)
        self._closed = False

    # What front ends ask

    @property
    def running(self) -> bool:
        """Whether a turn runs (or waits for a person)."""
        return self._task is not None and not self._task.done()

    @property
    def pending(self) -> tuple[ApprovalRequested, ...]:
        """The questions nobody has answered, oldest first."""
        return self._approvals.pending

    @property
    def waiting_limit(self) -> LimitReached | None:
        """The limit at which the turn waits for `raise_limit` or `end_at_limit`."""
        return self._limits.waiting

    @property
    def held(self) -> RequestHeld | None:
        """The request that waits for `release`, because its provider would refuse it; None if none does."""
        return self._holds.waiting

    @property
    def queued(self) -> tuple[str, ...]:
        """What was said while a turn ran and did not go out yet."""
        return tuple(message.text() for message in self._queue)

    @property
    def mode(self) -> Mode:
        """The mode in force."""
        return self._gatekeeper.mode

    @property
    def chosen(self) -> ModelChosen:
        """The model in force, as it is written down."""
        return self._chosen

    @property
    def failure(self) -> StoreError | None:
        """Why the session is not saved any more; None as long as all is well."""
        return self._saving.failure

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages so far, as they would be sent."""
        return self._history.messages()

    def next_request(self) -> ModelRequest:
        """Return the request that would go out now."""
        system = self._setup.system() if self._setup.system else system_prompt(self._setup.context.workspace.path)
        return ModelRequest(
            system=system,
            tools=tuple(tool for tool in self._setup.registry.definitions() if tool.name not in self._hidden),
            messages=self._history.messages(),
            options=replace(self._setup.options, model=self._chosen.model),
        )

    # What front ends command

    async def submit(self, text: str, attachments: Sequence[ImagePart | FilePart] = ()) -> Literal["started", "queued"]:
        """Say something. While a turn runs it is queued and goes in after the running step, or begins the next turn.

        Raises:
            UsageError: there is nothing in it.
            StoreError: the session takes nothing more.
            RuntimeError: the session was closed.
        """
        if self._closed:
            raise RuntimeError("the session is closed")
        self._saving.require()
        if not text.strip() and not attachments:
            raise UsageError("There is nothing to send: the message is empty.", message_id="session.empty_message")
        parts = (*((TextPart(text=clean_text(text)),) if text else ()), *attachments)
        self._queue.append(Message(message_id=mint_id("msg"), role="user", parts=parts, created_at=time.time()))
        if self.running:
            return "queued"
        self._begin_turn()
        self._task = self._owner.spawn(self._turns(), name=f"turns of {self.session_id}")
        self._task.add_done_callback(partial(self._finish_unbegun, self._turn_id))
        return "started"

    def unqueue(self) -> tuple[str, ...]:
        """Take back what was queued, for the composer; attachments are dropped."""
        texts, self._queue = self.queued, []
        return texts

    async def stop(self) -> None:
        """Stop the running turn and return when request, tools and questions have ended and the history is legal and durable.

        What was queued stays queued. Does nothing if no turn runs; may be called again while it works.
        """
        task = self._task
        if task is None or task.done():
            return
        if self._stopping is not task:
            self._stopping = task
            task.cancel()
        await asyncio.wait({task})
        await self._saving.settle()

    def stop_call(self, call_id: str) -> bool:
        """Stop one running or waiting call; the turn goes on. False if it does not run."""
        return self._harness.stop_call(call_id)

    def resolve(
        self, approval_id: str, answer: Answer, *, note: str = "", arguments: JsonObject | None = None, by: str = "person",
        rules: Sequence[JsonObject] = (), scope: RuleScope = "session",
    ) -> bool:  # fmt: skip
        """Answer a question; the first answer wins.

        Args:
            approval_id: the question's id.
            answer: ``stop`` stops the whole turn.
            note: words to the model, with a rejection.
            arguments: with ``approve_edited``.
            by: ``person`` or ``terminal``.
            rules: "always": rules that the question offered, for the call or for its parts; other questions are decided again.
            scope: how far they hold; see `RuleKeeper` for those that outlive the session.

        Returns:
            False if the question is not open any more; nothing happened then.

        Raises:
            ValueError: a rule was not offered, or not for this scope, or edited arguments are missing.
        """
        requested = next((open_ for open_ in self.pending if open_.approval_id == approval_id), None)
        if requested is None:
            return False
        check_offered(requested, answer, rules, scope, self._gatekeeper.facts.rung)
        if answer == "stop":
            self._owner.spawn(self.stop(), name="stop")
            return True
        resolved = self._approvals.resolve(approval_id, answer, note=note, arguments=arguments, by=by, rules=rules, scope=scope)
        if resolved and rules:
            self._rules.add(rules, scope)
        return resolved

    def release(self, hold_id: str, decision: ReleaseDecision) -> bool:
        """Decide about a held request: send it repaired, send it as it is, or ``stop`` the turn.

        The decision holds for the rules that held it, for the rest of the session; a refusal by the provider asks again.

        Returns:
            False if it does not wait (any more); nothing happened then.
        """
        if decision != "stop" or self.held is None or self.held.hold_id != hold_id:
            return self._holds.release(hold_id, decision)
        self._owner.spawn(self.stop(), name="stop")
        return True

    def choose_model(self, chosen: ModelChosen, model: Model, *, can_see_images: bool = False, hidden: Collection[str] = ()) -> None:
        """Send requests to another model from the next step on; tools that are `hidden` are not offered to it."""
        self._model, self._hidden = model, hidden
        self._harness.context = dataclasses.replace(self._harness.context, can_see_images=can_see_images)
        if chosen != self._chosen:
            self._chosen = chosen
            self.journal.append(chosen)

    def choose_mode(self, mode: Mode) -> None:
        """Choose the mode; open questions are decided again.

        Raises:
            UsageError: the mode is not available; the sentence says why.
        """
        refused = mode_available(mode, self._gatekeeper.facts)
        if refused is not None:
            raise UsageError(refused.text, message_id=refused.code)
        if mode != self._gatekeeper.mode:
            self._gatekeeper.mode = mode
            self.journal.append(ModeChosen(mode=mode))
            self._approvals.rejudge()

    def configure(self, limits: Limits, options: RequestOptions) -> None:
        """Use other limits from the next turn on, and other options from the next request on."""
        self._limits.limits = dataclasses.replace(limits, ask=limits.ask and self._setup.headless is None)
        self._setup.options = options

    def raise_limit(self, maximum: float) -> bool:
        """Let a turn that waits at a limit go on up to `maximum`; False if none waits.

        Raises:
            ValueError: `maximum` is not above what was used.
        """
        return self._limits.raise_limit(maximum)

    def end_at_limit(self) -> bool:
        """Let a turn that waits at a limit end; False if none waits."""
        return self._limits.end()

    def spawn(self, coroutine: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
        """Run a coroutine as long as the session is open at most."""
        return self._owner.spawn(coroutine, name=name)

    async def wait_idle(self) -> None:
        """Return when no turn runs."""
        while self._task is not None and not self._task.done():
            await asyncio.wait({self._task})

    async def aclose(self) -> None:
        """Stop the turn, end all tasks and processes, and return when everything written is durable. May be called twice."""
        self._closed = True
        await self.stop()
        self._approvals.cancel_all()
        await self._rules.aclose()
        await self._owner.aclose()
        if self._setup.jobs is not None:
            await self._setup.jobs.aclose()
        await self._saving.settle()
        self._listening.close()
        self._holds.close()

    async def __aenter__(self) -> Self:
        """Return the session."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the session."""
        await self.aclose()

    # The turn

    def begin(self) -> None:
        """Write the first facts of a new session, or of a resumed one, and end what a crash left open."""
        self._titled = begin(self._setup, self._history).titled
        self._rules.begin()

    def _begin_turn(self) -> None:
        self._finish_unbegun(self._turn_id)
        try:
            if not self._titled:
                self._titled = True
                self.journal.append(TitleSet(title=title_of(self._queue[0].text())))
            self._turn_id = mint_id("turn")
            self.journal.append(TurnStarted(turn_id=self._turn_id))
            self._take_queued(self._turn_id)
        except StoreError as error:
            self._turn_id = ""
            self._saving.stopped(error)
            raise

    def _take_queued(self, turn_id: str) -> None:
        while self._queue:
            self.journal.append(UserMessageAdded(turn_id=turn_id, message=self._queue[0]))
            self._queue.pop(0)

    async def _turns(self) -> None:
        """Run the turn that was begun, and another for what was queued at its end."""
        with suppress(StoreError):  # noted and told where it was raised
            while await self._turn() and self._queue:
                self._begin_turn()

    async def _turn(self) -> bool:
        """Run one turn and write its end; return whether it was answered."""
        outcome = TurnOutcome("failed", INTERNAL, "internal")
        try:
            outcome = await self._loop.run_turn(self._turn_id)
        except asyncio.CancelledError:
            outcome = TurnOutcome("stopped")
            raise
        except StoreError as error:
            self._saving.stopped(error)
            outcome = TurnOutcome("failed", error.text, "store", error)
        except WorkbenchError as error:
            outcome = TurnOutcome("failed", error.text, error.message_id, error)
        finally:
            self._finish_turn(outcome)
        await self._saving.settle()
        return outcome.end == "answered"

    def _finish_turn(self, outcome: TurnOutcome) -> None:
        """Write a turn's end, once, with every call answered."""
        turn_id, self._turn_id = self._turn_id, ""
        if not turn_id:
            return
        try:
            end_open_calls(self.journal, self._history, turn_id, lambda _call, started: stopped(running=started))
            self.journal.append(outcome.finished(turn_id, self._loop.step))
        except StoreError as error:
            self._saving.stopped(error)

    def _finish_unbegun(self, turn_id: str, _task: asyncio.Task[None] | None = None) -> None:
        """Write the end of a turn that was cancelled before its first step, which could not write it itself."""
        if turn_id == self._turn_id:
            self._finish_turn(TurnOutcome("stopped"))

    def _note_failure(self, error: BaseException) -> None:
        with suppress(StoreError):
            self.journal.append(Notice(message_id="session.internal", text=INTERNAL, level="error", values={"error": type(error).__name__}))


def open_session(setup: SessionSetup) -> Session:
    """Open a new session, or resume one whose facts are in the journal.

    Raises:
        StoreError: the journal takes nothing.
    """
    session = Session(setup)
    session.begin()
    return session
