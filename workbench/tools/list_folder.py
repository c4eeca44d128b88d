"""The tool list: a folder's tree, near levels first, so that the top is always whole."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from workbench.conversation.values import clean_text
from workbench.errors import ToolError
from workbench.tools.base import Plan, Result, ToolContext
from workbench.tools.definitions import BuiltinTool
from workbench.tools.file_targets import in_thread, on_one_line
from workbench.tools.long_text import within_limits
from workbench.tools.search_place import SearchPlace, search_place, unchanged_place
from workbench.workspace.beneath import Folder
from workbench.workspace.ignore_rules import IgnoreRules
from workbench.workspace.name_patterns import NamePattern, name_pattern
from workbench.workspace.ripgrep import tracked_but_ignored
from workbench.workspace.walk import LIMIT_S, FolderEntry, read_folder
from workbench.workspace.worker import Stop, stoppable

DEFAULT_DEPTH = 3
ENTRIES = 200
ENTRIES_A_FOLDER = 50
SIZE_SHOWN_BYTES = 1024 * 1024


@dataclass(frozen=True)
class _Wanted:
    """What is listed."""

    place: SearchPlace
    depth: int
    left_out: tuple[NamePattern, ...]
    include_ignored: bool


@dataclass
class _Node:
    """One shown entry, and what is shown below it; `more` counts what is not."""

    entry: FolderEntry
    path: str
    depth: int
    children: list[_Node] = field(default_factory=list)
    more: int = 0
    unread: bool = False
    problem: str = ""


@dataclass
class _Tree:
    root: _Node
    shown: int = 0
    truncated: bool = False
    complete: bool = True


class ListTool(BuiltinTool):
    """Shows what is in a folder."""

    def __init__(self) -> None:
        super().__init__("list", "read")

    async def prepare(self, arguments: dict[str, Any], context: ToolContext) -> Plan:
        """Find the folder.

        Raises:
            ToolError: ``path_not_found``, ``not_a_directory``, ``invalid_arguments``.
        """
        place = await search_place(arguments, context, may_be_file=False)
        wanted = _Wanted(
            place,
            int(arguments.get("depth", DEFAULT_DEPTH)),
            tuple(name_pattern(str(pattern)) for pattern in arguments.get("ignore", ())),
            bool(arguments.get("include_ignored", False)),
        )
        return Plan(tool=self.name, arguments=arguments, targets=(place.target,), payload=wanted)

    async def apply(self, plan: Plan, context: ToolContext) -> Result:
        """Read the folders, breadth first.

        Raises:
            ToolError: ``permission_denied`` if the folder itself cannot be read.
        """
        wanted: _Wanted = plan.payload
        top = await unchanged_place(wanted.place, plan.arguments, context)
        tree = await stoppable(lambda stop: _read_tree(wanted, top, stop), limit_s=LIMIT_S)
        if tree.root.problem:
            raise ToolError("permission_denied", f"{wanted.place.shown or '.'!r} cannot be read: {tree.root.problem}.", "List another folder.")
        return await in_thread(within_limits, _result(wanted, tree), context.outputs, context.call_id)


def _read_tree(wanted: _Wanted, top: Folder, stop: Stop) -> _Tree:
    folder = wanted.place.folder
    tree = _Tree(_Node(FolderEntry(".", "folder"), "", 0))
    tracked = () if wanted.include_ignored else tracked_but_ignored(folder, stop, top)
    kept = {"/".join(path.split("/")[:length]) for path in tracked for length in range(1, path.count("/") + 2)}
    waiting = deque([(tree.root, IgnoreRules.of(folder))])
    while waiting:
        node, rules = waiting.popleft()
        if stop.requested or tree.shown >= ENTRIES:
            node.unread = True
            tree.truncated = True
            tree.complete = tree.complete and not stop.requested
            continue
        _fill(node, rules, top, wanted, kept, tree)
        for child in node.children:
            if child.entry.kind == "folder" and not child.entry.ignored and child.depth < wanted.depth:
                waiting.append((child, rules.entering(child.entry.name)))
    return tree


def _fill(node: _Node, rules: IgnoreRules, top: Folder, wanted: _Wanted, kept: set[str], tree: _Tree) -> None:
    """Read one folder and take as many of its entries as there is room for."""
    try:
        entries = read_folder(rules.folder, rules, top)
    except OSError as error:
        node.problem = error.strerror or str(error)
        return
    children = [child for entry in entries if (child := _child(node, entry, wanted, kept)) is not None]
    room = min(ENTRIES_A_FOLDER, ENTRIES - tree.shown)
    node.children, node.more = children[:room], len(children[room:])
    tree.shown += len(node.children)
    tree.truncated = tree.truncated or node.more > 0


def _child(node: _Node, entry: FolderEntry, wanted: _Wanted, kept: set[str]) -> _Node | None:
    """Return the node of an entry, None if it is not shown: an ignored folder is shown closed, other ignored entries are not."""
    path = f"{node.path}/{entry.name}" if node.path else entry.name
    if entry.name == ".git" or any(pattern.fits(path) or (entry.kind == "folder" and pattern.fits(f"{path}/")) for pattern in wanted.left_out):
        return None
    if entry.ignored and (wanted.include_ignored or path in kept):
        entry = FolderEntry(entry.name, entry.kind, False, entry.size_bytes, entry.target)
    if entry.ignored and entry.kind != "folder":
        return None
    return _Node(entry, path, node.depth + 1)


def _result(wanted: _Wanted, tree: _Tree) -> Result:
    lines: list[str] = []
    entries: list[dict[str, Any]] = []
    _write(tree.root, wanted, lines, entries)
    if not lines:
        lines.append("(the folder is empty)")
    if not tree.complete:
        lines.append(f"(stopped after {LIMIT_S:g} s: there is more)")
    elif tree.truncated:
        lines.append(f"(not everything is shown: at most {ENTRIES} entries, {ENTRIES_A_FOLDER} a folder. List a folder further down, or use glob.)")
    facts = f"{tree.shown} {'entry' if tree.shown == 1 else 'entries'}"
    ui = {"folder": wanted.place.shown, "entries": entries, "truncated": tree.truncated, "complete": tree.complete}
    return Result(text="\n".join(lines), truncated=tree.truncated, facts=facts, ui=ui)


def _write(node: _Node, wanted: _Wanted, lines: list[str], entries: list[dict[str, Any]]) -> None:
    """Write a node's children as indented lines; depth is at most ten."""
    for child in node.children:
        lines.append("  " * node.depth + _label(child))
        entries.append(_ui_entry(child, wanted.place.path(child.path)))
        _write(child, wanted, lines, entries)
    if node.more:
        lines.append("  " * node.depth + f"… {node.more} more")


def _label(node: _Node) -> str:
    entry, name = node.entry, on_one_line(node.entry.name)
    match entry.kind:
        case "folder":
            note = " (ignored)" if entry.ignored else " …" if node.unread else f" (cannot be read: {node.problem})" if node.problem else ""
            return f"{name}/{note}"
        case "link":
            return f"{name} -> {on_one_line(entry.target)}"
        case "file" if entry.size_bytes >= SIZE_SHOWN_BYTES:
            return f"{name} ({size_text(entry.size_bytes)})"
        case _:
            return name


def size_text(size_bytes: int) -> str:
    """Return a size of a megabyte or more as people say it."""
    megabytes = size_bytes / SIZE_SHOWN_BYTES
    return f"{megabytes:.0f} MB" if megabytes < 1000 else f"{megabytes / 1024:.1f} GB"


def _ui_entry(node: _Node, path: str) -> dict[str, Any]:
    entry = node.entry
    return {
        "path": path,
        "kind": entry.kind,
        "depth": node.depth,
        "ignored": entry.ignored,
        "size_bytes": entry.size_bytes,
        "target": clean_text(entry.target),
        "more": node.more,
    }
