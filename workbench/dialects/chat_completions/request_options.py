"""The members of a parsed request other than its messages: tools and settings, known ones apart from the rest."""

from __future__ import annotations

from typing import Any

from workbench.conversation.messages import RequestOptions, ToolDefinition
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.base import NORM
from workbench.dialects.chat_completions.request import MODES, default_stream_options
from workbench.dialects.chat_completions.request_messages import NAME

_NO_PARAMETERS: JsonObject = {"type": "object", "properties": {}}
_FREE_TEXT: JsonObject = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}


def read_options(body: JsonObject, system: list[JsonObject]) -> RequestOptions:
    """Return the settings of a request; a member of an unexpected type stays as it is among the `extra` ones.

    Args:
        body: the whole request.
        system: how the leading system messages were spelled.
    """
    rest = {name: value for name, value in body.items() if name not in ("messages", "tools")}
    spelling: JsonObject = {}
    if system and system != [{"role": "system", "content": "string", "count": 1}]:
        spelling["system"] = system
    model = rest.pop("model", "")
    stream = _stream(rest, spelling)
    limit = _limit(rest, spelling)
    return RequestOptions(
        model=clean_text(str(model)),
        stream=stream,
        max_output_tokens=limit,
        temperature=_taken(rest, "temperature", int | float),
        reasoning_effort=_taken(rest, "reasoning_effort", str),
        tool_choice=_choice(rest),
        parallel_tool_calls=_taken(rest, "parallel_tool_calls", bool),
        stop=_stop(rest, spelling),
        extra=rest,
        wire={NAME: spelling} if spelling else {},
    )


def read_tools(tools: Any) -> tuple[ToolDefinition, ...]:
    """Return the tool definitions; what is no function tool is kept whole and shown under the best name it has."""
    return tuple(_tool(tool) for tool in tools if isinstance(tool, dict)) if isinstance(tools, list) else ()


def _tool(tool: JsonObject) -> ToolDefinition:
    function = tool.get("function")
    if tool.get("type", "function") != "function" or not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return _other_tool(tool)
    spelling: JsonObject = {}
    known = ("name", "description", "parameters", "strict")
    texts = {"description": str, "parameters": dict, "strict": bool}
    odd = {name: value for name, value in function.items() if name not in known or (name in texts and not isinstance(value, texts[name]))}
    if absent := [name for name in ("description", "parameters") if name not in function]:
        spelling["absent"] = absent
    if odd:
        spelling["function"] = odd
    if function.get("strict") is False:
        spelling["strict"] = True
    if members := {name: value for name, value in tool.items() if name not in ("type", "function")}:
        spelling["members"] = members
    schema, description = function.get("parameters"), function.get("description")
    return ToolDefinition(
        name=clean_text(function["name"]),
        description=clean_text(description) if isinstance(description, str) else "",
        input_schema=schema if isinstance(schema, dict) else _NO_PARAMETERS,
        strict=function.get("strict") is True,
        wire={NAME: spelling} if spelling else {},
    )


def _other_tool(tool: JsonObject) -> ToolDefinition:
    """Return a custom or built-in tool as a function, which is what other dialects can make of it; the original stays beside it."""
    custom = tool.get("custom")
    about = custom if isinstance(custom, dict) else tool
    name = about.get("name") or tool.get("type") or "tool"
    return ToolDefinition(
        name=clean_text(str(name)),
        description=clean_text(str(about.get("description") or "")),
        input_schema=_FREE_TEXT if isinstance(custom, dict) else _NO_PARAMETERS,
        wire={NAME: {"raw": tool}},
    )


def _taken(rest: JsonObject, name: str, kind: Any) -> Any:
    value = rest.get(name)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        return None
    return rest.pop(name)


def _stream(rest: JsonObject, spelling: JsonObject) -> bool:
    asked = rest.pop("stream", None)
    if asked is False:
        spelling["stream"] = "false"
    options = rest.pop("stream_options", None)
    if asked is True and options != default_stream_options(NORM):
        spelling["stream_options"] = options
    return asked is True


def _limit(rest: JsonObject, spelling: JsonObject) -> int | None:
    for name in ("max_completion_tokens", "max_tokens"):
        limit: int | None = _taken(rest, name, int)
        if limit is not None:
            if name != NORM.max_tokens_field:
                spelling["limit"] = name
            return limit
    return None


def _stop(rest: JsonObject, spelling: JsonObject) -> tuple[str, ...]:
    stop = rest.get("stop")
    if isinstance(stop, str):
        spelling["stop"] = "string"
        return (rest.pop("stop"),)
    if isinstance(stop, list) and stop and all(isinstance(word, str) for word in stop):
        return tuple(rest.pop("stop"))
    return ()


def _choice(rest: JsonObject) -> str | None:
    """Return the tool choice: a mode, or the name of the one tool; other forms stay as they are."""
    match rest.get("tool_choice"):
        case str() as mode if mode in MODES:
            return str(rest.pop("tool_choice"))
        case {"type": "function", "function": {"name": str() as name, **more}, **others} if not more and not others and name not in MODES:
            rest.pop("tool_choice")
            return name
        case _:
            return None
