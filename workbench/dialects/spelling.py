"""How a parsed request spelled what can be spelled in several ways: read and forgotten here, kept in the `wire` field of the values."""

from __future__ import annotations

from typing import Any, TypeVar

from msgspec.structs import replace

from workbench.conversation.messages import DialectName, Message, ModelRequest, RequestOptions, ToolDefinition
from workbench.conversation.values import JsonObject

_Spelled = TypeVar("_Spelled", Message, ToolDefinition, RequestOptions)


def spelled(value: Message | ToolDefinition | RequestOptions, dialect: DialectName) -> JsonObject:
    """Return how `dialect` spelled a value; empty when it was not parsed from that dialect."""
    found: Any = value.wire.get(dialect)
    return found if isinstance(found, dict) else {}


def forget_spelling(request: ModelRequest) -> ModelRequest:
    """Return the request without its spellings, so that it is written as the quirks of a server want it."""
    return replace(
        request,
        tools=tuple(replace(tool, wire={}) for tool in request.tools),
        messages=tuple(replace(message, wire={}) for message in request.messages),
        options=replace(request.options, wire={}),
    )


def respelled(value: _Spelled, source: DialectName, target: DialectName) -> _Spelled:
    """Return a value whose spelling in `source` stands as that of `target`, for a dialect that reads or writes with another's code."""
    if not value.wire:
        return value
    return replace(value, wire={target: value.wire[source]} if source in value.wire else {})


def runs_elsewhere(tool: ToolDefinition, here: DialectName) -> bool:
    """Say whether only the provider of another dialect can run a tool: it was read there as neither a function nor free text."""
    raws = [spelling.get("raw") for dialect, spelling in tool.wire.items() if dialect != here and isinstance(spelling, dict)]
    return any(isinstance(raw, dict) and raw.get("type", "function") not in ("function", "custom") for raw in raws)


def runnable_here(request: ModelRequest, here: DialectName) -> ModelRequest:
    """Return the request without the tools that only another dialect's provider can run, nor a choice of one: a model would call them in vain."""
    left = tuple(tool for tool in request.tools if not runs_elsewhere(tool, here))
    if len(left) == len(request.tools):
        return request
    gone = {tool.name for tool in request.tools} - {tool.name for tool in left}
    options = request.options
    return replace(request, tools=left, options=replace(options, tool_choice=None) if options.tool_choice in gone else options)
