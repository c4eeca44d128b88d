"""What a Responses server refuses in a request, told before it is sent; the wire specification's sections 3 and 11.

Each rule has a stable id. Errors are refused by the named kind of server; warnings work on some servers and fail on others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.findings import error, warning
from workbench.dialects.json_text import read_json
from workbench.dialects.responses.item_rules import check_items
from workbench.dialects.responses.items import objects
from workbench.dialects.responses.request import ENCRYPTED
from workbench.dialects.schema_rules import root_fault, strict_faults

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_MANY_TOOLS = 20
_NO_REASONING = re.compile(r"(?:^|/)(?:gpt-3|gpt-4|chatgpt-|gpt-5(?:\.\d+)?-chat)")
_DEEPSEEK_THINKING = re.compile(r"(?:^|/)deepseek-(?:v4|reasoner)")
_CHAT_MEMBERS: dict[str, str] = {
    "messages": "input",
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "reasoning_effort": "reasoning",
    "response_format": "text",
    "functions": "tools",
    "function_call": "tool_choice",
    "stop": "",
}


def check(body: bytes, quirks: Quirks = NORM) -> tuple[Finding, ...]:
    """Return what a server with these quirks would refuse, and what only some servers take; in the order of the rules."""
    try:
        value = read_json(body)
    except ValueError as reason:
        return (error("responses.not-json", "", f"The request is not JSON: {reason}."),)
    if not isinstance(value, dict):
        return (error("responses.shape", "", "A request is an object with an `input`."),)
    return (*_members(value), *check_items(value), *_tools(value, quirks), *_choice(value))


def _members(body: JsonObject) -> Iterator[Finding]:
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield error("responses.no-model", "/model", "The request names no model.", "Choose a model.")
    for name, instead in _CHAT_MEMBERS.items():
        if name in body:
            yield _chat_member(body, name, instead)
    if body.get("previous_response_id") and body.get("conversation"):
        edit = Edit(op="remove", pointer="/previous_response_id")
        yield error(
            "responses.two-chains", "/previous_response_id", "`previous_response_id` and `conversation` must not be sent together.", "Send one of them.", edit
        )
    include = body.get("include")
    if isinstance(include, list) and ENCRYPTED in include and _NO_REASONING.search(str(body.get("model", ""))):
        place = include.index(ENCRYPTED)
        yield error(
            "responses.encrypted-unsupported",
            f"/include/{place}",
            f"{body['model']} does not reason, so it refuses to include encrypted reasoning.",
            "Leave it out.",
            Edit(op="remove", pointer=f"/include/{place}"),
        )
    heat = body.get("temperature")
    if isinstance(heat, int | float) and not isinstance(heat, bool) and not 0 <= heat <= 2:
        edit = Edit(op="remove", pointer="/temperature")
        yield error("responses.temperature", "/temperature", f"The temperature {heat} is not between 0 and 2.", "Leave it out.", edit)
    limit = body.get("max_output_tokens")
    if isinstance(limit, int) and not isinstance(limit, bool) and limit < 1:
        edit = Edit(op="remove", pointer="/max_output_tokens")
        yield error("responses.limit-too-low", "/max_output_tokens", "`max_output_tokens` must be at least 1; OpenAI wants 16.", "Raise it.", edit)
    elif isinstance(limit, int) and not isinstance(limit, bool) and limit < 16:
        edit = Edit(op="replace", pointer="/max_output_tokens", value=16)
        yield warning("responses.limit-low", "/max_output_tokens", "OpenAI refuses a `max_output_tokens` below 16.", "Raise it to 16.", edit)


def _chat_member(body: JsonObject, name: str, instead: str) -> Finding:
    """Return the finding about a member that belongs to Chat Completions."""
    value = body[name]
    edits: tuple[Edit, ...] = (Edit(op="remove", pointer=f"/{name}"),)
    if instead and instead not in body:
        if name == "reasoning_effort":
            edits = (*edits, Edit(op="add", pointer="/reasoning", value={"effort": value}))
        elif instead == "max_output_tokens":
            edits = (*edits, Edit(op="add", pointer=f"/{instead}", value=value))
        elif name == "messages":
            edits = ()
    fix = f"Use `{instead}`." if instead else "Leave it out."
    return error("responses.chat-member", f"/{name}", f"`{name}` belongs to Chat Completions; it is refused here.", fix, *edits)


def _tools(body: JsonObject, quirks: Quirks) -> Iterator[Finding]:
    tools = body.get("tools")
    if tools is None:
        return
    if not isinstance(tools, list):
        yield error("responses.tools-shape", "/tools", "`tools` must be a list.", "Leave it out.", Edit(op="remove", pointer="/tools"))
        return
    if len(tools) > quirks.max_tools:
        yield error(
            "responses.too-many-tools", "/tools", f"{len(tools)} tools are offered, the server takes at most {quirks.max_tools}.", "Offer fewer tools."
        )
    elif len(tools) > _MANY_TOOLS:
        yield warning("responses.many-tools", "/tools", f"{len(tools)} tools are offered; models choose worse among many.", "Offer fewer tools.")
    seen: set[str] = set()
    for place, tool in enumerate(tools):
        yield from _tool(tool, f"/tools/{place}", seen, body)


def _tool(tool: Any, pointer: str, seen: set[str], body: JsonObject) -> Iterator[Finding]:
    if not isinstance(tool, dict):
        yield error("responses.tool-shape", pointer, "A tool is an object.", "Leave it out.", Edit(op="remove", pointer=pointer))
        return
    function = tool.get("function")
    if isinstance(function, dict) and "name" not in tool:
        flat = {"type": "function", **function}
        yield error(
            "responses.tool-nested",
            pointer,
            "The function of a tool is written in an object of its own, as Chat Completions has it; here tools are flat.",
            "Put name, description and parameters into the tool itself.",
            Edit(op="replace", pointer=pointer, value=flat),
        )
        return
    if "type" not in tool:
        edit = Edit(op="add", pointer=f"{pointer}/type", value="function")
        yield error("responses.tool-type", pointer, "The tool has no `type`.", 'Add "type": "function".', edit)
    elif tool["type"] in ("function", "custom"):
        yield from _name(tool, pointer, seen, body)
        if tool["type"] == "function":
            yield from _schema(tool, pointer)


def _name(tool: JsonObject, pointer: str, seen: set[str], body: JsonObject) -> Iterator[Finding]:
    name = tool.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        plain = re.sub(r"[^a-zA-Z0-9_-]", "_", str(name or ""))[:64] or "tool"
        yield error(
            "responses.tool-name",
            f"{pointer}/name",
            f"The tool name {name!r} is not made of 1 to 64 letters, digits, underscores and hyphens.",
            "Replace the other characters, in the tool and in its calls.",
            Edit(op="replace" if "name" in tool else "add", pointer=f"{pointer}/name", value=plain),
            *(
                Edit(op="replace", pointer=f"/input/{place}/name", value=plain)
                for place, item in enumerate(body["input"] if isinstance(body.get("input"), list) else ())
                if isinstance(item, dict) and isinstance(name, str) and item.get("name") == name
            ),
        )
    elif name in seen:
        yield error("responses.duplicate-tool", pointer, f"Two tools are called {name!r}.", "Leave one out.", Edit(op="remove", pointer=pointer))
    seen.add(str(name))


def _schema(tool: JsonObject, pointer: str) -> Iterator[Finding]:
    name, schema, strict = tool.get("name"), tool.get("parameters"), tool.get("strict")
    if schema is None:
        edit = Edit(op="replace" if "parameters" in tool else "add", pointer=f"{pointer}/parameters", value={"type": "object", "properties": {}})
        message = f"The tool {name} has no `parameters`; some servers refuse that."
        yield warning("responses.no-parameters", pointer, message, "Add an empty object schema.", edit)
    elif fault := root_fault(schema):
        edits = (Edit(op="replace", pointer=f"{pointer}/parameters", value={"type": "object", "properties": {}}),) if schema in ({}, None) else ()
        yield error("responses.schema-root", f"{pointer}/parameters", f"The schema of {name} {fault.text}.", "Write it as an object schema.", *edits)
    if strict is None:
        edit = Edit(op="replace" if "strict" in tool else "add", pointer=f"{pointer}/strict", value=False)
        yield warning(
            "responses.strict-unsaid", pointer, f"The tool {name} does not say `strict`, which means true here.", 'Send "strict": false.', edit
        )
    for fault in strict_faults(schema) if strict is True else ():
        yield error(
            "responses.strict-schema",
            f"{pointer}/parameters{fault.pointer}",
            f"The schema of {name} {fault.text}.",
            "Switch `strict` off, or close the schema.",
            Edit(op="replace", pointer=f"{pointer}/strict", value=False),
        )
        return


def _choice(body: JsonObject) -> Iterator[Finding]:
    choice, tools = body.get("tool_choice"), objects(body.get("tools"))
    forced = choice == "required" or isinstance(choice, dict)
    if forced and not body.get("tools"):
        edit = Edit(op="remove", pointer="/tool_choice")
        yield error("responses.tool-choice-without-tools", "/tool_choice", "A tool is demanded, but no tools are offered.", "Leave it out.", edit)
        return
    match choice:
        case {"function": {"name": str() as name}, **rest} if "name" not in rest:
            edit = Edit(op="replace", pointer="/tool_choice", value={"type": "function", "name": name})
            message = "The tool choice is written as Chat Completions has it."
            yield error("responses.choice-nested", "/tool_choice", message, "Put the name beside the type.", edit)
        case {"type": "function" | "custom", "name": str() as name} if name not in [tool.get("name") for tool in tools]:
            edit = Edit(op="replace", pointer="/tool_choice", value="auto")
            yield error("responses.unknown-tool-choice", "/tool_choice/name", f"The tool choice {name!r} is not among the tools.", "Offer the tool.", edit)
        case _:
            pass
    if forced and _DEEPSEEK_THINKING.search(str(body.get("model", ""))):
        edit = Edit(op="replace", pointer="/tool_choice", value="auto")
        yield error("responses.thinking-tool-choice", "/tool_choice", "The model thinks, and does not support a forced tool then.", "Use 'auto'.", edit)
