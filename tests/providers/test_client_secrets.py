"""A server that repeats the key finds it nowhere in what is kept of the exchange, not even half of it."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from tests.providers.test_client import KEY, Bench, Server
from workbench.errors import ProviderRefused
from workbench.wire.server import LoopbackServer, ServerResponse


async def test_the_key_is_in_no_fact() -> None:
    def echo() -> ServerResponse:
        return ServerResponse(401, (("Set-Cookie", KEY), ("X-Echo", KEY)), json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode())

    async with LoopbackServer(Server(echo)) as running:
        bench = Bench(running.base_url)
        with pytest.raises(ProviderRefused, match="answered 401: Incorrect API key") as caught:
            await bench.ask()
        await bench.http.aclose()
    assert KEY not in repr(bench.journal.entries) + repr(caught.value) + caught.value.original
    assert caught.value.failure == "auth"
    assert len(bench.opened) == 1


async def test_another_key_or_another_spelling_is_in_no_error() -> None:
    other = "sk-other-0123456789abcdefghij"
    said = f"url ?key={quote(KEY + '/', safe='')} Basic {base64.b64encode(('u:' + KEY).encode()).decode()} and {other}"

    async with LoopbackServer(Server(lambda: ServerResponse(401, (), json.dumps({"error": {"message": said}}).encode()))) as running:
        bench = Bench(running.base_url)
        with pytest.raises(ProviderRefused) as caught:
            await bench.ask()
        await bench.http.aclose()
    told = f"{caught.value.text}{caught.value.original}{caught.value.values}{bench.journal.entries!r}"
    assert other not in told
    assert KEY not in told
    assert base64.b64encode(b"u:" + KEY.encode()).decode()[4:20] not in told


@pytest.mark.parametrize("shape", ["{}", '{{"error": {{"message": "{}"}}}}'])
async def test_no_half_of_a_key_is_left_where_an_error_is_cut(shape: str) -> None:
    filled = ("x" * 1990 + KEY).ljust(8180, "x") + KEY
    body = shape.format(filled).encode()
    async with LoopbackServer(Server(lambda: ServerResponse(401, (), body))) as running:
        bench = Bench(running.base_url)
        with pytest.raises(ProviderRefused) as caught:
            await bench.ask()
        await bench.http.aclose()
    assert KEY[:6] not in f"{caught.value.text}{caught.value.original}{caught.value.values}{bench.closed[-1].error}{bench.closed[-1].original}"
