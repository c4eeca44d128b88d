"""Errors as providers tell them: every shape that was seen, and what can be done about each."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dialects.test_json_text import VALUES
from workbench.dialects.errors import ORIGINAL_LIMIT_BYTES, classify, error_in, parse_error, pointer_in, retry_after_in

SHAPES: list[tuple[str, int, Any, str, str, str]] = [
    # name, status, body, message, code, kind
    (
        "openai",
        400,
        {"error": {"message": "Bad.", "type": "invalid_request_error", "param": "tools[0].function.name", "code": None}},
        "Bad.",
        "invalid_request_error",
        "bad_request",
    ),
    (
        "anthropic",
        529,
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "req_1"},
        "Overloaded",
        "overloaded_error",
        "overloaded",
    ),
    (
        "gemini list of one",
        429,
        [{"error": {"code": 429, "message": "Slow down.", "status": "RESOURCE_EXHAUSTED"}}],
        "Slow down.",
        "RESOURCE_EXHAUSTED",
        "rate_limit",
    ),
    (
        "gemini key",
        400,
        {"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}},
        "API key not valid.",
        "INVALID_ARGUMENT",
        "auth",
    ),
    ("ollama", 400, {"error": "gemma3:1b does not support tools"}, "gemma3:1b does not support tools", "", "bad_request"),
    (
        "xai",
        400,
        {"code": "Client specified an invalid argument", "error": "Incorrect API key provided: no***ey."},
        "Incorrect API key provided: no***ey.",
        "Client specified an invalid argument",
        "auth",
    ),
    ("mistral", 401, {"detail": "Invalid API Key"}, "Invalid API Key", "", "auth"),
    ("fastapi", 422, {"detail": [{"loc": ["body", "model"], "msg": "field required", "type": "missing"}]}, "body.model: field required", "", "bad_request"),
    ("vllm", 400, {"object": "error", "message": "Too long", "type": "BadRequestError", "code": 40001}, "Too long", "40001", "bad_request"),
    ("bedrock", 403, {"message": "The security token is expired."}, "The security token is expired.", "", "auth"),
    ("dashscope", 401, {"code": "InvalidApiKey", "message": "No.", "request_id": "r"}, "No.", "InvalidApiKey", "auth"),
    ("gateway", 500, {"data": {}, "success": False, "error": {}, "message": "upstream"}, "upstream", "", "server"),
    ("bare text", 500, "it broke", "it broke", "", "server"),
    (
        "openrouter",
        429,
        {"error": {"code": 429, "message": "Provider returned error", "metadata": {"raw": "busy, retry"}}},
        "Provider returned error: busy, retry",
        "429",
        "rate_limit",
    ),
    (
        "quota is no rate",
        429,
        {"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}},
        "You exceeded your current quota.",
        "insufficient_quota",
        "quota",
    ),
    (
        "spend limit",
        429,
        {"type": "error", "error": {"type": "rate_limit_error", "message": "m", "details": {"error_code": "enforced_spend_limit_reached"}}},
        "m",
        "rate_limit_error",
        "quota",
    ),
    (
        "too large",
        429,
        {"error": {"message": "Request too large for gpt-4o (TPM): Limit 30000, Requested 34307", "code": "rate_limit_exceeded"}},
        "Request too large for gpt-4o (TPM): Limit 30000, Requested 34307",
        "rate_limit_exceeded",
        "too_large",
    ),
    (
        "deepseek length",
        400,
        {"error": {"message": "This model's maximum context length is 65536 tokens.", "code": "invalid_request_error"}},
        "This model's maximum context length is 65536 tokens.",
        "invalid_request_error",
        "context_too_long",
    ),
    (
        "anthropic length",
        400,
        {"error": {"type": "invalid_request_error", "message": "prompt is too long: 3333404 tokens > 200000 maximum"}},
        "prompt is too long: 3333404 tokens > 200000 maximum",
        "invalid_request_error",
        "context_too_long",
    ),
]


@pytest.mark.parametrize(("status", "body", "message", "code", "kind"), [shape[1:] for shape in SHAPES], ids=[shape[0] for shape in SHAPES])
def test_every_shape_is_read(status: int, body: Any, message: str, code: str, kind: str) -> None:
    error = parse_error(json.dumps(body).encode(), status=status)
    assert (error.message, error.code, error.kind) == (message, code, kind)
    assert json.loads(error.original) == body


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>", "A web page came instead of an answer: 502 Bad Gateway."),
        (b"<html><body>?</body></html>", "A web page came instead of an answer."),
        (b"", "The provider answered with status 502 and gave no reason."),
        (b"upstream connect error", "upstream connect error"),
        (b"\xff\xfe broken", "\ufffd\ufffd broken"),
        (b"{}", "{}"),
    ],
)
def test_a_body_of_no_shape_is_shown(body: bytes, message: str) -> None:
    error = parse_error(body, status=502)
    assert (error.message, error.kind) == (message, "server")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((status, "auth") for status in (401, 403)),
        (402, "quota"),
        (413, "too_large"),
        (429, "rate_limit"),
        *((status, "overloaded") for status in (503, 529)),
        *((status, "server") for status in (408, 409, 500, 502, 504, 524)),
        *((status, "bad_request") for status in (400, 404, 422)),
        (200, "unknown"),
    ],
)
def test_without_words_the_status_decides(status: int, kind: str) -> None:
    assert classify(status, "", "") == kind


def test_a_message_that_is_an_object_is_opened() -> None:
    body = {"error": {"message": {"message": "inner", "detail": 1}, "code": "x"}}
    assert parse_error(json.dumps(body).encode(), status=500).message == "inner"


def test_the_status_inside_of_an_error_counts_when_the_answer_had_begun() -> None:
    error = error_in({"error": {"message": "m", "code": "tool_use_failed", "status_code": 400, "failed_generation": "{"}})
    assert error is not None
    assert (error.kind, error.code, error.failed_text) == ("bad_request", "tool_use_failed", "{")


@pytest.mark.parametrize(
    "value", [{"choices": [], "detail": "x"}, {"id": "1"}, {"error": None}, {"error": {}}, [], True, None, 3, "text", {"message": {"role": "assistant"}}]
)
def test_what_is_no_error_is_none(value: Any) -> None:
    assert error_in(value) is None


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("Invalid 'messages[3].tool_calls': array too long.", "/messages/3/tool_calls"),
        ("messages.[6].role", "/messages/6/role"),
        ("messages.3.content.8: blocks cannot be modified", "/messages/3/content/8"),
        ("Unknown name at 'tools[0].function_declarations[37].name'", "/tools/0/function_declarations/37/name"),
        ("GenerateContentRequest.contents[1].parts: must not be empty", "/contents/1/parts"),
        ("input[4] is wrong", "/input/4"),
        ("your messages are too long", ""),
    ],
)
def test_the_place_of_the_fault_is_found(text: str, pointer: str) -> None:
    assert pointer_in(text) == pointer


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Limit 50000. Please try again in 1.146s. Visit", 1.146),
        ("Please try again in 84ms.", 0.084),
        ("try again in 2m", 120.0),
        ("Please try again in 1m2s", 62.0),
        ("Please retry in 48.9s.", 48.9),
        ("Retry after 20 seconds", 20.0),
        ("try again later", None),
        ("It took 3s.", None),
    ],
)
def test_how_long_to_wait_is_read_from_the_sentence(text: str, seconds: float | None) -> None:
    assert retry_after_in(text) == (pytest.approx(seconds) if seconds is not None else None)


def test_how_long_to_wait_is_read_from_the_details() -> None:
    body = {"error": {"code": 429, "message": "Quota.", "details": [{"@type": "x"}, {"@type": "RetryInfo", "retryDelay": "34.4s"}]}}
    assert parse_error(json.dumps(body).encode(), status=429).retry_after_s == pytest.approx(34.4)


def test_ids_and_places_are_kept() -> None:
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": "m", "param": "messages[2].content"}, "request_id": "req_7"}
    error = parse_error(json.dumps(body).encode(), status=400)
    assert (error.request_id, error.param, error.pointer) == ("req_7", "messages[2].content", "/messages/2/content")
    event = error.as_event(4)
    assert (event.kind, event.text, event.code, event.frame) == ("bad_request", "m", "invalid_request_error", 4)


def test_a_huge_body_is_kept_in_part() -> None:
    assert len(parse_error("上".encode() * 10_000, status=500).original.encode()) <= ORIGINAL_LIMIT_BYTES


@given(VALUES, st.sampled_from([200, 400, 429, 500]))
def test_no_value_breaks_the_reader(value: Any, status: int) -> None:
    told = {"message": value, "code": value, "details": value, "metadata": value, "type": value, "detail": value}
    for wrapped in (value, {"error": value}, {"error": told}, told):
        error_in(wrapped, status=status)
        parse_error(json.dumps(wrapped).encode(), status=status)
