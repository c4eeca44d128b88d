"""Where a search starts: the folder or file that `path` names, as a target for the gate and as people read it."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.conversation.calls import Target
from workbench.conversation.values import clean_text
from workbench.errors import FileRefused, ToolError
from workbench.tools.base import ToolContext
from workbench.tools.file_targets import in_thread, path_target, resolve_target, shown_name
from workbench.workspace.beneath import Folder
from workbench.workspace.files import refusal
from workbench.workspace.name_patterns import name_pattern
from workbench.workspace.paths import ResolvedPath, resolve
from workbench.workspace.reaching import hold_folder, hold_parent


@dataclass(frozen=True)
class SearchPlace:
    """A place to search.

    Attributes:
        folder: real path of the folder, or of the folder that holds the file.
        file: the file's name; empty for a folder.
        shown: the folder as it was asked for, relative to the workspace folder where it can be; empty for the workspace folder itself.
        target: for the gate.
    """

    folder: Path
    file: str
    shown: str
    target: Target

    def path(self, relative: str) -> str:
        """Return a path below the folder as people and models read it."""
        return clean_text(f"{self.shown}/{relative}" if self.shown else relative)


async def search_place(arguments: dict[str, Any], context: ToolContext, *, may_be_file: bool) -> SearchPlace:
    """Find the place that the argument `path` names; the workspace folder if there is none. Looks at names only, reads nothing.

    Raises:
        ToolError: ``path_not_found``, ``not_a_directory`` and what resolving a path raises.
    """
    return _as_search_place(await _resolved(arguments, context), context, may_be_file=may_be_file)


async def unchanged_place(place: SearchPlace, arguments: dict[str, Any], context: ToolContext) -> Folder:
    """Make sure that the path still leads to what was judged, and take its folder, so that nothing can be put in its stead any more.

    Raises:
        ToolError: ``changed_during_approval``.
    """
    found = await _resolved(arguments, context)
    now = _as_search_place(found, context, may_be_file=bool(place.file))
    if (now.folder, now.file, now.target) != (place.folder, place.file, place.target):
        raise ToolError("changed_during_approval", f"{place.shown or '.'!r} now leads somewhere else.", "Send the call again.")
    return await in_thread(_hold, found)


async def refuse_leaving(pattern: str, place: SearchPlace, context: ToolContext) -> None:
    """Refuse a pattern whose plain beginning leads out, through a link: what it names is not in the folder that is searched.

    Raises:
        ToolError: ``outside_workspace``.
    """
    heads = {head for one in name_pattern(pattern).alternatives if (head := _plain_beginning(one))}
    if await in_thread(lambda: any(_leaves(head, place, context) for head in heads)):
        text = f"The pattern {clean_text(pattern)!r} leads out of the folder."
        raise ToolError("outside_workspace", text, "Give the folder in 'path' and a pattern below it.")


def is_folder_below(relative: str, place: SearchPlace, context: ToolContext) -> bool:
    """Whether a path below a search place is a folder there; one behind a link that leaves is none. Blocking for a moment."""
    try:
        found = resolve(relative, context.workspace, base=place.folder)
    except FileRefused:
        return False
    return found.is_folder and _is_below(found, place)


def _leaves(relative: str, place: SearchPlace, context: ToolContext) -> bool:
    try:
        return not _is_below(resolve(relative, context.workspace, base=place.folder), place)
    except FileRefused:
        return False  # nothing stands there: it just finds nothing


def _is_below(found: ResolvedPath, place: SearchPlace) -> bool:
    return found.inside or found.real == place.folder or place.folder in found.real.parents


def _plain_beginning(pattern: str) -> str:
    """Return the folders that a pattern names before its first special character."""
    head = re.split(r"[*?\[\\]", pattern, maxsplit=1)[0]
    return head.rpartition("/")[0] if head != pattern else pattern


async def _resolved(arguments: dict[str, Any], context: ToolContext) -> ResolvedPath:
    request = str(arguments.get("path") or ".")
    place = await in_thread(resolve_target, request, context)
    if not place.exists:
        raise ToolError("path_not_found", f"{clean_text(request)!r} does not exist.", "Use list to see what there is, or leave out 'path'.")
    return place


def _as_search_place(place: ResolvedPath, context: ToolContext, *, may_be_file: bool) -> SearchPlace:
    if place.is_folder:
        return SearchPlace(place.real, "", _shown(place, context), path_target(place, "read"))
    if not may_be_file or not place.is_file:
        request = clean_text(place.request)
        raise ToolError("not_a_directory", f"{request!r} is not a folder.", "Give the folder that holds it.")
    shown = posixpath.dirname(_shown(place, context))
    return SearchPlace(place.real.parent, place.real.name, shown, path_target(place, "read"))


def _hold(place: ResolvedPath) -> Folder:
    try:
        return hold_folder(place) if place.is_folder else hold_parent(place)
    except OSError as error:
        raise refusal(place, error) from error


def _shown(place: ResolvedPath, context: ToolContext) -> str:
    """Return the name a link was asked for by, where that can be said; else the real place."""
    request = place.request.removeprefix(f"{context.workspace.path}/")
    if place.linked and not request.startswith(("/", "~")) and ".." not in request.split("/"):
        name = posixpath.normpath(request)
    else:
        name = shown_name(place, context.workspace)
    return "" if name == "." else clean_text(name)
