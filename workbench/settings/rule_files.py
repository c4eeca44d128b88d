"""The rules a person keeps, on disk outside every workspace: one sealed file for everywhere, one for each project.

Rules in force are those in memory. A file that is damaged, half-written or changed by somebody else gives no rule: while it stands
so, nothing may be changed in that workspace, until a person accepts or restores it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from workbench.errors import SettingsError, WorkbenchError
from workbench.permissions.rule_checks import warning_of
from workbench.permissions.rules import Rule, RuleSet, Scope, ServerRule, stored
from workbench.settings.repository_rules import RepositoryRules, repository_rules
from workbench.settings.rule_file import MadeRule, Project, project_key, rules_body, rules_in
from workbench.settings.rule_uses import RuleUses
from workbench.settings.sealed_file import SealKey, SealKind, body_in, holds, read_small, sealed
from workbench.settings.whole_file import write_whole

Listener: TypeAlias = Callable[[RuleSet], None]
Source: TypeAlias = Literal["person", "repository"]


@dataclass(frozen=True, kw_only=True)
class KeptRule:
    """A rule as the list of rules shows it.

    Attributes:
        rule: the rule; its scope and id stand in it.
        source: who made it.
        made_at: when, in seconds since 1970; 0 for one of the repository.
        used_at: when it last decided a call; None if it never did.
        uses: how many calls it decided.
        expired: why it matches nothing any more, one sentence; empty if it does.
        warning: what is wrong with it, one sentence; empty if nothing is.
    """

    rule: Rule
    source: Source
    made_at: float = 0.0
    used_at: float | None = None
    uses: int = 0
    expired: str = ""
    warning: str = ""


@dataclass
class _File:
    """A file of rules as it was read last.

    Attributes:
        made: its rules, in force.
        digest: of its bytes as they were read or written last; empty if there was no file.
        broken: why it cannot be used; empty if it can.
        found: what it says although its seal does not hold; None if that cannot be read either.
    """

    path: Path
    scope: Scope
    project: str = ""
    folder: Path | None = None
    made: tuple[MadeRule, ...] = ()
    digest: str = ""
    broken: str = ""
    found: tuple[MadeRule, ...] | None = None


class RuleFiles:
    """Keeps rules; the one owner of their files in this process. All methods are called on the loop's thread.

    Attributes:
        uses: how often rules decided a call.
    """

    def __init__(self, folder: Path, key: SealKey) -> None:
        self._folder = folder
        self._key = key
        self._user = _File(folder / "user.json", "user")
        self._projects: dict[str, _File] = {}
        self._repository: dict[str, RepositoryRules] = {}
        self._loaded: set[Path] = set()
        self._definitions: dict[tuple[str, str], str] = {}
        self._listeners: list[tuple[Project, Listener]] = []
        self._writing = asyncio.Lock()
        self.uses = RuleUses(folder / "uses.json")

    # What is in force

    @property
    def seal(self) -> SealKind:
        """Where the key of the seals is: ``keyring``, or ``file``, the weaker kind; empty while nothing was sealed yet, see `find_seal`."""
        return self._key.kind

    @property
    def problem(self) -> WorkbenchError | None:
        """Why a file of rules cannot be used; None if all can that were loaded."""
        return next((_broken(file) for file in self._files() if file.broken), None)

    def problem_in(self, workspace: Project) -> WorkbenchError | None:
        """Return why the rules of a workspace cannot be used; None if they can."""
        return next((_broken(file) for file in (self._user, self._project(workspace)) if file.broken), None)

    async def load(self, workspace: Project) -> RuleSet:
        """Return all rules for a workspace: for everywhere, for the project, and what its repository tightens. Reads each file once."""
        project = self._project(workspace)
        async with self._writing:
            for file in (self._user, project):
                if file.path not in self._loaded:
                    await self._read(file)
            self._repository[project.project] = await asyncio.to_thread(repository_rules, workspace.root.path)
            await self.uses.load()
        return self.rules(workspace)

    def rules(self, workspace: Project) -> RuleSet:
        """Return the rules in force for a workspace that was loaded."""
        project = self._project(workspace)
        rules = [made.rule for file in (self._user, project) for made in file.made]
        rules += self._repository.get(project.project, RepositoryRules()).tightening
        return RuleSet(tuple(rules), getattr(self.problem_in(workspace), "text", ""))

    def warnings(self, workspace: Project) -> tuple[WorkbenchError, ...]:
        """Return what should be told of a workspace's rules: rules of the repository that cannot be used, rules that never match."""
        repository = self._repository.get(self._project(workspace).project, RepositoryRules())
        dead = [
            SettingsError(f"A rule has no effect. {row.warning}", message_id="rules.no_effect", values={"reason": row.warning})
            for row in self.rows(workspace)
            if row.warning
        ]
        return (*repository.warnings, *dead)

    def offered(self, workspace: Project) -> tuple[Rule, ...]:
        """Return rules that a workspace's repository would like to have; none of them is in force."""
        return self._repository.get(self._project(workspace).project, RepositoryRules()).offered

    def rows(self, workspace: Project) -> tuple[KeptRule, ...]:
        """Return every rule of a workspace that was loaded, for the list of rules: everywhere, the project's, the repository's."""
        project = self._project(workspace)
        every = self.rules(workspace).rules
        rows = [self._row(made.rule, "person", made.made_at, every) for file in (self._user, project) for made in file.made]
        tightening = self._repository.get(project.project, RepositoryRules()).tightening
        return (*rows, *(self._row(rule, "repository", 0.0, every) for rule in tightening))

    def listen(self, workspace: Project, listener: Listener) -> Callable[[], None]:
        """Call `listener` with the rules in force whenever they change through this object; return what ends that."""
        entry = (workspace, listener)
        self._listeners.append(entry)
        return lambda: self._listeners.remove(entry) if entry in self._listeners else None

    def note_use(self, rule_ids: Iterable[str]) -> None:
        """Note that rules decided a call just now; written by `flush`."""
        self.uses.note(rule_ids)

    def note_definitions(self, server: str, definitions: dict[str, str]) -> None:
        """Note how a server defines its tools now: rules made for another definition have expired."""
        self._definitions |= {(server, name): definition for name, definition in definitions.items()}

    # Changing them

    async def keep(self, rules: Sequence[Rule], scope: Scope, workspace: Project) -> tuple[Rule, ...]:
        """Keep rules and put them in force in every open session that they concern; return them with their ids. One that is kept already stays one.

        Raises:
            SettingsError: the file cannot be used or written; nothing was kept.
            ValueError: rules of a session are not kept.
        """
        if scope == "session":
            raise ValueError("rules of a session are not kept on disk")
        file = self._user if scope == "user" else self._project(workspace)
        named = tuple(replace(rule, scope=scope, rule_id=rule.rule_id or new_rule_id(scope)) for rule in rules)
        now = time.time()
        async with self._writing:
            if file.path not in self._loaded:
                await self._read(file)
            known = [stored(made.rule) for made in file.made]
            fresh = tuple(MadeRule(rule, now) for rule in named if stored(rule) not in known)
            await self._change(file, lambda there: (*there, *fresh))
            file.made = (*file.made, *fresh)
        self._tell()
        return named

    async def remove(self, rule_id: str) -> bool:
        """Remove a kept rule, in every open session too; False if there is none of that id.

        Raises:
            SettingsError: its file cannot be used or written; the rule stays.
        """
        async with self._writing:
            file = next((file for file in self._files() if any(made.rule.rule_id == rule_id for made in file.made)), None)
            if file is None:
                return False
            await self._change(file, lambda there: tuple(made for made in there if made.rule.rule_id != rule_id))
            file.made = tuple(made for made in file.made if made.rule.rule_id != rule_id)
        self._tell()
        return True

    # What somebody else changed

    async def changed(self) -> WorkbenchError | None:
        """Look whether a file was changed by somebody else since it was read; what it says now is not in force until `accept`."""
        for file in self._files():
            if file.path in self._loaded and not file.broken and await asyncio.to_thread(_digest_at, file.path) != file.digest:
                text = f"The rules in {file.path} were changed outside of this program. They do not hold until you accept them."
                return SettingsError(text, message_id="rules.changed", values={"path": str(file.path)})
        return None

    def proposed(self) -> tuple[Rule, ...] | None:
        """Return the rules that `accept` would put in force from files whose seal does not hold; None if one of them cannot be read."""
        broken = [file for file in self._files() if file.broken]
        if any(file.found is None for file in broken):
            return None
        return tuple(made.rule for file in broken for made in file.found or ())

    async def accept(self) -> bool:
        """Take what the files say now, seal or not, and seal it. A file that cannot be read is set aside, and begun anew without rules.

        Returns:
            False if a file whose seal does not hold says something else than when it was read last, which nobody can have seen: it is not
            taken, and `proposed` has what it says now.

        Raises:
            SettingsError: a file cannot be written.
        """
        seen = True
        async with self._writing:
            for file in self._files():
                shown = file.digest if file.broken else None
                await self._read(file)
                if file.broken and file.digest != shown:
                    seen = False
                elif file.broken:
                    await self._write(file, file.found or (), aside=file.found is None, new_key=True)
        self._tell()
        return seen

    async def restore(self) -> bool:
        """Put files that cannot be used back as this program last wrote them; False if that is not known for one of them.

        Raises:
            SettingsError: a file cannot be written.
        """
        async with self._writing:
            broken = [file for file in self._files() if file.broken]
            whole = [(file, await self._last(file)) for file in broken]
            if any(last is None for _file, last in whole):
                return False
            for file, last in whole:
                await self._write(file, last or (), aside=True)
        self._tell()
        return True

    async def find_seal(self) -> SealKind:
        """Return where the key of the seals is, and make one if there is none."""
        with contextlib.suppress(OSError):
            await self._key.key()
        return self._key.kind

    async def flush(self) -> None:
        """Write how often rules were used."""
        await self.uses.flush()

    # Files

    def _files(self) -> tuple[_File, ...]:
        return (self._user, *self._projects.values())

    def _project(self, workspace: Project) -> _File:
        key = project_key(workspace)
        path = self._folder / "projects" / f"{key}.json"
        return self._projects.setdefault(key, _File(path, "project", key, workspace.root.path))

    async def _read(self, file: _File) -> None:
        """Read a file; whatever is wrong with it, it then has no rules and says why."""
        self._loaded.add(file.path)
        file.made, file.found, file.broken, file.digest = (), None, "", ""
        try:
            content = await asyncio.to_thread(read_small, file.path)
            if content is None:
                file.broken = "it is gone" if await asyncio.to_thread(_copy_of(file.path).exists) else ""
                return
            file.digest = hashlib.sha256(content).hexdigest()
            body, seal = body_in(content)
            file.found = rules_in(body, scope=file.scope, project=file.project)
            if not holds(body, seal, await self._key.key()):
                file.broken = "its seal does not hold, so somebody else changed it"
                return
        except OSError as error:
            file.broken = f"it cannot be read ({error.strerror or error})"
        except ValueError as error:
            file.broken = str(error)
        else:
            file.made, file.found = file.found, None

    async def _change(self, file: _File, change: Callable[[tuple[MadeRule, ...]], tuple[MadeRule, ...]]) -> None:
        """Write a file changed; what another window kept in it meanwhile stays in it, and is told as a change."""
        if file.broken:
            raise _broken(file)
        there = _File(file.path, file.scope, file.project, file.folder)
        await self._read(there)
        if there.broken:
            raise _broken(there)
        same = there.digest == file.digest
        await self._write(there, change(there.made))
        file.digest = there.digest if same else file.digest

    async def _write(self, file: _File, made: tuple[MadeRule, ...], *, aside: bool = False, new_key: bool = False) -> None:
        body = rules_body(made, scope=file.scope, project=file.project, folder=file.folder)
        try:
            content = sealed(body, await self._key.key(new=new_key))
            await asyncio.to_thread(_written, file.path, content, aside=aside)
        except OSError as error:
            reason = error.strerror or str(error)
            text = f"The rules could not be written to {file.path}: {reason}. Nothing was changed."
            raise SettingsError(text, message_id="rules.not_written", values={"path": str(file.path), "reason": reason}) from error
        file.made, file.found, file.broken, file.digest = made, None, "", hashlib.sha256(content).hexdigest()

    async def _last(self, file: _File) -> tuple[MadeRule, ...] | None:
        """Return the rules of the copy that was made when the file was last written."""
        with contextlib.suppress(OSError, ValueError):
            content = await asyncio.to_thread(read_small, _copy_of(file.path))
            if content is not None:
                body, seal = body_in(content)
                made = rules_in(body, scope=file.scope, project=file.project)
                return made if holds(body, seal, await self._key.key()) else None
        return None

    def _row(self, rule: Rule, source: Source, made_at: float, every: tuple[Rule, ...]) -> KeptRule:
        uses, used_at = self.uses.of(rule.rule_id)
        expired = self._expired(rule)
        return KeptRule(rule=rule, source=source, made_at=made_at, used_at=used_at, uses=uses, expired=expired, warning=warning_of(rule, every))

    def _expired(self, rule: Rule) -> str:
        if not isinstance(rule, ServerRule) or rule.effect != "allow":
            return ""
        now = self._definitions.get((rule.server, rule.name))
        return "" if now is None or now == rule.definition else "The server has changed this tool since the rule was made, so it asks again."

    def _tell(self) -> None:
        for workspace, listener in tuple(self._listeners):
            listener(self.rules(workspace))


def new_rule_id(scope: Scope) -> str:
    """Return an id that no other rule has."""
    return f"{scope}-{secrets.token_hex(4)}"


def _broken(file: _File) -> SettingsError:
    text = f"The rules in {file.path} cannot be used: {file.broken}. Until you accept or restore them nothing may be changed."
    return SettingsError(text, message_id="rules.broken_file", values={"path": str(file.path), "reason": file.broken})


def _digest_at(path: Path) -> str:
    try:
        content = read_small(path)
    except (OSError, ValueError):
        return "unreadable"
    return "" if content is None else hashlib.sha256(content).hexdigest()


def _written(path: Path, content: bytes, *, aside: bool) -> None:
    """Write a file and its copy. What stood there goes aside if it is wanted, and comes back if nothing can be written: it keeps refusing then."""
    kept = path.with_name(f"{path.name}.{int(time.time())}.broken") if aside and path.exists() else None
    if kept is not None:
        path.replace(kept)
    try:
        write_whole(path, content)
    except OSError:
        if kept is not None:
            kept.replace(path)
        raise
    try:
        write_whole(_copy_of(path), content)
    except OSError:
        _copy_of(path).unlink(missing_ok=True)  # better no copy than an older one


def _copy_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.last")
