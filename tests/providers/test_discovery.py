"""Servers on this machine are found by asking them, and one that misbehaves does not hold up the others."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from workbench.conversation.messages import DialectName
from workbench.errors import ProviderError
from workbench.providers.discovery import LocalKind, find_local_servers, models_of
from workbench.providers.profiles import Profile
from workbench.wire.client import HttpClient
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse


async def lists_models(request: ServerRequest) -> ServerResponse:
    assert request.method == "GET"
    if request.target != "/v1/models":
        return ServerResponse(404, (), b"404 page not found")
    return ServerResponse(200, (), json.dumps({"object": "list", "data": [{"id": "qwen3:8b"}, {"id": "llama3"}, {"no": "id"}]}).encode())


async def is_ollama(request: ServerRequest) -> ServerResponse:
    models = {"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "size": 1}, {"name": "gemma3:1b"}]}
    return ServerResponse(200, (), json.dumps(models).encode()) if request.target == "/api/tags" else await lists_models(request)


async def is_something_else(_request: ServerRequest) -> ServerResponse:
    return ServerResponse(200, (), b"<html>hello</html>")


async def never_answers(request: ServerRequest) -> ServerResponse:
    await request.client_gone.wait()
    return ServerResponse(200)


async def test_a_server_is_found_with_its_models_and_others_are_not() -> None:
    async with LoopbackServer(lists_models) as good, LoopbackServer(is_something_else) as other, LoopbackServer(never_answers) as silent:
        kinds = (LocalKind("silent", "S", silent.port), LocalKind("ollama", "Ollama", good.port), LocalKind("web", "W", other.port), LocalKind("none", "N", 1))
        http = HttpClient(environ={})
        async with asyncio.timeout(5):
            found = await find_local_servers(http, kinds=kinds, timeout_s=0.3)
        await http.aclose()
    assert [(profile.name, profile.base_url, profile.models) for profile in found] == [
        ("ollama", f"http://127.0.0.1:{good.port}/v1", ("qwen3:8b", "llama3")),
    ]


async def test_ollama_is_spoken_to_in_its_own_dialect() -> None:
    async with LoopbackServer(is_ollama) as server:
        http = HttpClient(environ={})
        (found,) = await find_local_servers(http, kinds=(LocalKind("ollama", "Ollama", server.port),), timeout_s=5)
        await http.aclose()
    assert (found.dialect, found.base_url, found.models) == ("ollama", server.base_url, ("qwen3:8b", "gemma3:1b"))
    assert found.quirks.context_tokens == 32_768, "the server's own window cuts a list of tools off"


@pytest.mark.parametrize(("name", "glued"), [("llama_cpp", False), ("lm_studio", False), ("vllm", True)])
async def test_other_servers_speak_chat_completions(name: str, glued: bool) -> None:
    async with LoopbackServer(lists_models) as server:
        http = HttpClient(environ={})
        (found,) = await find_local_servers(http, kinds=(LocalKind(name, name, server.port),), timeout_s=5)
        await http.aclose()
    assert (found.dialect, found.base_url, found.quirks.split_glued_arguments) == ("chat_completions", server.base_url + "/v1", glued)


LISTS: dict[DialectName, tuple[str, object]] = {
    "responses": ("/models", {"data": [{"id": "a"}, {"id": "b"}]}),
    "anthropic": ("/v1/models?limit=1000", {"data": [{"type": "model", "id": "a"}, {"type": "model", "id": "b"}], "has_more": False}),
    "gemini": (
        "/v1beta/models?pageSize=1000",
        {
            "models": [
                {"name": "models/a", "supportedGenerationMethods": ["generateContent", "countTokens"]},
                {"name": "models/embeds", "supportedGenerationMethods": ["embedContent"]},
                {"name": "models/b"},
            ]
        },
    ),
    "ollama": ("/api/tags", {"models": [{"name": "a", "model": "a"}, {"name": "b"}]}),
}


@pytest.mark.parametrize("name", LISTS)
async def test_each_dialect_lists_its_models_in_its_own_way(name: DialectName) -> None:
    path, listed = LISTS[name]

    async def handler(request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, (), json.dumps(listed).encode()) if request.target == path else ServerResponse(404)

    async with LoopbackServer(handler) as server:
        http = HttpClient(environ={})
        assert await models_of(http, Profile(name="x", dialect=name, base_url=server.base_url)) == ("a", "b")
        await http.aclose()


async def test_an_answer_without_end_does_not_hold_up_the_search() -> None:
    async def endless(_request: ServerRequest) -> ServerResponse:
        async def body() -> AsyncIterator[bytes]:
            while True:
                yield b" " * 65_536

        return ServerResponse(200, (), body())

    async with LoopbackServer(endless) as server:
        http = HttpClient(environ={})
        assert await find_local_servers(http, kinds=(LocalKind("x", "X", server.port),), timeout_s=5) == ()
        await http.aclose()


async def test_what_is_not_a_list_of_models_is_one_sentence() -> None:
    async with LoopbackServer(is_something_else) as other:
        http = HttpClient(environ={})
        with pytest.raises(ProviderError, match="answered 200 without a list of models"):
            await models_of(http, Profile(name="x", title="X", base_url=other.base_url + "/v1"))
        await http.aclose()
