"""Approvals in a terminal: shows the whole call, why it asks, and what may be answered; the first letter decides."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from workbench.agent.approvals import Approvals
from workbench.cli.always import choose, offers
from workbench.cli.held import ask_held
from workbench.cli.output import colour, plain, say
from workbench.cli.question import show
from workbench.cli.terminal import Terminal
from workbench.conversation.calls import Answer, RuleScope
from workbench.conversation.checks import ReleaseDecision, RequestHeld, RequestReleased
from workbench.conversation.events import ApprovalRequested, ApprovalResolved, Entry, LimitReached, TurnFinished
from workbench.conversation.values import JsonObject
from workbench.errors import UsageError
from workbench.words import _, level_name, state_name, tell

HIGHEST = 4
"""The level at which one letter is not enough to allow a call."""
YES = ("y", "yes", "是")


class Asked(Protocol):
    """Who has the questions: a session, or bare approvals."""

    @property
    def pending(self) -> tuple[ApprovalRequested, ...]:
        """The open questions."""
        ...

    @property
    def waiting_limit(self) -> LimitReached | None:
        """The limit at which a turn waits."""
        ...

    def resolve(
        self,
        approval_id: str,
        answer: Answer,
        *,
        note: str = "",
        arguments: JsonObject | None = None,
        by: str = "person",
        rules: Sequence[JsonObject] = (),
        scope: RuleScope = "session",
    ) -> bool:
        """Answer a question."""
        ...

    @property
    def held(self) -> RequestHeld | None:
        """The request that waits because its provider would refuse it."""
        ...

    def release(self, hold_id: str, decision: ReleaseDecision) -> bool:
        """Decide about a held request."""
        ...

    def raise_limit(self, maximum: float) -> bool:
        """Let a waiting turn go on."""
        ...

    def end_at_limit(self) -> bool:
        """Let a waiting turn end."""
        ...


class Questions:
    """The questions of one call made by hand; there is no turn that could reach a limit, and no request."""

    waiting_limit = None
    held = None

    def __init__(self, approvals: Approvals) -> None:
        self._approvals = approvals

    @property
    def pending(self) -> tuple[ApprovalRequested, ...]:
        """The open questions."""
        return self._approvals.pending

    def resolve(
        self,
        approval_id: str,
        answer: Answer,
        *,
        note: str = "",
        arguments: JsonObject | None = None,
        by: str = "person",
        rules: Sequence[JsonObject] = (),
        scope: RuleScope = "session",
    ) -> bool:
        """Answer a question; to stop is to reject, since there is nothing else to stop. A rule would hold for nothing further."""
        del rules, scope
        return self._approvals.resolve(approval_id, "reject" if answer == "stop" else answer, note=note, arguments=arguments, by=by)

    def release(self, hold_id: str, decision: ReleaseDecision) -> bool:
        """Return False: no request waits."""
        del hold_id, decision
        return False

    def raise_limit(self, maximum: float) -> bool:
        """Return False: no turn waits."""
        del maximum
        return False

    def end_at_limit(self) -> bool:
        """Return False: no turn waits."""
        return False


class TerminalApprover:
    """Answers a session's questions by asking the person at the terminal, one after the other.

    `entry` is a listener of the journal; `run` asks until it is cancelled. A question that is answered elsewhere, or becomes void, is
    taken off the screen. Rules are offered only if it `remembers` them.
    """

    def __init__(self, session: Asked, terminal: Terminal, *, remembers: bool = True) -> None:
        self._session = session
        self._remembers = remembers
        self._terminal = terminal
        self._waiting: asyncio.Queue[ApprovalRequested | LimitReached | RequestHeld] = asyncio.Queue()
        self._asking: tuple[str, asyncio.Task[None]] | None = None

    def entry(self, entry: Entry) -> None:
        """Note a fact."""
        match entry.event:
            case ApprovalRequested() | LimitReached() | RequestHeld() as question:
                self._waiting.put_nowait(question)
            case ApprovalResolved(approval_id=approval_id):
                self._take_off(approval_id)
            case RequestReleased(hold_id=hold_id):
                self._take_off(hold_id)
            case TurnFinished():
                self._take_off("")
            case _:
                return

    async def run(self) -> None:
        """Ask, one question after the other."""
        async with asyncio.TaskGroup() as group:
            while True:
                question = await self._waiting.get()
                task = group.create_task(self._put(question), name="question")
                self._asking = (_identity(question), task)
                await asyncio.wait({task})
                self._asking = None

    def _take_off(self, identity: str) -> None:
        if self._asking and self._asking[0] == identity and self._asking[1] is not asyncio.current_task():
            self._asking[1].cancel()

    async def _put(self, question: ApprovalRequested | LimitReached | RequestHeld) -> None:
        try:
            if isinstance(question, LimitReached):
                await self._ask_limit(question)
            elif isinstance(question, RequestHeld):
                await ask_held(self._session, self._terminal, question)
            elif any(open_.approval_id == question.approval_id for open_ in self._session.pending):
                await self._ask_approval(question)
        except asyncio.CancelledError:
            say("")  # what comes next does not belong on the prompt's line
            raise

    async def _ask_limit(self, reached: LimitReached) -> None:
        if self._session.waiting_limit is None:
            return
        pattern = _("The limit of {limit} ({maximum:g}) is reached. Go on for as much again? y/n: ")
        text = pattern.format(limit=state_name(reached.limit), maximum=reached.maximum)
        await self._terminal.guard()
        answer = await self._terminal.ask(colour(text, "amber"))
        if answer is not None and answer.strip().lower() in YES:
            self._session.raise_limit(reached.value + reached.maximum)
        else:
            self._session.end_at_limit()

    async def _ask_approval(self, requested: ApprovalRequested) -> None:
        show(requested)
        await self._terminal.guard()
        while True:
            line = await self._terminal.ask(self._prompt(requested))
            if line is None:
                say("")
                self._resolve(requested, "reject")
                return
            letter, _space, rest = line.strip().partition(" ")
            if await self._done(requested, letter.lower(), rest.strip()):
                return

    def _prompt(self, requested: ApprovalRequested) -> str:
        always = _(" · a always") if self._offers(requested) else ""
        others = len(self._session.pending) - 1
        more = _(" ({n} more wait)").format(n=others) if others > 0 else ""
        return colour(_("Allow? y once · n reject [note] · e edit{always} · s stop{more}: ").format(always=always, more=more), "bold")

    async def _done(self, requested: ApprovalRequested, letter: str, rest: str) -> bool:
        """Carry out an answer; False if it was none, so that the question stays."""
        match letter:
            case "y" | "yes" | "是":
                if requested.danger >= HIGHEST and not await self._meant(requested):
                    return False
                self._resolve(requested, "approve")
            case "n" | "no" | "否":
                self._resolve(requested, "reject", note=rest)
            case "s" | "stop":
                self._resolve(requested, "stop")
            case "e" | "edit":
                arguments = await self._edited(requested)
                if arguments is None:
                    return False
                self._resolve(requested, "approve_edited", arguments=arguments)
            case "a" | "always" if self._offers(requested):
                return await self._always(requested)
            case _:
                say(_("Type one of these letters, then Enter; words after n go to the model."))
                return False
        return True

    async def _meant(self, requested: ApprovalRequested) -> bool:
        """Ask a second time, in a way that no habit of typing answers."""
        word = level_name(requested.danger).lower()
        line = await self._terminal.ask(colour(_("Type the word “{word}” to allow it once, anything else not to: ").format(word=word), "red"))
        return line is not None and line.strip().lower() in (word, "destroy")

    def _offers(self, requested: ApprovalRequested) -> bool:
        return self._remembers and offers(requested)

    async def _always(self, requested: ApprovalRequested) -> bool:
        chosen = await choose(requested, self._terminal)
        if chosen is None:
            return False
        if not self._session.resolve(requested.approval_id, "approve", by="terminal", rules=chosen.rules, scope=chosen.scope):
            say(_("This question was already answered."))
        return True

    async def _edited(self, requested: ApprovalRequested) -> JsonObject | None:
        """Return the arguments as the person changed them; None if they cannot be used or were left as they are."""
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        try:
            value = arguments_from(await (edited_in(editor, requested.arguments) if editor else self._typed(requested.arguments)))
        except UsageError as error:
            say(colour(plain(tell(error)), "red"))
            return None
        if value == requested.arguments:
            say(_("Nothing was changed."))
            return None
        return value

    async def _typed(self, arguments: JsonObject) -> str:
        text = json.dumps(arguments, ensure_ascii=False)
        say(plain(text), fold=False)
        return await self._terminal.ask(_("New arguments as JSON on one line: ")) or text

    def _resolve(self, requested: ApprovalRequested, answer: Answer, *, note: str = "", arguments: JsonObject | None = None) -> None:
        if not self._session.resolve(requested.approval_id, answer, note=note, arguments=arguments, by="terminal"):
            say(_("This question was already answered."))


def _identity(question: ApprovalRequested | LimitReached | RequestHeld) -> str:
    match question:
        case ApprovalRequested():
            return question.approval_id
        case RequestHeld():
            return question.hold_id
        case LimitReached():
            return ""


def arguments_from(text: str) -> JsonObject:
    """Return what a person wrote as arguments.

    Raises:
        UsageError: it is not a JSON object.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"This is not JSON: {error}.", message_id="cli.edit_not_json", values={"reason": str(error)}) from error
    if not isinstance(value, dict):
        raise UsageError("The arguments must be a JSON object.", message_id="cli.edit_not_object")
    return value


async def edited_in(editor: str, arguments: JsonObject) -> str:
    """Return the arguments as text, as a person left them in an editor; cancelling ends the editor.

    Raises:
        UsageError: the editor cannot be started, or failed.
    """
    with tempfile.TemporaryDirectory(prefix="workbench-edit-") as folder:
        path = Path(folder) / "arguments.json"
        path.write_text(json.dumps(arguments, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        try:
            process = await asyncio.create_subprocess_exec(*shlex.split(editor), str(path))
        except (OSError, ValueError) as error:
            raise UsageError(f"The editor “{editor}” could not be started: {error}.", message_id="cli.editor", values={"editor": editor}) from error
        try:
            status = await process.wait()
        except asyncio.CancelledError:
            process.kill()
            await process.wait()
            raise
        if status != 0:
            raise UsageError(f"The editor “{editor}” ended with an error; nothing was changed.", message_id="cli.editor_failed", values={"editor": editor})
        return path.read_bytes().decode("utf-8", "replace")
