"""Tool definitions of a request: all declarations in one entry of `tools`, as Gemini wants them; read in any arrangement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.conversation.messages import ToolDefinition
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.base import Quirks
from workbench.dialects.gemini.parts import NAME, key_of, member
from workbench.dialects.gemini.schema import expanded, reduced
from workbench.dialects.spelling import spelled

DECLARATIONS = "functionDeclarations"
_NO_PARAMETERS: JsonObject = {"type": "object", "properties": {}}


def write_tools(tools: Sequence[ToolDefinition], quirks: Quirks, entries: Any) -> list[JsonObject] | JsonObject:
    """Return the `tools` member: a list, or the one entry itself where a parsed request had it so.

    Args:
        tools: what is offered.
        quirks: whether schemas go whole or reduced.
        entries: how a parsed request arranged them (`read_tools`); counts only for as many tools.
    """
    declarations = [_declaration(tool, quirks) for tool in tools]
    if not isinstance(entries, list) or sum(entry.get("count", 0) for entry in entries) != len(tools):
        return [{DECLARATIONS: declarations}] if declarations else []
    rest = iter(declarations)
    written: list[JsonObject] = []
    for entry in entries:
        own = {entry["key"]: [next(rest) for _ in range(entry["count"])]} if "count" in entry else {}
        written.append({**entry["members"], **own})
    return written[0] if written and entries[0].get("alone") else written


def read_tools(tools: Any) -> tuple[tuple[ToolDefinition, ...], list[JsonObject] | None]:
    """Return the tool definitions, and how they are arranged; None for the usual arrangement. Built-in tools are only remembered."""
    found: list[ToolDefinition] = []
    entries: list[JsonObject] = []
    for entry in as_entries(tools):
        if not isinstance(entry, dict):
            continue
        key = key_of(entry, DECLARATIONS)
        declared = entry.get(key)
        if not isinstance(declared, list) or not all(isinstance(each, dict) and isinstance(each.get("name"), str) for each in declared):
            entries.append({"members": entry})
            continue
        found += map(_read, declared)
        entries.append({"key": key, "count": len(declared), "members": {name: value for name, value in entry.items() if name != key}})
    if isinstance(tools, dict):
        entries[0]["alone"] = True
    usual = entries == [{"key": DECLARATIONS, "count": len(found), "members": {}}] and found
    return tuple(found), None if usual else entries or None


def as_entries(tools: Any) -> list[Any]:
    """Return the entries of a `tools` member; Google takes one entry that stands in no list too."""
    return tools if isinstance(tools, list) else [tools] if isinstance(tools, dict) else []


def _declaration(tool: ToolDefinition, quirks: Quirks) -> JsonObject:
    raw = spelled(tool, NAME).get("raw")
    if isinstance(raw, dict) and _is_still(raw, tool):
        return raw
    written: JsonObject = {"name": tool.name, "description": tool.description}
    if quirks.json_schema:
        return {**written, "parametersJsonSchema": tool.input_schema}
    parameters = reduced(tool.input_schema)
    return {**written, "parameters": parameters} if parameters else written


def _is_still(raw: JsonObject, tool: ToolDefinition) -> bool:
    read = _read(raw)
    return (read.name, read.description, read.input_schema) == (tool.name, tool.description, tool.input_schema)


def _read(raw: JsonObject) -> ToolDefinition:
    schema, description = member(raw, "parametersJsonSchema"), raw.get("description")
    if not isinstance(schema, dict):
        schema = expanded(raw.get("parameters"))
    tool = ToolDefinition(
        name=clean_text(raw["name"]),
        description=clean_text(description) if isinstance(description, str) else "",
        input_schema=schema if isinstance(schema, dict) else _NO_PARAMETERS,
    )
    plain = {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.input_schema}
    return tool if plain == raw else ToolDefinition(name=tool.name, description=tool.description, input_schema=tool.input_schema, wire={NAME: {"raw": raw}})
