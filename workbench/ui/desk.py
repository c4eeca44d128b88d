"""What the window works on: the folder, its sessions, the models; everything that needs the whole program goes through here."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec
from PySide6.QtCore import QObject, Signal

from workbench.agent.tasks import Owner
from workbench.app import App, ModelChoice, OpenSession
from workbench.conversation.values import clean_text
from workbench.errors import WorkbenchError
from workbench.permissions.visible import visible
from workbench.settings.tree import Settings
from workbench.store.sessions import SessionSummary, find_session, last_model, list_sessions
from workbench.ui.branch import branch_of
from workbench.ui.bridge import Bridge, replayed
from workbench.ui.confinement_watch import ConfinementWatch
from workbench.ui.model_entries import PRACTICE, ModelEntry, model_entries
from workbench.ui.open_sessions import HeldSession, OpenSessions
from workbench.ui.trust.watch import TrustWatch
from workbench.words import _, tell, tell_text
from workbench.workspace.paths import Workspace

__all__ = ["Desk", "ModelEntry", "SessionRow", "SessionState"]

T = TypeVar("T")
SessionState: TypeAlias = Literal["running", "waits", "idle", "in_use", "damaged"]


class SessionRow(NamedTuple):
    """A session of the workspace as the list shows it; `used_at` is seconds since 1970."""

    session_id: str
    folder: Path
    title: str
    state: SessionState
    used_at: float


class Desk(QObject):
    """The program as the window sees it.

    Signals:
        workspace_changed: another folder is open, or its branch is another.
        sessions_changed: the list of sessions, or the state of one, is another.
        session_closed: a session was closed; what it held is not needed any more.
        models_changed: the models that can be chosen are others.
        settings_changed: settings were saved.
        told: a sentence and its level (info, warning, error) that a person should read now.
        gone_on: a person wants another folder or session, or what was told does not hold any more: see `holds`.

    Attributes:
        workspace: the folder of the session that is shown; None before the first.
        branch: the branch it is on; empty if it is no repository.
        sessions: the sessions of the folder, and whatever else is at work here; the one used last first.
        models: what can be chosen, the practice model first.
        confinement: what holds commands.
        trust: what the folder brings, and whether it is trusted.
    """

    workspace_changed = Signal()
    sessions_changed = Signal()
    session_closed = Signal()
    models_changed = Signal()
    settings_changed = Signal()
    told = Signal(str, str)
    gone_on = Signal()

    def __init__(self, app: App, bridge: Bridge) -> None:
        super().__init__()
        self.app, self.bridge = app, bridge
        self.workspace: Workspace | None = None
        self.branch = ""
        self.sessions: tuple[SessionRow, ...] = ()
        self.models: tuple[ModelEntry, ...] = ()
        self._summaries: tuple[SessionSummary, ...] = ()
        self._open = OpenSessions(self)
        self._open.changed.connect(self._make_rows)
        self._open.rested.connect(self._session_rested)
        self._open.closed.connect(self.session_closed)
        self._open.told.connect(self._tell_of)
        self._owner = Owner(where=lambda: f"journal {len(bridge.entries)}", on_failure=self._tell_failure)
        self.confinement, self.trust = ConfinementWatch(app, self.spawn, self), TrustWatch(self, self.spawn, self)
        self._found_at_start: tuple[str, ...] = ()
        self._unsaved = ""
        self._closing = False
        self._showing = asyncio.Lock()
        """What is shown changes step by step, with waits between: two at once would close each other's sessions."""

    async def begin(self) -> None:
        """Tell what should be known at the start, and find out which models there are."""
        self._found_at_start = (*map(tell, self.app.notices), *map(tell_text, self.app.http.notices))
        for sentence in self._found_at_start:
            self.told.emit(sentence, "warning")
        self.confinement.begin()
        await self.refresh_models()

    # What a person wants

    async def open_folder(self, path: Path) -> bool:
        """Open a folder as the workspace, with a new session; False after `told` said why not."""
        self.gone_on.emit()
        try:
            async with self._showing:
                workspace = await self.app.workspace(path)
                await self._show(await self._new_session(workspace))
        except WorkbenchError as error:
            return self._refuse(error)
        if not self.models:
            await self.refresh_models()
        return True

    async def new_session(self) -> bool:
        """Begin a new session in the workspace; the one before stays open while its turn runs."""
        if self.workspace is None:
            return False
        shown = self._shown()
        if shown is not None and not shown.said:
            return True
        self.gone_on.emit()
        try:
            async with self._showing:
                await self._show(await self._new_session(self.workspace))
        except WorkbenchError as error:
            return self._refuse(error)
        return True

    async def open_session(self, session_id: str) -> bool:
        """Show a session of the list, with the model it was left with if that can still be reached."""
        self.gone_on.emit()
        try:
            async with self._showing:
                held = self._open.get(session_id)
                await self._show(held or await self._resumed(session_id))
        except WorkbenchError as error:
            return self._refuse(error)
        return True

    async def choose_model(self, profile: str, model: str) -> bool:
        """Send requests to another model from the next step on, and remember it in the settings."""
        for known in self.app.profiles():
            if known.name == profile:
                await self.app.key_of(known)  # the keyring is asked now at the latest
        await self.refresh_models()
        why_not = next((entry.why_not for entry in self.models if (entry.profile, entry.model) == (profile, model)), "")
        if why_not:
            self.told.emit(why_not, "warning")
            return False
        try:
            choice = await self.app.choice(profile, model)
            await self.app.key_of(choice.profile)  # known from now on: if a person types it as a message, it is not kept either
        except WorkbenchError as error:
            return self._refuse(error)
        await self._switch(choice)
        settings = self.app.settings
        chosen = msgspec.structs.replace(settings.model, profile=choice.profile.name, model=choice.model)
        return chosen == settings.model or await self.save_settings(msgspec.structs.replace(settings, model=chosen))

    async def find_local_servers(self) -> int:
        """Look for model servers on this machine; return how many answered."""
        found = await self.app.find_local_servers()
        await self.refresh_models()
        return len(found)

    async def save_settings(self, settings: Settings) -> bool:
        """Put settings in force, in open sessions too, and write what they change; if that cannot be, nothing changes."""
        try:
            await self.app.save_settings(settings)
        except WorkbenchError as error:
            self._unsaved = tell(error)
            return self._refuse(error)
        if self._unsaved:
            self._unsaved = ""
            self.gone_on.emit()
        self._renew_sessions()
        self.settings_changed.emit()
        await self.refresh_models()
        return True

    # What may have changed meanwhile

    async def refresh_models(self) -> None:
        """Find out anew which models can be chosen."""
        models = await model_entries(self.app)
        if models != self.models:
            self.models = models
            self.models_changed.emit()

    async def refresh_sessions(self) -> None:
        """Read the list of sessions anew: other processes write some of them."""
        try:
            self._summaries = tuple(await asyncio.to_thread(list_sessions, self.app.data_folder))
        except WorkbenchError as error:
            self._refuse(error)
        self._make_rows()

    async def refresh_branch(self) -> None:
        """Read anew which branch the workspace is on."""
        workspace = self.workspace
        branch = await asyncio.to_thread(branch_of, workspace.path) if workspace else ""
        if workspace is self.workspace and branch != self.branch:
            self.branch = branch
            self.workspace_changed.emit()

    # Tasks

    def spawn(self, coroutine: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
        """Run a coroutine as long as the window is open at most; what goes wrong in it is told.

        Raises:
            RuntimeError: the desk was closed.
        """
        return self._owner.spawn(coroutine, name=name)

    async def aclose(self) -> None:
        """Close every session; what was written is durable when this returns. May be called twice."""
        self._closing = True
        await self._owner.aclose()
        self.bridge.attach(None)
        await self._open.aclose()

    # Sessions

    async def _new_session(self, workspace: Workspace) -> HeldSession:
        return self._open.add(await self.app.open_session(workspace, await self._usual_choice()))

    async def _resumed(self, session_id: str) -> HeldSession:
        summary = await asyncio.to_thread(find_session, self.app.data_folder, session_id)
        choice = await self._choice_left(summary)  # a damaged session says so here
        workspace = await self.app.workspace(Path(summary.workspace))
        return self._open.add(await self.app.open_session(workspace, choice, resume=summary.folder))

    async def _choice_left(self, summary: SessionSummary) -> ModelChoice:
        """Return the model a session was left with, else that of the settings after telling so."""
        left = await asyncio.to_thread(last_model, summary.folder)
        if left is None:
            return await self._usual_choice()
        try:
            return await self.app.choice(left.profile, left.model)
        except WorkbenchError as error:
            choice = await self._usual_choice()
            text = _("{reason} The session goes on with {model}.").format(reason=tell(error), model=choice.model)
            self.told.emit(text, "warning")
            return choice

    async def _usual_choice(self) -> ModelChoice:
        """Return the settings' model; if it cannot be had, the practice model after telling so."""
        try:
            return await self.app.choose()
        except WorkbenchError as error:
            self.told.emit(_("{reason} The practice model answers instead.").format(reason=tell(error)), "warning")
            return await self.app.choice(PRACTICE, "")

    async def _show(self, held: HeldSession) -> None:
        """Show a session; the one before is closed unless it has something to do."""
        before, place = self._shown(), (self.workspace and self.workspace.path, self.branch)
        timeline = await replayed(held.opened)
        self.workspace = held.opened.bench.workspace
        self.bridge.attach(held.opened, timeline)
        self._make_rows()
        self.branch = await asyncio.to_thread(branch_of, self.workspace.path)
        if place != (self.workspace.path, self.branch):
            self.workspace_changed.emit()
        if before is not None and before is not held and not before.busy:
            await self._open.close(before)
        await self.refresh_sessions()

    def _shown(self) -> HeldSession | None:
        return self._open.get(self.bridge.opened.session.session_id) if self.bridge.opened else None

    def _session_rested(self, session_id: str) -> None:
        """A turn has ended: files may have changed, and a session that nobody looks at is closed."""
        if self._closing:
            return
        self.spawn(self.refresh_branch(), name="read the branch")
        held = self._open.get(session_id)
        if held is not None and held is not self._shown():
            self.spawn(self._close_unseen(held), name=f"close {session_id}")

    async def _close_unseen(self, held: HeldSession) -> None:
        await held.opened.session.wait_idle()
        async with self._showing:
            if held is not self._shown() and not held.busy:
                await self._open.close(held)
                await self.refresh_sessions()

    async def _switch(self, choice: ModelChoice) -> None:
        if self.bridge.opened is not None:
            before = self.bridge.opened.choice
            opened: OpenSession = self.app.switch_model(self.bridge.opened, choice)
            self._open.put(opened)
            self.bridge.opened = opened
            self.bridge.state_changed.emit()
            await self.app.tell_losses(opened, before)

    def _renew_sessions(self) -> None:
        """Let open sessions follow the settings: limits from the next turn on, everything else from the next request on."""
        for held in self._open:
            opened = self.app.renewed(held.opened)
            if held.opened is self.bridge.opened:
                self.bridge.opened = opened
            self._open.put(opened)
        self.bridge.state_changed.emit()

    def _make_rows(self) -> None:
        """Put together what the disk says and what is open here."""
        here = {held.opened.session.session_id: _row_of_open(held) for held in self._open}
        place = clean_text(str(self.workspace.path)) if self.workspace else ""
        kept = (_row_of_kept(summary) for summary in self._summaries if summary.session_id not in here and _is_listed(summary, place))
        rows = tuple(sorted((*here.values(), *kept), key=lambda row: row.used_at, reverse=True))
        if rows != self.sessions:
            self.sessions = rows
            self.sessions_changed.emit()

    # What is told

    def holds(self, sentence: str) -> bool:
        """Whether what a sentence told of is still so: the settings or a session cannot be saved, or it was found at the start."""
        lasting = (*self._found_at_start, *filter(None, (self._unsaved, *(held.unsaved for held in self._open))))
        return any(visible(sentence).endswith(visible(known)) for known in lasting)

    def _refuse(self, error: WorkbenchError) -> bool:
        self.told.emit(tell(error), "error")
        return False

    def _tell_of(self, session_id: str, text: str, level: str) -> None:
        """Pass on what a session tells; of one that is not shown, say which."""
        held = self._open.get(session_id)
        if held is not None and held is not self._shown():
            text = _("In the session “{title}”: {text}").format(title=visible(held.title), text=text)
        self.told.emit(text, level)

    def _tell_failure(self, error: BaseException) -> None:
        text = _("The program made an error ({kind}) and goes on; nothing that was written is lost. Its log says more.")
        self.told.emit(text.format(kind=type(error).__name__), "error")


def _row_of_open(held: HeldSession) -> SessionRow:
    session_id, folder = held.opened.session.session_id, held.opened.store.folder
    return SessionRow(session_id, folder, held.title or _("New session"), held.state, held.used_at)


def _is_listed(summary: SessionSummary, place: str) -> bool:
    """Whether a session belongs to a folder's list: a damaged one may not know its folder, and one in which nothing was said is what a crash left."""
    if summary.state in ("in_use", "damaged"):
        return summary.workspace in (place, "")
    return summary.workspace == place and summary.turns > 0


def _row_of_kept(summary: SessionSummary) -> SessionRow:
    state: SessionState = "idle" if summary.state == "interrupted" else summary.state
    return SessionRow(summary.session_id, summary.folder, summary.title or _("New session"), state, summary.updated_at)
