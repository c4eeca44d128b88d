"""What the whole loop costs a round: a session against a loopback server in another process, beside a bare httpx and json round.

A round is one request with the history so far, one streamed answer of 40 pieces with one call, and its result. Both sides get the same
bytes and are measured in turns; the session also decodes, decides, records every byte and, in the second row, makes it durable.
"""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from workbench.agent.gatekeeper import Gatekeeper, roots_of
from workbench.agent.limits import Limits
from workbench.agent.session import Session, open_session
from workbench.agent.session_setup import SessionSetup
from workbench.conversation.events import ModelChosen
from workbench.conversation.exchange import ExchangeKeeper, MemoryKeeper
from workbench.conversation.journal import Journal, JournalSink
from workbench.conversation.messages import ToolDefinition
from workbench.providers.client import ProviderModel
from workbench.providers.profiles import Profile
from workbench.store.session_store import SessionStore
from workbench.tools.base import MemoryObjects, Plan, Result, ToolClass, ToolContext
from workbench.tools.registry import ToolRegistry
from workbench.wire.client import HttpClient
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse
from workbench.workspace.files import SeenFiles
from workbench.workspace.paths import open_workspace

ROUNDS = 60
REPEATS = 3
WORDS = 40
SYSTEM = "You are measured."
SCHEMA = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}


class Echo:
    """A tool that costs nothing, so that only the loop is measured."""

    definition = ToolDefinition(name="echo", description="Says its number.", input_schema=SCHEMA)
    tool_class: ToolClass = "none"
    name = "echo"

    async def prepare(self, arguments: dict[str, Any], context: ToolContext) -> Plan:  # noqa: ARG002 - the protocol's names
        """Plan nothing."""
        return Plan(tool=self.name, arguments=arguments)

    async def apply(self, plan: Plan, context: ToolContext) -> Result:  # noqa: ARG002
        """Say the number."""
        return Result(text=f"the number is {plan.arguments['number']}")


# The server, in a process of its own


def answer(round_number: int) -> list[bytes]:
    """Return the pieces of one streamed answer: words, and a call in every round but the last."""
    deltas: list[dict[str, Any]] = [{"content": f"word{number} "} for number in range(WORDS)]
    last = round_number >= ROUNDS
    if not last:
        call = {"index": 0, "id": f"call_{round_number}", "type": "function", "function": {"name": "echo", "arguments": f'{{"number": {round_number}}}'}}
        deltas.append({"tool_calls": [call]})
    chunks = [{"id": "r", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    end = {"index": 0, "delta": {}, "finish_reason": "stop" if last else "tool_calls"}
    chunks.append({"id": "r", "object": "chat.completion.chunk", "model": "m", "choices": [end]})
    return [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks] + [b"data: [DONE]\n\n"]


async def serve() -> None:
    """Answer until stdin is closed; the port is the first line of stdout."""

    async def pieces(round_number: int) -> AsyncIterator[bytes]:
        for piece in answer(round_number):
            yield piece

    async def handle(request: ServerRequest) -> ServerResponse:
        results = sum(message["role"] == "tool" for message in json.loads(request.body)["messages"])
        return ServerResponse(200, [("content-type", "text/event-stream")], pieces(results + 1))

    async with LoopbackServer(handle) as server:
        print(server.port, flush=True)
        await asyncio.to_thread(sys.stdin.read)


# The two sides


async def bare(url: str) -> None:
    """Do the rounds with httpx and json alone."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "Go"}]
    tools = [{"type": "function", "function": {"name": "echo", "description": "Says its number.", "parameters": SCHEMA}}]
    async with httpx.AsyncClient(timeout=60) as client:
        while True:
            text, call = await bare_answer(client, url, {"model": "m", "stream": True, "messages": messages, "tools": tools})
            if call is None:
                return
            messages.append({"role": "assistant", "content": text, "tool_calls": [call]})
            number = json.loads(call["function"]["arguments"])["number"]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": f"the number is {number}"})


async def bare_answer(client: httpx.AsyncClient, url: str, body: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """Send one request and fold its stream, as little as can be done."""
    text: list[str] = []
    call: dict[str, Any] | None = None
    rest = b""
    async with client.stream("POST", url, json=body) as response:
        async for data in response.aiter_bytes():
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if not line.startswith(b"data: ") or line == b"data: [DONE]":
                    continue
                delta = json.loads(line[6:])["choices"][0]["delta"]
                text.append(delta.get("content", ""))
                call = delta["tool_calls"][0] if "tool_calls" in delta else call
    return "".join(text), call


@asynccontextmanager
async def session(url: str, folder: Path, *, stored: bool) -> AsyncIterator[Session]:
    """Open a session on a temporary workspace, in memory or on disk."""
    workspace_folder = folder / "ws"
    workspace_folder.mkdir()
    store = SessionStore.create(folder / "session", "s1") if stored else None
    sink: JournalSink | None = store
    keeper: ExchangeKeeper = store or MemoryKeeper()
    journal = Journal(sink)
    workspace = open_workspace(workspace_folder)
    http = HttpClient(environ={})
    profile = Profile(name="bench", base_url=url.removesuffix("/chat/completions"))
    setup = SessionSetup(
        session_id="s1",
        journal=journal,
        registry=ToolRegistry([Echo()]),
        context=ToolContext(workspace=workspace, seen=SeenFiles(), outputs=folder, objects=MemoryObjects()),
        gatekeeper=Gatekeeper(roots=roots_of(workspace)),
        chosen=ModelChosen(profile="bench", model="m", dialect="chat_completions"),
        model=ProviderModel(profile, "m", http=http, journal=journal, keeper=keeper),
        limits=Limits(steps=ROUNDS + 10),
        system=lambda: (SYSTEM,),
    )
    try:
        async with open_session(setup) as opened:
            yield opened
    finally:
        await http.aclose()
        if store is not None:
            await store.aclose()


async def ours(url: str, *, stored: bool) -> float:
    """Do the rounds with a session; return the milliseconds a round took."""
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        async with session(url, Path(folder), stored=stored) as opened:
            started = time.perf_counter()
            await opened.submit("Go")
            await opened.wait_idle()
            taken_s = time.perf_counter() - started
            assert len(opened.messages) == 2 * ROUNDS, "not every round was made"
    return taken_s / ROUNDS * 1000


async def theirs(url: str) -> float:
    """Do the rounds bare; return the milliseconds a round took."""
    started = time.perf_counter()
    await bare(url)
    return (time.perf_counter() - started) / ROUNDS * 1000


def row(name: str, ours_ms: list[float], reference_ms: list[float]) -> str:
    """Return one measurement as a line."""
    mine, reference = statistics.median(ours_ms), statistics.median(reference_ms)
    numbers = {"ours_ms": round(mine, 3), "reference_ms": round(reference, 3), "overhead_ms": round(mine - reference, 3), "rounds": ROUNDS}
    return json.dumps({"name": name, "ratio": round(mine / reference, 3), "numbers": numbers})


async def measure(url: str) -> None:
    """Measure all sides in turns and print the rows."""
    await theirs(url)
    await ours(url, stored=False)
    found: dict[str, list[float]] = {"bare": [], "memory": [], "stored": []}
    for _ in range(REPEATS):
        gc.collect()
        found["bare"].append(await theirs(url))
        found["memory"].append(await ours(url, stored=False))
        found["stored"].append(await ours(url, stored=True))
    print(row("a round of the loop, journal in memory, beside bare httpx and json", found["memory"], found["bare"]))
    print(row("a round of the loop, everything durable, beside bare httpx and json", found["stored"], found["bare"]))


def main() -> None:
    """Start the server and measure."""
    with subprocess.Popen([sys.executable, "-P", __file__, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        try:
            asyncio.run(measure(f"http://127.0.0.1:{port}/chat/completions"))
        finally:
            server.communicate()


if __name__ == "__main__":
    act: Callable[[], None] = main if sys.argv[1:] != ["serve"] else lambda: asyncio.run(serve())
    act()
