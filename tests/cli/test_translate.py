"""`workbench translate`: bodies, captured requests and sessions in another dialect."""

from __future__ import annotations

import json

from tests.cli.conftest import Inside
from tests.cli.program import Home

CALLS = [{"id": "functions.read:0", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}]
BODY = {
    "model": "m",
    "messages": [
        {"role": "user", "content": "Read it\u202e."},
        {"role": "assistant", "content": None, "tool_calls": CALLS},
        {"role": "user", "content": "Never mind."},
    ],
    "seed": 7,
}


def write(home: Home, value: object) -> str:
    path = home.workspace / "request.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return str(path)


def test_the_body_goes_to_stdout_and_what_is_lost_to_stderr(inside: Inside, home: Home) -> None:
    done = inside("translate", "--to", "anthropic", write(home, BODY))
    assert done.status == 0
    body = json.loads(done.out)
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    call, result = body["messages"][1]["content"][0], body["messages"][2]["content"][0]
    assert call["id"] == result["tool_use_id"] != "functions.read:0"
    assert [line.partition(":")[0] for line in done.err.splitlines()] == [
        "setting-unknown",
        "id-mapped messages[1].parts[0]",
        "result-made-up messages[1].parts[0]",
    ]


def test_json_gives_both(inside: Inside, home: Home) -> None:
    done = inside("translate", "--to", "gemini", "--from", "chat_completions", "--model", "g", write(home, BODY), "--json")
    (told,) = done.objects()
    assert list(told) == ["from", "to", "path", "body", "losses", "repairs", "findings"]
    assert (told["from"], told["to"]) == ("chat_completions", "gemini")
    assert "/models/g:" in told["path"]
    assert told["body"]["contents"][1]["parts"][0]["functionCall"]["name"] == "read"
    assert {"rule", "message", "part", "text"} == set(told["losses"][0])
    assert done.err == ""


def test_a_captured_request_says_its_dialect_by_its_path(inside: Inside, home: Home) -> None:
    capture = {"path": "/v1beta/models/gemini-2.5-pro:generateContent", "body": {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}}
    done = inside("translate", "--to", "chat_completions", write(home, capture))
    assert json.loads(done.out) == {"model": "gemini-2.5-pro", "messages": [{"role": "user", "content": "Hi"}]}


def test_a_session_gives_its_last_request(inside: Inside, home: Home) -> None:
    assert inside("run", "Introduce this project", "--workspace", str(home.workspace), "--approve", "reads").status == 0
    done = inside("translate", "--to", "anthropic", "last")
    assert json.loads(done.out)["messages"][0]["content"][0]["text"].startswith("Introduce this project")


def test_what_cannot_be_read_is_said_in_one_line(inside: Inside, home: Home) -> None:
    for value, said in ((["x"], "no request of a dialect"), ({"question": 1}, "no request of a dialect")):
        done = inside("translate", "--to", "anthropic", write(home, value))
        assert (done.status, done.out) == (2, b"")
        assert said in done.err
    done = inside("translate", "--to", "anthropic", "no-such-file")
    assert (done.status, done.out) == (2, b"")
    assert "neither a file nor a session" in done.err
    done = inside("translate", "--to", "anthropic", "--from", "chat_completions", write(home, {"messages": 3}))
    assert done.status == 2
    assert "a list of `messages`" in done.err
