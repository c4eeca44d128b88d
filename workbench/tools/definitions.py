"""What the model is told of each tool stands in ``resources/tools/<name>.json``; this is the one place that reads it."""

from __future__ import annotations

import functools
import json

from workbench.conversation.messages import ToolDefinition
from workbench.errors import ResourceMissing
from workbench.resources import resource


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
