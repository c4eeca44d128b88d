"""Builds the program once, in order, and closes it in reverse. No Qt: window, terminal and tests start here alike.

Order: data folder, settings, credentials, HTTP client; then, for each session: workspace, store, journal, tools, gate, session. The
practice model's server starts when it is first asked for.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from workbench import __version__
from workbench.agent.approvals import Headless
from workbench.agent.bench import ToolBench, build_bench
from workbench.agent.confining import Confining, HasSandbox
from workbench.agent.known_secrets import SecretWatch
from workbench.agent.session import Session, open_session
from workbench.agent.session_setup import SessionSetup
from workbench.agent.system_prompt import system_prompt
from workbench.conversation.events import TurnStarted
from workbench.conversation.exchange import ExchangeKeeper
from workbench.conversation.journal import Journal
from workbench.conversation.messages import DialectName, RequestOptions
from workbench.dialects.base import Quirks
from workbench.errors import WorkbenchError
from workbench.permissions.modes import Mode
from workbench.providers.choices import CUSTOM, ModelChoice, choice_at, quirks_in, switch_notice
from workbench.providers.client import ProviderModel
from workbench.providers.discovery import LOCAL_KINDS, find_local_servers, nobody_there
from workbench.providers.known_profiles import KNOWN_PROFILES
from workbench.providers.probe import ProbeLine, probe
from workbench.providers.profiles import Profile, checked, is_practice, named_model, no_profile, practice_dialect, practice_names, practice_profile
from workbench.settings.credentials import Credentials
from workbench.settings.files import load_or_default, open_data_folder, save_settings, set_aside
from workbench.settings.offered import demo_offered
from workbench.settings.project_rules import ProjectRules
from workbench.settings.rule_files import RuleFiles
from workbench.settings.sealed_file import SealKey
from workbench.settings.tree import Settings
from workbench.settings.trust import Trust
from workbench.store.session_files import SessionFiles
from workbench.store.session_store import SessionStore
from workbench.store.sessions import new_session_id, sessions_folder
from workbench.tools.base import ObjectStore
from workbench.tools.read import ImageScaler
from workbench.tools.registry import DEMO_TOOLS
from workbench.wire.client import HttpClient
from workbench.workspace.paths import Workspace, open_workspace

if TYPE_CHECKING:
    from workbench.practice.server import PracticeServer

__all__ = ["CUSTOM", "App", "ModelChoice", "OpenSession", "demo_offered", "hidden_tools", "is_practice", "practice_names"]

SETTINGS_FILE = "settings.toml"

LOCAL_NAMES = frozenset(kind.name for kind in LOCAL_KINDS)


class OpenSession(NamedTuple):
    """A session with what it stands on. `aclose` ends the turn, the processes and the files, in that order.

    A session in which nothing was ever said leaves no files behind.
    """

    session: Session
    store: SessionStore
    bench: ToolBench
    choice: ModelChoice

    async def aclose(self) -> None:
        """Close the session; what was written is durable when this returns."""
        try:
            await self.session.aclose()
        finally:
            await self.store.aclose()
        if not any(isinstance(entry.event, TurnStarted) for entry in self.session.journal.entries):
            await asyncio.to_thread(SessionFiles(self.store.folder).discard)


class App(HasSandbox):
    """The program's parts. Made by `open`.

    Attributes:
        data_folder: the user's data; made with mode 0700 when it was missing.
        settings: in force; the defaults if the file could not be used.
        notices: what should be told at the start, one sentence each.
        credentials: keys.
        http: the one HTTP client.
        rules: the rules that outlive a session.
        trust: what repositories ship, and what a person said to it.
        secrets: gives every secret known now, so that none is written anywhere: keys, and what the secret files of workspaces hold.
    """

    def __init__(
        self, data_folder: Path, environment: Mapping[str, str], settings: Settings, notices: tuple[WorkbenchError, ...], scaler: ImageScaler | None = None
    ) -> None:
        self.data_folder, self.environment, self.settings, self.notices = data_folder, environment, settings, notices
        self.credentials, self._watch = Credentials(environment), SecretWatch(self._keys)
        self.secrets = self._watch.values
        self.http, self.confining = HttpClient(environ=environment), Confining(environment)
        seal = SealKey(data_folder / "permissions", self.credentials.keyring)
        self.rules, self.trust = RuleFiles(data_folder / "permissions", seal), Trust(data_folder / "permissions", seal)
        self._scaler, self._stack = scaler, AsyncExitStack()
        self._practice: PracticeServer | None = None
        self._local: tuple[Profile, ...] = ()
        self._starting, self._saving = asyncio.Lock(), asyncio.Lock()

    @classmethod
    async def open(cls, data_folder: Path, environment: Mapping[str, str] | None = None, *, scaler: ImageScaler | None = None) -> App:
        """Return the built program, to be used as ``async with``.

        Args:
            data_folder: the user's data.
            environment: what keys and commands are taken from; None means this process's.
            scaler: makes large pictures small, for the read tool.

        Raises:
            UsageError: the data folder cannot be made or used.
        """
        return await asyncio.to_thread(cls._built, data_folder, dict(os.environ if environment is None else environment), scaler)

    async def __aenter__(self) -> App:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            await self._stack.aclose()
            await self.rules.flush()
        finally:
            await self.http.aclose()

    @classmethod
    def _built(cls, data_folder: Path, environment: Mapping[str, str], scaler: ImageScaler | None) -> App:
        open_data_folder(data_folder)
        loaded = load_or_default(data_folder / SETTINGS_FILE)
        return cls(data_folder, environment, loaded.settings, loaded.notices, scaler)

    # Settings

    @property
    def settings_path(self) -> Path:
        """Where the settings are kept."""
        return self.data_folder / SETTINGS_FILE

    async def save_settings(self, settings: Settings) -> None:
        """Put settings in force, and write what they change in those in force now; what another process wrote meanwhile comes into force too.

        Open sessions have them from `renewed` on.

        Raises:
            SettingsError: a value is not allowed, or the file cannot be used or written; nothing is changed then.
        """
        base = self.settings
        async with self._saving:
            self.settings = await asyncio.to_thread(save_settings, self.settings_path, settings, base=base)
        if self._practice is not None:
            self._practice.rate_per_s = self.settings.practice.tokens_per_s

    async def begin_settings_file(self) -> Path:
        """Set a settings file that cannot be used aside, and write what is in force into a new one; return where the old one is.

        Raises:
            SettingsError: it cannot be renamed, or the new one not written.
        """
        async with self._saving:
            kept = await asyncio.to_thread(set_aside, self.settings_path)
            await asyncio.to_thread(save_settings, self.settings_path, self.settings)
        return kept

    # Models

    def profiles(self) -> tuple[Profile, ...]:
        """Return the profiles that can be chosen by name: the user's own, the local servers found, the known ones; the first of a name counts."""
        found: dict[str, Profile] = {}
        for profile in (*self.settings.profiles, *self._local, *KNOWN_PROFILES):
            found.setdefault(profile.name, profile)
        return tuple(found.values())

    def profile_names(self) -> tuple[str, ...]:
        """Return what can be named before the slash of ``PROFILE/MODEL``, the practice model first."""
        return tuple(dict.fromkeys((*practice_names(), *(profile.name for profile in self.profiles()))))

    async def find_local_servers(self) -> tuple[Profile, ...]:
        """Ask the usual ports of this machine for model servers; what answers can be chosen by its name from now on."""
        self._local = await find_local_servers(self.http)
        return self._local

    async def probe(self, profile: Profile, *, key: str = "", model: str = "") -> AsyncGenerator[ProbeLine, None]:
        """Test a profile, kept or not, and yield what is found, see `providers.probe`; `key` is tried instead of the one it has.

        Raises:
            SettingsError: its address is not one.
        """
        tried = checked(profile)
        async with aclosing(probe(self.http, tried, key=key or await self.key_of(tried), model=model)) as lines:
            async for line in lines:
                yield line

    async def choose(
        self, wanted: str = "", *, base_url: str = "", key_variable: str = "", dialect: DialectName = "chat_completions"
    ) -> ModelChoice:
        """Return the model that a person named.

        Args:
            wanted: ``practice``, ``practice-anthropic``, ``PROFILE/MODEL``, ``PROFILE``, or a model id of the profile in the settings; empty for the settings'.
            base_url: an address that no profile describes; `wanted` is its model id then.
            key_variable: environment variable that holds the key for `base_url`.
            dialect: what is spoken at `base_url`.

        Raises:
            UsageError: there is no such profile, or it is not known which of its models is meant.
            SettingsError: the address is not one.
        """
        choice = choice_at(base_url, wanted, dialect=dialect, key_variable=key_variable) if base_url else await self._chosen(wanted)
        await self.key_of(choice.profile)  # known from now on: if a person types it as a message, it is not kept either
        return choice

    async def _chosen(self, wanted: str) -> ModelChoice:
        chosen = self.settings.model
        if not wanted:
            return await self.choice(chosen.profile, chosen.model)
        profile_name, _, model = wanted.partition("/")
        if is_practice(profile_name) or profile_name in LOCAL_NAMES or self._profile(profile_name):
            return await self.choice(profile_name, model)
        if is_practice(chosen.profile):
            raise no_profile(profile_name, self.profile_names())
        return await self.choice(chosen.profile, wanted)

    async def choice(self, name: str, model: str) -> ModelChoice:
        """Return a profile by its exact name with one of its models; an empty `model` is the profile's first.

        Raises:
            UsageError: there is no such profile, or it is not known which of its models is meant.
        """
        if is_practice(name):
            server = await self.practice()
            base_url = server.base_of(practice_dialect(name))
            return ModelChoice(practice_profile(base_url, server.model_names, name), model or server.model_names[0])
        profile = self._profile(name)
        if profile is None and name in LOCAL_NAMES:
            await self.find_local_servers()
            profile = self._profile(name)
        if profile is None:
            raise nobody_there(name) if name in LOCAL_NAMES else no_profile(name, self.profile_names())
        return ModelChoice(profile, named_model(profile, model))

    def quirks_of(self, name: DialectName, choice: ModelChoice) -> Quirks:
        """Return whose quirks a translation into a dialect follows: those of the chosen model if it speaks it, else of the first provider that does."""
        return quirks_in(name, choice, self.profiles())

    def _profile(self, name: str) -> Profile | None:
        return next((profile for profile in self.profiles() if profile.name == name), None)

    async def practice(self) -> PracticeServer:
        """Return the practice model's server, loaded and started if it is not running yet."""
        async with self._starting:
            if self._practice is None:
                module = await asyncio.to_thread(importlib.import_module, "workbench.practice.server")
                server: PracticeServer = module.PracticeServer(rate_per_s=self.settings.practice.tokens_per_s)
                self._practice = await self._stack.enter_async_context(server)
            return self._practice

    def model_for(self, choice: ModelChoice, journal: Journal, keeper: ExchangeKeeper) -> ProviderModel:
        """Return a client for a model that writes to `journal`."""
        return ProviderModel(choice.profile, choice.model, http=self.http, journal=journal, keeper=keeper, key=lambda: self.key_of(choice.profile))

    async def key_of(self, profile: Profile) -> str | None:
        """Return a profile's key for the moment of sending; None if it has none."""
        if is_practice(profile.name):
            return (await self.practice()).key
        secret = await self.credentials.find(profile.name, profile.key_variable)
        return secret.reveal() if secret else None

    def _keys(self) -> tuple[str, ...]:
        """Return every key known now: those that were asked for, and those in the environment."""
        lent = (self.environment.get(profile.key_variable, "") for profile in self.profiles() if profile.key_variable)
        return (*self.credentials.known(), *(key for key in lent if key), *((self._practice.key,) if self._practice else ()))

    # Workspaces and sessions

    async def workspace(self, folder: Path) -> Workspace:
        """Return a folder as a workspace.

        Raises:
            WorkspaceError: the folder cannot serve as one; one sentence.
        """
        return await asyncio.to_thread(open_workspace, folder, data_folder=self.data_folder)

    async def bench(self, workspace: Workspace, *, mode: Mode = "ask", outputs: Path | None = None, objects: ObjectStore | None = None) -> ToolBench:
        """Return a workspace with all tools and the gate, the kept rules in force.

        Args:
            workspace: the folder.
            mode: the gate's mode.
            outputs: where whole outputs go; if None, a temporary folder, and what commands leave running ends with the program, too.
            objects: where old file contents go; memory if None.
        """
        place = outputs or Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="workbench-outputs-")))
        bench = await build_bench(
            workspace, data_folder=self.data_folder, environment=self.environment, outputs=place, mode=mode, objects=objects,
            scaler=self._scaler, confining=self.confining, keep=self.settings.tools.environment_of(workspace.path),
            known=await self._watch.known([root.path for root in workspace.roots]),
        )  # fmt: skip
        if outputs is None:
            self._stack.push_async_callback(bench.jobs.aclose)
        bench.gatekeeper.renew(await self.rules.load(workspace))
        return bench

    async def open_session(
        self, workspace: Workspace, choice: ModelChoice, *, mode: Mode | None = None, headless: Headless | None = None, resume: Path | None = None
    ) -> OpenSession:
        """Return a new session, or one that exists, ready for `submit`; close it before the program.

        Args:
            workspace: the folder it works in.
            choice: the model that answers.
            mode: None takes the mode it was left in, for a new one that of the settings.
            headless: who answers questions when no person can.
            resume: folder of a session that exists.

        Raises:
            SessionLocked: another process writes it.
            StoreError: its files cannot be used; the sentence says what can still be done.
        """
        await self.key_of(choice.profile)
        store = await asyncio.to_thread(self._store, resume)
        try:
            bench = await self.bench(workspace, outputs=store.outputs, objects=store)
            await self.trust.look(workspace)
            journal = Journal(store, await asyncio.to_thread(store.entries))
            setup = SessionSetup(
                session_id=store.session_id,
                journal=journal,
                registry=bench.registry,
                context=replace(bench.context, can_see_images=choice.profile.can_see_images),
                gatekeeper=bench.gatekeeper,
                chosen=choice.chosen,
                model=self.model_for(choice, journal, store),
                mode=mode or (None if resume else await self.mode_at_start(self.settings.mode)),
                limits=replace(self.settings.limits, ask=self.settings.limits.ask and headless is None),
                headless=headless,
                system=lambda: system_prompt(workspace.path, instructions=self.trust.known(workspace).trusted_instructions),
                options=self._options(choice),
                hidden=hidden_tools(self.settings, choice),
                jobs=bench.jobs,
                keeper=ProjectRules(self.rules, workspace),
                program_version=__version__,
            )
            session = await asyncio.to_thread(open_session, setup)  # replays the journal
            return OpenSession(session, store, bench, choice)
        except BaseException:
            await store.aclose()
            if resume is None:
                await asyncio.to_thread(SessionFiles(store.folder).discard)
            raise

    def switch_model(self, opened: OpenSession, choice: ModelChoice) -> OpenSession:
        """Send a session's requests to another model from the next step on; return the session with its new choice."""
        model = self.model_for(choice, opened.session.journal, opened.store)
        hidden = hidden_tools(self.settings, choice)
        opened.session.configure(self.settings.limits, self._options(choice))
        opened.session.choose_model(choice.chosen, model, can_see_images=choice.profile.can_see_images, hidden=hidden)
        return opened._replace(choice=choice)

    async def tell_losses(self, opened: OpenSession, before: ModelChoice) -> None:
        """Tell what the model that goes on with a session cannot be given of it; nothing if it is given all that the one before was."""
        if (before.profile, before.model) == (opened.choice.profile, opened.choice.model):
            return
        notice = await asyncio.to_thread(switch_notice, opened.session.next_request(), before, opened.choice)
        if notice is not None:
            opened.session.journal.append(notice)

    def renewed(self, opened: OpenSession) -> OpenSession:
        """Bring an open session to the settings in force: its model's profile, tools and options from the next request, limits from the next turn on."""
        profile = self._profile(opened.choice.profile.name) or opened.choice.profile
        return self.switch_model(opened, opened.choice._replace(profile=profile))

    def _store(self, resume: Path | None) -> SessionStore:
        if resume is not None:
            return SessionStore.open(resume, secrets=self.secrets)
        session_id = new_session_id()
        return SessionStore.create(sessions_folder(self.data_folder) / session_id, session_id, secrets=self.secrets)

    def _options(self, choice: ModelChoice) -> RequestOptions:
        model = self.settings.model
        return RequestOptions(model=choice.model, max_output_tokens=model.max_output_tokens, reasoning_effort=model.reasoning_effort)


def hidden_tools(settings: Settings, choice: ModelChoice) -> frozenset[str]:
    """Return the names of the tools that are not offered to a model."""
    return frozenset() if demo_offered(settings, choice) else DEMO_TOOLS
