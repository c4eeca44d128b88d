"""Errors of Gemini: what class they are, how long to wait; told by the body, not by the status."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.gemini.test_recordings import RECORDED
from tests.shared import needs_shared
from workbench.conversation.stream import ResponseFailed
from workbench.dialects.errors import parse_error
from workbench.dialects.gemini import DIALECT
from workbench.dialects.gemini.stream_encoder import error_body

ERRORS: list[tuple[int, str, str, list[Any], str]] = [
    (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [{"reason": "API_KEY_INVALID"}], "auth"),
    (403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers.", [], "auth"),
    (404, "NOT_FOUND", "models/x is not found for API version v1beta.", [], "bad_request"),
    (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota. Please retry in 48.9s.", [], "rate_limit"),
    (500, "INTERNAL", "An internal error has occurred.", [], "server"),
    (503, "UNAVAILABLE", "The model is overloaded. Please try again later.", [], "overloaded"),
    (400, "INVALID_ARGUMENT", "The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).", [], "context_too_long"),
    (400, "INVALID_ARGUMENT", "* GenerateContentRequest.contents: contents is not specified", [], "bad_request"),
]


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize(("status", "word", "text", "details", "kind"), ERRORS)
def test_an_error_has_its_class(status: int, word: str, text: str, details: list[Any], kind: str, wrapped: bool) -> None:
    error = {"error": {"code": status, "message": text, "status": word, "details": details}}
    body = json.dumps([error] if wrapped else error).encode()
    failure = DIALECT.decode_response(body, status=status).failure
    assert failure is not None
    assert (failure.kind, failure.text) == (kind, text)


@needs_shared
@pytest.mark.parametrize(
    ("file", "seconds"),
    [
        ("google-429-retry-info.json", 34.4),
        ("chat_real_error_scenarios_gemini_gemini-2_5-flash_handles_context_length_exceeded_errors.yml", 48.0),
    ],
)
def test_the_time_to_wait_stands_in_the_details(file: str, seconds: float) -> None:
    assert parse_error(RECORDED[file][0].response, status=429).retry_after_s == seconds


def test_the_place_of_a_fault_is_a_pointer() -> None:
    error = {"error": {"code": 400, "message": "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.", "status": "INVALID_ARGUMENT"}}
    assert parse_error(json.dumps(error).encode(), status=400).pointer == "/contents/1/parts"


@pytest.mark.parametrize("kind", ["auth", "rate_limit", "overloaded", "context_too_long", "bad_request", "server"])
def test_an_error_that_we_send_is_read_as_what_it_is(kind: str) -> None:
    text = "The input token count (2) exceeds the maximum number of tokens allowed (1)." if kind == "context_too_long" else "No."
    written = error_body(ResponseFailed(kind=kind, text=text))
    failure = DIALECT.decode_response(json.dumps(written).encode(), status=written["error"]["code"]).failure
    assert failure is not None
    assert (failure.kind, failure.text) == (kind, text)


@pytest.mark.parametrize("word", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE", "MALFORMED_RESPONSE"])
def test_an_answer_with_trouble_keeps_its_word_when_it_is_written_again(word: str) -> None:
    body = json.dumps({"candidates": [{"content": {"parts": [{"text": "x"}]}, "finishReason": word}]}).encode()
    decoded = DIALECT.decode_response(body)
    assert (decoded.message.finish_reason, decoded.calls_may_run, len(decoded.problems)) == ("error", False, 1)
    again = DIALECT.encode_response(decoded.message, response_id="r", model="m", created=1)
    assert json.loads(again)["candidates"][0]["finishReason"] == word
