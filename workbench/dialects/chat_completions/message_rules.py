"""Rules about the messages of a request: pairing of calls and results, shapes, and what servers refuse as empty."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from workbench.conversation.checks import Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.argument_text import TopLevelScan
from workbench.dialects.base import Quirks
from workbench.dialects.chat_completions.request_messages import NAME_PATTERN
from workbench.dialects.findings import error, warning
from workbench.dialects.json_text import read_json

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_MOST_CALLS = 128
_LONGEST_ID = 40
_MISTRAL_ID = re.compile(r"[a-zA-Z0-9]{9}")


def check_messages(messages: list[Any], quirks: Quirks) -> Iterator[Finding]:
    """Yield what is wrong with the messages."""
    if not messages:
        yield error("chat.no-messages", "/messages", "There are no messages.", "Add a user message.")
        return
    for place, message in enumerate(messages):
        yield from _message(message, f"/messages/{place}", quirks)
    known = [message if isinstance(message, dict) else {} for message in messages]
    yield from _pairs(known)
    yield from _ids(known, quirks)
    if quirks.call_id_format == "mistral":
        yield from _mistral_order(known)
    if known[-1].get("role") == "assistant" and not known[-1].get("tool_calls"):
        yield warning(
            "chat.ends-with-assistant",
            f"/messages/{len(messages) - 1}",
            "The last message is the assistant's; some servers go on with it, others refuse.",
            "End with a user message.",
        )


def _message(message: Any, pointer: str, quirks: Quirks) -> Iterator[Finding]:
    role = message.get("role") if isinstance(message, dict) else None
    if role not in _ROLES:
        yield error("chat.role", f"{pointer}/role", f"The role {role!r} is not one of system, developer, user, assistant and tool.")
        return
    yield from _content_parts(message, pointer)
    if role == "assistant":
        yield from _assistant(message, pointer, quirks)
    elif message.get("content") is None and role != "function":
        yield error(
            "chat.result-content" if role == "tool" else "chat.no-content",
            f"{pointer}/content",
            f"A {role} message needs content; null is refused.",
            "Send a text, an empty one if there is nothing to say.",
        )
    elif message.get("content") in ("", []) and role != "tool":
        yield warning("chat.empty-content", f"{pointer}/content", "The message is empty; some servers refuse that.", "Leave it out.")


def _content_parts(message: JsonObject, pointer: str) -> Iterator[Finding]:
    content = message.get("content")
    for place, part in enumerate(content if isinstance(content, list) else ()):
        where = f"{pointer}/content/{place}"
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            yield error("chat.part-type", f"{where}/type", "A part of the content has no `type`.", 'Add "type": "text".')
        elif part["type"] in ("image_url", "image", "input_image") and message["role"] != "user":
            yield error("chat.image-place", where, "Pictures are only allowed in user messages.", "Send the picture in a user message after all results.")


def _assistant(message: JsonObject, pointer: str, quirks: Quirks) -> Iterator[Finding]:
    content, calls = message.get("content"), message.get("tool_calls")
    if not calls:
        if content in (None, "", []) and not message.get("function_call") and not message.get("refusal") and not message.get("audio"):
            grave = error if content is None else warning  # OpenAI was seen to take an empty text, never null
            yield grave("chat.empty-turn", pointer, "The assistant's turn has neither text nor calls.", "Leave the turn out.")
        return
    if not isinstance(calls, list):
        yield error("chat.calls-shape", f"{pointer}/tool_calls", "`tool_calls` must be a list.")
        return
    yield from _turn_with_calls(message, calls, pointer, quirks)
    for place, call in enumerate(calls):
        yield from _call(call, f"{pointer}/tool_calls/{place}")


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
        )
    thoughts = [name for name in ("reasoning_content", "reasoning") if name in message]
    if quirks.reasoning_replay == "with_calls" and not thoughts:
        yield error(
            "chat.reasoning-missing",
            pointer,
            "This provider wants the reasoning back on every turn with calls.",
            'Send `reasoning_content`, "" if there was none.',
        )


def _call(call: Any, pointer: str) -> Iterator[Finding]:
    body = call.get("custom") or call.get("function") if isinstance(call, dict) else None
    if not isinstance(body, dict):
        yield error("chat.calls-shape", pointer, "A tool call has a `function` with a name and arguments.")
        return
    name = body.get("name")
    if not isinstance(name, str) or not NAME_PATTERN.fullmatch(name):
        yield error(
            "chat.call-name",
            f"{pointer}/function/name",
            f"The called name {name!r} is not made of 1 to 64 letters, digits, underscores and hyphens.",
            "Replace the other characters.",
        )
    if "custom" not in call:
        yield from _arguments(body.get("arguments"), f"{pointer}/function/arguments")


def _arguments(arguments: Any, pointer: str) -> Iterator[Finding]:
    if not isinstance(arguments, str):
        yield error("chat.arguments-type", pointer, "`arguments` must be JSON written as a text.", "Write it as a text.")
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
    yield warning("chat.arguments-json", pointer, f"The argument text {what}: OpenAI takes it, servers that hand it on do not.", "Wrap it into an object.")


def _pairs(messages: list[JsonObject]) -> Iterator[Finding]:
    """Yield calls without result and results without call. Results must follow their calls at once, before any other role."""
    pending: dict[Any, str] = {}
    answered: set[Any] = set()
    late: dict[Any, str] = {}
    for place, message in enumerate(messages):
        pointer = f"/messages/{place}"
        if message.get("role") == "tool":
            yield from _result(message.get("tool_call_id"), pointer, pending, answered, late)
            continue
        late |= pending
        yield from (_unanswered(call_id, where) for call_id, where in pending.items())
        calls = message.get("tool_calls") if message.get("role") == "assistant" else None
        pending = {_id_of(call): f"{pointer}/tool_calls/{number}" for number, call in enumerate(calls if isinstance(calls, list) else ())}
        answered = set()
    yield from (_unanswered(call_id, where) for call_id, where in pending.items())


def _result(call_id: Any, pointer: str, pending: dict[Any, str], answered: set[Any], late: dict[Any, str]) -> Iterator[Finding]:
    call_id = call_id if isinstance(call_id, str) else None
    if call_id in pending:
        del pending[call_id]
        answered.add(call_id)
    elif call_id in answered:
        yield error("chat.duplicate-result", pointer, f"The call {call_id!r} has two results.", "Keep the first.")
    elif call_id in late:
        yield error("chat.late-result", pointer, f"The result of {call_id!r} does not follow its call at once.", "Move it directly behind the call.")
    else:
        yield error("chat.orphan-result", pointer, f"The result of {call_id!r} has no call before it.", "Leave the result out.")


def _unanswered(call_id: Any, pointer: str) -> Finding:
    return error(
        "chat.unanswered-call",
        pointer,
        f"The call {call_id!r} is not answered by a tool message directly after it.",
        "Add a result that says the call was interrupted.",
    )


def _ids(messages: list[JsonObject], quirks: Quirks) -> Iterator[Finding]:
    seen: set[str] = set()
    for place, message in enumerate(messages):
        calls = message.get("tool_calls")
        here: set[str] = set()
        for number, call in enumerate(calls if isinstance(calls, list) else ()):
            pointer = f"/messages/{place}/tool_calls/{number}/id"
            call_id = _id_of(call)
            if call_id is None:
                yield error("chat.no-call-id", pointer, "A call has no id.", "Give it one, on the call and its result.")
                continue
            yield from _id_form(call_id, pointer, quirks)
            if call_id in here:
                yield error("chat.duplicate-call-id", pointer, f"Two calls of one turn have the id {call_id!r}.", "Rename one.")
            elif call_id in seen:
                yield warning(
                    "chat.reused-call-id",
                    pointer,
                    f"The id {call_id!r} was used in an earlier turn; some servers take the wrong result for it.",
                    "Rename it on the call and its result.",
                )
            here.add(call_id)
        seen |= here


def _id_form(call_id: str, pointer: str, quirks: Quirks) -> Iterator[Finding]:
    if quirks.call_id_format == "mistral":
        if not _MISTRAL_ID.fullmatch(call_id):
            yield error(
                "chat.mistral-id",
                pointer,
                f"The call id {call_id!r} must be nine letters or digits for Mistral.",
                "Map it, on the call and its result.",
            )
    elif len(call_id) > _LONGEST_ID:
        yield error(
            "chat.call-id-length",
            pointer,
            f"The call id has {len(call_id)} characters, at most {_LONGEST_ID} are allowed.",
            "Shorten it, on the call and its result.",
        )


def _mistral_order(messages: list[JsonObject]) -> Iterator[Finding]:
    for place in range(1, len(messages)):
        if messages[place].get("role") == "user" and messages[place - 1].get("role") == "tool":
            yield error(
                "chat.user-after-tool",
                f"/messages/{place}",
                "Mistral refuses a user message directly after a result.",
                "Put a short assistant message between them.",
            )


def _id_of(call: Any) -> str | None:
    call_id = call.get("id") if isinstance(call, dict) else None
    return call_id if isinstance(call_id, str) and call_id else None
