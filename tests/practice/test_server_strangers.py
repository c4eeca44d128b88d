"""A web page in the person's browser cannot use the practice server: not without the key, not under another name, not from another origin."""

from __future__ import annotations

import httpx
import pytest

from tests.practice.client import practice
from workbench.practice.server import PracticeServer

PATHS = [("POST", "/v1/chat/completions"), ("POST", "/v1/responses"), ("POST", "/v1/messages"), ("POST", "/v1beta/models/practice:generateContent"),
         ("POST", "/api/chat"), ("GET", "/v1/models")]  # fmt: skip
FORM = {"Content-Type": "text/plain"}
"""What a page may send to any address without asking first."""
REFUSED = {400, 401, 403}
"""Google's own servers answer 400 to a missing key."""


def with_key(server: PracticeServer) -> dict[str, str]:
    return {"Authorization": f"Bearer {server.key}", "x-api-key": server.key, "x-goog-api-key": server.key}


async def status(server: PracticeServer, method: str, path: str, headers: dict[str, str]) -> int:
    async with httpx.AsyncClient(trust_env=False) as stranger:
        response = await stranger.request(method, server.address + path, headers=FORM | headers, content=b'{"messages": []}' if method == "POST" else b"")
    assert not [name for name in response.headers if name.lower().startswith("access-control-")]
    assert server.key not in response.text
    return response.status_code


@pytest.mark.parametrize(("method", "path"), PATHS)
async def test_request_of_a_page_is_refused_and_changes_nothing(method: str, path: str) -> None:
    async with practice() as session:
        server = session.server
        port = server.address.rpartition(":")[2]
        assert await status(server, method, path, {}) in REFUSED
        for headers in (
            {"Host": f"evil.test:{port}"},
            {"Host": f"127.0.0.1.evil.test:{port}"},
            {"Host": "127.0.0.1"},
            {"Origin": "https://evil.test"},
            {"Origin": "null"},
            {"Origin": f"http://127.0.0.1:{int(port) - 1}"},
        ):
            assert await status(server, method, path, headers) in REFUSED
            assert await status(server, method, path, with_key(server) | headers) == 403
        assert server.received == []


@pytest.mark.parametrize("path", [path for _, path in PATHS])
async def test_question_of_a_browser_whether_a_page_may_ask_is_not_answered_with_yes(path: str) -> None:
    async with practice() as session:
        asked = {"Origin": "https://evil.test", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
        assert await status(session.server, "OPTIONS", path, asked) in REFUSED


async def test_key_and_port_are_new_each_time() -> None:
    async with practice() as one, practice() as other:
        assert one.server.key != other.server.key
        assert one.server.address != other.server.address
        assert one.server.address.startswith("http://127.0.0.1:")
        assert await status(other.server, "GET", "/v1/models", with_key(one.server)) == 401
