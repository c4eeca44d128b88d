"""What Ollama refuses in a request, or silently does without, told before it is sent; the wire specification's sections 7 and 11."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.findings import error, warning
from workbench.dialects.json_text import read_json
from workbench.dialects.ollama.message_rules import check_messages
from workbench.dialects.ollama.request import LEVELS
from workbench.dialects.schema_rules import root_fault

DEFAULT_CONTEXT_TOKENS = 4096
"""The window that Ollama gives a request that asks for none (2048 in older versions)."""

_BYTES_PER_TOKEN = 4
_MANY_TOOLS = 20
_NO_PARAMETERS: JsonObject = {"type": "object", "properties": {}}
_IN_OPTIONS = {"max_tokens": "num_predict", "max_completion_tokens": "num_predict", "temperature": "temperature", "stop": "stop", "seed": "seed"}
_IN_OPTIONS |= {"num_ctx": "num_ctx", "num_predict": "num_predict", "top_p": "top_p", "top_k": "top_k"}
_IGNORED = ("tool_choice", "parallel_tool_calls", "stream_options", "reasoning_effort")


def check(body: bytes, quirks: Quirks = NORM) -> tuple[Finding, ...]:
    """Return what the server would refuse, and what it would do without; in the order of the rules."""
    try:
        value = read_json(body)
    except ValueError as reason:
        return (error("ollama.not-json", "", f"The request is not JSON: {reason}."),)
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return (error("ollama.shape", "/messages", "A request is an object with a list of messages."),)
    return (*_members(value), *check_messages(value["messages"]), *_tools(value, quirks), *_window(value, len(body)))


def _members(body: JsonObject) -> Iterator[Finding]:
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield error("ollama.no-model", "/model", "The request names no model.", "Choose a model.")
    if not isinstance(body.get("stream"), bool):
        edit = Edit(op="replace" if "stream" in body else "add", pointer="/stream", value=True)
        yield warning("ollama.stream", "/stream", "The request does not say `stream`, which then is true.", "Say it.", edit)
    if "think" in body and not _is_think(body["think"]):
        text, fix = "`think` is true, false, or the word low, medium or high.", "Leave it out."
        yield error("ollama.think", "/think", text, fix, Edit(op="remove", pointer="/think"))
    form = body.get("format")
    if not (form is None or isinstance(form, dict) or form in ("", "json")):
        text, fix = '`format` is "json" or a JSON Schema.', "Leave it out."
        yield error("ollama.format", "/format", text, fix, Edit(op="remove", pointer="/format"))
    yield from _options(body)


def _is_think(value: Any) -> bool:
    return value is None or isinstance(value, bool) or (isinstance(value, str) and value in LEVELS.values())


def _options(body: JsonObject) -> Iterator[Finding]:
    options = body.get("options")
    if options is not None and not isinstance(options, dict):
        edit = Edit(op="remove", pointer="/options")
        yield error("ollama.options", "/options", "`options` is an object.", "Leave it out.", edit)
        return
    for name, inner in _IN_OPTIONS.items():
        if name in body:
            holder = () if isinstance(options, dict) else (Edit(op="replace" if "options" in body else "add", pointer="/options", value={}),)
            known = isinstance(options, dict) and inner in options
            moved = Edit(op="remove", pointer=f"/{name}") if known else Edit(op="move", pointer=f"/options/{inner}", source=f"/{name}")
            text = f"`{name}` outside of `options` is ignored."
            yield warning("ollama.option-place", f"/{name}", text, f"Set `options.{inner}`.", *holder, moved)
    for name in _IGNORED:
        if name in body:
            yield warning("ollama.ignored", f"/{name}", f"Ollama ignores `{name}`.", "Leave it out.", Edit(op="remove", pointer=f"/{name}"))
    if isinstance(options, dict) and isinstance(options.get("stop"), str):
        edit = Edit(op="replace", pointer="/options/stop", value=[options["stop"]])
        yield error("ollama.stop", "/options/stop", "`stop` is a list of texts.", "Put it into a list.", edit)


def _tools(body: JsonObject, quirks: Quirks) -> Iterator[Finding]:
    tools = body.get("tools")
    if tools is None:
        return
    if not isinstance(tools, list):
        yield error("ollama.tools", "/tools", "`tools` is a list.", "Leave it out.", Edit(op="remove", pointer="/tools"))
        return
    if len(tools) > quirks.max_tools:
        yield error("ollama.too-many-tools", "/tools", f"{len(tools)} tools are offered, at most {quirks.max_tools} are sensible.", "Offer fewer tools.")
    elif len(tools) > _MANY_TOOLS:
        yield warning("ollama.many-tools", "/tools", f"{len(tools)} tools are offered; models choose worse among more than {_MANY_TOOLS}.", "Offer fewer.")
    seen: set[str] = set()
    for place, tool in enumerate(tools):
        yield from _tool(tool, f"/tools/{place}", seen)


def _tool(tool: Any, pointer: str, seen: set[str]) -> Iterator[Finding]:
    function = tool.get("function") if isinstance(tool, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str) or not function["name"]:
        text = "A tool has its name and parameters inside of a `function` object."
        yield error("ollama.tool-shape", pointer, text, "Leave it out.", Edit(op="remove", pointer=pointer))
        return
    name = function["name"]
    if tool.get("type") != "function":
        edit = Edit(op="replace" if "type" in tool else "add", pointer=f"{pointer}/type", value="function")
        yield error("ollama.tool-type", f"{pointer}/type", f"The tool {name!r} is not of the type `function`.", "Make it a function.", edit)
    if name in seen:
        edit = Edit(op="remove", pointer=pointer)
        yield warning("ollama.duplicate-tool", f"{pointer}/function/name", f"Two tools are called {name!r}.", "Leave one out.", edit)
    seen.add(name)
    schema = function.get("parameters")
    if "parameters" in function and (fault := root_fault(schema)):
        mended = _NO_PARAMETERS if not isinstance(schema, dict) else {**schema, "type": "object"} if schema.get("type") is None else None
        edits = (Edit(op="replace", pointer=f"{pointer}/function/parameters", value=mended),) if mended is not None else ()
        fix = 'Use {"type": "object", "properties": {}} for a tool without parameters.'
        yield error("ollama.schema-root", f"{pointer}/function/parameters", f"The schema of {name} {fault.text}.", fix, *edits)


def _window(body: JsonObject, size_bytes: int) -> Iterator[Finding]:
    """Yield a warning where the prompt is about longer than the window: Ollama cuts its beginning off without a word."""
    options = body.get("options")
    inner: JsonObject = options if isinstance(options, dict) else {}
    asked = inner.get("num_ctx")
    window = asked if isinstance(asked, int) and not isinstance(asked, bool) and asked > 0 else DEFAULT_CONTEXT_TOKENS
    pictures = sum(len(image) for message in body["messages"] if isinstance(message, dict) for image in _images(message))
    needed = (size_bytes - pictures) // _BYTES_PER_TOKEN
    if needed <= window:
        return
    place = Edit(op="replace" if "num_ctx" in inner else "add", pointer="/options/num_ctx", value=_at_least(needed * 5 // 4))
    holder = () if isinstance(options, dict) else (Edit(op="replace" if "options" in body else "add", pointer="/options", value={}),)
    yield warning(
        "ollama.window",
        "/options/num_ctx",
        f"The prompt has about {needed} tokens, the window {window}: Ollama would cut off its beginning, tools and all.",
        "Ask for a larger window (num_ctx), if there is memory for it.",
        *holder,
        place,
    )


def _images(message: JsonObject) -> list[str]:
    images = message.get("images")
    return [image for image in images if isinstance(image, str)] if isinstance(images, list) else []


def _at_least(tokens: int) -> int:
    """Return the smallest power of two that is not less."""
    return 1 << (tokens - 1).bit_length()
