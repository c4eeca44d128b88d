"""From the path in a call to the file that is meant: resolved, named for people, judged against the program's own data, with near names if missing."""

from __future__ import annotations

import asyncio
import difflib
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple, ParamSpec, TypeVar

from workbench.conversation.calls import Target
from workbench.conversation.values import clean_text
from workbench.errors import FileRefused, ToolError
from workbench.tools.base import Interrupted, Plan, Result, ToolContext
from workbench.workspace.files import SeenFiles
from workbench.workspace.paths import ResolvedPath, Workspace, resolve
from workbench.workspace.reaching import hold_parent

TIME_LIMIT_S = 20.0
_SUGGESTIONS = 3
_LOOKED_AT = 20_000
_NOT_SEARCHED = {".git", "node_modules", ".venv", "__pycache__"}
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")

P = ParamSpec("P")
T = TypeVar("T")


def resolve_target(request: str, context: ToolContext) -> ResolvedPath:
    """Follow a call's path; the session's own outputs count as inside, for reading. Blocking.

    Raises:
        FileRefused: the path cannot be followed, or leads into the program's own data.
        WorkspaceError: the workspace folder is gone.
    """
    place = resolve(request, context.workspace)
    if place.inside:
        return place
    if context.outputs.is_dir():
        granted = resolve(request, context.workspace.granting(context.outputs, writable=False))
        if granted.inside:
            return granted
    if context.data_folder is not None and _is_below(place.real, Path(os.path.realpath(context.data_folder))):
        raise FileRefused("outside_workspace", f"{request!r} belongs to this program's own data, which no tool may touch.")
    return place


def path_target(place: ResolvedPath, access: Literal["read", "write"]) -> Target:
    """Return what the gate judges; a folder granted for reading only is outside for a write."""
    inside = place.writable if access == "write" else place.inside
    return Target(kind="path", name=clean_text(str(place.real)), access=access, outside=not inside)


async def planned_place(plan: Plan, context: ToolContext) -> ResolvedPath:
    """Follow the path of a planned write again; it has to lead to the target that was decided on.

    Raises:
        ToolError: ``changed_during_approval``; nothing was written.
    """
    place = await in_thread(resolve_target, plan.arguments["file_path"], context)
    if path_target(place, "write") != plan.targets[0]:
        raise ToolError("changed_during_approval", f"{place.request!r} leads to another place by now; nothing was written.", "Call the tool again.")
    return place


def shown_name(place: ResolvedPath, workspace: Workspace) -> str:
    """Return the place as people and models read it: relative to the workspace folder, else absolute."""
    if place.root == workspace.root:
        return clean_text(place.relative)
    return clean_text(str(place.real))


def on_one_line(name: str) -> str:
    """Return a file's name for a list of names: one with a line end or another control character is quoted as in JSON.

    Otherwise a file in a repository could put a line of its own into what the model reads.
    """
    return json.dumps(name) if _CONTROL.search(name) else clean_text(name)


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking function that changes nothing in a worker thread; on cancel its outcome is dropped.

    Raises:
        ToolError: what the workspace refused; ``timed_out`` after `TIME_LIMIT_S`.
    """
    try:
        async with asyncio.timeout(TIME_LIMIT_S):
            return await asyncio.to_thread(function, *args, **kwargs)
    except TimeoutError:
        text = f"The file could not be read within {TIME_LIMIT_S:g} s."
        raise ToolError("timed_out", text, "The disk or network drive may be slow; try again later.") from None
    except FileRefused as refused:
        raise tool_error(refused) from refused


class Written(NamedTuple):
    """What a function that wrote a file gives back: the result, and what the session now knows of the file."""

    result: Result
    real: Path
    content: bytes
    sha256: str


async def finish_in_thread(function: Callable[[], Written], seen: SeenFiles) -> Result:
    """Run a function that writes a file in a worker thread, always to its end, so that no effect goes unrecorded.

    Raises:
        ToolError: what the workspace refused; nothing was written.
        Interrupted: the call was cancelled meanwhile; carries the result.
    """
    work = asyncio.get_running_loop().run_in_executor(None, function)
    cancelled = False
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            cancelled = True
    try:
        result, real, content, sha256 = work.result()
    except FileRefused as refused:
        if cancelled:
            raise asyncio.CancelledError from refused
        raise tool_error(refused) from refused
    seen.record(real, content, sha256)
    if cancelled:
        text = f"{result.text}\n(The call was stopped, but the file had been written by then.)"
        raise Interrupted(replace(result, status="cancelled", kind="cancelled", text=text))
    return result


def tool_error(refused: FileRefused) -> ToolError:
    """Return what a refusal of the workspace tells the model."""
    return ToolError(refused.kind, clean_text(refused.text), clean_text(refused.advice))


def missing_file(place: ResolvedPath, workspace: Workspace) -> ToolError:
    """Return the error for a file that does not exist, with at most three near names. Blocking."""
    names = _suggestions(place, workspace) if place.root == workspace.root else []
    listed = f"Did you mean {' or '.join(names)}?" if names else "Use glob or list to see what there is."
    return ToolError("file_not_found", f"{clean_text(place.request)!r} does not exist.", listed, detail={"suggestions": tuple(names)})


def _suggestions(place: ResolvedPath, workspace: Workspace) -> list[str]:
    """Names that differ in case, then similar ones in the same folder, then the same name elsewhere."""
    wanted = place.real.name
    try:
        with hold_parent(place) as folder:
            beside = sorted(entry.name for entry in folder.scan())
    except OSError:
        beside = []
    folded = [name for name in beside if name.casefold() == wanted.casefold()]
    near = [*folded, *difflib.get_close_matches(wanted, beside[:_LOOKED_AT], n=_SUGGESTIONS, cutoff=0.6)]
    found = [place.real.parent / name for name in dict.fromkeys(near)]
    if len(found) < _SUGGESTIONS:
        found += _same_name(wanted, workspace)
    return [clean_text(path.relative_to(workspace.path).as_posix()) for path in dict.fromkeys(found)][:_SUGGESTIONS]


def _same_name(wanted: str, workspace: Workspace) -> Iterator[Path]:
    """Yield the files of a name anywhere in the workspace, never through a link."""
    looked_at, waiting = 0, ["."]
    while waiting:
        folder = waiting.pop()
        try:
            entries = workspace.root.held.scan(folder)
        except OSError:
            continue
        looked_at += len(entries)
        if looked_at > _LOOKED_AT:
            return
        yield from (workspace.path / folder / entry.name for entry in entries if entry.kind == "file" and entry.name.casefold() == wanted.casefold())
        below = sorted((entry.name for entry in entries if entry.kind == "folder" and entry.name not in _NOT_SEARCHED), reverse=True)
        waiting += [name if folder == "." else f"{folder}/{name}" for name in below]


def _is_below(path: Path, folder: Path) -> bool:
    return path == folder or folder in path.parents
