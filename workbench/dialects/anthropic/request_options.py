"""The members of a parsed request other than its messages: tools and settings, known ones apart from the rest."""

from __future__ import annotations

from typing import Any

from workbench.conversation.messages import RequestOptions, ToolDefinition
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.anthropic.names import NAME

_NO_PARAMETERS: JsonObject = {"type": "object", "properties": {}}
_MODES = {"auto": "auto", "none": "none", "any": "required"}
_TOOL_MEMBERS = ("name", "description", "input_schema", "strict")


def read_options(body: JsonObject, system: list[JsonObject] | None) -> RequestOptions:
    """Return the settings of a request; a member of an unexpected type stays as it is among the `extra` ones.

    Args:
        body: the whole request.
        system: the members of the blocks of the system text; None if it was no list.
    """
    rest = {name: value for name, value in body.items() if name not in ("messages", "tools", "system")}
    spelling: JsonObject = {"marks": True}
    if system is not None:
        spelling["system"] = system
    stream = rest.pop("stream", None)
    if stream is False:
        spelling["stream"] = "false"
    choice, parallel = _choice(rest)
    return RequestOptions(
        model=clean_text(str(rest.pop("model", ""))),
        stream=stream is True,
        max_output_tokens=_number(rest, "max_tokens", int),
        temperature=_number(rest, "temperature", int | float),
        reasoning_effort=_effort(rest, spelling),
        tool_choice=choice,
        parallel_tool_calls=parallel,
        stop=_stop(rest),
        extra=rest,
        wire={NAME: spelling},
    )


def read_tools(tools: Any) -> tuple[ToolDefinition, ...]:
    """Return the tool definitions; a tool that the provider runs itself is kept whole and shown under its name."""
    return tuple(_tool(tool) for tool in tools if isinstance(tool, dict)) if isinstance(tools, list) else ()


def _tool(tool: JsonObject) -> ToolDefinition:
    name, schema, description = tool.get("name"), tool.get("input_schema"), tool.get("description")
    if tool.get("type", "custom") not in ("custom", None) or not isinstance(name, str):
        return ToolDefinition(name=clean_text(str(name or tool.get("type") or "tool")), description="", input_schema=_NO_PARAMETERS, wire={NAME: {"raw": tool}})
    spelling: JsonObject = {}
    members = {member: value for member, value in tool.items() if member not in _TOOL_MEMBERS}
    odd = {"description": str, "input_schema": dict, "strict": bool}
    members |= {member: tool[member] for member, kind in odd.items() if member in tool and not isinstance(tool[member], kind)}
    if schema == {}:
        members["input_schema"] = schema
    if members:
        spelling["members"] = members
    if absent := [member for member in ("description", "input_schema") if member not in tool]:
        spelling["absent"] = absent
    if tool.get("strict") is False:
        spelling["strict"] = True
    return ToolDefinition(
        name=clean_text(name),
        description=clean_text(description) if isinstance(description, str) else "",
        input_schema=schema if isinstance(schema, dict) and schema else _NO_PARAMETERS,
        strict=tool.get("strict") is True,
        wire={NAME: spelling} if spelling else {},
    )


def _number(rest: JsonObject, name: str, kind: Any) -> Any:
    value = rest.get(name)
    return rest.pop(name) if isinstance(value, kind) and not isinstance(value, bool) else None


def _effort(rest: JsonObject, spelling: JsonObject) -> str | None:
    """Return how much to think, where nothing else is said beside it."""
    match rest.get("output_config"):
        case {"effort": str() as word, **more} if not more and word != "none":
            rest.pop("output_config")
            spelling["effort"] = True
            return word
        case _:
            return None


def _stop(rest: JsonObject) -> tuple[str, ...]:
    stop = rest.get("stop_sequences")
    if isinstance(stop, list) and stop and all(isinstance(word, str) for word in stop):
        return tuple(rest.pop("stop_sequences"))
    return ()


def _choice(rest: JsonObject) -> tuple[str | None, bool | None]:
    """Return the tool choice and whether calls may be parallel; other forms stay as they are."""
    match rest.get("tool_choice"):
        case {"type": "tool", "name": str() as name, **more} if name not in ("auto", "none", "required") and _is_parallel(more):
            word = name
        case {"type": str() as kind, **more} if kind in _MODES and _is_parallel(more) and not (kind == "none" and more):
            word = _MODES[kind]
        case _:
            return None, None
    rest.pop("tool_choice")
    disabled = more.get("disable_parallel_tool_use")
    return word, None if disabled is None else not disabled


def _is_parallel(more: dict[Any, Any]) -> bool:
    return not more or (set(more) == {"disable_parallel_tool_use"} and isinstance(more["disable_parallel_tool_use"], bool))
