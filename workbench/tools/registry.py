"""The tools a session has, by name, and the set that comes with the program."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from workbench.conversation.messages import ToolDefinition
from workbench.permissions.hosts import host_kind
from workbench.tools.base import Tool
from workbench.tools.bash import BashTool
from workbench.tools.calculator import CalculatorTool
from workbench.tools.edit import EditTool
from workbench.tools.get_current_time import GetCurrentTimeTool
from workbench.tools.get_weather import GetWeatherTool
from workbench.tools.glob_files import GlobTool
from workbench.tools.grep_files import GrepTool
from workbench.tools.list_folder import ListTool
from workbench.tools.read import ImageScaler, ReadTool
from workbench.tools.webfetch import WebfetchTool
from workbench.tools.write import WriteTool
from workbench.wire.fetching import Web
from workbench.workspace.jobs import Jobs

SUGGESTIONS = 3
DEMO_TOOLS = frozenset({"calculator", "get_current_time", "get_weather"})
"""Tools that only show how calling works; offered with the practice model."""


class ToolRegistry:
    """Tools by the names models call; the order is that in which models are told of them.

    Raises:
        ValueError: two tools have one name.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in self._tools:
                raise ValueError(f"two tools are named {tool.name!r}")
            self._tools[tool.name] = tool

    def get(self, name: str) -> Tool | None:
        """Return the tool of exactly this name."""
        return self._tools.get(name)

    def only(self, names: Iterable[str]) -> ToolRegistry:
        """Return a registry of those tools that have one of these names."""
        wanted = frozenset(names)
        return ToolRegistry(tool for name, tool in self._tools.items() if name in wanted)

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """Return what models are told."""
        return tuple(tool.definition for tool in self._tools.values())

    def names(self) -> tuple[str, ...]:
        """Return all names."""
        return tuple(self._tools)

    def suggest(self, name: str) -> tuple[str, ...]:
        """Return at most three names that may have been meant by one that does not exist, the likeliest first."""
        wanted = name.casefold().replace("-", "_")
        same = [own for own in self._tools if own.casefold() == wanted]
        part_of = [own for own in self._tools if own in wanted.split("_") or wanted in own.split("_")]
        similar = difflib.get_close_matches(wanted, self._tools, n=SUGGESTIONS, cutoff=0.6)
        return tuple(dict.fromkeys([*same, *part_of, *similar]))[:SUGGESTIONS]


def builtin_tools(
    *, demo: bool, jobs: Jobs | None = None, scaler: ImageScaler | None = None, environment: Mapping[str, str] | None = None
) -> tuple[Tool, ...]:
    """Return the program's own tools, new ones for each session.

    Args:
        demo: also calculator, get_current_time and get_weather.
        jobs: takes what commands leave running; the session that made it closes it.
        scaler: makes large pictures small; without it they are refused.
        environment: where certificates may be named, for fetching; the process's if left out.
    """
    web = Web(host_kind, environ=environment)
    files: tuple[Tool, ...] = (ReadTool(scaler=scaler), ListTool(), GlobTool(), GrepTool(), WriteTool(), EditTool())
    own: tuple[Tool, ...] = (*files, BashTool(jobs), WebfetchTool(web, scaler=scaler))
    return (*own, CalculatorTool(), GetCurrentTimeTool(), GetWeatherTool()) if demo else own
