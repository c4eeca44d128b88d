"""Errors in the shape and the words in which an OpenAI-compatible server refuses a request."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.conversation.checks import Finding
from workbench.conversation.values import JsonObject
from workbench.practice.reply import Refuse
from workbench.wire.server import ServerResponse

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


@dataclass(frozen=True)
class ApiError:
    """An error body and its status."""

    status: int
    message: str
    kind: str = "invalid_request_error"
    code: str | None = None
    param: str | None = None

    def body(self) -> bytes:
        """Return the JSON body."""
        error = {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}
        return json.dumps({"error": error}, ensure_ascii=False).encode("utf-8", "replace")

    def response(self, *more_headers: tuple[str, str]) -> ServerResponse:
        """Return the whole response."""
        return ServerResponse(self.status, (("Content-Type", "application/json"), *more_headers), self.body())


def unknown_path(method: str, path: str) -> ApiError:
    """Return the answer to a path that is not served."""
    return ApiError(404, f"Invalid URL ({method} {path})", code="unknown_url")


def wrong_method(method: str, path: str) -> ApiError:
    """Return the answer to a path that is served for other methods only."""
    return ApiError(405, f"Not allowed to {method} on {path}.", code="method_not_supported")


def unknown_model(name: str) -> ApiError:
    """Return the answer to a question about a model that does not exist."""
    return ApiError(404, f"The model `{name}` does not exist or you do not have access to it.", code="model_not_found", param="model")


def from_findings(findings: Sequence[Finding], body: JsonObject) -> ApiError | None:
    """Return the refusal that the first error among the findings foretells, in OpenAI's words where they are known; None without one."""
    errors = [finding for finding in findings if finding.severity == "error"]
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
            return ApiError(400, first.message, param=param_of(first.pointer))


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
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    return ".".join(f"[{part}]" if re.fullmatch(r"\d+", part) else part for part in parts) or None


def refusal_of(order: Refuse) -> ServerResponse:
    """Return the response that a drill orders."""
    headers: list[tuple[str, str]] = []
    if order.retry_after_s is not None:
        headers = [("Retry-After", str(math.ceil(order.retry_after_s))), ("Retry-After-Ms", str(round(order.retry_after_s * 1000)))]
    return ApiError(order.status, order.message, kind=order.kind, code=order.code).response(*headers)
