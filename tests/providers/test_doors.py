"""Each dialect's servers are asked at their own address, with the key in their own header, and the key is kept nowhere."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from tests.providers.answering import KEY, USAGE, Bench, Server, says
from workbench.conversation.messages import DialectName, ModelRequest, RequestOptions, text_message
from workbench.dialects import registry
from workbench.inspection.curl import curl
from workbench.providers.doors import DOORS, dialect_title
from workbench.providers.profiles import Profile, checked
from workbench.wire.server import LoopbackServer

PATHS = {
    "chat_completions": "/v1/chat/completions",
    "functions": "/v1/chat/completions",
    "react": "/v1/chat/completions",
    "responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:streamGenerateContent?alt=sse",
    "ollama": "/api/chat",
}
KEYS = {"anthropic": ("x-api-key", KEY), "gemini": ("x-goog-api-key", KEY)}
STREAMS = {"ollama": "application/x-ndjson"}


def profile(name: DialectName, base_url: str) -> Profile:
    return checked(Profile(name="here", title="Here", dialect=name, base_url=base_url + ("" if name in ("anthropic", "gemini", "ollama") else "/v1")))


def question(text: str = "hello") -> ModelRequest:
    return ModelRequest(system=("be brief",), tools=(), messages=(text_message("user", text),), options=RequestOptions(model="m"))


@pytest.mark.parametrize("name", registry.names())
async def test_a_turn_in_each_dialect(name: DialectName) -> None:
    server = Server(says(name, "你好"))
    bench = Bench()
    async with LoopbackServer(server) as running:
        answer = (await bench.ask(bench.model(profile(name, running.base_url)), question())).message("m1")
        await bench.http.aclose()
    assert answer.text() == "你好"
    assert (answer.usage and answer.usage.input_tokens, answer.usage and answer.usage.output_tokens) == (USAGE.input_tokens, USAGE.output_tokens)
    received = server.received[0]
    assert (received.method, received.target) == ("POST", PATHS[name])
    sent = {header.lower(): value for header, value in received.headers}
    key, value = KEYS.get(name, ("authorization", f"Bearer {KEY}"))
    assert sent[key] == value
    assert not {"authorization", "x-api-key", "x-goog-api-key"} - {key} & set(sent)
    assert sent["accept"] == STREAMS.get(name, "text/event-stream")
    assert sent["accept-encoding"] == "identity"
    assert sent.get("anthropic-version") == ("2023-06-01" if name == "anthropic" else None)


@pytest.mark.parametrize("name", registry.names())
async def test_the_key_is_in_no_fact_and_no_command(name: DialectName) -> None:
    bench = Bench()
    async with LoopbackServer(Server(says(name, "yes"))) as running:
        await bench.ask(bench.model(profile(name, running.base_url)), question())
        await bench.http.aclose()
    opened = bench.opened[0]
    command = curl(opened, bench.keeper.body(opened.body))
    assert KEY not in repr(bench.journal.entries) + repr(command)
    assert len(command.variables) == 1


@pytest.mark.parametrize("name", get_args(DialectName))
def test_every_dialect_has_a_door_and_a_name(name: DialectName) -> None:
    assert PATHS[name].replace("/m:streamGenerateContent?alt=sse", "/{model}:generateContent").endswith(DOORS[name].question)
    assert dialect_title(name) != name
    assert dialect_title("other") == "other"


@pytest.mark.parametrize(
    ("name", "typed", "kept"),
    [
        ("responses", "https://api.openai.com/v1/responses", "https://api.openai.com/v1"),
        ("anthropic", "https://api.anthropic.com/v1/messages", "https://api.anthropic.com"),
        ("anthropic", "https://api.anthropic.com/v1/", "https://api.anthropic.com"),
        ("anthropic", "https://gateway.example/anthropic", "https://gateway.example/anthropic"),
        ("gemini", "https://g.example/v1beta", "https://g.example"),
        ("gemini", "https://g.example/v1beta/models/gemini-3-pro:streamGenerateContent", "https://g.example"),
        ("ollama", "http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434"),
        ("ollama", "http://127.0.0.1:11434/v1", "http://127.0.0.1:11434"),
        ("react", "https://api.example.com/v1/chat/completions", "https://api.example.com/v1"),
    ],
)
def test_a_copied_address_loses_the_dialects_own_path(name: DialectName, typed: str, kept: str) -> None:
    assert checked(Profile(name="x", base_url=typed, dialect=name)).base_url == kept


def test_a_profiles_own_headers_replace_those_of_the_dialect() -> None:
    own = Profile(name="x", base_url="https://h", dialect="anthropic", headers=(("Anthropic-Version", "2024-01-01"), ("anthropic-beta", "tools-1")))
    sent = own.headers_with("k", streamed=True)
    assert sent == (("Accept", "text/event-stream"), ("x-api-key", "k"), ("Anthropic-Version", "2024-01-01"), ("anthropic-beta", "tools-1"))


async def test_headers_with_keys_are_masked_wherever_they_stand() -> None:
    bench = Bench()
    secret = tuple((header, "canary-value") for header in ("x-api-key", "x-goog-api-key", "Authorization", "api-key"))
    async with LoopbackServer(Server(says("chat_completions", "x"))) as running:
        await bench.ask(bench.model(Profile(name="here", base_url=running.base_url, headers=secret)), question())
        await bench.http.aclose()
    assert "canary-value" not in json.dumps(bench.opened[0].headers)
