"""Servers on this machine are found by asking them, and one that misbehaves does not hold up the others."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from workbench.errors import ProviderError
from workbench.providers.discovery import LocalKind, find_local_servers, models_of
from workbench.providers.profiles import Profile
from workbench.wire.client import HttpClient
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse


async def lists_models(request: ServerRequest) -> ServerResponse:
    assert (request.method, request.target) == ("GET", "/v1/models")
    return ServerResponse(200, (), json.dumps({"object": "list", "data": [{"id": "qwen3:8b"}, {"id": "llama3"}, {"no": "id"}]}).encode())


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
