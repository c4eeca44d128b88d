"""Errors in the shape and the words of each dialect's servers: bodies, statuses, waiting times."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from workbench.conversation.messages import DialectName
from workbench.conversation.values import JsonObject
from workbench.practice.reply import Refuse
from workbench.wire.access import Refusal
from workbench.wire.server import ServerResponse

_ANTHROPIC_TYPES = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error", 405: "invalid_request_error",
    413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 529: "overloaded_error",
}  # fmt: skip
_GEMINI_STATUS = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 405: "UNIMPLEMENTED", 413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
}  # fmt: skip
_BUSY = {
    "anthropic": (529, "Overloaded"),
    "gemini": (503, "The model is overloaded. Please try again later."),
    "ollama": (503, "server busy, please try again.  maximum pending requests exceeded"),
}
_TOO_MANY = {
    "anthropic": "This request would exceed your organization's rate limit of 1 request per minute. Please try again in {delay}s.",
    "gemini": "You exceeded your current quota, please check your plan and billing details. Please retry in {delay}s.",
    "ollama": "too many concurrent requests; please try again in {delay}s",
}
_INSIDE = {
    "anthropic": ("overloaded", "Overloaded"),
    "gemini": ("server", "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"),
    "ollama": ("server", "an error was encountered while running the model: unexpected EOF"),
}
_WRONG_KEY: dict[str, tuple[int, str]] = {
    "anthropic": (401, "invalid x-api-key"),
    "gemini": (400, "API key not valid. Please pass a valid API key."),
    "ollama": (401, "unauthorized"),
}


@dataclass(frozen=True)
class ApiError:
    """An error, and how a server of one dialect writes it.

    Attributes:
        kind: OpenAI's word for its type; the other dialects derive theirs from the status.
        retry_after_s: how long a client is told to wait.
    """

    status: int
    message: str
    kind: str = "invalid_request_error"
    code: str | None = None
    param: str | None = None
    dialect: DialectName = "chat_completions"
    retry_after_s: float | None = None

    def body(self) -> bytes:
        """Return the JSON body."""
        return json.dumps(self._object(), ensure_ascii=False).encode("utf-8", "replace")

    def response(self) -> ServerResponse:
        """Return the whole response."""
        return ServerResponse(self.status, (("Content-Type", "application/json"), *self._waiting()), self.body())

    def _object(self) -> JsonObject:
        match self.dialect:
            case "anthropic":
                kind = _ANTHROPIC_TYPES.get(self.status, "api_error")
                return {"type": "error", "error": {"type": kind, "message": self.message}, "request_id": "req_practice"}
            case "gemini":
                error: JsonObject = {"code": self.status, "message": self.message, "status": _GEMINI_STATUS.get(self.status, "UNKNOWN")}
                if details := self._details():
                    error["details"] = details
                return {"error": error}
            case "ollama":
                return {"error": self.message}
            case _:
                return {"error": {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}}

    def _details(self) -> list[JsonObject]:
        if self.retry_after_s is not None:
            return [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{self.retry_after_s:g}s"}]
        if self.code == "invalid_api_key":
            info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}
            return [info]
        return []

    def _waiting(self) -> list[tuple[str, str]]:
        """Return the headers that say how long to wait; Gemini says it in the body only."""
        if self.retry_after_s is None or self.dialect == "gemini":
            return []
        seconds = str(math.ceil(self.retry_after_s))
        if self.dialect == "anthropic":
            limits = [(f"anthropic-ratelimit-requests-{what}", count) for what, count in (("limit", "1"), ("remaining", "0"))]
            return [("retry-after", seconds), *limits]
        if self.dialect == "ollama":
            return [("Retry-After", seconds)]
        return [("Retry-After", seconds), ("Retry-After-Ms", str(round(self.retry_after_s * 1000)))]


def unknown_path(method: str, path: str, dialect: DialectName = "chat_completions") -> ApiError:
    """Return the answer to a path that is not served."""
    texts: dict[str, str] = {"anthropic": f"Not found: {path}", "ollama": "404 page not found", "gemini": f"Not found: {path}"}
    return ApiError(404, texts.get(dialect, f"Invalid URL ({method} {path})"), code="unknown_url", dialect=dialect)


def wrong_method(method: str, path: str, dialect: DialectName = "chat_completions") -> ApiError:
    """Return the answer to a path that is served for other methods only."""
    return ApiError(405, f"Not allowed to {method} on {path}.", code="method_not_supported", dialect=dialect)


def unknown_model(name: str, dialect: DialectName = "chat_completions") -> ApiError:
    """Return the answer to a question about a model that does not exist."""
    texts: dict[str, str] = {
        "anthropic": f"model: {name}",
        "gemini": f"models/{name} is not found for API version v1beta, or is not supported for generateContent.",
        "ollama": f"model '{name}' not found",
    }
    message = texts.get(dialect, f"The model `{name}` does not exist or you do not have access to it.")
    return ApiError(404, message, code="model_not_found", param="model", dialect=dialect)


def wrong_key(refusal: Refusal, dialect: DialectName) -> Refusal:
    """Return the refusal of a request that did not show the key, as a server of the dialect words it; other refusals keep their words."""
    status, message = _WRONG_KEY.get(dialect, (refusal.status, refusal.message)) if refusal.status == 401 else (refusal.status, refusal.message)
    kind = "authentication_error" if refusal.status == 401 else "invalid_request_error"
    error = ApiError(status, message, kind=kind, code=refusal.code, dialect=dialect)
    return refusal._replace(status=status, message=message, written=error.body())


def ordered(order: Refuse, dialect: DialectName) -> ApiError:
    """Return the error that a drill orders."""
    delay = order.retry_after_s
    if order.status == 429:
        message = _TOO_MANY[dialect].format(delay=f"{delay or 0:g}") if dialect in _TOO_MANY else order.message
        return ApiError(429, message, kind=order.kind, code=order.code, dialect=dialect, retry_after_s=delay)
    status, message = _BUSY.get(dialect, (order.status, order.message))
    return ApiError(status, message, kind=order.kind, code=order.code, dialect=dialect, retry_after_s=delay)


def inside(message: str, dialect: DialectName) -> tuple[str, str]:
    """Return class and words of the error that a server sends in the middle of an answer."""
    return _INSIDE.get(dialect, ("server", message))


def go_kind(value: Any) -> str:
    """Return what Go calls the JSON type of a value, as Ollama's errors name it."""
    match value:
        case str():
            return "string"
        case bool():
            return "bool"
        case int() | float():
            return "number"
        case list():
            return "array"
        case _:
            return "object"
