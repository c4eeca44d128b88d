"""What providers say when they refuse or fail: error bodies of every known shape, read into one form and sorted by what can be done.

Shapes and classes are those of the wire specification, section 12. The class is told by code and words before the status, because
providers use one status for different things (a wrong key is 401, 400 or 403; no money left is 429).
"""

from __future__ import annotations

import re
from typing import Any, Literal, TypeAlias

import msgspec

from workbench.conversation.stream import ResponseFailed
from workbench.conversation.values import JsonObject, Value, clean_text
from workbench.dialects.json_text import read_json, write_json

FailureKind: TypeAlias = Literal["auth", "quota", "rate_limit", "too_large", "overloaded", "context_too_long", "bad_request", "server", "unknown"]

ORIGINAL_LIMIT_BYTES = 8192
_TEXT_LIMIT = 2000


class ErrorBody(Value):
    """An error as a provider told it.

    Attributes:
        message: the provider's sentence, or one of ours when it gave none.
        code: its machine word; the type when there is no code, e.g. ``overloaded_error``.
        param: the request member it complains about.
        pointer: the same place as a JSON pointer into the request body, as far as it can be told.
        retry_after_s: how long to wait, when the body says so.
        failed_text: what the model had written, when the server's own parser could not read it.
    """

    message: str
    kind: FailureKind
    code: str = ""
    param: str = ""
    pointer: str = ""
    request_id: str = ""
    retry_after_s: float | None = None
    failed_text: str = ""
    original: str = ""

    def as_event(self, frame: int = -1) -> ResponseFailed:
        """Return the stream event that says so."""
        return ResponseFailed(kind=self.kind, text=self.message, code=self.code, original=self.original, frame=frame)


def parse_error(body: bytes, *, status: int) -> ErrorBody:
    """Return what the body of a failed request says; never raises: a body of no known shape is shown as it is."""
    try:
        value = read_json(body)
    except ValueError:
        return _from_text(body.decode("utf-8", "replace"), status)
    error = error_in(value, status=status) or _build(_as_text(value), {}, status, value)
    return msgspec.structs.replace(error, original=clip(write_json(value)))


def error_in(value: Any, *, status: int = 200) -> ErrorBody | None:
    """Return the error that a parsed body or stream chunk holds; None if it holds none."""
    if isinstance(value, list):
        return error_in(value[0], status=status) if len(value) == 1 else None
    if isinstance(value, str):
        return _build(value, {}, status, value) if status >= 400 else None
    if not isinstance(value, dict):
        return None
    error = value.get("error")
    around = {name: member for name, member in value.items() if name != "error"}
    if isinstance(error, dict) and error:
        return _from_object(error, around, status, value)
    if isinstance(error, str) and error:
        return _build(error, around, status, value)
    if "choices" in value:
        return None
    if detail := value.get("detail"):
        return _build(_detail_text(detail), around, status, value)
    failed = status >= 400 or "error" in (value.get("object"), value.get("type")) or value.get("success") is False or isinstance(value.get("code"), str)
    return _from_object(value, {}, status, value) if failed and value.get("message") else None


def classify(status: int, words: str, message: str) -> FailureKind:
    """Return the class of a failure from its status, its machine words (code, type, reason; parted by blanks) and its sentence."""
    codes = words.lower().split()
    text = " ".join([*codes, message.lower()])
    if _TOO_LONG.search(text):
        return "context_too_long"
    if _TOO_LARGE.search(text):
        return "too_large"
    for code in codes:
        if code in _BY_CODE:
            return _BY_CODE[code]
    by_sentence = next((kind for kind, pattern in _BY_SENTENCE if pattern.search(text)), None)
    if by_sentence is not None or status >= 400:
        return by_sentence or kind_of_status(status)
    return next((_BY_BROAD_CODE[code] for code in codes if code in _BY_BROAD_CODE), "unknown")


def kind_of_status(status: int) -> FailureKind:
    """Return the class that an error status stands for when nothing else is known."""
    match status:
        case 401 | 403:
            return "auth"
        case 402:
            return "quota"
        case 413:
            return "too_large"
        case 429:
            return "rate_limit"
        case 503 | 529:
            return "overloaded"
        case 408 | 409:
            return "server"
        case _ if status >= 500:
            return "server"
        case _:
            return "bad_request"


def clip(original: bytes) -> str:
    """Return a provider's own text for keeping: at most 8 KB."""
    return original[:ORIGINAL_LIMIT_BYTES].decode("utf-8", "ignore")


def pointer_in(text: str) -> str:
    """Return the request member a text speaks of as a JSON pointer: ``messages.[6].role`` gives ``/messages/6/role``."""
    match = _PLACE.search(text)
    if match is None:
        return ""
    names = re.findall(r"[A-Za-z_]\w*|\d+", match[0])
    return "/" + "/".join(names)


def retry_after_in(text: str) -> float | None:
    """Return the seconds that a sentence asks to wait: "Please try again in 84ms", "in 1.146s", "in 2m", "in 1m2s"."""
    match = _WAIT.search(text)
    return _seconds(match[1]) if match else None


_TOO_LONG = re.compile(
    r"context_length_exceeded|maximum context length|prompt is too long|input token count.*exceeds|exceeded max context length"
    r"|exceeds the context window|input length and `?max_tokens`? exceed|context window exceeds|exceed_context_size|exceeds the available context"
)
_TOO_LARGE = re.compile(r"request too large|payload too large|request_too_large")
_BY_CODE: dict[str, FailureKind] = {
    "insufficient_quota": "quota",
    "billing_error": "quota",
    "billing_not_active": "quota",
    "enforced_spend_limit_reached": "quota",
    "authentication_error": "auth",
    "permission_error": "auth",
    "permission_denied": "auth",
    "unauthenticated": "auth",
    "invalid_api_key": "auth",
    "api_key_invalid": "auth",
    "invalidapikey": "auth",
    "overloaded_error": "overloaded",
    "unavailable": "overloaded",
    "engine_overloaded_error": "overloaded",
    "rate_limit_exceeded": "rate_limit",
    "rate_limit_error": "rate_limit",
    "resource_exhausted": "rate_limit",
}
_BY_BROAD_CODE: dict[str, FailureKind] = {
    "server_error": "server",
    "internal_error": "server",
    "internal_server_error": "server",
    "api_error": "server",
    "timeout_error": "server",
    "invalid_request_error": "bad_request",
    "invalid_argument": "bad_request",
    "not_found_error": "bad_request",
}
_BY_SENTENCE: tuple[tuple[FailureKind, re.Pattern[str]], ...] = (
    ("quota", re.compile(r"exceeded your current quota|insufficient (?:balance|credit|fund)|credit balance is too low|requires more credits|payment required")),
    ("auth", re.compile(r"incorrect api key|invalid api key|api key not valid|no auth credentials|unauthorized")),
    ("rate_limit", re.compile(r"rate.?limit|too many requests")),
    ("overloaded", re.compile(r"\boverloaded\b|temporarily unavailable|high demand|at capacity")),
)

_PLACE = re.compile(r"\b(?:messages|input|tools|contents)(?:\.?\[\d+\]|\.\d+)(?:\.?\[\d+\]|\.\w+)*")
_WAIT = re.compile(r"(?:try again|retry|retry_after|wait)\b[^0-9]{0,12}((?:\d+(?:\.\d+)?\s?(?:ms|h|m|s|seconds?|minutes?)\s?)+)", re.IGNORECASE)
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s?(ms|h|minutes?|m|seconds?|s)")
_UNITS_S = {"ms": 0.001, "h": 3600.0, "m": 60.0, "minute": 60.0, "minutes": 60.0, "s": 1.0, "second": 1.0, "seconds": 1.0}
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>|<h1[^>]*>(.*?)</h1>", re.IGNORECASE | re.DOTALL)


def _from_object(error: JsonObject, around: JsonObject, status: int, original: Any) -> ErrorBody:
    metadata = error.get("metadata")
    upstream = metadata.get("raw") if isinstance(metadata, dict) else None
    message = _as_text(error.get("message") or error.get("detail") or error.get("error") or "")
    if isinstance(upstream, str) and upstream.strip():
        message = f"{message}: {upstream.strip()}" if message else upstream.strip()
    told = {**around, **error}
    number = _status_of(error)
    return _build(message or _as_text(error), told, status if status >= 400 or number is None else number, original)


def _build(message: str, told: JsonObject, status: int, original: Any) -> ErrorBody:
    text = clean_text(message.strip())[:_TEXT_LIMIT] or f"The provider answered with status {status} and gave no reason."
    code = _code_of(told)
    param = told.get("param")
    place = clean_text(param) if isinstance(param, str) else ""
    failed = told.get("failed_generation")
    return ErrorBody(
        message=text,
        kind=classify(status, _words(told), text),
        code=code,
        param=place,
        pointer=pointer_in(place) or pointer_in(text),
        request_id=_word(told.get("request_id")),
        retry_after_s=_retry_delay(told) or retry_after_in(text),
        failed_text=clean_text(failed) if isinstance(failed, str) else "",
        original=clip(write_json(original)),
    )


def _from_text(text: str, status: int) -> ErrorBody:
    text = text.strip()
    title = _TITLE.search(text) if text[:1] == "<" else None
    if title:
        said = re.sub(r"<[^>]+>|\s+", " ", title[1] or title[2]).strip()
        message = f"A web page came instead of an answer: {said or 'it has no title'}."
    elif text[:1] == "<":
        message = "A web page came instead of an answer."
    else:
        message = text[:_TEXT_LIMIT]
    return msgspec.structs.replace(_build(message, {}, status, None), original=clip(clean_text(text).encode()))


def _words(told: JsonObject) -> str:
    """Return all machine words, the most telling first."""
    return " ".join([_reasons(told), *(_word(told.get(name)) for name in ("code", "type", "status"))])


def _code_of(told: JsonObject) -> str:
    """Return the most telling machine word: the code unless it is only the status again, else type or status word."""
    for name in ("code", "type", "status"):
        word = _word(told.get(name))
        if word and word != "error" and not (name == "code" and word.isdecimal() and len(word) == 3):
            return word
    return _word(told.get("code"))


def _status_of(error: JsonObject) -> int | None:
    for name in ("code", "status_code", "status"):
        number = error.get(name)
        if isinstance(number, int) and not isinstance(number, bool) and 400 <= number < 600:
            return number
    return None


def _reasons(told: JsonObject) -> str:
    """Return the reason words that Google hides in `details`."""
    details = told.get("details")
    found = [_word(item.get("reason")) for item in details if isinstance(item, dict)] if isinstance(details, list) else []
    inner = details.get("error_code") if isinstance(details, dict) else None
    return " ".join([*filter(None, found), _word(inner)])


def _retry_delay(told: JsonObject) -> float | None:
    details = told.get("details")
    for item in details if isinstance(details, list) else []:
        delay = item.get("retryDelay") if isinstance(item, dict) else None
        if isinstance(delay, str):
            return _seconds(delay)
    return None


def _seconds(text: str) -> float | None:
    spans = _SPAN.findall(text.lower())
    return sum(float(number) * _UNITS_S[unit] for number, unit in spans) if spans else None


def _detail_text(detail: Any) -> str:
    """Return FastAPI's `detail`: a text, or a list of ``{loc, msg, type}``."""
    if isinstance(detail, list):
        lines = [f"{'.'.join(map(str, item.get('loc', ())))}: {item.get('msg', '')}" for item in detail if isinstance(item, dict)]
        return "; ".join(lines) or _as_text(detail)
    return _as_text(detail)


def _as_text(value: Any) -> str:
    match value:
        case str():
            return value
        case {"message": str() as message} if message:
            return message
        case None:
            return ""
        case _:
            return write_json(value).decode()


def _word(value: Any) -> str:
    return clean_text(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else ""
