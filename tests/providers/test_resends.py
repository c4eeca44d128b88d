"""A refusal that one change mends is sent again once, as an exchange of its own, and a person is told; nothing else is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from tests.providers.answering import Bench, Reply, Server, in_pieces, refuses, says
from workbench.conversation.messages import (
    DialectName,
    Message,
    ModelRequest,
    Origin,
    ReasoningPart,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolResultPart,
    text_message,
)
from workbench.dialects import registry
from workbench.dialects.base import Quirks
from workbench.errors import ProviderRefused
from workbench.providers.profiles import Profile
from workbench.wire.server import LoopbackServer

READ = ToolDefinition(name="read", description="Read a file.", input_schema={"type": "object", "properties": {"path": {"type": "string"}}})


def bad(message: str, code: str | None = None) -> Reply:
    return refuses(400, {"error": {"message": message, "type": "invalid_request_error", "code": code}})


def anthropic_bad(message: str) -> Reply:
    return refuses(400, {"type": "error", "error": {"type": "invalid_request_error", "message": message}, "request_id": "req_1"})


def thought(name: DialectName, reasoning: ReasoningPart) -> tuple[Message, ...]:
    """Return a tool loop in which the model thought."""
    call = ToolCallPart(call_id="call_0123456789abcdef01234567", name="read", arguments_raw='{"path": "a"}')
    origin = Origin(dialect=name, provider="here", model="m")
    asked = Message(message_id="a1", role="assistant", parts=(reasoning, call), origin=origin)
    result = ToolResultPart(call_id=call.call_id, name="read", content=(TextPart(text="x"),))
    return (text_message("user", "look"), asked, Message(message_id="t1", role="tool", parts=(result,)))


class Case(NamedTuple):
    """A refusal, and what must be so of the request before and after it."""

    dialect: DialectName
    refusal: Reply
    rule: str
    differs: Callable[[dict[str, Any]], Any]
    before: Any
    after: Any
    options: Mapping[str, Any] = MappingProxyType({})
    quirks: Quirks = Quirks()
    messages: tuple[Message, ...] = ()
    lasting: bool = True


SIGNED = ReasoningPart(text="hm", signature="c2ln")
SEALED = ReasoningPart(summary=("hm",), encrypted="gAAAA")
GROQ = {"error": {"message": "Failed to call a function.", "type": "invalid_request_error", "code": "tool_use_failed", "failed_generation": "<tool>{oops"}}


def holds(kind: str) -> Callable[[dict[str, Any]], bool]:
    return lambda body: kind in repr(body)


CASES = {
    "gpt-5.6": Case(
        "chat_completions",
        bad(
            "Function tools with reasoning_effort are not supported for gpt-5.6-sol in /v1/chat/completions. "
            "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
        ),
        "effort",
        lambda body: body.get("reasoning_effort"),
        None,
        "none",
    ),
    "stop": Case(
        "chat_completions",
        bad("Unsupported parameter: 'stop' is not supported with this model.", "unsupported_parameter"),
        "stop",
        lambda body: body.get("stop"),
        ["\nObservation:"],
        None,
        options={"stop": ("\nObservation:",)},
    ),
    "stop in ReAct": Case(
        "react",
        bad("Unsupported parameter: 'stop' is not supported with this model.", "unsupported_parameter"),
        "stop",
        lambda body: "stop" in body,
        True,
        False,
    ),
    "max_tokens": Case(
        "chat_completions",
        bad("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "unsupported_parameter"),
        "limit",
        lambda body: (body.get("max_tokens"), body.get("max_completion_tokens")),
        (500, None),
        (None, 500),
        options={"max_output_tokens": 500},
    ),
    "forced choice": Case(
        "chat_completions",
        bad("Thinking mode does not support this tool_choice"),
        "choice",
        lambda body: body.get("tool_choice"),
        "required",
        "auto",
        options={"tool_choice": "required"},
    ),
    "groq": Case("chat_completions", refuses(400, GROQ), "failed_call", holds("<tool>{oops"), False, True, lasting=False),
    "encrypted": Case(
        "responses",
        bad("The encrypted content for item rs_1 could not be verified.", "invalid_encrypted_content"),
        "encrypted",
        holds("'gAAAA'"),
        True,
        False,
        messages=thought("responses", SEALED),
    ),
    "signature": Case(
        "anthropic",
        anthropic_bad("messages.1.content.0: Invalid `signature` in `thinking` block"),
        "thinking",
        holds("c2ln"),
        True,
        False,
        options={"max_output_tokens": 4096},
        quirks=Quirks(thinking="budget"),
        messages=thought("anthropic", SIGNED),
    ),
    "thinking first": Case(
        "anthropic",
        anthropic_bad("messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final …"),
        "thinking",
        holds("c2ln"),
        True,
        False,
        options={"max_output_tokens": 4096},
        quirks=Quirks(thinking="adaptive"),
        messages=thought("anthropic", SIGNED),
    ),
}
SPOKEN = [name for name, case in CASES.items() if case.dialect in registry.names()]


def request_of(case: Case) -> ModelRequest:
    messages = case.messages or (text_message("user", "look"),)
    return ModelRequest(system=(), tools=(READ,), messages=messages, options=RequestOptions(model="m", **case.options))


def profile_of(case: Case, base_url: str) -> Profile:
    return Profile(name="here", title="Here", base_url=base_url, dialect=case.dialect, quirks=case.quirks)


def yes(name: DialectName) -> Reply:
    return says(name, "yes")


@pytest.mark.parametrize("name", SPOKEN)
async def test_a_refusal_that_one_change_mends_is_asked_again_once(name: str) -> None:
    case = CASES[name]
    server, bench = Server(case.refusal, yes(case.dialect)), Bench()
    async with LoopbackServer(server) as running:
        model = bench.model(profile_of(case, running.base_url))
        assert (await bench.ask(model, request_of(case))).message("m1").text() == "yes"
        await bench.ask(model, request_of(case))
        await bench.http.aclose()
    first, second, later = (case.differs(server.body(place)) for place in range(3))
    assert (first, second) == (case.before, case.after)
    assert later == (case.after if case.lasting else case.before), "what a model refuses is not sent to it again"
    assert [notice.message_id for notice in bench.notices] == [f"provider.resent_{case.rule}"]
    assert [(opened.number, opened.attempt) for opened in bench.opened] == [(1, 1), (2, 2), (3, 1)]
    assert [closed.status for closed in bench.closed] == [400, 200, 200]
    assert bench.closed[0].retry_in_s == 0.0
    assert bench.waits == []


@pytest.mark.parametrize("name", SPOKEN)
async def test_it_is_asked_again_only_once(name: str) -> None:
    case = CASES[name]
    server, bench = Server(case.refusal), Bench()
    async with LoopbackServer(server) as running:
        with pytest.raises(ProviderRefused):
            await bench.ask(bench.model(profile_of(case, running.base_url)), request_of(case))
        await bench.http.aclose()
    assert len(server.received) == 2


async def test_two_refusals_of_different_kinds_are_mended_one_after_the_other() -> None:
    stop, limit = CASES["stop"], CASES["max_tokens"]
    server, bench = Server(stop.refusal, limit.refusal, yes("chat_completions")), Bench()
    case = stop._replace(options={**stop.options, **limit.options})
    async with LoopbackServer(server) as running:
        await bench.ask(bench.model(profile_of(case, running.base_url)), request_of(case))
        await bench.http.aclose()
    assert {"stop", "max_tokens"} & set(server.body(2)) == set()
    assert len(bench.notices) == 2


async def test_what_was_shown_is_not_asked_again() -> None:
    thinks = b'data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"reasoning":"I look"}}]}\n\n'
    failed = b'event: error\ndata: {"error":{"message":"Failed","code":"tool_use_failed","failed_generation":"<tool>","status_code":400}}\n\n'
    server, bench = Server(in_pieces("chat_completions", [thinks, failed])), Bench()
    async with LoopbackServer(server) as running:
        with pytest.raises(ProviderRefused) as caught:
            await bench.ask(bench.model(profile_of(CASES["groq"], running.base_url)), request_of(CASES["groq"]))
        await bench.http.aclose()
    assert len(server.received) == 1
    assert "<tool>" in caught.value.original


async def test_a_failed_call_inside_a_stream_is_asked_again_while_nothing_was_shown() -> None:
    failed = b'event: error\ndata: {"error":{"message":"Failed","code":"tool_use_failed","failed_generation":"<tool>","status_code":400}}\n\n'
    server, bench = Server(in_pieces("chat_completions", [failed]), yes("chat_completions")), Bench()
    async with LoopbackServer(server) as running:
        await bench.ask(bench.model(profile_of(CASES["groq"], running.base_url)), request_of(CASES["groq"]))
        await bench.http.aclose()
    assert "<tool>" in server.received[1].body.decode()


@pytest.mark.parametrize("status", [401, 429, 500])
async def test_words_alone_do_not_make_a_refusal(status: int) -> None:
    said = refuses(status, {"error": {"message": "Unsupported parameter: 'stop' is not supported with this model."}})
    server, bench = Server(said), Bench()
    async with LoopbackServer(server) as running:
        with pytest.raises(ProviderRefused):
            await bench.ask(bench.model(profile_of(CASES["stop"], running.base_url)), request_of(CASES["stop"]))
        await bench.http.aclose()
    assert not bench.notices


async def test_a_model_without_tools_is_told_the_way_out() -> None:
    said = refuses(400, {"error": "registry.ollama.ai/library/gemma3:1b does not support tools"})
    bench = Bench()
    async with LoopbackServer(Server(said)) as running:
        with pytest.raises(ProviderRefused, match=r"does not support tools\. Choose the dialect ReAct") as caught:
            await bench.ask(bench.model(profile_of(CASES["stop"], running.base_url)), request_of(CASES["stop"]))
        await bench.http.aclose()
    assert caught.value.message_id == "provider.no_tools"
