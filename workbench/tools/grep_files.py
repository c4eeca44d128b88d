"""The tool grep: finds lines in files by regular expression."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from workbench.errors import ToolError
from workbench.permissions.names import is_secret
from workbench.tools.base import Plan, Result, ToolContext
from workbench.tools.definitions import BuiltinTool
from workbench.tools.file_targets import in_thread
from workbench.tools.grep_text import Shown, shown_matches
from workbench.tools.long_text import within_limits
from workbench.tools.search_place import SearchPlace, is_folder_below, search_place, unchanged_place
from workbench.workspace.content_search import SearchRequest, search
from workbench.workspace.name_patterns import name_pattern
from workbench.workspace.walk import LIMIT_S
from workbench.workspace.worker import stoppable

DEFAULT_LIMIT = 100


@dataclass(frozen=True)
class _Search:
    place: SearchPlace
    request: SearchRequest


class GrepTool(BuiltinTool):
    """Shows matching lines, files or counts."""

    def __init__(self) -> None:
        super().__init__("grep", "read")

    async def prepare(self, arguments: dict[str, Any], context: ToolContext) -> Plan:
        """Find the place and read the pattern of file names.

        Raises:
            ToolError: ``path_not_found``, ``outside_workspace``, ``invalid_arguments``.
        """
        if not arguments["pattern"]:
            raise ToolError("invalid_arguments", "The pattern is empty.", "Give a regular expression, or use glob or list to see files.")
        place = await search_place(arguments, context, may_be_file=True)
        include = str(arguments.get("include", ""))
        request = SearchRequest(
            pattern=str(arguments["pattern"]),
            folder=place.folder,
            file=place.file,
            literal=bool(arguments.get("literal", False)),
            ignore_case=bool(arguments.get("ignore_case", False)),
            context=int(arguments.get("context", 0)),
            multiline=bool(arguments.get("multiline", False)),
            include_ignored=bool(arguments.get("include_ignored", False)),
        )
        if include:
            included = await in_thread(name_pattern, include, is_folder=lambda path: is_folder_below(path, place, context))
            request = replace(request, wanted=included.fits)
        return Plan(tool=self.name, arguments=arguments, targets=(place.target,), payload=_Search(place, request))

    async def apply(self, plan: Plan, context: ToolContext) -> Result:
        """Search; files that hold secrets by their name are passed over unless one was asked for by its own path."""
        planned: _Search = plan.payload
        top = await unchanged_place(planned.place, plan.arguments, context)
        passed_over: list[str] = []
        request = replace(planned.request, top=top)
        if not is_secret(str(planned.place.folder)):
            request = _without_secrets(request, passed_over)
        found = await stoppable(lambda stop: search(request, stop), limit_s=LIMIT_S)
        mode = plan.arguments.get("mode", "lines")
        shown = shown_matches(found, planned.place, mode=mode, limit=int(plan.arguments.get("limit", DEFAULT_LIMIT)))
        result = _result(shown, sorted(planned.place.path(path) for path in passed_over))
        return await in_thread(within_limits, result, context.outputs, context.call_id)


def _without_secrets(request: SearchRequest, passed_over: list[str]) -> SearchRequest:
    """Return a request that notes secret files instead of showing their lines: reading one asks a person, and so must this."""
    if request.file:
        return request

    def wanted(path: str) -> bool:
        if not request.wanted(path):
            return False
        if is_secret(path):
            passed_over.append(path)
            return False
        return True

    return replace(request, wanted=wanted)


def _result(shown: Shown, passed_over: list[str]) -> Result:
    text = shown.text
    if passed_over:
        names = ", ".join(passed_over[:10])
        text += f"\n(matches in files that may hold secrets are not shown: {names}; give one as 'path' to search it)"
    ui = {**shown.ui, "passed_over": passed_over}
    return Result(text=text, truncated=shown.truncated, facts=shown.facts, ui=ui)
