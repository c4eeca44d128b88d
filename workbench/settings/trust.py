"""Whether a person trusts a repository: what it ships is shown, the answer is kept outside of it and holds for just this content.

Before the answer, and after “no”, nothing of the repository has an effect but rules that tighten.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from workbench.errors import SettingsError
from workbench.settings.repository_rules import repository_rules
from workbench.settings.rule_file import Project, project_key
from workbench.settings.sealed_file import JsonObject, SealKey, body_in, holds, read_small, sealed
from workbench.settings.shipped import Found, ShippedItem, shipped_in
from workbench.settings.whole_file import write_whole

TrustAnswer: TypeAlias = Literal["yes", "no", "unasked", "changed"]


@dataclass(frozen=True, kw_only=True)
class Shipped:
    """What a repository ships, and what a person said to it.

    Attributes:
        items: what it ships, in the order shown.
        digest: over all of it; empty if it ships nothing.
        answer: ``yes`` and ``no`` were given for just this content; ``changed`` means it was answered for another.
        instructions: the project's instructions as text; give them to a model only if `trusted`.
        instructions_name: the file they stand in.
        changes: if the answer was given for another content, the names that are new, different or gone since then.
    """

    items: tuple[ShippedItem, ...] = ()
    digest: str = ""
    answer: TrustAnswer = "unasked"
    instructions: str = ""
    instructions_name: str = ""
    changes: tuple[str, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether a person should be asked."""
        return bool(self.digest) and self.answer in {"unasked", "changed"}

    @property
    def trusted(self) -> bool:
        """Whether a person said yes to just this."""
        return bool(self.digest) and self.answer == "yes"

    @property
    def trusted_instructions(self) -> str:
        """The project's instructions for a model; empty if there are none or the repository is not trusted."""
        return self.instructions if self.trusted else ""


class Trust:
    """Looks at what repositories ship, and keeps the answers. All methods are called on the loop's thread.

    Attributes:
        sample: the program's own sample project; a copy of it is trusted unless a person said no.
    """

    def __init__(self, folder: Path, key: SealKey) -> None:
        self._folder = folder
        self._key = key
        self._known: dict[str, Shipped] = {}
        self.sample: Path | None = None

    def known(self, workspace: Project) -> Shipped:
        """Return what the last look at a workspace's repository found, with the answer given since then; nothing if there was none."""
        return self._known.get(project_key(workspace), Shipped())

    async def look(self, workspace: Project) -> Shipped:
        """Return what a workspace's repository ships and what was said to it. Reads only the files that it lists, and starts nothing."""
        root = workspace.root.path
        offered = (await asyncio.to_thread(repository_rules, root)).offered
        found = await asyncio.to_thread(shipped_in, root, offered)
        answer, changes = await self._answer(workspace, found) if found.digest else ("unasked", ())
        if answer == "unasked" and found.digest and found.digest == await asyncio.to_thread(_digest_of, self.sample):
            answer = "yes"
        shipped = Shipped(
            items=found.items,
            digest=found.digest,
            answer=answer,
            instructions=found.instructions,
            instructions_name=found.instructions_name,
            changes=changes,
        )
        self._known[project_key(workspace)] = shipped
        return shipped

    async def answer(self, workspace: Project, shipped: Shipped, *, trusted: bool) -> Shipped:
        """Keep a person's answer to what they were shown; return it with the answer. What was changed since then is asked again.

        Raises:
            SettingsError: the answer cannot be written; it was not kept.
        """
        key = project_key(workspace)
        body: JsonObject = {
            "project": key, "folder": str(workspace.root.path), "digest": shipped.digest, "trusted": trusted, "answered_at": time.time(),
            "items": _digests(shipped.items),
        }  # fmt: skip
        try:
            content = sealed(body, await self._key.key(new=True))
            await asyncio.to_thread(write_whole, self._path(key), content)
        except OSError as error:
            reason = error.strerror or str(error)
            text = f"Your answer could not be written to {self._path(key)}: {reason}. It was not kept."
            raise SettingsError(text, message_id="trust.not_written", values={"path": str(self._path(key)), "reason": reason}) from error
        answered = replace(shipped, answer="yes" if trusted else "no", changes=())
        self._known[key] = answered
        return answered

    async def _answer(self, workspace: Project, found: Found) -> tuple[TrustAnswer, tuple[str, ...]]:
        """Return the kept answer, and what changed since then; an answer that is damaged or sealed by somebody else was never given."""
        key = project_key(workspace)
        with contextlib.suppress(OSError, ValueError):
            content = await asyncio.to_thread(read_small, self._path(key))
            if content is None:
                return "unasked", ()
            body, seal = body_in(content)
            if body.get("project") == key and holds(body, seal, await self._key.key()):
                if body.get("digest") != found.digest:
                    return "changed", _changes(body.get("items"), found.items)
                return ("yes" if body.get("trusted") is True else "no"), ()
        return "unasked", ()

    def _path(self, key: str) -> Path:
        return self._folder / "trust" / f"{key}.json"


@functools.cache
def _digest_of(folder: Path | None) -> str:
    """Return the digest of what a folder ships."""
    return shipped_in(Path(os.path.realpath(folder))).digest if folder is not None else ""


def _digests(items: tuple[ShippedItem, ...]) -> dict[str, str]:
    return {item.name: item.digest for item in items if item.digest}


def _changes(before: object, items: tuple[ShippedItem, ...]) -> tuple[str, ...]:
    """Return the names that are new, different or gone; nothing if it is not known what was there before."""
    if not isinstance(before, dict):
        return ()
    now = _digests(items)
    return tuple(sorted(name for name in {*before, *now} if before.get(name) != now.get(name)))
