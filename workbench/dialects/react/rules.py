"""What is wrong with a ReAct request: what chat's servers refuse, and what makes a model misread the form; wire specification, section 6.

Servers see nothing but text here, so an error means: the turn that follows cannot be used. Rules about the JSON around the text are
chat's own and keep their ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.chat_completions import rules as chat
from workbench.dialects.findings import error, warning
from workbench.dialects.history import INTERRUPTED
from workbench.dialects.json_text import read_json, write_json
from workbench.dialects.react.inputs import NO_FORM
from workbench.dialects.react.labels import OBSERVATION, STOP, Found, label_at_start, quote
from workbench.dialects.react.reader import TurnReader, read_turn
from workbench.dialects.react.template import names_in
from workbench.dialects.react.turns import action_name

_ABOUT_TOOLS = ("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call")
_NAME = re.compile(r"[\w.:/-]+")
_ODD = re.compile(r"[^\w.:/-]+")


def check(body: bytes, quirks: Quirks = NORM) -> tuple[Finding, ...]:
    """Return what is wrong with a request; in the order of the rules."""
    try:
        value = read_json(body)
    except ValueError as reason:
        return (error("react.not-json", "", f"The request is not JSON: {reason}."),)
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return (error("react.shape", "/messages", "A request is an object with a list of messages."),)
    plain = {name: member for name, member in value.items() if name not in _ABOUT_TOOLS}
    ours = (*_no_tools(value), *_stop(value, quirks), *_prompt(value), *_native(value["messages"]), *_turns(value["messages"]))
    pairs = ("chat.unanswered-call", "chat.orphan-result", "chat.late-result", "chat.duplicate-result")
    return (*ours, *(finding for finding in chat.check(write_json(plain), quirks) if finding.rule not in pairs))


def _no_tools(body: JsonObject) -> Iterator[Finding]:
    for name in _ABOUT_TOOLS:
        if name in body:
            text = f"`{name}` does not belong into a ReAct request: the tools stand in the prompt, and a server that sees it answers with calls."
            yield error(f"react.beside-{name.replace('_', '-')}", f"/{name}", text, "Leave it out.", Edit(op="remove", pointer=f"/{name}"))


def _stop(body: JsonObject, quirks: Quirks) -> Iterator[Finding]:
    stop = body.get("stop")
    words = [stop] if isinstance(stop, str) else stop if isinstance(stop, list) else []
    if quirks.stop and not any(isinstance(word, str) and word.strip().startswith("Observation") for word in words):
        text = 'Nothing stops the model before "Observation:", so it will invent the results of its actions.'
        edit = Edit(op="add", pointer="/stop", value=[*words, STOP])
        yield warning("react.no-stop", "/stop", text, 'Add "\\nObservation:" to `stop`.', edit)


def _prompt(body: JsonObject) -> Iterator[Finding]:
    texts = [text for message in body["messages"] if (text := _text(message)) is not None and message.get("role") != "assistant"]
    labels = {found.label for text in texts for line in text.split("\n") if (found := label_at_start(line)) is not None}
    missing = [name for name, label in (("Action", "action"), ("Action Input", "input"), ("Final Answer", "final")) if label not in labels]
    if missing:
        text = f"The prompt does not tell the form of an answer: {', '.join(missing)} is not explained in it."
        yield warning("react.no-form", "/messages/0/content", text, "Describe the form and the tools in the system message.")
    elif not any(names_in(text) for text in texts):
        text = "The prompt does not list the names of the tools behind `Action:`."
        yield warning("react.no-tool-names", "/messages/0/content", text, "List them in brackets.")


def _native(messages: list[Any]) -> Iterator[Finding]:
    """Yield messages that belong to Chat Completions with tools."""
    for place, message in enumerate(messages):
        if not isinstance(message, dict):
            continue
        pointer = f"/messages/{place}"
        if message.get("role") in ("tool", "function"):
            content = message.get("content")
            told = {"role": "user", "content": OBSERVATION + quote(content if isinstance(content, str) else "")}
            text = f"A message of the role {message['role']} needs tools; in ReAct a result is a user message."
            yield error("react.result-role", pointer, text, 'Write it as "Observation: …".', Edit(op="replace", pointer=pointer, value=told))
        elif "tool_calls" in message or "function_call" in message:
            text = "A call stands in a member of its own; in ReAct it is text."
            yield error("react.call-member", pointer, text, "Write it as Action and Action Input.", *_as_text(message, pointer))


def _as_text(message: JsonObject, pointer: str) -> Iterator[Edit]:
    calls = message.get("tool_calls")
    first = calls[0] if isinstance(calls, list) and calls else {}
    function = first.get("function") if isinstance(first, dict) else None
    function = function if isinstance(function, dict) else message.get("function_call")
    if isinstance(function, dict):
        said = message.get("content")
        thought = f"Thought: {quote(said)}\n" if isinstance(said, str) and said else ""
        lines = f"Action: {action_name(str(function.get('name') or ''))}\nAction Input: {function.get('arguments') or '{}'}\n"
        yield Edit(op="replace", pointer=pointer, value={"role": "assistant", "content": thought + lines})


def _turns(messages: list[Any]) -> Iterator[Finding]:
    """Yield what is wrong between actions and observations."""
    offered = {name for message in messages if (text := _text(message)) is not None for name in names_in(text)}
    open_at = -1
    for place, message in enumerate(messages):
        text = _text(message)
        role = message.get("role") if isinstance(message, dict) else None
        observed = role in ("tool", "function") or (role == "user" and text is not None and _observation(text) is not None)
        if open_at >= 0 and not observed:
            yield _unanswered(open_at)
        if observed and open_at < 0 and text is not None and role == "user":
            yield _orphan(text, _place_of_text(message, place))
        open_at = -1
        if role == "assistant" and text is not None:
            turn, _ = read_turn(text)
            yield from _turn(turn, text, _place_of_text(message, place), offered)
            open_at = place if turn.name and not turn.stopped and turn.input is not None else -1
    if open_at >= 0:
        yield _unanswered(open_at)


def _turn(turn: TurnReader, text: str, pointer: str, offered: set[str]) -> Iterator[Finding]:
    if turn.name and turn.name != NO_FORM and turn.name not in offered and not _NAME.fullmatch(turn.name):
        mended = _renamed(text, turn.name)
        what = f"The action {turn.name!r} is no name that a tool can have; the model will use it again."
        yield error("react.action-name", pointer, what, "Replace the other characters.", Edit(op="replace", pointer=pointer, value=mended))
    if turn.stopped:
        what = "An observation stands in the model's own turn: it looks invented, and the model learns to invent more."
        yield warning("react.observation-in-turn", pointer, what, "Put results into user messages.", *_moved_out(turn, pointer))


def _renamed(text: str, name: str) -> str:
    """Return a turn with another name in its first action."""
    lines = text.split("\n")
    for place, line in enumerate(lines):
        found = label_at_start(line)
        if found is not None and found.label == "action":
            lines[place] = line[: found.end] + line[found.end :].replace(name, _ODD.sub("_", name))
            break
    return "\n".join(lines)


def _moved_out(turn: TurnReader, pointer: str) -> Iterator[Edit]:
    """Yield the edits that make an observation in a turn a message of its own; none if more stands behind it."""
    later = [line for line in turn.invented.split("\n")[1:] if label_at_start(line) is not None]
    if turn.name is None or later or not turn.kept.strip():
        return
    place = int(pointer.split("/")[2])
    yield Edit(op="replace", pointer=pointer, value=turn.kept)
    yield Edit(op="add", pointer=f"/messages/{place + 1}", value={"role": "user", "content": turn.invented})


def _unanswered(place: int) -> Finding:
    told = {"role": "user", "content": f"{OBSERVATION}Error: {INTERRUPTED}"}
    return error(
        "react.unanswered-action",
        f"/messages/{place}",
        "The action is not followed by its observation.",
        "Add an observation that says it was interrupted.",
        Edit(op="add", pointer=f"/messages/{place + 1}", value=told),
    )


def _orphan(text: str, pointer: str) -> Finding:
    found = _observation(text)
    rest = text[found.end :].strip() if found is not None else text
    return error(
        "react.orphan-observation",
        pointer,
        "The observation has no action before it.",
        "Take the label away.",
        Edit(op="replace", pointer=pointer, value=rest or "(no result)"),
    )


def _observation(text: str) -> Found | None:
    found = label_at_start(text.partition("\n")[0])
    return found if found is not None and found.label == "observation" and not found.quoted else None


def _place_of_text(message: JsonObject, place: int) -> str:
    content = message["content"]
    if isinstance(content, str):
        return f"/messages/{place}/content"
    number = next(number for number, part in enumerate(content) if isinstance(part, dict) and isinstance(part.get("text"), str))
    return f"/messages/{place}/content/{number}/text"


def _text(message: Any) -> str | None:
    """Return the text of a message: its content, or the first text of a list."""
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        return next((part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)), None)
    return content if isinstance(content, str) else None
