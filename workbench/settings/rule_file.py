"""What one file of kept rules holds: the rules of one scope with the time they were made, as values and as a sealed body."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from workbench.errors import SettingsError
from workbench.permissions.rules import Rule, Scope, rule_from, stored
from workbench.settings.sealed_file import JsonObject

FORMAT = 1


class ProjectRoot(Protocol):
    """The folder of a project and its identity, as it was opened."""

    @property
    def path(self) -> Path:
        """Its real path."""
        ...

    @property
    def device(self) -> int:
        """The device it is on."""
        ...

    @property
    def inode(self) -> int:
        """Its number there."""
        ...


class Project(Protocol):
    """What is known of a workspace here: which folder it is."""

    @property
    def root(self) -> ProjectRoot:
        """The folder."""
        ...


@dataclass(frozen=True)
class MadeRule:
    """A rule as its file keeps it; `made_at` is in seconds since 1970."""

    rule: Rule
    made_at: float


def project_key(workspace: Project) -> str:
    """Return the key under which a project's rules are kept: of its folder's real path and identity, so that another folder in its place has none."""
    root = workspace.root
    return hashlib.sha256(os.fsencode(root.path) + f"\0{root.device}\0{root.inode}".encode()).hexdigest()[:32]


def rules_body(made: tuple[MadeRule, ...], *, scope: Scope, project: str = "", folder: Path | None = None) -> JsonObject:
    """Return the body of a file of rules."""
    rules = [{"id": one.rule.rule_id, "made_at": one.made_at, "rule": stored(one.rule)} for one in made]
    return {"format": FORMAT, "scope": scope, "project": project, "folder": str(folder) if folder else "", "rules": rules}


def rules_in(body: JsonObject, *, scope: Scope, project: str = "") -> tuple[MadeRule, ...]:
    """Return the rules of a body.

    Raises:
        ValueError: it belongs elsewhere, or it is not what this program writes.
    """
    if body.get("format") != FORMAT:
        raise ValueError("it was written by another version of the program")
    if (body.get("scope"), body.get("project")) != (scope, project):
        raise ValueError("it belongs to another project")
    entries: Any = body.get("rules")
    match entries:
        case [*_]:
            return tuple(_made(entry, scope) for entry in entries)
        case _:
            raise ValueError("it is damaged (it has no list of rules)")


def _made(entry: Any, scope: Scope) -> MadeRule:
    match entry:
        case {"id": str(rule_id), "made_at": int() | float() as made_at, "rule": dict(kept)} if rule_id:
            try:
                return MadeRule(rule_from(kept, scope=scope, rule_id=rule_id), float(made_at))
            except SettingsError as error:
                raise ValueError(error.text) from error
        case _:
            raise ValueError("it is damaged (a rule in it is not whole)")
