"""The tool glob: finds files by name, newest first."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from workbench.conversation.values import clean_text
from workbench.tools.base import Plan, Result, ToolContext
from workbench.tools.definitions import BuiltinTool
from workbench.tools.file_targets import in_thread, on_one_line
from workbench.tools.long_text import within_limits
from workbench.tools.search_place import SearchPlace, is_folder_below, refuse_leaving, search_place, unchanged_place
from workbench.workspace.beneath import Folder
from workbench.workspace.name_patterns import NamePattern, name_pattern
from workbench.workspace.walk import LIMIT_S, Listing, list_files, walk
from workbench.workspace.worker import Stop, stoppable

DEFAULT_LIMIT = 100
IGNORED_LIMIT_S = 3.0


@dataclass(frozen=True)
class _Search:
    place: SearchPlace
    pattern: NamePattern


@dataclass(frozen=True)
class _Found:
    """Matching paths, the first ones first, and the listing they come from."""

    paths: tuple[str, ...]
    listing: Listing
    complete: bool


class GlobTool(BuiltinTool):
    """Lists the files that fit a name pattern."""

    def __init__(self) -> None:
        super().__init__("glob", "read")

    async def prepare(self, arguments: dict[str, Any], context: ToolContext) -> Plan:
        """Find the folder and read the pattern.

        Raises:
            ToolError: ``path_not_found``, ``not_a_directory``, ``outside_workspace``, ``invalid_arguments``.
        """
        pattern, arguments = _below_workspace(str(arguments["pattern"]), arguments, context)
        place = await search_place(arguments, context, may_be_file=False)
        await refuse_leaving(pattern, place, context)
        found = await in_thread(name_pattern, pattern, is_folder=lambda path: is_folder_below(path, place, context))
        search = _Search(place, found)
        return Plan(tool=self.name, arguments=arguments, targets=(place.target,), payload=search)

    async def apply(self, plan: Plan, context: ToolContext) -> Result:
        """List, match, sort, and only then cut."""
        search: _Search = plan.payload
        top = await unchanged_place(search.place, plan.arguments, context)
        include_ignored = bool(plan.arguments.get("include_ignored", False))
        by_path = plan.arguments.get("sort") == "path"
        found = await stoppable(lambda stop: _find(search, top, stop, include_ignored=include_ignored, by_path=by_path), limit_s=LIMIT_S)
        ignored = 0
        if not found.paths and not include_ignored:
            everything = await list_files(search.place.folder, include_ignored=True, limit_s=IGNORED_LIMIT_S, top=top)
            ignored = sum(map(search.pattern.fits, everything.paths))
        result = _result(search, found, int(plan.arguments.get("limit", DEFAULT_LIMIT)), ignored)
        return await in_thread(within_limits, result, context.outputs, context.call_id)


def _below_workspace(pattern: str, arguments: dict[str, Any], context: ToolContext) -> tuple[str, dict[str, Any]]:
    """Turn an absolute pattern inside the workspace into one from the workspace folder; one elsewhere is refused with `name_pattern`."""
    root = str(context.workspace.path)
    if pattern == root or pattern.startswith(f"{root}/"):
        return f".{pattern.removeprefix(root)}" if pattern != root else "./", {**arguments, "path": "."}
    first = pattern.lstrip("/").partition("/")[0]
    if pattern.startswith("/") and "/" in pattern[1:] and os.path.lexists(f"/{first}") and not os.path.lexists(os.path.join(root, first)):  # noqa: PTH118
        return f"..{pattern}", arguments
    return pattern, arguments


def _find(search: _Search, top: Folder, stop: Stop, *, include_ignored: bool, by_path: bool) -> _Found:
    """List and match; each match is judged by itself: a file that is by now reached through a link is none."""
    listing = walk(search.place.folder, stop, include_ignored=include_ignored, top=top)
    fitting = [path for path in listing.paths if not stop.requested and search.pattern.fits(path)]
    times = {path: status.st_mtime_ns for path in fitting if (status := top.file_status(path)) is not None}
    complete = listing.complete and not stop.requested
    paths = sorted(times) if by_path else sorted(times, key=lambda path: (-times[path], path))
    return _Found(tuple(paths), listing, complete)


def _result(search: _Search, found: _Found, limit: int, ignored: int) -> Result:
    total = len(found.paths)
    shown = [search.place.path(path) for path in found.paths[:limit]]
    truncated = total > limit
    count = f"{total} file{'' if total == 1 else 's'}"
    head = f"Found {count}, newest {limit}:" if truncated else f"Found {count}:"
    lines = [head, *map(on_one_line, shown)] if shown else _nothing_found(search, found, ignored)
    if not found.complete:
        lines.append("(the search was stopped before it had seen everything: there may be more. Search in a folder further down.)")
    ui = {"paths": shown, "total": total, "truncated": truncated, "complete": found.complete, "ignored_matches": ignored}
    return Result(text="\n".join(lines), truncated=truncated, facts=count, ui={**ui, "slow": found.listing.engine != "ripgrep"})


def _nothing_found(search: _Search, found: _Found, ignored: int) -> list[str]:
    lines = ["No files found."]
    if ignored:
        lines.append(f"{ignored} {'match is' if ignored == 1 else 'matches are'} in ignored folders or files; use include_ignored.")
    other_case = [clean_text(path) for path in found.listing.paths if search.pattern.fits_in_other_case(path)]
    if other_case:
        lines.append(f"With other upper and lower case {len(other_case)} would match, such as {on_one_line(search.place.path(other_case[0]))}.")
    return lines
