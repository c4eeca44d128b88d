"""What a request is refused for: the findings of its dialect's own rules, in the provider's words where they are known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from workbench.conversation.checks import Finding
from workbench.conversation.messages import DialectName
from workbench.conversation.values import JsonObject
from workbench.dialects.json_document import pointer_names
from workbench.practice.errors import ApiError, go_kind
from workbench.practice.refusal_words import WORDS

NOT_JSON = (
    "We could not parse the JSON body of your request. "
    "(HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)"
)
UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: {ids}"
)
ORPHAN = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
NO_MESSAGES = "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."
BAD_NAME = "Invalid '{place}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
LONG_NAME = "Invalid '{place}': string too long. Expected a string with maximum length 64, but got a string with length {size} instead."
MANY_TOOLS = "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length {size} instead."
"""OpenAI's own sentences, its spelling of "preceeding" included: clients know them by heart."""

_NOT_JSON: dict[str, str] = {
    "anthropic": "The request body is not valid JSON.",
    "gemini": "Invalid JSON payload received. Unexpected end of string.",
    "ollama": "unexpected EOF",
}


def not_json(dialect: DialectName) -> ApiError:
    """Return the answer to a body that is no JSON."""
    return ApiError(400, _NOT_JSON.get(dialect, NOT_JSON), dialect=dialect)


def from_findings(findings: Sequence[Finding], body: JsonObject, dialect: DialectName = "chat_completions") -> ApiError | None:
    """Return the refusal that the first error among the findings foretells; None without one.

    What only a model would misread (ReAct's own rules) is not refused: a server sees text there.
    """
    errors = [finding for finding in findings if finding.severity == "error" and not finding.rule.startswith("react.")]
    if not errors:
        return None
    first = errors[0]
    match first.rule:
        case "chat.unanswered-call":
            return _unanswered(errors, body)
        case "chat.orphan-result" | "chat.late-result":
            return ApiError(400, ORPHAN, param=param_of(f"{first.pointer}/role"))
        case "chat.no-messages":
            return ApiError(400, NO_MESSAGES, code="empty_array", param="messages")
        case "chat.too-many-tools":
            return ApiError(400, MANY_TOOLS.format(size=len(body["tools"])), code="array_above_max_length", param="tools")
        case "chat.tool-name" | "chat.tool-name-length":
            return _bad_name(first, body)
        case _:
            return ApiError(400, in_words(first, body, dialect), param=param_of(first.pointer), dialect=dialect)


def in_words(finding: Finding, body: JsonObject, dialect: DialectName) -> str:
    """Return a finding in the words of the provider, or in the linter's own."""
    words = WORDS.get(finding.rule)
    if words is None:
        return finding.message
    value = _at(body, finding.pointer)
    about: JsonObject = value if isinstance(value, dict) else {}
    told = {
        "place": _place(finding.pointer, dialect),
        "value": str(value),
        "size": str(len(str(value))),
        "kind": go_kind(value),
        "id": _id_of(about) or _id_of(_at(body, finding.pointer.rpartition("/")[0])) or str(value),
        "name": str(_name_of(about)),
        "turn": next((part for part in finding.pointer.split("/") if part.isdecimal()), "0"),
    }
    return re.sub(r"\{(place|value|size|kind|id|name|turn)\}", lambda match: told[match[1]], words)


def _unanswered(errors: Sequence[Finding], body: JsonObject) -> ApiError:
    """Name all unanswered calls of the first such message, and the message that stands where a result should."""
    places = [pointer.split("/") for pointer in (error.pointer for error in errors if error.rule == "chat.unanswered-call")]
    messages = body["messages"]
    asked = int(places[0][2])
    ids = [str(messages[asked]["tool_calls"][int(place[4])].get("id")) for place in places if int(place[2]) == asked]
    after = asked + 1
    while after < len(messages) - 1 and messages[after].get("role") == "tool":
        after += 1
    return ApiError(400, UNANSWERED.format(ids=", ".join(ids)), param=f"messages.[{min(after, len(messages) - 1)}].role")


def _bad_name(finding: Finding, body: JsonObject) -> ApiError:
    number = int(finding.pointer.split("/")[2])
    place = f"tools[{number}].function.name"
    name = body["tools"][number]["function"].get("name")
    if finding.rule == "chat.tool-name-length":
        return ApiError(400, LONG_NAME.format(place=place, size=len(name)), code="string_above_max_length", param=place)
    return ApiError(400, BAD_NAME.format(place=place), code="invalid_value", param=place)


def param_of(pointer: str) -> str | None:
    """Return a JSON pointer as OpenAI writes places: ``/messages/3/role`` becomes ``messages.[3].role``."""
    return ".".join(f"[{part}]" if re.fullmatch(r"\d+", part) else part for part in pointer_names(pointer)) or None


def _place(pointer: str, dialect: DialectName) -> str:
    """Return a JSON pointer as the provider writes places in its sentences."""
    parts = pointer_names(pointer)
    if dialect == "anthropic":
        return ".".join(parts)
    joined = "".join(f"[{part}]" if part.isdecimal() else f".{part}" for part in parts).removeprefix(".")
    return f"GenerateContentRequest.{joined}" if dialect == "gemini" else joined


def _at(body: Any, pointer: str) -> Any:
    for part in pointer_names(pointer):
        body = body[int(part)] if isinstance(body, list) and part.isdecimal() and int(part) < len(body) else body.get(part) if isinstance(body, dict) else None
    return body


def _id_of(value: Any) -> str:
    found = next((value[name] for name in ("tool_use_id", "call_id", "tool_call_id", "id") if name in value), "") if isinstance(value, dict) else ""
    return found if isinstance(found, str) else ""


def _name_of(about: JsonObject) -> Any:
    call = about.get("functionCall")
    return call.get("name", "") if isinstance(call, dict) else about.get("name", "")
