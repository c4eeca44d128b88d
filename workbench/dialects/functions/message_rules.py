"""Rules about the messages of a request with `functions`: one call a turn, its result directly behind it and under its name.

OpenAI was seen to take a result without a call; other servers, and everything a request is translated to, want the pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.argument_text import replay_text
from workbench.dialects.chat_completions.request_messages import NAME_PATTERN
from workbench.dialects.findings import error, warning
from workbench.dialects.functions.renaming import named_places
from workbench.dialects.functions.request import encode_request
from workbench.dialects.functions.request_parse import parse_request
from workbench.dialects.history import INTERRUPTED
from workbench.dialects.json_text import read_json, write_json
from workbench.dialects.renaming import Renaming
from workbench.errors import RequestUnreadable

_ROLES = ("system", "developer", "user", "assistant", "function")


def check_messages(body: JsonObject) -> Iterator[Finding]:
    """Yield what is wrong with the messages."""
    messages: list[Any] = body["messages"]
    if not messages:
        yield error("functions.no-messages", "/messages", "There are no messages.", "Add a user message.")
        return
    newer = next((place for place, message in enumerate(messages) if isinstance(message, dict) and _is_newer(message)), None)
    if newer is not None:
        yield _tool_messages(body, newer)
        return
    names = Renaming(body, named_places)
    for place, message in enumerate(messages):
        yield from _message(names, message, f"/messages/{place}")
    known = [message if isinstance(message, dict) else {} for message in messages]
    yield from _pairs(known)
    if known[-1].get("role") == "assistant" and not known[-1].get("function_call"):
        text = "The last message is the assistant's; some servers go on with it, others refuse."
        yield warning("functions.ends-with-assistant", f"/messages/{len(messages) - 1}", text, "End with a user message.")


def _is_newer(message: JsonObject) -> bool:
    return message.get("role") == "tool" or bool(message.get("tool_calls"))


def _tool_messages(body: JsonObject, place: int) -> Finding:
    """Return the finding for messages in the form of tools; the repair writes the whole conversation with one call a turn."""
    message = body["messages"][place]
    calls = message.get("tool_calls")
    several = isinstance(calls, list) and len(calls) > 1
    try:
        written = read_json(encode_request(parse_request(write_json(body))).body)["messages"]
    except RequestUnreadable:
        edits: tuple[Edit, ...] = ()
    else:
        edits = (Edit(op="replace", pointer="/messages", value=written),) if not any(map(_is_newer, written)) else ()
    return error(
        "functions.several-calls" if several else "functions.tool-message",
        f"/messages/{place}/{'tool_calls' if calls else 'role'}",
        f"The turn has {len(calls)} tool calls, only one function call fits a turn." if several else "The message is written in the form of tools.",
        "Write each call as a `function_call` in a turn of its own, with its result behind it.",
        *edits,
    )


def _message(names: Renaming, message: Any, pointer: str) -> Iterator[Finding]:
    role = message.get("role") if isinstance(message, dict) else None
    if role not in _ROLES:
        yield error("functions.role", f"{pointer}/role", f"The role {role!r} is not one of system, developer, user, assistant and function.")
    elif role == "assistant":
        yield from _assistant(names, message, pointer)
    elif role == "function":
        yield from _result(message, pointer)
    elif message.get("content") is None:
        yield error("functions.no-content", f"{pointer}/content", f"A {role} message needs content; null is refused.", "Leave it out.", _gone(pointer))
    elif message["content"] in ("", []):
        yield warning("functions.empty-content", f"{pointer}/content", "The message is empty; some servers refuse that.", "Leave it out.", _gone(pointer))
    else:
        yield from _content_parts(message, pointer)


def _content_parts(message: JsonObject, pointer: str) -> Iterator[Finding]:
    content = message.get("content")
    for place, part in enumerate(content if isinstance(content, list) else ()):
        where = f"{pointer}/content/{place}"
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            text = isinstance(part, dict) and isinstance(part.get("text"), str)
            edits = (Edit(op="add", pointer=f"{where}/type", value="text"),) if text else ()
            yield error("functions.part-type", f"{where}/type", "A part of the content has no `type`.", 'Add "type": "text".', *edits)
        elif part["type"] in ("image_url", "image", "input_image") and message["role"] != "user":
            yield error("functions.image-place", where, "Pictures are only allowed in user messages.", "Send the picture in a user message.")


def _assistant(names: Renaming, message: JsonObject, pointer: str) -> Iterator[Finding]:
    call, content = message.get("function_call"), message.get("content")
    if call is None:
        if content in (None, "", []) and not message.get("refusal"):
            grave = error if content is None else warning
            yield grave("functions.empty-turn", pointer, "The assistant's turn has neither text nor a call.", "Leave the turn out.", _gone(pointer))
        else:
            yield from _content_parts(message, pointer)
        return
    where = f"{pointer}/function_call"
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        yield error("functions.call-shape", where, "A `function_call` is an object with a name and arguments.")
        return
    if not NAME_PATTERN.fullmatch(call["name"]):
        yield error(
            "functions.call-name",
            f"{where}/name",
            f"The called name {call['name']!r} is not made of 1 to 64 letters, digits, underscores and hyphens.",
            "Replace the other characters, here and everywhere else.",
            *names.edits(call["name"]),
        )
    yield from _arguments(call, f"{where}/arguments")


def _arguments(call: JsonObject, pointer: str) -> Iterator[Finding]:
    arguments = call.get("arguments")
    if not isinstance(arguments, str):
        written = write_json(arguments if isinstance(arguments, dict) else {} if arguments is None else {"INVALID_JSON": arguments}).decode()
        edit = Edit(op="replace" if "arguments" in call else "add", pointer=pointer, value=written)
        yield error("functions.arguments-type", pointer, "`arguments` must be JSON written as a text.", "Write it as a text.", edit)
    elif arguments.strip() and (wrapped := replay_text(arguments)) != arguments:
        text = "The argument text is not an object: OpenAI takes it, servers that hand it on do not."
        yield warning("functions.arguments-json", pointer, text, "Wrap it into an object.", Edit(op="replace", pointer=pointer, value=wrapped))


def _result(message: JsonObject, pointer: str) -> Iterator[Finding]:
    content = message.get("content")
    if "content" not in message:
        edit = Edit(op="add", pointer=f"{pointer}/content", value="")
        yield error("functions.result-content", f"{pointer}/content", "A result needs content, null if there is none.", "Send an empty text.", edit)
    elif isinstance(content, list):
        joined = "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
        edit = Edit(op="replace", pointer=f"{pointer}/content", value=joined)
        yield error("functions.result-text", f"{pointer}/content", "The content of a result is a text, not a list.", "Join the texts.", edit)


def _pairs(messages: list[JsonObject]) -> Iterator[Finding]:
    """Yield calls without a result directly behind them, and results that are no call's or have another name."""
    waiting: tuple[str, int] | None = None
    missed: list[tuple[str, int]] = []
    later: dict[int, Finding] = {}
    for place, message in enumerate(messages):
        if message.get("role") == "function":
            found, waiting = _answer(message, place, waiting, missed)
            if found is not None:
                later[place] = found
            continue
        if waiting is not None:
            missed.append(waiting)
            waiting = None
        call = message.get("function_call")
        if message.get("role") == "assistant" and isinstance(call, dict) and isinstance(call.get("name"), str):
            waiting = (call["name"], place)
    if waiting is not None:
        missed.append(waiting)
    yield from (_unanswered(name, place) for name, place in missed)
    yield from later.values()


def _answer(
    message: JsonObject, place: int, waiting: tuple[str, int] | None, missed: list[tuple[str, int]]
) -> tuple[Finding | None, tuple[str, int] | None]:
    """Return what is wrong with a result, and the call that waits after it; a late one is taken off `missed`."""
    name, pointer = message.get("name"), f"/messages/{place}"
    if waiting is not None and name == waiting[0]:
        return None, None
    if waiting is not None and not isinstance(name, str):
        edit = Edit(op="replace" if "name" in message else "add", pointer=f"{pointer}/name", value=waiting[0])
        return error("functions.result-name", f"{pointer}/name", "A result carries the name of its function.", "Name it as the call does.", edit), None
    late = next((entry for entry in reversed(missed) if entry[0] == name), None)
    if late is not None:
        missed.remove(late)
        edit = Edit(op="move", pointer=f"/messages/{late[1] + 1}", source=pointer)
        text = f"The result of {name!r} does not follow its call at once."
        return error("functions.late-result", pointer, text, "Move it directly behind the call.", edit), waiting
    if not isinstance(name, str):
        return error("functions.result-name", f"{pointer}/name", "A result carries the name of its function.", "Leave it out.", _gone(pointer)), waiting
    text = f"The result of {name!r} has no call before it: OpenAI takes that, others do not."
    return warning("functions.orphan-result", pointer, text, "Leave the result out.", _gone(pointer)), waiting


def _unanswered(name: str, place: int) -> Finding:
    made_up = {"role": "function", "name": name, "content": f"Error: {INTERRUPTED}"}
    return error(
        "functions.unanswered-call",
        f"/messages/{place}/function_call",
        f"The call of {name!r} is not answered by a function message directly after it.",
        "Add a result that says the call was interrupted.",
        Edit(op="add", pointer=f"/messages/{place + 1}", value=made_up),
    )


def _gone(pointer: str) -> Edit:
    return Edit(op="remove", pointer=pointer)
