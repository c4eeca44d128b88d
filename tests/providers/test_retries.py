"""How long a provider asks to wait is read in every form it is said, and what waiting does not help is not waited for."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from tests.providers.answering import NOW, Bench, Server, in_pieces, refuses, says
from workbench.conversation.messages import DialectName, ModelRequest, RequestOptions, text_message
from workbench.dialects import registry
from workbench.errors import ProviderRefused
from workbench.providers.profiles import Profile
from workbench.wire.server import LoopbackServer, ServerResponse

QUESTION = ModelRequest(system=(), tools=(), messages=(text_message("user", "hello"),), options=RequestOptions(model="m", max_output_tokens=100))
RETRY_INFO = {
    "error": {
        "code": 429,
        "message": "You exceeded your current rate. Please retry in 48.9s.",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"}],
    }
}
OVERLOADED = {"type": "error", "error": {"details": None, "type": "overloaded_error", "message": "Overloaded"}}
SPENT = {"type": "error", "error": {"type": "rate_limit_error", "message": "limit", "details": {"error_code": "enforced_spend_limit_reached"}}}
LIMITED = {"type": "error", "error": {"type": "rate_limit_error", "message": "This would exceed your rate limit"}}


def limit(message: str, code: str = "rate_limit_exceeded") -> Any:
    return {"error": {"message": message, "type": code, "code": code}}


class Case(NamedTuple):
    """A refusal, the waits it causes before an answer comes (none: it is final), and its class."""

    dialect: DialectName
    status: int
    body: Any
    headers: tuple[tuple[str, str], ...]
    waits: list[float]
    kind: str


CASES = {
    "RetryInfo, edge 137": Case("gemini", 429, RETRY_INFO, (), [34.4], "rate_limit"),
    "RetryInfo in a list of one": Case("gemini", 429, [RETRY_INFO], (), [34.4], "rate_limit"),
    "reset in ms since 1970, edge 154": Case(
        "chat_completions",
        429,
        {"error": {"message": "Rate limit exceeded: free-models-per-min. ", "code": 429}},
        (("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", str(int((NOW + 12) * 1000)))),
        [12.0],
        "rate_limit",
    ),
    "the same inside the body": Case(
        "chat_completions",
        429,
        {"error": {"message": "Rate limit", "code": 429, "metadata": {"headers": {"X-RateLimit-Reset": str(int((NOW + 9) * 1000))}}}},
        (),
        [9.0],
        "rate_limit",
    ),
    "retry-after-ms": Case("chat_completions", 429, limit("slow"), (("retry-after-ms", "250"),), [0.25], "rate_limit"),
    "in words": Case(
        "chat_completions", 429, limit("Rate limit reached. Please try again in 1.146s."), (), [1.146], "rate_limit"
    ),
    "no money, edge 153": Case(
        "chat_completions", 429, limit("You exceeded your current quota", "insufficient_quota"), (), [], "quota"
    ),
    "spend limit, edge 159": Case("anthropic", 429, SPENT, (("x-should-retry", "true"), ("retry-after", "1")), [], "quota"),
    "a limit of Anthropic's without an end, edge 159": Case("anthropic", 429, LIMITED, (), [], "quota"),
    "a limit of Anthropic's with an end": Case("anthropic", 429, LIMITED, (("retry-after", "3"),), [3.0], "rate_limit"),
    "overloaded": Case("anthropic", 529, OVERLOADED, (), [1.0], "overloaded"),
    "a lock, asked to come back": Case("anthropic", 409, {"type": "error", "error": {"type": "conflict_error", "message": "busy"}}, (), [1.0], "server"),
    "told not to come back": Case("anthropic", 529, OVERLOADED, (("x-should-retry", "false"),), [], "overloaded"),
    "request larger than the limit": Case(
        "chat_completions", 429, {"error": {"message": "Request too large for gpt-4o (TPM): Limit 30000, Requested 34307"}}, (), [], "too_large"
    ),
    "a key that is none is 400 at Gemini, edge 155": Case(
        "gemini",
        400,
        {"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}},
        (),
        [],
        "auth",
    ),
    "a key that is none is 400 at xAI, edge 155": Case(
        "chat_completions", 400, {"code": "Client specified an invalid argument", "error": "Incorrect API key provided: no. "}, (), [], "auth"
    ),
    "Mistral's detail, edge 156": Case("chat_completions", 401, {"detail": "Invalid API Key"}, (), [], "auth"),
    "DeepSeek's overflow, edge 157": Case(
        "chat_completions",
        400,
        {"error": {"message": "This model's maximum context length is 65536 tokens.", "type": "invalid_request_error", "code": "invalid_request_error"}},
        (),
        [],
        "context_too_long",
    ),
    "no such model in Responses, edge 158": Case(
        "responses", 400, {"error": {"message": "The requested model 'x' does not exist.", "code": "model_not_found"}}, (), [], "bad_request"
    ),
    "no such model in chat, edge 158": Case(
        "chat_completions", 404, {"error": {"message": "The model `x` does not exist", "code": "model_not_found"}}, (), [], "bad_request"
    ),
}
SPOKEN = [name for name, case in CASES.items() if case.dialect in registry.names()]


def profile(name: DialectName, base_url: str) -> Profile:
    return Profile(name="here", title="Here", base_url=base_url, dialect=name)


@pytest.mark.parametrize("name", SPOKEN)
async def test_a_refusal_is_waited_for_as_told_or_not_at_all(name: str) -> None:
    case = CASES[name]
    server, bench = Server(refuses(case.status, case.body, *case.headers), says(case.dialect, "yes")), Bench()
    async with LoopbackServer(server) as running:
        if case.waits:
            await bench.ask(bench.model(profile(case.dialect, running.base_url)), QUESTION)
        else:
            with pytest.raises(ProviderRefused):
                await bench.ask(bench.model(profile(case.dialect, running.base_url)), QUESTION)
        await bench.http.aclose()
    assert bench.waits == pytest.approx(case.waits)
    assert bench.closed[0].failure == case.kind
    assert len(server.received) == len(case.waits) + 1


@pytest.mark.skipif("anthropic" not in registry.names(), reason="the dialect is not spoken yet")
async def test_overloaded_as_first_event_of_a_good_answer_is_as_529() -> None:
    """Edge case 99: the status is 200, and nothing was shown yet."""
    first = b"event: error\ndata: " + json.dumps(OVERLOADED).encode() + b"               \n\n"
    server, bench = Server(in_pieces("anthropic", [first]), says("anthropic", "yes")), Bench()
    async with LoopbackServer(server) as running:
        answer = await bench.ask(bench.model(profile("anthropic", running.base_url)), QUESTION)
        await bench.http.aclose()
    assert answer.message("m1").text() == "yes"
    assert (bench.waits, bench.closed[0].failure, bench.closed[0].status) == ([1.0], "overloaded", 200)


@pytest.mark.parametrize("label", ["application/json", "application/octet-stream", "text/event-stream", ""])
async def test_a_plain_body_is_read_whatever_it_is_called(label: str) -> None:
    """Edge cases 17 and 160: an error with status 200, or labelled as bytes, is an error with its own words."""
    filtered = {"error": {"message": "The response was filtered", "type": None, "param": "prompt", "code": "content_filter", "status": 400}}

    def reply() -> ServerResponse:
        return ServerResponse(200, (("Content-Type", label),) if label else (), json.dumps(filtered).encode())

    bench = Bench()
    async with LoopbackServer(Server(reply)) as running:
        with pytest.raises(ProviderRefused, match="Here reported an error: The response was filtered"):
            await bench.ask(bench.model(profile("chat_completions", running.base_url)), QUESTION)
        await bench.http.aclose()
    assert bench.closed[0].failure == "bad_request"


async def test_an_error_in_a_stream_keeps_its_code() -> None:
    """Edge case 65: too long a context must be told from other errors."""
    text = b'data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"I"}}]}\n\n'
    failed = b'data: {"error":{"message":"too many tokens","code":"context_length_exceeded"}}\n\n'
    bench = Bench()
    async with LoopbackServer(Server(in_pieces("chat_completions", [text, failed]))) as running:
        with pytest.raises(ProviderRefused) as caught:
            await bench.ask(bench.model(profile("chat_completions", running.base_url)), QUESTION)
        await bench.http.aclose()
    assert caught.value.failure == "context_too_long"
    assert "context_length_exceeded" in caught.value.original
