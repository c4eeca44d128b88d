"""Rules about single contents and their parts: roles, nothing empty, and who speaks first and next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.dialects.argument_text import replay_text
from workbench.dialects.findings import error, warning
from workbench.dialects.gemini.contents import OPENING
from workbench.dialects.gemini.parts import member
from workbench.dialects.gemini.request_view import calls_of, is_model, parts_of, results_of
from workbench.dialects.json_text import read_json, write_json

_USER = {"role": "user", "parts": [{"text": OPENING}]}
_ROLES = (None, "user", "model", "function")


def check_contents(contents: list[Any]) -> Iterator[Finding]:
    """Yield what is wrong with the contents, each by itself and in their order; results are another matter."""
    if not contents:
        yield error(
            "gemini.no-contents",
            "/contents",
            "There are no contents; a system instruction alone is refused.",
            "Add a user's turn.",
            Edit(op="add", pointer="/contents/-", value=_USER),
        )
    for place, content in enumerate(contents):
        yield from _content(contents, content, place)
        for call in calls_of(contents, place):
            yield from _arguments(call.value.get("args"), f"{call.pointer}/args")
        for result in results_of(contents, place):
            yield from _response(result.value.get("response"), f"{result.pointer}/response")
    yield from _order(contents)


def _content(contents: list[Any], content: Any, place: int) -> Iterator[Finding]:
    pointer = f"/contents/{place}"
    if not isinstance(content, dict):
        yield error("gemini.content-shape", pointer, "A content is an object with parts.", "Leave it out.", _without(contents, place))
        return
    yield from _role(contents, content, place)
    parts = content.get("parts")
    if not isinstance(parts, list) or not parts:
        yield error("gemini.empty-parts", f"{pointer}/parts", "A content must have at least one part.", "Leave the content out.", _without(contents, place))
        return
    for number, part in enumerate(parts):
        edit = Edit(op="remove", pointer=f"{pointer}/parts/{number}") if len(parts) > 1 else _without(contents, place)
        if not isinstance(part, dict) or not part:
            yield error("gemini.empty-part", f"{pointer}/parts/{number}", "A part says nothing at all.", "Leave it out.", edit)
        elif part == {"text": ""}:
            yield warning("gemini.empty-text", f"{pointer}/parts/{number}/text", "The text is empty; some routes refuse that.", "Leave it out.", edit)


def _role(contents: list[Any], content: dict[str, Any], place: int) -> Iterator[Finding]:
    role, pointer = content.get("role"), f"/contents/{place}/role"
    if role not in _ROLES:
        known = "model" if role in ("assistant", "ai", "bot") else "user"
        yield error(
            "gemini.role",
            pointer,
            f"The role {role!r} is neither user nor model.",
            f"Write {known!r}.",
            Edit(op="replace", pointer=pointer, value=known),
        )
    elif role == "model" and results_of(contents, place) and not calls_of(contents, place):
        edit = Edit(op="replace", pointer=pointer, value="user")
        yield error("gemini.result-role", pointer, "Results are sent in the user's role, not in the model's.", "Write 'user'.", edit)
    elif role != "model" and (calls := calls_of(contents, place)) and len(calls) == len(parts_of(content)):
        op: Any = "replace" if "role" in content else "add"
        edit = Edit(op=op, pointer=pointer, value="model")
        yield error("gemini.call-role", pointer, "Calls are made in the model's role, not in the user's.", "Write 'model'.", edit)


def _order(contents: list[Any]) -> Iterator[Finding]:
    for place, content in enumerate(contents):
        before = contents[place - 1] if place else None
        edit = Edit(op="add", pointer=f"/contents/{place}", value=_USER)
        if not place and is_model(content):
            yield error(
                "gemini.starts-with-model", "/contents/0", "The first content is the model's; a conversation starts with the user.", "Put one before.", edit
            )
        elif is_model(content) and is_model(before) and calls_of(contents, place):
            yield error(
                "gemini.call-order",
                f"/contents/{place}",
                "A turn with calls must come directly after a user's turn or after results.",
                "Put a user's turn before it.",
                edit,
            )
    if len(contents) > 1 and is_model(contents[-1]) and not calls_of(contents, len(contents) - 1):
        yield warning(
            "gemini.ends-with-model",
            f"/contents/{len(contents) - 1}",
            "The last content is the model's; some models go on with it, others answer nothing.",
            "End with a user's turn.",
        )


def _arguments(args: Any, pointer: str) -> Iterator[Finding]:
    if args is None or isinstance(args, dict):
        return
    text = args if isinstance(args, str) else write_json(args).decode()
    yield error(
        "gemini.arguments",
        pointer,
        "The arguments of a call must be an object.",
        "Write the object itself, or put the text into one.",
        Edit(op="replace", pointer=pointer, value=read_json(replay_text(text))),
    )


def _response(response: Any, pointer: str) -> Iterator[Finding]:
    if not isinstance(response, dict):
        yield error(
            "gemini.response-shape",
            pointer,
            "The response of a result must be an object, never a text, a number or a list.",
            "Put it into an object as `output`.",
            Edit(op="add", pointer=pointer, value={"output": "" if response is None else response}),
        )


def _without(contents: list[Any], place: int) -> Edit:
    """Return the edit that leaves a content out; one that is needed for the turns to alternate is replaced."""
    pointer = f"/contents/{place}"
    model_before = place > 0 and is_model(contents[place - 1])
    model_behind = place + 1 < len(contents) and is_model(contents[place + 1])
    needed = len(contents) == 1 or (model_behind and (not place or (model_before and bool(calls_of(contents, place + 1)))))
    return Edit(op="replace", pointer=pointer, value=_USER) if needed else Edit(op="remove", pointer=pointer)


def empty_after(contents: list[Any], place: int, number: int) -> Edit:
    """Return the edit that leaves a part out, with its content if nothing else is in that."""
    if len(parts_of(contents[place])) > 1:
        return Edit(op="remove", pointer=f"/contents/{place}/parts/{number}")
    return _without(contents, place)


def signature_of(part: Any) -> str:
    """Return the signature of a part; empty if it has none."""
    signature = member(part, "thoughtSignature") if isinstance(part, dict) else None
    return signature if isinstance(signature, str) else ""
