"""Rules about the input items of a request: calls and their outputs, reasoning and what follows it, ids, and shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.argument_text import replay_text
from workbench.dialects.calls import derived_id
from workbench.dialects.findings import error, warning
from workbench.dialects.history import INTERRUPTED
from workbench.dialects.json_text import read_json, write_json
from workbench.dialects.responses.items import CALL_TYPES

_OUTPUT_OF = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "shell_call": "shell_call_output",
    "local_shell_call": "local_shell_call_output",
}
_OUTPUTS = tuple(_OUTPUT_OF.values())
_LONGEST_ID = 64
_ROLES = ("user", "assistant", "system", "developer")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_INPUT_PARTS = {"input_text": "output_text", "text": "output_text"}
_OUTPUT_PARTS = {"output_text": "input_text", "text": "input_text"}


def check_items(body: JsonObject) -> Iterator[Finding]:
    """Yield what is wrong with the input."""
    value = body.get("input")
    if isinstance(value, str) and value:
        return
    if not value and not body.get("previous_response_id") and not body.get("conversation"):
        yield error("responses.no-input", "/input", "There is no input.", "Add a user message.")
    if not isinstance(value, list):
        if value is not None and not isinstance(value, str):
            yield error("responses.input-shape", "/input", "`input` is a text or a list of items.", "Write it as a list.")
        return
    items = [item if isinstance(item, dict) else {} for item in value]
    stored = body.get("store") is not False
    for place, item in enumerate(value):
        yield from _item(item, f"/input/{place}", stored=stored)
    yield from _reasoning(items, stored=stored)
    chained = bool(body.get("previous_response_id") or body.get("conversation")) or any(item.get("type") == "item_reference" for item in items)
    yield from _ids(items)
    if chained:
        yield from _chained(items)
    else:
        yield from _pairs(items)
    if "deepseek" in str(body.get("model", "")).lower():
        yield from _apart(items)
    if items and items[-1].get("role") == "assistant":
        message = "The last item is the assistant's; some servers refuse that."
        yield warning("responses.ends-with-assistant", f"/input/{len(items) - 1}", message, "End with a user message.")


def _item(item: Any, pointer: str, *, stored: bool) -> Iterator[Finding]:
    if not isinstance(item, dict):
        yield error("responses.item-shape", pointer, "An item is an object.", "Leave it out.", Edit(op="remove", pointer=pointer))
        return
    kind = item.get("type", "message")
    if len(str(item.get("id") or "")) > _LONGEST_ID:
        edit = Edit(op="remove", pointer=f"{pointer}/id")
        yield error("responses.id-length", f"{pointer}/id", f"The item's id is longer than {_LONGEST_ID} characters.", "Leave it out.", edit)
    if kind == "message":
        yield from _message(item, pointer)
    elif kind in ("function_call", "custom_tool_call"):
        yield from _call(item, pointer)
    elif kind in _OUTPUTS:
        output = item.get("output")
        if not isinstance(output, str | list) and kind != "apply_patch_call_output":
            text = "" if output is None else write_json(output).decode()
            edit = Edit(op="replace" if "output" in item else "add", pointer=f"{pointer}/output", value=text)
            yield error("responses.output-shape", f"{pointer}/output", "An output is a text or a list of parts; null is refused.", "Send a text.", edit)
    elif kind == "item_reference" and not stored:
        yield error("responses.reference-unstored", pointer, "The item that is referred to is not kept when `store` is false.", "Send the item itself.")


def _message(item: JsonObject, pointer: str) -> Iterator[Finding]:
    role, content = item.get("role"), item.get("content")
    if role not in _ROLES:
        edits: tuple[Edit, ...] = ()
        if role == "tool" and isinstance(item.get("tool_call_id"), str):
            output = {"type": "function_call_output", "call_id": item["tool_call_id"], "output": content if isinstance(content, str) else ""}
            edits = (Edit(op="replace", pointer=pointer, value=output),)
        elif role is None and "type" not in item and "role" not in item:
            edits = (Edit(op="remove", pointer=pointer),)
        yield error("responses.role", f"{pointer}/role", f"The role {role!r} is not one of system, developer, user and assistant.", "", *edits)
        return
    if "tool_calls" in item:
        yield error("responses.chat-calls", f"{pointer}/tool_calls", "Calls are items of their own here, not a member of a message.", "Write them as items.")
    if content is None or not isinstance(content, str | list):
        edit = Edit(op="remove", pointer=pointer)
        message = "The content must be a text or a list of parts; null is refused."
        yield error("responses.content-null", f"{pointer}/content", message, "Leave the item out.", edit)
    elif not content:
        edit = Edit(op="remove", pointer=pointer)
        yield warning("responses.empty-message", pointer, "The message is empty; some servers refuse that.", "Leave it out.", edit)
    else:
        yield from _parts(content, role, pointer)


def _parts(content: Any, role: str, pointer: str) -> Iterator[Finding]:
    wrong = _INPUT_PARTS if role == "assistant" else _OUTPUT_PARTS
    for place, part in enumerate(content if isinstance(content, list) else ()):
        where = f"{pointer}/content/{place}"
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(kind, str):
            edit = Edit(op="remove", pointer=where)
            yield error("responses.part-shape", where, "A part of the content is an object with a `type`.", "Leave it out.", edit)
        elif kind in wrong:
            edit = Edit(op="replace", pointer=f"{where}/type", value=wrong[kind])
            message = f"A part of the {'assistant' if role == 'assistant' else role}'s content has the type {kind!r}, which belongs to the other side."
            yield error("responses.part-type", f"{where}/type", message, f"Use {wrong[kind]!r}.", edit)


def _call(item: JsonObject, pointer: str) -> Iterator[Finding]:
    name = item.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        plain = re.sub(r"[^a-zA-Z0-9_-]", "_", str(name or ""))[:64] or "unknown"
        edit = Edit(op="replace" if "name" in item else "add", pointer=f"{pointer}/name", value=plain)
        message = f"The called name {name!r} is not made of letters, digits, underscores and hyphens."
        yield error("responses.call-name", f"{pointer}/name", message, "Replace the other characters.", edit)
    member = "arguments" if item["type"] == "function_call" else "input"
    said = item.get(member)
    if not isinstance(said, str):
        text = "{}" if said is None and member == "arguments" else "" if said is None else write_json(said).decode()
        edit = Edit(op="replace" if member in item else "add", pointer=f"{pointer}/{member}", value=text)
        yield error("responses.arguments-type", f"{pointer}/{member}", f"`{member}` must be a text.", "Write it as a text.", edit)
    elif member == "arguments" and not _is_object(said):
        edit = Edit(op="replace", pointer=f"{pointer}/arguments", value=replay_text(said))
        message = "The argument text is no JSON object: OpenAI takes it, servers that hand it on do not."
        yield warning("responses.arguments-json", f"{pointer}/arguments", message, "Wrap it into an object.", edit)


def _is_object(text: str) -> bool:
    try:
        return isinstance(read_json(text), dict)
    except ValueError:
        return False


def _reasoning(items: list[JsonObject], *, stored: bool) -> Iterator[Finding]:
    """Yield reasoning without the item it preceded, and ids of items that nobody keeps."""
    for place, item in enumerate(items):
        pointer = f"/input/{place}"
        if item.get("type") != "reasoning":
            if item.get("id") and not stored and item.get("type") != "item_reference" and item.get("type") not in _OUTPUTS and "role" not in item:
                edit = Edit(op="remove", pointer=f"{pointer}/id")
                yield warning("responses.id-unstored", f"{pointer}/id", "With `store` false nothing is kept under this id.", "Leave the id out.", edit)
            continue
        remove = Edit(op="remove", pointer=pointer)
        follower = next((other for other in items[place + 1 :] if other.get("type") != "reasoning"), None)
        if follower is None or follower.get("type") in _OUTPUTS or follower.get("role") not in (None, "assistant"):
            message = "A reasoning item must be followed by the item that it led to; this one stands alone."
            yield error("responses.reasoning-alone", pointer, message, "Leave the reasoning out.", remove)
        elif not stored and not item.get("encrypted_content") and item.get("id") and not item.get("content"):
            message = "With `store` false the provider does not know this reasoning any more, and it is not here in encrypted form."
            yield error("responses.reasoning-unstored", pointer, message, "Leave it out, and ask for encrypted reasoning.", remove)
        elif stored and str(item.get("id") or "").startswith("rs_") and not follower.get("id"):
            message = "The reasoning goes by its id, but the item behind it has none, so the provider does not know it as the one that followed."
            yield error("responses.reasoning-parted", pointer, message, "Leave the reasoning out, or its id and every other.", remove)
        if "summary" not in item:
            edit = Edit(op="add", pointer=f"{pointer}/summary", value=[])
            yield error("responses.reasoning-summary", pointer, "A reasoning item needs a `summary`, an empty one if there is none.", "Add [].", edit)


def _ids(items: list[JsonObject]) -> Iterator[Finding]:
    """Yield call ids that are missing, too long or used twice."""
    seen: set[str] = set()
    for place, item in enumerate(items):
        if item.get("type") not in CALL_TYPES:
            continue
        pointer, call_id = f"/input/{place}/call_id", item.get("call_id")
        if not isinstance(call_id, str) or not call_id:
            new_id = derived_id(f"{place} {write_json(item).decode()}")
            edits = [Edit(op="replace" if "call_id" in item else "add", pointer=pointer, value=new_id)]
            edits += _renamed(items, place, item.get("id"), new_id)
            yield error("responses.no-call-id", pointer, "A call has no `call_id`; its `id` does not count.", "Give it one, on call and output.", *edits)
            continue
        if len(call_id) > _LONGEST_ID or call_id in seen:
            long = len(call_id) > _LONGEST_ID
            new_id = derived_id(call_id if long and call_id not in seen else f"{place} {call_id}")
            edits = [Edit(op="replace", pointer=pointer, value=new_id), *_renamed(items, place, call_id, new_id)]
            if long:
                message = f"The call id has {len(call_id)} characters, at most {_LONGEST_ID} are allowed."
                yield error("responses.call-id-length", pointer, message, "Shorten it, on the call and its output.", *edits)
            else:
                yield error("responses.duplicate-call-id", pointer, f"Two calls have the id {call_id!r}.", "Rename one, with its output.", *edits)
        seen.add(call_id)


def _renamed(items: list[JsonObject], place: int, old: Any, new_id: str) -> list[Edit]:
    """Return the edit of the output that belongs to the call at a place: the first behind it with its id."""
    for number in range(place + 1, len(items)):
        other = items[number]
        if other.get("type") in CALL_TYPES and old and other.get("call_id") == old:
            break
        if other.get("type") in _OUTPUTS and old and other.get("call_id") == old:
            return [Edit(op="replace", pointer=f"/input/{number}/call_id", value=new_id)]
    return []


def _pairs(items: list[JsonObject]) -> Iterator[Finding]:
    """Yield calls without output and outputs without call. The outputs follow the last call of their group, before anything else."""
    calls: dict[str, int] = {}
    outputs: dict[str, int] = {}
    for place, item in enumerate(items):
        call_id = item.get("call_id")
        if item.get("type") in CALL_TYPES and isinstance(call_id, str) and call_id:
            calls.setdefault(call_id, place)
        elif item.get("type") in _OUTPUTS:
            yield from _output(place, call_id if isinstance(call_id, str) else "", calls, outputs)
    for call_id, place in calls.items():
        end = _group_end(items, place)
        if call_id not in outputs:
            edit = Edit(op="add", pointer=f"/input/{end}", value=_made_up(items[place], call_id))
            yield error(
                "responses.call-unanswered", f"/input/{place}", f"The call {call_id!r} has no output.", "Add an output that says it was interrupted.", edit
            )
        elif _is_late(items, end, outputs[call_id]):
            edit = Edit(op="move", pointer=f"/input/{end}", source=f"/input/{outputs[call_id]}")
            message = f"The output of {call_id!r} does not follow its call at once; all calls of a group come first, then all their outputs."
            yield error("responses.output-late", f"/input/{outputs[call_id]}", message, "Move it directly behind the calls.", edit)


def _apart(items: list[JsonObject]) -> Iterator[Finding]:
    """Yield texts between the calls of one turn: DeepSeek looks for the outputs directly behind the calls, and gives up at a text."""
    first: int | None = None
    for place, item in enumerate(items):
        if item.get("type") in CALL_TYPES:
            first = place if first is None else first
        elif item.get("role") == "assistant" and first is not None and items[place - 1].get("type") != "reasoning":
            edit = Edit(op="move", pointer=f"/input/{first}", source=f"/input/{place}")
            message = "A text stands behind a call of the same turn; this provider does not find the call's output then."
            yield error("responses.text-among-calls", f"/input/{place}", message, "Move the text before the calls.", edit)
        elif item.get("type") != "reasoning":
            first = None


def _output(place: int, call_id: str, calls: dict[str, int], outputs: dict[str, int]) -> Iterator[Finding]:
    pointer, remove = f"/input/{place}", Edit(op="remove", pointer=f"/input/{place}")
    if call_id in outputs:
        yield error("responses.duplicate-output", pointer, f"The call {call_id!r} has two outputs.", "Keep the first.", remove)
    elif call_id not in calls:
        yield error("responses.orphan-output", pointer, f"The output of {call_id!r} has no call before it.", "Leave the output out.", remove)
    else:
        outputs[call_id] = place


def _group_end(items: list[JsonObject], place: int) -> int:
    """Return the place behind the last item of the turn that a call belongs to: calls, reasoning and texts that stand together."""
    end = place + 1
    last = end
    while end < len(items) and (items[end].get("type") in (*CALL_TYPES, "reasoning") or items[end].get("role") == "assistant"):
        end += 1
        if items[end - 1].get("type") in CALL_TYPES:
            last = end
    return end if end < len(items) and items[end].get("type") in _OUTPUTS else last


def _is_late(items: list[JsonObject], end: int, output: int) -> bool:
    return any(items[number].get("type") not in _OUTPUTS for number in range(end, output))


def _made_up(call: JsonObject, call_id: str) -> JsonObject:
    kind = _OUTPUT_OF[str(call["type"])]
    text = f"Error: {INTERRUPTED}"
    if kind == "apply_patch_call_output":
        return {"type": kind, "call_id": call_id, "status": "failed", "output": text}
    if kind == "shell_call_output":
        return {"type": kind, "call_id": call_id, "output": [{"stdout": "", "stderr": text, "outcome": {"type": "exit", "exit_code": 1}}]}
    return {"type": kind, "call_id": call_id, "output": text}


def _chained(items: list[JsonObject]) -> Iterator[Finding]:
    """Yield items that the provider has already, because the request goes on behind a response that it keeps."""
    for place, item in enumerate(items):
        if item.get("type") in (*CALL_TYPES, "reasoning") and item.get("id"):
            edit = Edit(op="remove", pointer=f"/input/{place}")
            message = "The provider keeps this item already; sending it again gives a duplicate."
            yield warning("responses.chain-repeats", f"/input/{place}", message, "Send only what is newer than that response.", edit)
