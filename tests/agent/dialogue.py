"""A turn told as a dialogue: the test speaks for the user and for the model, and reads what the program does.

    user -> request -> stream -> question -> answer -> result -> request -> answer
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from tests.agent.invariants import check_journal
from tests.agent.scripted_model import Piece, ScriptedModel, answer
from workbench.agent.approvals import Headless
from workbench.agent.confining import Confining
from workbench.agent.gatekeeper import Gatekeeper, roots_of
from workbench.agent.limits import Limits
from workbench.agent.rule_keeping import RuleKeeper
from workbench.agent.session import Session, SessionSetup, open_session
from workbench.conversation.events import ApprovalRequested, Entry, ModelChosen, ToolFinished, TurnFinished
from workbench.conversation.journal import Journal, JournalSink
from workbench.conversation.messages import ModelRequest
from workbench.permissions.modes import Mode
from workbench.permissions.rules import RuleSet
from workbench.redaction.redactor import Redactor
from workbench.tools.base import MemoryObjects, Tool, ToolContext
from workbench.tools.registry import ToolRegistry, builtin_tools
from workbench.workspace.files import SeenFiles
from workbench.workspace.jobs import Jobs
from workbench.workspace.paths import open_workspace

CHOSEN = ModelChosen(profile="script", model="scripted", dialect="chat_completions")

F = TypeVar("F")


class Dialogue:
    """A real session on a real folder with the real tools, and a scripted model.

    Attributes:
        folder: the workspace.
        session: what a front end would hold.
        model: the script.
        journal: the facts.
    """

    def __init__(
        self,
        folder: Path,
        *,
        files: dict[str, str] | None = None,
        mode: Mode | None = None,
        headless: Headless | None = None,
        limits: Limits | None = None,
        rules: RuleSet | None = None,
        tools: Iterable[Tool] = (),
        sink: JournalSink | None = None,
        entries: Iterable[Entry] = (),
        keeper: RuleKeeper | None = None,
        hidden: Iterable[str] = (),
        confining: Confining | None = None,
        extra_roots: Iterable[tuple[Path, bool]] = (),
        redactor: Redactor | None = None,
    ) -> None:
        self.folder = folder / "ws"
        (folder / "outputs").mkdir(parents=True, exist_ok=True)
        self.folder.mkdir(exist_ok=True)
        for name, content in (files or {}).items():
            place = self.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.encode())
        self.journal = Journal(sink, entries)
        self.model = ScriptedModel(self.journal)
        self.jobs = Jobs()
        workspace = open_workspace(self.folder, home=folder / "home")
        for root, writable in extra_roots:
            workspace = workspace.granting(root, writable=writable)
        self.context = ToolContext(
            workspace=workspace, seen=SeenFiles(), outputs=folder / "outputs", objects=MemoryObjects(), redactor=redactor or Redactor()
        )
        self.gatekeeper = Gatekeeper(roots=roots_of(workspace, data_folder=folder / "data", outputs=folder / "outputs"), rules=rules or RuleSet())
        if confining is not None:
            confining.tell(self.gatekeeper)
            self.context = replace(self.context, sandbox=confining.known, data_folder=folder / "data")
        self.session: Session = open_session(
            SessionSetup(
                session_id="s1",
                journal=self.journal,
                registry=ToolRegistry([*builtin_tools(demo=True, jobs=self.jobs), *tools]),
                context=self.context,
                gatekeeper=self.gatekeeper,
                chosen=CHOSEN,
                model=self.model,
                mode=mode,
                limits=limits or Limits(),
                headless=headless,
                jobs=self.jobs,
                keeper=keeper,
                hidden=frozenset(hidden),
            )
        )
        self._news = asyncio.Event()
        self._read = self.journal.last_seq
        self._listening = self.journal.subscribe(lambda _entry: self._news.set(), after=self.journal.last_seq)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.session.aclose()
        self._listening.close()
        if kind is None:
            assert self.model.open == 0
            assert not self.session.pending
            check_journal(self.journal.entries)

    def use(self, **fields: Any) -> None:
        """Change the surroundings of the calls to come."""
        harness = self.session._harness
        harness.context = replace(harness.context, **fields)

    # the user

    async def user(self, text: str) -> ModelRequest:
        """Say something and return the request that goes out."""
        await self.session.submit(text)
        return await self.model.asked()

    def approve(self, question: ApprovalRequested, **fields: Any) -> None:
        assert self.session.resolve(question.approval_id, "approve_edited" if "arguments" in fields else "approve", **fields)

    def reject(self, question: ApprovalRequested, note: str = "") -> None:
        assert self.session.resolve(question.approval_id, "reject", note=note)

    # the model

    async def streams(self, text: str = "", *calls: Any, **fields: Any) -> None:
        """Let the model answer with calls."""
        self.model.say(*answer(text, *calls, **fields))

    async def answers(self, text: str, *pieces: Piece) -> TurnFinished:
        """Let the model answer without calls, and return the end of the turn."""
        self.model.say(*(pieces or answer(text)))
        return await self.end()

    # the program

    async def question(self) -> ApprovalRequested:
        """Return the next question."""
        return await self.fact(ApprovalRequested)

    async def result(self) -> ToolFinished:
        """Return the next end of a call."""
        return await self.fact(ToolFinished)

    async def end(self) -> TurnFinished:
        """Return the end of the turn."""
        return await self.fact(TurnFinished)

    async def fact(self, kind: type[F]) -> F:
        """Return the next fact of a kind; facts before it are passed over."""
        found = await self.until(lambda entry: isinstance(entry.event, kind))
        assert isinstance(found.event, kind)
        return found.event

    async def until(self, wanted: Callable[[Entry], bool]) -> Entry:
        """Return the next entry that is wanted."""
        while True:
            while self._read < self.journal.last_seq:
                entry = self.journal.entries[self._read]
                self._read += 1
                if wanted(entry):
                    return entry
            self._news.clear()
            await self._news.wait()

    def facts(self, kind: type[F]) -> list[F]:
        """Return all facts of a kind so far."""
        return [entry.event for entry in self.journal.entries if isinstance(entry.event, kind)]

    def text(self, name: str) -> str:
        """Return a file's text."""
        return (self.folder / name).read_bytes().decode()


def results_of(request: ModelRequest) -> list[str]:
    """Return the texts of the results in a request's last message, in order."""
    return [result.text() for result in request.messages[-1].results()]
