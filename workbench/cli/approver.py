"""Approvals in a terminal: shows the whole call, why it asks, and what may be answered; the first letter decides."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import tempfile
from pathlib import Path
from typing import Protocol

from workbench.agent.approvals import Approvals
from workbench.cli.output import colour, one_line, plain, say
from workbench.cli.terminal import Terminal
from workbench.conversation.events import Answer, ApprovalRequested, ApprovalResolved, Entry, LimitReached, TurnFinished
from workbench.conversation.values import JsonObject
from workbench.errors import UsageError
from workbench.permissions.rules import rule_from, rule_text
from workbench.words import _, tell

LEVELS = ("look", "edit", "run", "reach", "destroy")
TINTS = ("faint", "blue", "amber", "amber", "red")


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
        self, approval_id: str, answer: Answer, *, note: str = "", arguments: JsonObject | None = None, by: str = "person", rule: JsonObject | None = None
    ) -> bool:
        """Answer a question."""
        ...

    def raise_limit(self, maximum: float) -> bool:
        """Let a waiting turn go on."""
        ...

    def end_at_limit(self) -> bool:
        """Let a waiting turn end."""
        ...


class Questions:
    """The questions of one call made by hand; there is no turn that could reach a limit."""

    waiting_limit = None

    def __init__(self, approvals: Approvals) -> None:
        self._approvals = approvals

    @property
    def pending(self) -> tuple[ApprovalRequested, ...]:
        """The open questions."""
        return self._approvals.pending

    def resolve(
        self, approval_id: str, answer: Answer, *, note: str = "", arguments: JsonObject | None = None, by: str = "person", rule: JsonObject | None = None
    ) -> bool:
        """Answer a question; to stop is to reject, since there is nothing else to stop. A rule would hold for nothing further."""
        del rule
        return self._approvals.resolve(approval_id, "reject" if answer == "stop" else answer, note=note, arguments=arguments, by=by)

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
    taken off the screen.
    """

    def __init__(self, session: Asked, terminal: Terminal) -> None:
        self._session = session
        self._terminal = terminal
        self._waiting: asyncio.Queue[ApprovalRequested | LimitReached] = asyncio.Queue()
        self._asking: tuple[str, asyncio.Task[None]] | None = None

    def entry(self, entry: Entry) -> None:
        """Note a fact."""
        match entry.event:
            case ApprovalRequested() | LimitReached() as question:
                self._waiting.put_nowait(question)
            case ApprovalResolved(approval_id=approval_id):
                self._take_off(approval_id)
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
                self._asking = (question.approval_id if isinstance(question, ApprovalRequested) else "", task)
                await asyncio.wait({task})
                self._asking = None

    def _take_off(self, identity: str) -> None:
        if self._asking and self._asking[0] == identity and self._asking[1] is not asyncio.current_task():
            self._asking[1].cancel()

    async def _put(self, question: ApprovalRequested | LimitReached) -> None:
        if isinstance(question, LimitReached):
            await self._ask_limit(question)
        elif any(open_.approval_id == question.approval_id for open_ in self._session.pending):
            await self._ask_approval(question)

    async def _ask_limit(self, reached: LimitReached) -> None:
        if self._session.waiting_limit is None:
            return
        text = _("The limit of {limit} ({maximum:g}) is reached. Go on for as much again? [y/N] ").format(limit=reached.limit, maximum=reached.maximum)
        answer = await self._terminal.ask(colour(text, "amber"))
        if answer is not None and answer.strip().lower() in ("y", "yes", "是"):
            self._session.raise_limit(reached.maximum * 2)
        else:
            self._session.end_at_limit()

    async def _ask_approval(self, requested: ApprovalRequested) -> None:
        show(requested)
        while True:
            line = await self._terminal.ask(self._prompt(requested))
            if line is None:
                self._resolve(requested, "reject")
                return
            letter, _space, rest = line.strip().partition(" ")
            if await self._done(requested, letter.lower(), rest.strip()):
                return

    def _prompt(self, requested: ApprovalRequested) -> str:
        always = _(" · a always") if requested.can_always and requested.always else ""
        return colour(_("Allow? y once · n reject [note] · e edit{always} · s stop: ").format(always=always), "bold")

    async def _done(self, requested: ApprovalRequested, letter: str, rest: str) -> bool:
        """Carry out an answer; False if it was none, so that the question stays."""
        match letter:
            case "y" | "yes" | "是":
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
            case "a" | "always" if requested.can_always and requested.always:
                return await self._always(requested)
            case _:
                say(_("y, n, e, a or s, then Enter; words after n go to the model."))
                return False
        return True

    async def _always(self, requested: ApprovalRequested) -> bool:
        for number, rule in enumerate(requested.always, 1):
            say(f"  {number}  {plain(rule_text(rule_from(rule, scope='session')))}")
        line = await self._terminal.ask(_("Which of these rules shall hold for this session? (number, Enter for none) "))
        if line is None or not line.strip().isdigit() or not 1 <= int(line) <= len(requested.always):
            return False
        self._session.resolve(requested.approval_id, "approve", by="terminal", rule=requested.always[int(line) - 1])
        return True

    async def _edited(self, requested: ApprovalRequested) -> JsonObject | None:
        """Return the arguments as the person changed them; None if they cannot be used or were left as they are."""
        text = json.dumps(requested.arguments, ensure_ascii=False, indent=2)
        try:
            changed = await self._in_editor(text)
            value = json.loads(changed)
        except (ValueError, UsageError) as error:
            say(colour(plain(tell(error)) if isinstance(error, UsageError) else _("This is not JSON: {error}").format(error=error), "red"))
            return None
        if not isinstance(value, dict):
            say(colour(_("The arguments must be a JSON object."), "red"))
            return None
        return value

    async def _in_editor(self, text: str) -> str:
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if not editor:
            say(plain(text))
            return await self._terminal.ask(_("New arguments as JSON on one line: ")) or text
        with tempfile.TemporaryDirectory(prefix="workbench-edit-") as folder:
            path = Path(folder) / "arguments.json"
            path.write_text(text, encoding="utf-8")
            try:
                process = await asyncio.create_subprocess_exec(*shlex.split(editor), str(path))
            except OSError as error:
                raise UsageError(f"The editor “{editor}” could not be started: {error.strerror or error}.") from error
            if await process.wait() != 0:
                raise UsageError(f"The editor “{editor}” ended with an error; nothing was changed.")
            return path.read_text(encoding="utf-8")

    def _resolve(self, requested: ApprovalRequested, answer: Answer, *, note: str = "", arguments: JsonObject | None = None) -> None:
        if not self._session.resolve(requested.approval_id, answer, note=note, arguments=arguments, by="terminal"):
            say(_("This question was already answered."))


def show(requested: ApprovalRequested) -> None:
    """Show a question whole: what would run, what it touches, why it asks. Nothing is cut."""
    level = f"{requested.danger} {LEVELS[requested.danger]}"
    badges = f"  [{', '.join(requested.badges)}]" if requested.badges else ""
    who = f"{' › '.join(requested.agent)}: " if requested.agent else ""
    say("")
    say(colour(f"── {plain(who)}{one_line(requested.tool)}  ({level}){plain(badges)}", "bold", TINTS[requested.danger]))
    preview = requested.preview
    if preview.title:
        say(plain(preview.title))
    if preview.body:
        for line in preview.body.split("\n"):
            say(_coloured(plain(line), diff=preview.kind == "diff"))
    for target in requested.targets:
        if target.outside:
            say(colour(_("outside the workspace: {path}").format(path=plain(target.name)), "red"))
    if requested.description:
        say(colour(_("The model says: {text}").format(text=one_line(requested.description, 200)), "faint"))
    for note in preview.notes:
        say(colour(plain(note), "amber"))
    for reason in requested.reasons:
        say(colour(_("asks because: {text}").format(text=plain(reason.text)), "amber"))


def _coloured(line: str, *, diff: bool) -> str:
    if diff and line.startswith("+"):
        return colour(line, "green")
    if diff and line.startswith("-"):
        return colour(line, "red")
    return line
