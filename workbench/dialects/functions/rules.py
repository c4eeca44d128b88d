"""What a server refuses in a request with `functions`, told before it is sent; the wire specification's sections 2 and 11."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.chat_completions.request_messages import NAME_PATTERN
from workbench.dialects.findings import error, warning
from workbench.dialects.functions.message_rules import check_messages
from workbench.dialects.functions.renaming import named_places
from workbench.dialects.json_text import read_json
from workbench.dialects.renaming import Renaming
from workbench.dialects.schema_rules import root_fault

_MANY = 20
_LONGEST_DESCRIPTION = 1024
_NO_PARAMETERS: JsonObject = {"type": "object", "properties": {}}


def check(body: bytes, quirks: Quirks = NORM) -> tuple[Finding, ...]:
    """Return what a server with these quirks would refuse, and what only some servers take; in the order of the rules."""
    try:
        value = read_json(body)
    except ValueError as reason:
        return (error("functions.not-json", "", f"The request is not JSON: {reason}."),)
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return (error("functions.shape", "/messages", "A request is an object with a list of messages."),)
    return (*_members(value), *check_messages(value), *_functions(value, quirks), *_choice(value))


def _members(body: JsonObject) -> Iterator[Finding]:
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield error("functions.no-model", "/model", "The request names no model.", "Choose a model.")
    for name in ("tools", "tool_choice", "parallel_tool_calls"):
        if name in body:
            yield error(
                f"functions.beside-{name.replace('_', '-')}",
                f"/{name}",
                f"`{name}` belongs to tools and must not be sent together with functions.",
                "Leave it out; tools that are no functions yet become some.",
                *(_as_functions(body) if name == "tools" else ()),
                Edit(op="remove", pointer=f"/{name}"),
            )
    if body.get("stream_options") is not None and body.get("stream") is not True:
        yield error(
            "functions.stream-options",
            "/stream_options",
            "`stream_options` is only allowed in a streamed request.",
            "Leave it out, or set `stream`.",
            Edit(op="remove", pointer="/stream_options"),
        )
    if body.get("max_tokens") is not None and body.get("max_completion_tokens") is not None:
        yield warning(
            "functions.two-limits",
            "/max_tokens",
            "`max_tokens` and `max_completion_tokens` are both set; most servers take only one.",
            "Leave one out.",
            Edit(op="remove", pointer="/max_completion_tokens"),
        )


def _as_functions(body: JsonObject) -> tuple[Edit, ...]:
    """Return the edit that offers the request's tools as functions; none where it has functions already."""
    tools = body["tools"]
    functions = [tool["function"] for tool in tools if isinstance(tool, dict) and isinstance(tool.get("function"), dict)] if isinstance(tools, list) else []
    return (Edit(op="add", pointer="/functions", value=functions),) if functions and "functions" not in body else ()


def _functions(body: JsonObject, quirks: Quirks) -> Iterator[Finding]:
    if "functions" not in body:
        return
    functions = body["functions"]
    if not isinstance(functions, list) or not functions:
        fix = "Leave it out when there are no functions."
        yield error("functions.empty", "/functions", "`functions` must be a list with at least one function.", fix, Edit(op="remove", pointer="/functions"))
        return
    yield from _count(len(functions), quirks)
    seen: set[str] = set()
    names = Renaming(body, named_places)
    for place, function in enumerate(functions):
        yield from _function(names, function, f"/functions/{place}", seen)


def _count(count: int, quirks: Quirks) -> Iterator[Finding]:
    if count > quirks.max_tools:
        yield error("functions.too-many", "/functions", f"{count} functions are offered, at most {quirks.max_tools} are allowed.", "Offer fewer functions.")
    elif count > _MANY:
        yield warning("functions.many", "/functions", f"{count} functions are offered; models choose worse among more than {_MANY}.", "Offer fewer functions.")


def _function(names: Renaming, function: Any, pointer: str, seen: set[str]) -> Iterator[Finding]:
    if not isinstance(function, dict):
        yield error("functions.function-shape", pointer, "A function is an object with a name.", "Leave it out.", Edit(op="remove", pointer=pointer))
        return
    if "name" not in function and isinstance(function.get("function"), dict):
        yield error(
            "functions.wrapped",
            pointer,
            "The function is wrapped as a tool is; here it stands by itself.",
            "Unwrap it.",
            Edit(op="replace", pointer=pointer, value=function["function"]),
        )
        return
    yield from _name(names, function.get("name"), pointer, seen)
    yield from _about(function, pointer)


def _name(names: Renaming, name: Any, pointer: str, seen: set[str]) -> Iterator[Finding]:
    if not isinstance(name, str) or not name:
        yield error("functions.no-name", f"{pointer}/name", "A function has no name.", "Name it, or leave it out.", Edit(op="remove", pointer=pointer))
        return
    if not NAME_PATTERN.fullmatch(name):
        yield error(
            "functions.name",
            f"{pointer}/name",
            f"The function name {name!r} is not made of 1 to 64 letters, digits, underscores and hyphens.",
            "Rename the function, here and in its calls and results.",
            *names.edits(name),
        )
    elif name in seen:
        fix = "Leave one out."
        yield warning("functions.duplicate", f"{pointer}/name", f"Two functions are called {name!r}.", fix, Edit(op="remove", pointer=pointer))
    seen.add(name)


def _about(function: JsonObject, pointer: str) -> Iterator[Finding]:
    schema, description = function.get("parameters"), function.get("description")
    if "parameters" in function and (fault := root_fault(schema)):
        mended = _NO_PARAMETERS if not isinstance(schema, dict) else {**schema, "type": "object"} if schema.get("type") is None else None
        yield error(
            "functions.schema-root",
            f"{pointer}/parameters",
            f"The schema of {function.get('name')} {fault.text}.",
            'Use {"type": "object", "properties": {}} for a function without parameters.',
            *((Edit(op="replace", pointer=f"{pointer}/parameters", value=mended),) if mended is not None else ()),
        )
    if isinstance(description, str) and len(description) > _LONGEST_DESCRIPTION:
        yield warning(
            "functions.description-length",
            f"{pointer}/description",
            f"The description has {len(description)} characters; older models and some gateways take at most {_LONGEST_DESCRIPTION}.",
            "Shorten the description.",
        )


def _choice(body: JsonObject) -> Iterator[Finding]:
    if body.get("function_call") is None:
        return
    functions = body.get("functions")
    if not functions:
        text, fix = "`function_call` is only allowed when functions are specified.", "Leave it out."
        yield error("functions.choice-without-functions", "/function_call", text, fix, Edit(op="remove", pointer="/function_call"))
        return
    match body["function_call"]:
        case "auto" | "none":
            return
        case {"name": str() as wanted}:
            names = [function.get("name") for function in functions if isinstance(function, dict)] if isinstance(functions, list) else []
            if wanted in names:
                return
            rule, pointer, text = "functions.unknown-choice", "/function_call/name", f"The choice {wanted!r} is not among the functions."
        case _:
            rule, pointer, text = "functions.choice", "/function_call", '`function_call` is "auto", "none" or an object with a name.'
    yield error(rule, pointer, text, "Let the model choose.", Edit(op="replace", pointer="/function_call", value="auto"))
