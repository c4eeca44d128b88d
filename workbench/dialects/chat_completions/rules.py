"""What a Chat Completions server refuses in a request, told before it is sent; the wire specification's section 1 and 11.

Each rule has a stable id. Errors are refused by the named kind of server; warnings work on some servers and fail on others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.chat_completions.message_rules import check_messages
from workbench.dialects.chat_completions.model_rules import check_model
from workbench.dialects.chat_completions.renaming import named_places
from workbench.dialects.chat_completions.request_messages import NAME_PATTERN
from workbench.dialects.chat_completions.tool_schema_rules import check_schema
from workbench.dialects.findings import error, warning
from workbench.dialects.json_text import read_json
from workbench.dialects.renaming import Renaming

_MANY_TOOLS = 20
_LONGEST_NAME = 64
_LONGEST_DESCRIPTION = 1024


def check(body: bytes, quirks: Quirks = NORM) -> tuple[Finding, ...]:
    """Return what a server with these quirks would refuse, and what only some servers take; in the order of the rules."""
    try:
        value = read_json(body)
    except ValueError as reason:
        return (error("chat.not-json", "", f"The request is not JSON: {reason}."),)
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return (error("chat.shape", "/messages", "A request is an object with a list of messages."),)
    return (*_members(value), *check_messages(value, quirks), *_tools(value, quirks), *_choice(value), *check_model(value, quirks))


def _members(body: JsonObject) -> Iterator[Finding]:
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield error("chat.no-model", "/model", "The request names no model.", "Choose a model.")
    if "tools" in body and ("functions" in body or "function_call" in body):
        text = "`functions` and `tools` must not be sent together."
        yield error("chat.functions-beside-tools", "/functions", text, "Send `tools` only.", *_without(body, "functions", "function_call"))
    if "stream_options" in body and body["stream_options"] is not None and body.get("stream") is not True:
        text = "`stream_options` is only allowed in a streamed request."
        yield error("chat.stream-options", "/stream_options", text, "Leave it out, or set `stream`.", *_without(body, "stream_options"))
    if body.get("max_tokens") is not None and body.get("max_completion_tokens") is not None:
        text = "`max_tokens` and `max_completion_tokens` are both set; most servers take only one."
        yield warning("chat.two-limits", "/max_tokens", text, "Leave one out.", *_without(body, "max_tokens"))


def _without(body: JsonObject, *names: str) -> Iterator[Edit]:
    return (Edit(op="remove", pointer=f"/{name}") for name in names if name in body)


def _tools(body: JsonObject, quirks: Quirks) -> Iterator[Finding]:
    tools = body.get("tools")
    if tools is None:
        return
    if not isinstance(tools, list) or not tools:
        text = "`tools` must be a list with at least one tool."
        yield error("chat.empty-tools", "/tools", text, "Leave it out when there are no tools.", *_without(body, "tools"))
        return
    yield from _count(len(tools), quirks)
    seen: set[str] = set()
    names = Renaming(body, named_places)
    for place, tool in enumerate(tools):
        yield from _tool(body, tool, f"/tools/{place}", seen, names)


def _count(count: int, quirks: Quirks) -> Iterator[Finding]:
    if count > quirks.max_tools:
        yield error("chat.too-many-tools", "/tools", f"{count} tools are offered, the server takes at most {quirks.max_tools}.", "Offer fewer tools.")
    elif count > _MANY_TOOLS:
        yield warning("chat.many-tools", "/tools", f"{count} tools are offered; models choose worse among more than {_MANY_TOOLS}.", "Offer fewer tools.")


def _tool(body: JsonObject, tool: Any, pointer: str, seen: set[str], names: Renaming) -> Iterator[Finding]:
    if not isinstance(tool, dict):
        yield error("chat.tool-shape", pointer, "A tool is an object.")
        return
    if "type" not in tool:
        text = "The tool has no `type`; most servers refuse that."
        yield warning("chat.tool-type", pointer, text, 'Add "type": "function".', Edit(op="add", pointer=f"{pointer}/type", value="function"))
    if tool.get("type", "function") != "function":
        return
    function = tool.get("function")
    if not isinstance(function, dict):
        text = "A function tool has its name and parameters inside of a `function` object."
        yield error("chat.tool-shape", pointer, text, "Put them into `function`.", *_nested(tool, pointer))
        return
    yield from _name(names, function.get("name"), pointer, seen)
    yield from check_schema(function, f"{pointer}/function", moonshot=_is_moonshot(body))
    description = function.get("description")
    if isinstance(description, str) and len(description) > _LONGEST_DESCRIPTION:
        yield warning(
            "chat.description-length",
            f"{pointer}/function/description",
            f"The description has {len(description)} characters; older models and some gateways take at most {_LONGEST_DESCRIPTION}.",
            "Shorten the description.",
            Edit(op="replace", pointer=f"{pointer}/function/description", value=f"{description[: _LONGEST_DESCRIPTION - 1]}…"),
        )


def _nested(tool: JsonObject, pointer: str) -> Iterator[Edit]:
    """Yield the edit that puts a flat tool, as Responses has it, into the form that is wanted here."""
    if isinstance(tool.get("name"), str):
        function = {name: value for name, value in tool.items() if name not in ("type", "function")}
        yield Edit(op="replace", pointer=pointer, value={"type": "function", "function": function})


def _name(names: Renaming, name: Any, tool: str, seen: set[str]) -> Iterator[Finding]:
    pointer = f"{tool}/function/name"
    if not isinstance(name, str) or not NAME_PATTERN.fullmatch(name):
        long = isinstance(name, str) and len(name) > _LONGEST_NAME
        yield error(
            "chat.tool-name-length" if long else "chat.tool-name",
            pointer,
            f"The tool name {name!r} is not made of 1 to {_LONGEST_NAME} letters, digits, underscores and hyphens.",
            "Rename the tool.",
            *(names.edits(name) if isinstance(name, str) and name else ()),
        )
    elif name in seen:
        yield warning("chat.duplicate-tool", pointer, f"Two tools are called {name!r}.", "Leave one out.", Edit(op="remove", pointer=tool))
    seen.add(str(name))


def _choice(body: JsonObject) -> Iterator[Finding]:
    tools = body.get("tools")
    for name in ("tool_choice", "parallel_tool_calls"):
        if body.get(name) is not None and not tools:
            text = f"`{name}` is only allowed when tools are specified."
            yield error(f"chat.{name.replace('_', '-')}-without-tools", f"/{name}", text, "Leave it out.", *_without(body, name))
    match body.get("tool_choice"):
        case {"type": "function", "function": {"name": str() as wanted}} if isinstance(tools, list) and tools and wanted not in _names(tools):
            yield error(
                "chat.unknown-tool-choice",
                "/tool_choice/function/name",
                f"The tool choice {wanted!r} is not among the tools.",
                "Offer the tool, or choose another.",
                Edit(op="replace", pointer="/tool_choice", value="auto"),
            )
        case _:
            pass


def _names(tools: list[Any]) -> list[Any]:
    return [tool["function"].get("name") for tool in tools if isinstance(tool, dict) and isinstance(tool.get("function"), dict)]


def _is_moonshot(body: JsonObject) -> bool:
    model = str(body.get("model", "")).lower()
    return "kimi" in model or "moonshot" in model
