"""A judge of clients (llmock) sees whole turns and broken answers in four dialects and finds no fault in ours."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.providers.asking import READ, WAITS_S, Client
from workbench.conversation.messages import DialectName, Message, TextPart, ToolResultPart, text_message
from workbench.errors import ProviderRefused, StreamBroken

PROGRAM = Path(sys.executable).with_name("llmock")
pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="llmock is not installed")
WAYS: tuple[tuple[DialectName, str, str], ...] = (
    ("chat_completions", "/v1", "gpt-4o"),
    ("responses", "/v1", "gpt-4o"),
    ("anthropic", "/anthropic", "claude-sonnet-4-5"),
    ("gemini", "/gemini", "gemini-2.5-flash"),
)


class Judge(NamedTuple):
    """The running server."""

    url: str

    def ask(self, path: str, value: Any = None) -> Any:
        """Ask the server something about itself."""
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=WAITS_S)
        try:
            connection.request("GET" if value is None else "POST", f"/_llmock/{path}", None if value is None else json.dumps(value))
            return json.load(connection.getresponse())
        finally:
            connection.close()

    def will(self, **behaviour: Any) -> None:
        """Let the next answers go wrong in a way."""
        assert self.ask("scenario", {"behaviors": [behaviour]})["queued"] == 1


@pytest.fixture(scope="module")
def server() -> Iterator[Judge]:
    """Start the judge at a port that the system chose, and end it."""
    serve = [str(PROGRAM), "serve", "--host", "127.0.0.1", "--port", "0", "--log-level", "info"]
    started = subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8")
    try:
        assert started.stdout is not None
        for line in started.stdout:
            if found := re.search(r"running on (http://127\.0\.0\.1:[1-9]\d*)", line):
                yield Judge(found[1])
                break
        else:
            pytest.fail("llmock did not start")
    finally:
        started.terminate()
        started.communicate(timeout=WAITS_S)


@pytest.fixture
def judge(server: Judge) -> Iterator[Judge]:
    """Let a test be judged alone."""
    server.ask("reset", {})
    yield server
    verdict = server.ask("verdict")
    assert verdict["errors"] == 0, verdict["findings"]
    assert verdict["calls"] > 0


@pytest.fixture(params=WAYS, ids=[way[0] for way in WAYS])
def client(judge: Judge, request: pytest.FixtureRequest) -> Client:
    dialect, path, model = request.param
    return Client(dialect, judge.url + path, model)


async def test_a_whole_turn_with_a_call(judge: Judge, client: Client) -> None:
    question = text_message("user", "Read the file notes.txt with read_file")
    answer = (await client.ask(question, tools=(READ,))).message("a1", origin=client.model.origin)
    (call,) = answer.calls()
    assert call.name == "read_file"
    assert call.status == "complete"
    result = ToolResultPart(call_id=call.call_id, name=call.name, content=(TextPart(text="nothing in it"),))
    done = await client.ask(question, answer, Message(message_id="t1", role="tool", parts=(result,)), tools=(READ,))
    await client.aclose()
    said = done.message("a2")
    assert said.text()
    assert not said.calls()
    assert said.usage is not None
    assert said.usage.input_tokens
    assert [closed.status for closed in client.bench.closed] == [200, 200]
    command = [str(PROGRAM), "report", "--strict", "--url", judge.url]
    report = await asyncio.to_thread(subprocess.run, command, capture_output=True, check=False, text=True, encoding="utf-8", timeout=WAITS_S)
    assert report.returncode == 0, report.stdout


async def test_a_rate_limit_is_waited_for(judge: Judge, client: Client) -> None:
    judge.will(type="fail", status=429, retry_after=0.3, times=2)
    assert (await client.ask(text_message("user", "Hello"))).message("m1").text()
    await client.aclose()
    assert [closed.status for closed in client.bench.closed] == [429, 429, 200]
    assert all((closed.retry_in_s or 0) >= 0.3 for closed in client.bench.closed[:2])


async def test_an_outage_is_waited_out_without_a_word_of_blame(judge: Judge, client: Client) -> None:
    judge.will(type="fail", status=503)
    await client.ask(text_message("user", "Hello"))
    await client.aclose()
    assert [closed.failure for closed in client.bench.closed] == ["overloaded", ""]
    assert judge.ask("verdict")["warnings"] == 0


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_what_waiting_does_not_help_is_not_repeated(judge: Judge, client: Client, status: int) -> None:
    judge.will(type="fail", status=status)
    with pytest.raises(ProviderRefused):
        await client.ask(text_message("user", "Hello"))
    await client.aclose()
    assert len(client.bench.opened) == 1


@pytest.mark.parametrize("kind", ["truncate", "disconnect"])
async def test_a_cut_stream_is_no_answer(judge: Judge, client: Client, kind: str) -> None:
    """It is asked again at once while nothing was shown; else what came is kept, and it is asked again when a person says so."""
    judge.will(type="stream_fault", kind=kind, after_chunks=3)
    question = text_message("user", "Hello, tell me a long story about a house")
    try:
        await client.ask(question)
    except StreamBroken:
        kept = client.assembled.message("m1")
        assert (kept.state, bool(kept.text())) == ("incomplete", True)
        await client.ask(question)
    await client.aclose()
    assert client.assembled.message("m2").state == "complete"
    assert [closed.failure for closed in client.bench.closed] == ["broken", ""]


async def test_a_call_with_broken_arguments_is_not_run(judge: Judge, client: Client) -> None:
    judge.will(type="tool_fault", kind="malformed_arguments")
    answer = (await client.ask(text_message("user", "Read the file notes.txt with read_file"), tools=(READ,))).message("a1")
    await client.aclose()
    assert all(call.status != "complete" or call.arguments() is not None for call in answer.calls())
