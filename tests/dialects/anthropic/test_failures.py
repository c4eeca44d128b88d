"""What Anthropic and the proxies before it say when they refuse or fail: class and words of each error body."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.feeding import outcome_of
from workbench.conversation.stream import ResponseFailed
from workbench.dialects.anthropic import DIALECT
from workbench.dialects.anthropic.stream_encoder import error_body
from workbench.errors import ResponseUnreadable


def body(kind: str, message: str = "words", **details: Any) -> bytes:
    return json.dumps({"type": "error", "error": {"type": kind, "message": message, **details}, "request_id": "req_1"}).encode()


KINDS: list[tuple[int, bytes, str]] = [
    (400, body("invalid_request_error", "messages.3.content.8: `thinking` blocks cannot be modified."), "bad_request"),
    (400, body("invalid_request_error", "prompt is too long: 3333404 tokens > 200000 maximum"), "context_too_long"),
    (400, body("invalid_request_error", "input length and `max_tokens` exceed context limit: 1 + 2 > 3"), "context_too_long"),
    (400, body("invalid_request_error", "Your credit balance is too low to access the API."), "quota"),
    (401, body("authentication_error"), "auth"),
    (402, body("billing_error"), "quota"),
    (403, body("permission_error"), "auth"),
    (404, body("not_found_error"), "bad_request"),
    (409, body("conflict_error"), "server"),
    (413, body("request_too_large"), "too_large"),
    (413, b"<html><title>413 Payload Too Large</title></html>", "too_large"),
    (429, body("rate_limit_error"), "rate_limit"),
    (429, body("rate_limit_error", details={"error_code": "enforced_spend_limit_reached"}), "quota"),
    (500, body("api_error"), "server"),
    (504, body("timeout_error"), "server"),
    (529, body("overloaded_error"), "overloaded"),
]


@pytest.mark.parametrize(("status", "data", "kind"), KINDS, ids=[f"{status} {kind} {len(data)}" for status, data, kind in KINDS])
def test_an_error_body_has_its_class(status: int, data: bytes, kind: str) -> None:
    failure = DIALECT.decode_response(data, status=status).failure
    assert failure is not None
    assert failure.kind == kind


def test_an_error_in_a_body_that_says_success_is_a_failure() -> None:
    failure = DIALECT.decode_response(body("overloaded_error", "Overloaded")).failure
    assert failure is not None
    assert (failure.kind, failure.text, json.loads(failure.original)["request_id"]) == ("overloaded", "Overloaded", "req_1")


@pytest.mark.parametrize("kind", ["auth", "quota", "rate_limit", "too_large", "overloaded", "context_too_long", "bad_request", "server"])
def test_an_error_that_is_written_is_read_as_what_it_was(kind: str) -> None:
    words = "prompt is too long" if kind == "context_too_long" else "words"
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=1)
    stream = encoder.feed(ResponseFailed(kind=kind, text=words))
    streamed = outcome_of(DIALECT.stream_decoder(), [stream]).failure
    whole = DIALECT.decode_response(json.dumps(error_body(ResponseFailed(kind=kind, text=words))).encode(), status=500 if kind == "server" else 400).failure
    for failure in (streamed, whole):
        assert failure is not None
        assert (failure.kind, failure.text) == (kind, words)


def test_what_is_no_answer_of_this_dialect_is_said() -> None:
    for data in (b'{"choices":[{"message":{"content":"x"}}]}', b'{"x":1}', b"[]"):
        with pytest.raises(ResponseUnreadable):
            DIALECT.decode_response(data)
