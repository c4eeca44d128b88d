"""Rules about single messages and blocks: shapes, what may not be empty, what stands where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.anthropic.names import PICTURES, THINKING
from workbench.dialects.anthropic.turns import NOTHING, Placed, drop
from workbench.dialects.argument_text import replay_text
from workbench.dialects.findings import error, warning
from workbench.dialects.json_text import read_json, write_json

_IN_RESULTS = ("text", "image", "document", "search_result", "tool_reference")
_MEMBERS = {
    "text": ("type", "text", "cache_control", "citations"),
    "tool_use": ("type", "id", "name", "input", "cache_control", "caller", "toolset_name"),
    "tool_result": ("type", "tool_use_id", "content", "is_error", "cache_control"),
    "thinking": ("type", "thinking", "signature"),
    "redacted_thinking": ("type", "data"),
}


def check_blocks(messages: Sequence[Any]) -> Iterator[Finding]:
    """Yield what is wrong with each message for itself."""
    for place, message in enumerate(messages):
        pointer = f"/messages/{place}"
        role = message.get("role") if isinstance(message, dict) else None
        if role == "system":
            yield warning(
                "anthropic.system-role",
                f"{pointer}/role",
                "Only the newest models take system text between the messages.",
                "Send it as the user's.",
                Edit(op="replace", pointer=f"{pointer}/role", value="user"),
            )
        elif role not in ("user", "assistant"):
            yield error("anthropic.role", f"{pointer}/role", f"The role {role!r} is neither user nor assistant.")
            continue
        yield from _content(messages, place, message)
        if unknown := [name for name in message if name not in ("role", "content")]:
            yield _extra(pointer, unknown)


def _content(messages: Sequence[Any], place: int, message: JsonObject) -> Iterator[Finding]:
    content, pointer = message.get("content"), f"/messages/{place}/content"
    last_answer = place == len(messages) - 1 and message["role"] == "assistant"
    if isinstance(content, str) or content in (None, []):
        if (isinstance(content, str) and content.strip()) or (last_answer and content in ("", [])):
            return
        only = place == len(messages) - 1
        edit = Edit(op="add", pointer=pointer, value=NOTHING) if only else Edit(op="remove", pointer=f"/messages/{place}")
        yield error("anthropic.empty-message", pointer, "The message has no content.", "Leave it out.", edit)
    elif not isinstance(content, list):
        yield error("anthropic.content-shape", pointer, "The content is neither a text nor a list of blocks.")
    else:
        for number, block in enumerate(content):
            yield from _block(messages, message["role"], block, f"{pointer}/{number}", place, number)


def _block(messages: Sequence[Any], role: str, block: Any, pointer: str, place: int, number: int) -> Iterator[Finding]:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(kind, str):
        mends = isinstance(block, dict) and isinstance(block.get("text"), str)
        edits = [Edit(op="add", pointer=f"{pointer}/type", value="text")] if mends else []
        yield error("anthropic.block-type", pointer, "A block of the content has no `type`.", 'Add "type": "text".' if mends else "", *edits)
        return
    placed = Placed(place, number, block)
    match kind:
        case _ if kind.endswith("_delta"):
            message = f"{kind!r} is a piece of a stream, not a block; only whole blocks go back."
            yield error("anthropic.delta-block", pointer, message, "Leave it out.", *drop(messages, placed))
        case "text" if not isinstance(block.get("text"), str):
            yield error("anthropic.text-shape", f"{pointer}/text", "The text of a block is missing.", "Leave the block out.", *drop(messages, placed))
        case "text" if not block["text"].strip():
            yield error("anthropic.empty-text", pointer, "A text block holds no words.", "Leave it out.", *drop(messages, placed))
        case "tool_use":
            yield from _input(block, pointer)
        case "tool_result":
            yield from _result(block, pointer)
        case "image" if role == "assistant":
            yield error("anthropic.picture-place", pointer, "Pictures are not allowed in the assistant's messages.", "Leave it out.", *drop(messages, placed))
        case "image":
            yield from _picture(block, pointer)
        case "thinking" | "redacted_thinking":
            yield from _thinking(messages, role, placed)
        case _:
            pass
    if unknown := [name for name in block if name not in _MEMBERS.get(kind, block) and not (kind in THINKING and name == "cache_control")]:
        yield _extra(pointer, unknown)


def _input(block: JsonObject, pointer: str) -> Iterator[Finding]:
    given = block.get("input")
    if isinstance(given, dict):
        return
    raw = given if isinstance(given, str) else "" if given is None else write_json(given).decode()
    yield error(
        "anthropic.input-object",
        f"{pointer}/input",
        "The input of a call is not an object.",
        "Wrap it into one.",
        Edit(op="add", pointer=f"{pointer}/input", value=read_json(replay_text(clean_text(raw)))),
    )


def _result(block: JsonObject, pointer: str) -> Iterator[Finding]:
    content = block.get("content")
    if content is None or isinstance(content, str):
        return
    if not isinstance(content, list):
        words = Edit(op="replace", pointer=f"{pointer}/content", value=write_json(content).decode())
        yield error("anthropic.result-content", f"{pointer}/content", "The content of a result is neither a text nor a list of blocks.", "Send a text.", words)
        return
    for number, inner in enumerate(content):
        where = f"{pointer}/content/{number}"
        kind = inner.get("type") if isinstance(inner, dict) else None
        if kind not in _IN_RESULTS:
            yield error("anthropic.result-content", where, f"A result cannot hold a block of the type {kind!r}.")
        elif kind == "text" and not (isinstance(inner.get("text"), str) and inner["text"].strip()):
            yield error("anthropic.empty-text", where, "A text block holds no words.", "Leave it out.", Edit(op="remove", pointer=where))
        elif kind == "image":
            yield from _picture(inner, where)


def _picture(block: JsonObject, pointer: str) -> Iterator[Finding]:
    source = block.get("source")
    kind = source.get("media_type") if isinstance(source, dict) and source.get("type") == "base64" else PICTURES[0]
    if kind not in PICTURES:
        yield error("anthropic.picture-type", f"{pointer}/source/media_type", f"Pictures of the type {kind!r} are not taken.", f"Use {', '.join(PICTURES)}.")


def _thinking(messages: Sequence[Any], role: str, placed: Placed) -> Iterator[Finding]:
    block, pointer = placed.block, placed.pointer
    if role != "assistant":
        yield error("anthropic.thinking-place", pointer, "Thinking stands only in the assistant's messages.", "Leave it out.", *drop(messages, placed))
        return
    sealed = block.get("signature" if block["type"] == "thinking" else "data")
    if not isinstance(sealed, str) or not sealed:
        message = "Thinking without its signature is refused: it was interrupted, or another model's."
        yield error("anthropic.thinking-unsigned", pointer, message, "Leave it out.", *drop(messages, placed))
    elif block["type"] == "thinking" and not isinstance(block.get("thinking"), str):
        yield error("anthropic.thinking-shape", f"{pointer}/thinking", "The text of a thinking block is missing.", "Leave it out.", *drop(messages, placed))
    if "cache_control" in block:
        mark = f"{pointer}/cache_control"
        yield error("anthropic.thinking-mark", mark, "Thinking cannot be marked for the cache.", "Take the mark away.", Edit(op="remove", pointer=mark))


def _extra(pointer: str, names: list[str]) -> Finding:
    edits = [Edit(op="remove", pointer=f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}") for name in names]
    what = ", ".join(map(repr, names))
    return warning("anthropic.extra-member", pointer, f"The API does not know {what} here and refuses what it does not know.", "Leave it out.", *edits)
