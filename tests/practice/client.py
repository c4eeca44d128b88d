"""A plain HTTP client for the practice server's tests, and what it got back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx

from workbench.conversation.assembler import Assembler
from workbench.conversation.messages import Message
from workbench.dialects.registry import dialect
from workbench.practice.server import PracticeServer


class Session(NamedTuple):
    """A running practice server and a client that has its key."""

    server: PracticeServer
    http: httpx.AsyncClient

    async def post(self, body: dict[str, Any] | bytes, path: str = "/chat/completions") -> httpx.Response:
        """Send a body as it is, or an object as JSON."""
        content = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        return await self.http.post(self.server.base_url + path, content=content, headers={"Content-Type": "application/json"})

    async def ask(self, question: str, *, stream: bool = True, **members: Any) -> httpx.Response:
        """Ask one question in a session of its own."""
        return await self.post({"model": "practice", "messages": [{"role": "user", "content": question}], "stream": stream, **members})


@asynccontextmanager
async def practice(rate_per_s: float = 0) -> AsyncIterator[Session]:
    """Start a server and a client for it."""
    async with PracticeServer(rate_per_s=rate_per_s) as server:
        headers = {"Authorization": f"Bearer {server.key}"}
        async with httpx.AsyncClient(headers=headers, trust_env=False, timeout=10) as http:
            yield Session(server, http)


def tools(*names: str) -> list[dict[str, Any]]:
    """Return tool definitions as they stand in a request."""
    schema = {"type": "object", "properties": {}}
    return [{"type": "function", "function": {"name": name, "description": name, "parameters": schema}} for name in names]


def decoded(stream: bytes) -> Assembler:
    """Read a stream with the program's own decoder."""
    decoder = dialect("chat_completions").stream_decoder()
    assembler = Assembler()
    for event in (*decoder.feed(stream), *decoder.finish()):
        assembler.add(event)
    return assembler


def message_of(response: httpx.Response) -> Message:
    """Return the message of a response, whichever way it came."""
    if response.headers["content-type"].startswith("text/event-stream"):
        return decoded(response.content).message("m")
    return dialect("chat_completions").decode_response(response.content, status=response.status_code).message
