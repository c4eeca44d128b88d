"""Rules about tools, the choice of one, and marks for the cache."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.anthropic.names import MOST_MARKS, NAME_PATTERN, plain_name
from workbench.dialects.anthropic.turns import blocks_of
from workbench.dialects.base import Quirks
from workbench.dialects.findings import error, warning
from workbench.dialects.schema_rules import root_fault

_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_COMBINED = ("oneOf", "anyOf", "allOf")
_MANY = 20
_MEMBERS = frozenset(
    {"name", "description", "input_schema", "type", "cache_control", "strict", "eager_input_streaming"}
    | {"allowed_callers", "defer_loading", "input_examples"}
)
_CHOICES = ("auto", "any", "tool", "none")


def check_tools(body: JsonObject, quirks: Quirks) -> Iterator[Finding]:
    """Yield what is wrong with the tools and the choice of one."""
    tools = body.get("tools")
    if tools is not None and not isinstance(tools, list):
        yield error("anthropic.tools-shape", "/tools", "`tools` must be a list.")
        return
    yield from _count(tools or [], quirks)
    seen: set[Any] = set()
    for place, tool in enumerate(tools or []):
        pointer = f"/tools/{place}"
        if not isinstance(tool, dict):
            yield error("anthropic.tool-shape", pointer, "A tool is an object with a name and an `input_schema`.")
            continue
        name = tool.get("name")
        if isinstance(name, str):
            if name in seen:
                fix = Edit(op="remove", pointer=pointer)
                yield error("anthropic.tool-twice", f"{pointer}/name", f"Two tools have the name {name!r}.", "Keep the first.", fix)
            seen.add(name)
        if tool.get("type", "custom") in ("custom", "function", None):
            yield from _tool(body, tool, pointer)
    yield from _choice(body, tools or [], seen)


def _count(tools: Sequence[Any], quirks: Quirks) -> Iterator[Finding]:
    if len(tools) > quirks.max_tools:
        yield error("anthropic.too-many-tools", "/tools", f"There are {len(tools)} tools, at most {quirks.max_tools} are allowed.", "Offer fewer.")
    elif len(tools) > _MANY:
        yield warning("anthropic.many-tools", "/tools", f"There are {len(tools)} tools; models choose badly among more than {_MANY}.", "Offer fewer.")


def _tool(body: JsonObject, tool: JsonObject, pointer: str) -> Iterator[Finding]:
    name = tool.get("name")
    if tool.get("type") == "function" and "input_schema" not in tool:
        function = tool["function"] if isinstance(tool.get("function"), dict) else tool
        flat = {"name": function.get("name"), "description": function.get("description", ""), "input_schema": function.get("parameters", _EMPTY)}
        fix = Edit(op="replace", pointer=pointer, value=flat)
        yield error("anthropic.tool-shape", pointer, "The tool is written as another dialect writes it.", "Write it flat, with an `input_schema`.", fix)
        return
    if not isinstance(name, str) or not NAME_PATTERN.fullmatch(name):
        yield error(
            "anthropic.tool-name",
            f"{pointer}/name",
            f"The tool name {name!r} is not made of 1 to 128 letters, digits, underscores and hyphens.",
            "Replace the other characters, here and in the calls.",
            *_renamed(body, name, pointer),
        )
    yield from _schema(tool, pointer)
    if unknown := [member for member in tool if member not in _MEMBERS]:
        edits = [Edit(op="remove", pointer=f"{pointer}/{member.replace('~', '~0').replace('/', '~1')}") for member in unknown]
        what = ", ".join(map(repr, unknown))
        yield warning("anthropic.extra-member", pointer, f"The API does not know {what} of a tool and refuses it.", "Leave it out.", *edits)


def _renamed(body: JsonObject, name: Any, pointer: str) -> Iterator[Edit]:
    fresh = plain_name(name if isinstance(name, str) else "")
    yield Edit(op="add", pointer=f"{pointer}/name", value=fresh)
    messages = body.get("messages")
    for place, message in enumerate(messages if isinstance(messages, list) else ()):
        for placed in blocks_of(place, message):
            if isinstance(name, str) and placed.block.get("type") == "tool_use" and placed.block.get("name") == name:
                yield Edit(op="replace", pointer=f"{placed.pointer}/name", value=fresh)
    choice = body.get("tool_choice")
    if isinstance(name, str) and isinstance(choice, dict) and choice.get("name") == name:
        yield Edit(op="replace", pointer="/tool_choice/name", value=fresh)


def _schema(tool: JsonObject, pointer: str) -> Iterator[Finding]:
    schema, where = tool.get("input_schema"), f"{pointer}/input_schema"
    fault = root_fault(schema)
    if fault is not None:
        fix = Edit(op="add", pointer=f"{where}/type", value="object") if isinstance(schema, dict) else Edit(op="add", pointer=where, value=_EMPTY)
        yield error("anthropic.schema-root", where, f"The schema of the tool {tool.get('name')!r} {fault.text}.", "Make it an object.", fix)
    if not isinstance(schema, dict):
        return
    if combined := [name for name in _COMBINED if name in schema]:
        yield error(
            "anthropic.schema-combined",
            f"{where}/{combined[0]}",
            f"The schema of the tool {tool.get('name')!r} uses {', '.join(combined)} at its root.",
            "Leave it out; what it demands is not demanded then.",
            *(Edit(op="remove", pointer=f"{where}/{name}") for name in combined),
        )
    properties = schema.get("properties")
    for name in properties if isinstance(properties, dict) else ():
        if not _PROPERTY.fullmatch(name):
            yield error(
                "anthropic.property-name",
                f"{where}/properties",
                f"The argument {name!r} is not made of 1 to 64 letters, digits, underscores, dots and hyphens.",
                "Rename it in the tool.",
            )


def _choice(body: JsonObject, tools: Sequence[Any], names: set[Any]) -> Iterator[Finding]:
    choice = body.get("tool_choice")
    if choice is None:
        return
    if not tools:
        gone = Edit(op="remove", pointer="/tool_choice")
        yield error("anthropic.choice-without-tools", "/tool_choice", "A tool choice stands there without tools.", "Leave it out.", gone)
    elif not isinstance(choice, dict) or choice.get("type") not in _CHOICES:
        word = {"required": "any", "none": "none"}.get(choice, "auto") if isinstance(choice, str) else "auto"
        fix = Edit(op="replace", pointer="/tool_choice", value={"type": word})
        yield error("anthropic.choice-shape", "/tool_choice", "The tool choice is an object with a `type`: auto, any, tool or none.", "Write it so.", fix)
    elif choice["type"] == "tool" and choice.get("name") not in list(names):
        yield error(
            "anthropic.choice-unknown", "/tool_choice/name", f"The tool choice {choice.get('name')!r} is not among the tools.", "Offer it, or choose another."
        )


def check_marks(body: JsonObject, messages: Sequence[Any]) -> Iterator[Finding]:
    """Yield too many marks for the cache; the oldest go."""
    parts = [("/tools", body.get("tools")), ("/system", body.get("system"))]
    fixed = [
        f"{pointer}/{place}"
        for pointer, listed in parts
        for place, block in enumerate(listed if isinstance(listed, list) else ())
        if isinstance(block, dict) and block.get("cache_control")
    ]
    placed = [mark for place, message in enumerate(messages) for block in blocks_of(place, message) for mark in _marks(block.pointer, block.block)]
    count = len(fixed) + len(placed) + bool(body.get("cache_control"))
    if count > MOST_MARKS:
        over = [*placed[:-2], *fixed[:-2], *placed[-2:], *fixed[-2:]][: count - MOST_MARKS]
        yield error(
            "anthropic.cache-marks",
            f"{over[0]}/cache_control",
            f"There are {count} marks for the cache, at most {MOST_MARKS} are allowed.",
            "Take the oldest away.",
            *(Edit(op="remove", pointer=f"{pointer}/cache_control") for pointer in over),
        )


def _marks(pointer: str, block: JsonObject) -> Iterator[str]:
    if block.get("cache_control") and block.get("type") not in ("thinking", "redacted_thinking"):
        yield pointer
    content = block.get("content")
    for place, inner in enumerate(content if isinstance(content, list) else ()):
        if isinstance(inner, dict) and inner.get("cache_control"):
            yield f"{pointer}/content/{place}"


_EMPTY: JsonObject = {"type": "object", "properties": {}}
