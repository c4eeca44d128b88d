"""Where a search starts: the folder or file that `path` names, as a target for the gate and as people read it."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.conversation.calls import Target
from workbench.conversation.values import clean_text
from workbench.errors import ToolError
from workbench.tools.base import ToolContext
from workbench.tools.file_targets import in_thread, path_target, resolve_target, shown_name
from workbench.workspace.paths import ResolvedPath


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
    request = str(arguments.get("path") or ".")
    place = await in_thread(resolve_target, request, context)
    if not place.exists:
        raise ToolError("path_not_found", f"{clean_text(request)!r} does not exist.", "Use list to see what there is, or leave out 'path'.")
    if place.is_folder:
        return SearchPlace(place.real, "", _shown(place, context), path_target(place, "read"))
    if not may_be_file or not place.is_file:
        raise ToolError("not_a_directory", f"{clean_text(request)!r} is not a folder.", "Give the folder that holds it.")
    shown = posixpath.dirname(_shown(place, context))
    return SearchPlace(place.real.parent, place.real.name, shown, path_target(place, "read"))


async def unchanged_place(place: SearchPlace, arguments: dict[str, Any], context: ToolContext) -> None:
    """Make sure that the path still leads to what was judged.

    Raises:
        ToolError: ``changed_during_approval``.
    """
    now = await search_place(arguments, context, may_be_file=bool(place.file))
    if (now.folder, now.file, now.target) != (place.folder, place.file, place.target):
        raise ToolError("changed_during_approval", f"{place.shown or '.'!r} now leads somewhere else.", "Send the call again.")


def _shown(place: ResolvedPath, context: ToolContext) -> str:
    """Return the name a link was asked for by, where that can be said; else the real place."""
    request = place.request.removeprefix(f"{context.workspace.path}/")
    if place.linked and not request.startswith(("/", "~")) and ".." not in request.split("/"):
        name = posixpath.normpath(request)
    else:
        name = shown_name(place, context.workspace)
    return "" if name == "." else clean_text(name)
