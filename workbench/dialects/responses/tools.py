"""Tool definitions of the Responses dialect: flat, and with `strict` always said, because it means true where it is left out."""

from __future__ import annotations

from msgspec.structs import replace

from workbench.conversation.messages import ToolDefinition
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.responses.items import NAME, text_of
from workbench.dialects.spelling import spelled

_NO_PARAMETERS: JsonObject = {"type": "object", "properties": {}}
_FREE_TEXT: JsonObject = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}


def read_tool(tool: JsonObject) -> ToolDefinition:
    """Return a tool; a custom or built-in one as a function, which is what other dialects can make of it."""
    kind = tool.get("type", "function")
    schema = tool.get("parameters")
    return ToolDefinition(
        name=clean_text(str(tool.get("name") or kind or "tool")),
        description=text_of(tool.get("description")),
        input_schema=schema if isinstance(schema, dict) else _FREE_TEXT if kind == "custom" else _NO_PARAMETERS,
        strict=kind == "function" and tool.get("strict") is True,
        wire={NAME: {"raw": tool}},
    )


def tool_object(tool: ToolDefinition) -> JsonObject:
    """Return a tool definition; one of a parsed request is given back as it was, as long as it says the same."""
    raw = spelled(tool, NAME).get("raw")
    if isinstance(raw, dict) and replace(read_tool(raw), wire={}) == replace(tool, wire={}):
        return raw
    written: JsonObject = {"type": "function", "name": tool.name}
    if tool.description:
        written["description"] = tool.description
    return written | {"parameters": tool.input_schema, "strict": tool.strict}
