"""A server of models in another language (aimock) understands whole turns in every dialect, as it repeats them in its own words."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.providers.asking import KEY, READ, SYSTEM, WAITS_S, Client
from workbench.conversation.messages import DialectName, Message, TextPart, ToolResultPart, text_message

NODE = shutil.which("node")
PROGRAM = Path(sys.prefix, "model-mocks", "node_modules", "@copilotkit", "aimock", "dist", "cli.js")
pytestmark = pytest.mark.skipif(
    NODE is None or not PROGRAM.exists(), reason="aimock is not installed: where there is npm and a network, packaging/dev.py test installs it"
)

QUESTION = "Read the files notes.txt and 说明.txt with read_file"
SAYS, ANSWERS = "I read both: 两个文件。", "There is nothing in notes.txt, and 说明 holds a “word”."
RESULTS = {"notes.txt": "nothing in it", "说明.txt": 'a "word"\n在第二行'}
CALLS = [{"name": READ.name, "arguments": {"path": name}} for name in RESULTS]
FIXTURES = [
    {"match": {"userMessage": QUESTION, "toolName": READ.name, "hasToolResult": False}, "response": {"content": SAYS, "toolCalls": CALLS}},
    {"match": {"userMessage": QUESTION, "systemMessage": SYSTEM, "toolResultContains": "在第二行"}, "response": {"content": ANSWERS}},
]
"""What it answers; to anything else, and to a result that it does not understand, it says 503."""
WAYS: tuple[tuple[DialectName, str, str, str], ...] = (
    ("chat_completions", "/v1", "gpt-4o", "/v1/chat/completions"),
    ("responses", "/v1", "gpt-4o", "/v1/responses"),
    ("anthropic", "", "claude-sonnet-4-5", "/v1/messages"),
    ("gemini", "", "gemini-2.5-flash", "/v1beta/models/gemini-2.5-flash:streamGenerateContent"),
    ("ollama", "", "qwen3", "/api/chat"),
)


class Mock(NamedTuple):
    """The running server."""

    url: str

    def control(self, method: str, path: str) -> Any:
        """Ask the server something about itself."""
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=WAITS_S)
        try:
            connection.request(method, f"/__aimock/{path}", headers={"Authorization": f"Bearer {KEY}"})
            response = connection.getresponse()
            assert response.status == 200, response.read()
            return json.load(response)
        finally:
            connection.close()


class Understood(NamedTuple):
    """What a request told the server."""

    system: list[str]
    asked: list[str]
    said: str
    exchanged: list[tuple[str, dict[str, Any], str]]
    """Tool, arguments and result of each call."""


def understood(messages: list[dict[str, Any]]) -> Understood:
    """Read the server's own form of a request, which is the same for all dialects; Ollama's results have no ids, there the order counts."""
    of = {role: [message for message in messages if message["role"] == role] for role in ("system", "user", "assistant", "tool")}
    assert sum(map(len, of.values())) == len(messages)
    calls = [call for message in of["assistant"] for call in message.get("tool_calls") or ()]
    results = {message.get("tool_call_id", call["id"]): _result(message["content"]) for message, call in zip(of["tool"], calls, strict=True)}
    exchanged = [(call["function"]["name"], json.loads(call["function"]["arguments"]), results[call["id"]]) for call in calls]
    said = "".join(message["content"] or "" for message in of["assistant"])
    return Understood([message["content"] for message in of["system"]], [message["content"] for message in of["user"]], said, exchanged)


def _result(content: str) -> str:
    """Return a result without the object that Gemini wants around it."""
    return str(json.loads(content)["output"]) if content.startswith('{"output":') else content


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mock]:
    """Start it at a port that the system chose, with a key that it insists on and answers in small pieces, and end it."""
    fixtures = tmp_path_factory.mktemp("aimock") / "fixtures.json"
    fixtures.write_text(json.dumps({"fixtures": FIXTURES}), encoding="utf-8")
    serve = [str(NODE), str(PROGRAM), "--host", "127.0.0.1", "--port", "0", "--fixtures", str(fixtures), "--strict", "--validate-on-load", "--chunk-size", "3"]
    environment = {**os.environ, "AIMOCK_API_KEYS": KEY}
    with subprocess.Popen(serve, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8") as started:
        try:
            assert started.stdout is not None
            said = []
            for line in started.stdout:
                said.append(line)
                if found := re.search(r"listening on (http://127\.0\.0\.1:[1-9]\d*)", line):
                    yield Mock(found[1])
                    break
            else:
                pytest.fail("aimock did not start: " + "".join(said))
        finally:
            started.terminate()
            started.communicate(timeout=WAITS_S)


@pytest.fixture
def mock(server: Mock) -> Mock:
    """The server with an empty journal."""
    server.control("POST", "reset/journal")
    return server


@pytest.mark.parametrize(("dialect", "base", "model", "path"), WAYS, ids=[way[0] for way in WAYS])
async def test_a_whole_turn_with_two_calls(mock: Mock, dialect: DialectName, base: str, model: str, path: str) -> None:
    client = Client(dialect, mock.url + base, model)
    question = text_message("user", QUESTION)
    answer = (await client.ask(question, tools=(READ,))).message("a1", origin=client.model.origin)
    assert answer.text() == SAYS
    calls = answer.calls()
    assert [(call.name, call.arguments(), call.status) for call in calls] == [(READ.name, {"path": name}, "complete") for name in RESULTS]
    contents = zip(calls, RESULTS.values(), strict=True)
    results = tuple(ToolResultPart(call_id=call.call_id, name=call.name, content=(TextPart(text=content),)) for call, content in contents)
    said = (await client.ask(question, answer, Message(message_id="t1", role="tool", parts=results), tools=(READ,))).message("a2")
    await client.aclose()
    assert (said.text(), said.calls(), said.state) == (ANSWERS, (), "complete")
    assert said.usage is not None
    assert [closed.status for closed in client.bench.closed] == [200, 200]
    first, second = mock.control("GET", "journal")
    assert {entry["path"].partition("?")[0] for entry in (first, second)} == {path}
    assert {entry["body"]["model"] for entry in (first, second)} == {model}
    schema = {} if dialect == "gemini" else {"parameters": READ.input_schema}  # of Gemini it does not read parametersJsonSchema
    assert [tool["function"] for tool in first["body"]["tools"]] == [{"name": READ.name, "description": READ.description, **schema}]
    assert understood(first["body"]["messages"]) == Understood([SYSTEM], [QUESTION], "", [])
    exchanged = [(READ.name, {"path": name}, content) for name, content in RESULTS.items()]
    assert understood(second["body"]["messages"]) == Understood([SYSTEM], [QUESTION], SAYS, exchanged)
