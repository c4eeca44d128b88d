"""What a repository ships that would change how this program works in it: instructions, rules, servers, hooks, skills, settings.

All of it is listed before anything of it is used, with a digest over every byte, so that a person's answer holds for just this.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from workbench.permissions.rules import Rule, rule_text, stored
from workbench.settings.repository_files import ShippedFile, read_shipped, walk_shipped

Kind: TypeAlias = Literal["instructions", "rules", "allow_rule", "servers", "hooks", "skills", "environment", "settings"]

INSTRUCTIONS_LIMIT_BYTES = 64 * 1024
FILE_LIMIT_BYTES = 1024 * 1024
FILES_AT_MOST = 500
TEXT_CHARACTERS = 64 * 1024
DEPTH = 6

INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md")
"""The first of these that is there goes to the model, once the repository is trusted."""

_FILES: tuple[tuple[str, Kind], ...] = (
    *((name, "instructions") for name in (*INSTRUCTIONS, "GEMINI.md", ".cursorrules", ".windsurfrules", ".github/copilot-instructions.md")),
    (".workbench/permissions.json", "rules"),
    ("workbench.toml", "rules"),
    (".mcp.json", "servers"),
    (".vscode/mcp.json", "servers"),
    (".envrc", "environment"),
    (".pre-commit-config.yaml", "hooks"),
    (".vscode/tasks.json", "hooks"),
    (".vscode/settings.json", "settings"),
)
_FOLDERS: tuple[tuple[str, Kind], ...] = (
    (".workbench", "settings"), (".claude", "settings"), (".cursor", "settings"), (".gemini", "settings"), (".codex", "settings"),
    (".opencode", "settings"), (".agents", "skills"), (".husky", "hooks"), (".githooks", "hooks"),
)  # fmt: skip
_BY_PART: tuple[tuple[str, Kind], ...] = (
    ("mcp.json", "servers"), ("/hooks/", "hooks"), ("/skills/", "skills"), ("/agents/", "skills"), ("/commands/", "skills"), ("/rules/", "instructions"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ShippedItem:
    """One thing a repository ships.

    Attributes:
        kind: what it would change.
        name: its path below the repository's folder; for a rule that allows, the rule as people read it.
        text: its content as text, the first `TEXT_CHARACTERS`; empty for what was not read or is no text.
        size_bytes: its size.
        problem: why it was not read: ``link``, ``special``, ``large``, ``unreadable``, ``too_many``; empty if it was. It is never used then.
        rule: for a rule that allows, its stored form.
        digest: SHA-256 of its content, by which a change is found; empty for a rule, whose file has one.
    """

    kind: Kind
    name: str
    text: str = ""
    size_bytes: int = 0
    problem: str = ""
    rule: Rule | None = None
    digest: str = ""


@dataclass(frozen=True)
class Found:
    """What a repository ships.

    Attributes:
        items: sorted by kind and name.
        digest: SHA-256 over names and contents; empty if it ships nothing.
        instructions: text of the project's instructions; empty if there are none or they cannot be used.
        instructions_name: the file they stand in.
    """

    items: tuple[ShippedItem, ...]
    digest: str
    instructions: str = ""
    instructions_name: str = ""


def shipped_in(root: Path, offered: tuple[Rule, ...] = ()) -> Found:
    """Return what a repository ships. Blocking; reads only these files, follows no link, starts nothing.

    Args:
        root: real path of the repository's folder.
        offered: rules that allow, of its own files of rules.
    """
    files = [(kind, file) for name, kind in _names(root) if (file := read_shipped(root, name, limit_bytes=FILE_LIMIT_BYTES)) is not None]
    counted, more = files[:FILES_AT_MOST], len(files) - FILES_AT_MOST
    items = [_item(kind, file) for kind, file in counted]
    if more > 0:
        items.append(ShippedItem(kind="settings", name=f"… {more}", problem="too_many"))
    items += [ShippedItem(kind="allow_rule", name=rule_text(rule), text=json.dumps(stored(rule)), rule=rule) for rule in offered]
    instructions = next((file for name in INSTRUCTIONS for _kind, file in counted if file.name == name), None)
    return Found(
        items=tuple(sorted(items, key=lambda item: (item.kind, item.name))),
        digest=_digest([file for _kind, file in files]) if files else "",
        instructions=_instructions(instructions),
        instructions_name=instructions.name if instructions else "",
    )


def _names(root: Path) -> Iterator[tuple[str, Kind]]:
    """Yield each name once, with its kind; far more names than are read are not even counted."""
    seen: set[str] = set()
    for name, kind in _FILES:
        seen.add(name)
        yield name, kind
    for folder, kind in _FOLDERS:
        for name in walk_shipped(root, folder, depth=DEPTH):
            if name not in seen and len(seen) < 10 * FILES_AT_MOST:
                seen.add(name)
                yield name, _kind_of(name, kind)


def _kind_of(name: str, otherwise: Kind) -> Kind:
    return next((kind for part, kind in _BY_PART if part in f"/{name}"), otherwise)


def _item(kind: Kind, file: ShippedFile) -> ShippedItem:
    text = "" if file.content is None or b"\0" in file.content else file.content.decode("utf-8", "replace")[:TEXT_CHARACTERS]
    return ShippedItem(kind=kind, name=file.name, text=text, size_bytes=file.size_bytes, problem=file.problem, digest=_digest([file]))


def _digest(files: list[ShippedFile]) -> str:
    hashed = hashlib.sha256()
    for file in sorted(files):
        content = hashlib.sha256(file.content).hexdigest() if file.content is not None else f"{file.problem} {file.size_bytes}"
        hashed.update(json.dumps([file.name, content]).encode())
    return hashed.hexdigest()


def _instructions(file: ShippedFile | None) -> str:
    """Return instructions as plain text; what is too long or no text is not used at all, rather than half."""
    if file is None or file.content is None or len(file.content) > INSTRUCTIONS_LIMIT_BYTES or b"\0" in file.content:
        return ""
    try:
        return file.content.decode("utf-8-sig").replace("\r\n", "\n").strip()
    except UnicodeDecodeError:
        return ""
