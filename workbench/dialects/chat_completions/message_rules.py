"""Rules about the messages of a request: pairing of calls and results, shapes, and what servers refuse as empty."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.argument_text import TopLevelScan, replay_text
from workbench.dialects.base import Quirks
from workbench.dialects.chat_completions.pair_rules import check_pairs
from workbench.dialects.chat_completions.renaming import named_places
from workbench.dialects.chat_completions.request_messages import NAME_PATTERN
from workbench.dialects.findings import error, warning
from workbench.dialects.json_text import read_json, write_json
from workbench.dialects.renaming import Renaming

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_MOST_CALLS = 128
_PICTURE_FIX = "Send the picture in a user message after all results."
BRIDGE = "I have the results."


def check_messages(body: JsonObject, quirks: Quirks) -> Iterator[Finding]:
    """Yield what is wrong with the messages."""
    found = list(_check(body, quirks))
    removals = {edit.pointer for finding in found for edit in finding.edits if edit.op == "remove" and edit.pointer.count("/") == 2}
    if len(removals) == len(body["messages"]):  # somebody must say something
        found = [replace(finding, edits=()) if any(edit.pointer == "/messages/0" for edit in finding.edits) else finding for finding in found]
    yield from found


def _check(body: JsonObject, quirks: Quirks) -> Iterator[Finding]:
    messages: list[Any] = body["messages"]
    if not messages:
        yield error("chat.no-messages", "/messages", "There are no messages.", "Add a user message.")
        return
    names = Renaming(body, named_places)
    for place, message in enumerate(messages):
        if not _says_text(message):
            yield from _message(messages, message, place, quirks, names)
    known = [message if isinstance(message, dict) else {} for message in messages]
    yield from check_pairs(known, quirks)
    if quirks.call_id_format == "mistral":
        yield from _mistral_order(known)
    if known[-1].get("role") == "assistant" and not known[-1].get("tool_calls") and known[-1].get("prefix") is not True:
        yield (error if quirks.call_id_format == "mistral" else warning)(
            "chat.ends-with-assistant",
            f"/messages/{len(messages) - 1}",
            "The last message is the assistant's; some servers go on with it, others refuse.",
            "End with a user message.",
        )


def _says_text(message: Any) -> bool:
    """Say whether nothing can be wrong with a message by itself: most messages are just a text."""
    if not isinstance(message, dict) or not isinstance(message.get("content"), str) or not message["content"]:
        return False
    return message.get("role") in _ROLES and not message.get("tool_calls")


def _message(messages: list[Any], message: Any, place: int, quirks: Quirks, names: Renaming) -> Iterator[Finding]:
    pointer = f"/messages/{place}"
    role = message.get("role") if isinstance(message, dict) else None
    if role not in _ROLES:
        yield error("chat.role", f"{pointer}/role", f"The role {role!r} is not one of system, developer, user, assistant and tool.")
        return
    yield from _content_parts(messages, place)
    if role == "assistant":
        yield from _assistant(message, pointer, quirks, names)
    elif message.get("content") is None and role != "function":
        yield error(
            "chat.result-content" if role == "tool" else "chat.no-content",
            f"{pointer}/content",
            f"A {role} message needs content; null is refused.",
            "Send a text, an empty one if there is nothing to say.",
            Edit(op="add", pointer=f"{pointer}/content", value=""),
        )
    elif message.get("content") in ("", []) and role != "tool":
        yield warning("chat.empty-content", f"{pointer}/content", "The message is empty; some servers refuse that.", "Leave it out.", _removed(pointer))


def _content_parts(messages: list[Any], place: int) -> Iterator[Finding]:
    message = messages[place]
    content = message.get("content")
    for number, part in enumerate(content if isinstance(content, list) else ()):
        where = f"/messages/{place}/content/{number}"
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            yield error("chat.part-type", f"{where}/type", "A part of the content has no `type`.", 'Add "type": "text".', _typed(part, where))
        elif part["type"] in ("image_url", "image", "input_image") and message["role"] != "user":
            yield error("chat.image-place", where, "Pictures are only allowed in user messages.", _PICTURE_FIX, *_shown(messages, place, where, part))


def _typed(part: Any, where: str) -> Edit:
    """Return the edit that gives a part the type it looks like; one that looks like nothing is left out."""
    match part:
        case str():
            return Edit(op="replace", pointer=where, value={"type": "text", "text": part})
        case {"text": str()}:
            return Edit(op="add", pointer=f"{where}/type", value="text")
        case {"image_url": _}:
            return Edit(op="add", pointer=f"{where}/type", value="image_url")
        case _:
            return Edit(op="remove", pointer=where)


def _shown(messages: list[Any], place: int, where: str, part: JsonObject) -> Iterator[Edit]:
    """Yield the edits that show a picture in a user message of its own, behind the results that follow."""
    yield Edit(op="replace", pointer=where, value={"type": "text", "text": "[1 attached: see the next message]"})
    behind = place + 1
    while behind < len(messages) and isinstance(messages[behind], dict) and messages[behind].get("role") == "tool":
        behind += 1
    source = "the result of the tool" if messages[place]["role"] == "tool" else "the message before"
    yield Edit(op="add", pointer=f"/messages/{behind}", value={"role": "user", "content": [{"type": "text", "text": f"From {source}:"}, part]})


def _removed(pointer: str) -> Edit:
    return Edit(op="remove", pointer=pointer)


def _assistant(message: JsonObject, pointer: str, quirks: Quirks, names: Renaming) -> Iterator[Finding]:
    content, calls = message.get("content"), message.get("tool_calls")
    if not calls:
        if content in (None, "", []) and not message.get("function_call") and not message.get("refusal") and not message.get("audio"):
            grave = error if content is None else warning  # OpenAI was seen to take an empty text, never null
            yield grave("chat.empty-turn", pointer, "The assistant's turn has neither text nor calls.", "Leave the turn out.", _removed(pointer))
        return
    if not isinstance(calls, list):
        yield error("chat.calls-shape", f"{pointer}/tool_calls", "`tool_calls` must be a list.")
        return
    yield from _turn_with_calls(message, calls, pointer, quirks)
    for place, call in enumerate(calls):
        yield from _call(names, call, f"{pointer}/tool_calls/{place}")


def _turn_with_calls(message: JsonObject, calls: list[Any], pointer: str, quirks: Quirks) -> Iterator[Finding]:
    if len(calls) > _MOST_CALLS:
        yield error(
            "chat.too-many-calls",
            f"{pointer}/tool_calls",
            f"One message has {len(calls)} tool calls, at most {_MOST_CALLS} are allowed.",
            "Split the turn.",
        )
    if message.get("content") == "" and quirks.empty_content != "empty":
        yield warning(
            "chat.empty-text-beside-calls",
            f"{pointer}/content",
            'The content beside the calls is ""; gateways in front of Bedrock and Anthropic refuse empty text.',
            "Send null.",
            Edit(op="replace", pointer=f"{pointer}/content", value=None),
        )
    thoughts = [name for name in ("reasoning_content", "reasoning") if name in message]
    if quirks.reasoning_replay == "with_calls" and not thoughts:
        yield error(
            "chat.reasoning-missing",
            pointer,
            "This provider wants the reasoning back on every turn with calls.",
            'Send `reasoning_content`, "" if there was none.',
            Edit(op="add", pointer=f"{pointer}/reasoning_content", value=""),
        )


def _call(names: Renaming, call: Any, pointer: str) -> Iterator[Finding]:
    kind = "custom" if isinstance(call, dict) and call.get("custom") else "function"
    called = call.get(kind) if isinstance(call, dict) else None
    if not isinstance(called, dict):
        yield error("chat.calls-shape", pointer, "A tool call has a `function` with a name and arguments.")
        return
    name, place = called.get("name"), f"{pointer}/{kind}/name"
    if not isinstance(name, str) or not NAME_PATTERN.fullmatch(name):
        yield error(
            "chat.call-name",
            place,
            f"The called name {name!r} is not made of 1 to 64 letters, digits, underscores and hyphens.",
            "Replace the other characters.",
            *(names.edits(name) if isinstance(name, str) else (Edit(op="add", pointer=place, value="unknown"),)),
        )
    if "custom" not in call:
        yield from _arguments(called.get("arguments"), f"{pointer}/function/arguments")


def _arguments(arguments: Any, pointer: str) -> Iterator[Finding]:
    if not isinstance(arguments, str):
        yield error("chat.arguments-type", pointer, "`arguments` must be JSON written as a text.", "Write it as a text.", _rewritten(pointer, arguments))
        return
    try:
        value = read_json(arguments)
    except ValueError:
        scan = TopLevelScan()
        scan.feed(arguments)
        what = "is cut off" if scan.unclosed and not scan.ends else "is not JSON"
    else:
        if isinstance(value, dict):
            return
        what = "is not an object"
    text = f"The argument text {what}: OpenAI takes it, servers that hand it on do not."
    yield warning("chat.arguments-json", pointer, text, "Wrap it into an object.", _rewritten(pointer, arguments))


def _rewritten(pointer: str, arguments: Any) -> Edit:
    """Return the edit that writes arguments as every server takes them: the text of an object."""
    text = arguments if isinstance(arguments, str) else "" if arguments is None else write_json(arguments).decode()
    return Edit(op="add", pointer=pointer, value=replay_text(text))


def _mistral_order(messages: list[JsonObject]) -> Iterator[Finding]:
    for place in range(1, len(messages)):
        if messages[place].get("role") == "user" and messages[place - 1].get("role") == "tool":
            yield error(
                "chat.user-after-tool",
                f"/messages/{place}",
                "Mistral refuses a user message directly after a result.",
                "Put a short assistant message between them.",
                Edit(op="add", pointer=f"/messages/{place}", value={"role": "assistant", "content": BRIDGE}),
            )
