"""What the program's own tools have in common: what the model is told of each stands in ``resources/tools/<name>.json``, read here alone."""

from __future__ import annotations

import functools
import json
from typing import Any

from workbench.conversation.messages import ToolDefinition
from workbench.errors import ResourceMissing
from workbench.resources import resource
from workbench.tools.base import Plan, ToolClass, ToolContext


@functools.cache
def load_definition(name: str) -> ToolDefinition:
    """Return the definition of one of our own tools.

    Args:
        name: the tool's name, which is also the file's.

    Raises:
        ResourceMissing: there is no such file, or it is damaged; the installation is not whole.
    """
    path = resource("tools", f"{name}.json")
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        definition = ToolDefinition(name=stored["name"], description=stored["description"], input_schema=stored["input_schema"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ResourceMissing(f"The description of the tool {name} at {path} is damaged. Install the program again.", message_id="resource.damaged") from error
    if definition.name != name:
        raise ResourceMissing(f"{path} describes the tool {definition.name!r}, not {name!r}. Install the program again.", message_id="resource.damaged")
    return definition


class BuiltinTool:
    """One of the program's own tools; each adds `prepare` and `apply`.

    Attributes:
        definition: what the model is told.
        tool_class: what the gate orders it by.
    """

    def __init__(self, name: str, tool_class: ToolClass) -> None:
        self.definition = load_definition(name)
        self.tool_class: ToolClass = tool_class

    @property
    def name(self) -> str:
        """The name the model uses."""
        return self.definition.name


class UnplannedTool(BuiltinTool):
    """A tool without effects, of which nothing can be told beforehand."""

    async def prepare(self, arguments: dict[str, Any], context: ToolContext) -> Plan:  # noqa: ARG002 - the shape of all tools
        """Return a plan that touches nothing."""
        return Plan(tool=self.name, arguments=arguments)
