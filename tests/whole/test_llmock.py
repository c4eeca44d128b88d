"""Turns against llmock, a server that nobody here wrote: it breaks answers on demand, and judges how we cope."""

from __future__ import annotations

import importlib.util
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.program import Done, Home, answer_text, of_type
from tests.whole.asking import WITH_KEY, at

pytestmark = pytest.mark.skipif(importlib.util.find_spec("llmock") is None, reason="llmock is not installed; it is in the development lock file")

START_LIMIT_S = 30.0
LLMOCK = Path(sys.executable).with_name("llmock")


class Server:
    """A running llmock and its control interface."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._client = httpx.Client(base_url=url, trust_env=False, timeout=10)

    def script(self, *behaviours: dict[str, Any]) -> None:
        """Forget what was, and say what happens to the next requests."""
        self._client.post("/_llmock/reset").raise_for_status()
        if behaviours:
            self._client.post("/_llmock/scenario", json={"behaviors": list(behaviours)}).raise_for_status()

    def requests(self) -> list[dict[str, Any]]:
        """Return what it saw of each request."""
        seen: list[dict[str, Any]] = self._client.get("/_llmock/requests").raise_for_status().json()["requests"]
        return seen

    def verdict(self) -> tuple[int, str]:
        """Return its judgement of us: the status of ``llmock report``, and the report."""
        done = subprocess.run([LLMOCK, "report", "--url", self.url], capture_output=True, text=True, timeout=30, check=False)
        return done.returncode, done.stdout + done.stderr

    def close(self) -> None:
        """Close the connection to it."""
        self._client.close()


@pytest.fixture(scope="module")
def llmock() -> Iterator[Server]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen(
        [LLMOCK, "serve", "-h", "127.0.0.1", "-p", str(port), "--log-level", "error"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            _wait_until_it_listens(port, process)
            server = Server(f"http://127.0.0.1:{port}")
            yield server
            server.close()
        finally:
            process.kill()


def _wait_until_it_listens(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_LIMIT_S
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)  # it tells nobody when it is ready
    pytest.fail("llmock did not start")


def turn(home: Home, llmock: Server, prompt: str = "say something", *words: str) -> tuple[Done, list[dict[str, Any]]]:
    done = home.run("run", prompt, "--json", *at(llmock.url + "/v1", "gpt-4o"), *words, environment=WITH_KEY)
    return done, done.objects()


def calls(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "reply", "tool_calls": [{"name": name, "arguments": arguments}]}


def test_a_whole_turn_with_a_tool_call(home: Home, llmock: Server) -> None:
    home.write(notes_txt="The harbour opens at nine.\n")
    llmock.script(calls("read", file_path="notes.txt"))
    done, facts = turn(home, llmock, "read the notes")
    assert done.status == 0, done.err
    (finished,) = of_type(facts, "ToolFinished")
    assert (finished["tool"], finished["status"]) == ("read", "ok")
    assert answer_text(facts)
    assert len(llmock.requests()) == 2
    body = home.run("inspect", "last", "--request", "2", "--raw", "request", anywhere=True).out
    result = json.loads(body)["messages"][-1]
    assert result["role"] == "tool"
    assert "The harbour opens at nine." in result["content"]
    usage = of_type(facts, "ModelResponded")[-1]["message"]["usage"]
    assert usage["input_tokens"] > 0
    assert usage["output_tokens"] > 0
    assert llmock.verdict()[0] == 0, llmock.verdict()[1]


def test_the_model_it_plays_may_choose_the_tool_itself(home: Home, llmock: Server) -> None:
    llmock.script()
    done, facts = turn(home, llmock, "list the entries of the folder", "--approve", "none")
    assert done.status == 0, done.err
    assert len(of_type(facts, "ToolFinished")) == 1
    assert llmock.verdict()[0] == 0, llmock.verdict()[1]


def test_retry_after_is_waited_for(home: Home, llmock: Server) -> None:
    too_many = {"type": "fail", "status": 429, "retry_after": 1, "times": 2}
    llmock.script(too_many, {"type": "fail", "status": 503}, {"type": "reply", "text": "At last."})
    done, facts = turn(home, llmock)
    assert done.status == 0, done.err
    assert answer_text(facts) == "At last."
    closed = of_type(facts, "ExchangeClosed")
    assert [fact["status"] for fact in closed] == [429, 429, 503, 200]
    assert all(fact["retry_in_s"] >= 1 for fact in closed[:2])
    status, report = llmock.verdict()
    assert status == 0, report


@pytest.mark.parametrize("kind", ["disconnect", "truncate"])
def test_a_broken_stream_is_one_sentence_and_kept_as_incomplete(home: Home, llmock: Server, kind: str) -> None:
    llmock.script({"type": "reply", "text": "one two three four five six seven eight"}, {"type": "stream_fault", "kind": kind, "after_chunks": 3})
    done, facts = turn(home, llmock)
    assert done.status == 1
    session, sentence = done.err.splitlines()
    assert session.startswith("session ")
    assert "lost" in sentence
    message = of_type(facts, "ModelResponded")[0]["message"]
    assert message["state"] == "incomplete"
    assert len(of_type(facts, "ExchangeOpened")) == 1, "never sent again after something was shown"
    again = home.turn("go on", "--session", "last", *at(llmock.url + "/v1", "gpt-4o"))
    assert again[-1]["end"] == "answered"


def test_a_broken_stream_before_anything_was_shown_is_sent_again(home: Home, llmock: Server) -> None:
    llmock.script({"type": "stream_fault", "kind": "disconnect", "after_chunks": 0}, {"type": "reply", "text": "Here.", "times": 2})
    done, facts = turn(home, llmock)
    assert done.status == 0, done.err
    assert answer_text(facts) == "Here."
    assert llmock.verdict()[0] == 0, llmock.verdict()[1]


def test_a_chunk_that_is_no_json_is_told(home: Home, llmock: Server) -> None:
    llmock.script({"type": "reply", "text": "one two three four five six"}, {"type": "stream_fault", "kind": "malformed", "after_chunks": 2})
    done, facts = turn(home, llmock)
    assert facts[-1]["type"] == "TurnFinished"
    told = [problem for fact in of_type(facts, "ModelResponded") for problem in fact.get("problems", [])] + [facts[-1].get("text", "")]
    assert any("JSON" in sentence for sentence in told), told
    assert "Traceback" not in done.err


@pytest.mark.parametrize(("kind", "found"), [("malformed_arguments", "invalid_json"), ("unknown_tool", "unknown_tool")])
def test_a_broken_call_gets_a_result_and_the_turn_goes_on(home: Home, llmock: Server, kind: str, found: str) -> None:
    llmock.script({"type": "tool_fault", "kind": kind})
    done, facts = turn(home, llmock)
    assert done.status == 0, done.err
    assert [fact["kind"] for fact in of_type(facts, "ToolFinished")] == [found]
    assert facts[-1]["end"] == "answered"


def test_a_refused_key_is_not_tried_again(home: Home, llmock: Server) -> None:
    llmock.script({"type": "fail", "status": 401, "times": None})
    done, facts = turn(home, llmock)
    assert done.status == 1
    assert "401" in done.err.splitlines()[-1]
    assert len(of_type(facts, "ExchangeOpened")) == 1
    llmock.script()
