"""`workbench decode`: recorded streams and bodies as the neutral message."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Inside
from tests.cli.program import Home
from tests.practice.golden_weather import ROUNDS
from tests.shared import ROOT, needs_shared, shared_data
from workbench.cli import decode as command

FILE = ROOT / "tests" / "cases" / "bug_reports_chat.jsonl"
CASES: list[dict[str, Any]] = [case for case in map(json.loads, FILE.read_text(encoding="utf-8").split("\n")[:-1]) if case["input"]["type"] == "sse"]

WHOLE = {
    "id": "r", "object": "chat.completion", "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello\u202e"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1200, "completion_tokens": 2, "total_tokens": 1202},
}  # fmt: skip


def write(home: Home, data: bytes) -> str:
    path = home.workspace / "recorded"
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_reported_streams_come_to_what_was_right(inside: Inside, home: Home, case: dict[str, Any]) -> None:
    chunks = [base64.b64decode(chunk) for chunk in case["input"].get("chunks_b64", [])] or [chunk.encode() for chunk in case["input"]["chunks"]]
    done = inside("decode", write(home, b"".join(chunks)), "--json")
    (decoded,) = done.objects()
    assert list(decoded) == ["text", "reasoning", "calls", "stop", "usage", "problems"]
    compared = {name: value for name, value in case["expect"].items() if name in decoded}
    assert compared
    assert {name: decoded[name] for name in compared} == compared
    assert done.status == (0 if decoded["stop"] in ("end", "tool", "length") else 1)
    assert done.err == ""


@needs_shared
@pytest.mark.parametrize("form", ["stream.sse", "response.json"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_weather_conversation_is_decoded(inside: Inside, form: str, number: int) -> None:
    shared = shared_data()
    assert shared
    (decoded,) = inside("decode", str(shared / "weather" / f"chat.round{number}.{form}"), "--json").objects()
    golden = ROUNDS[number - 1]
    assert decoded["text"] == golden.text
    assert [(call["id"], call["name"]) for call in decoded["calls"]] == ([golden.call[:2]] if golden.call else [])
    assert decoded["stop"] == ("tool" if golden.call else "end")
    assert decoded["usage"]["input_total"] == golden.usage[0]
    assert decoded["usage"]["output"] == golden.usage[1]


def test_people_get_lines(inside: Inside, home: Home) -> None:
    done = inside("decode", write(home, json.dumps(WHOLE).encode()))
    assert (done.status, done.answer) == (0, "Hello⟨U+202E⟩\nend · 1,200 in · 2 out\n")


def test_standard_input_is_read(inside: Inside) -> None:
    (decoded,) = inside("decode", "-", "--json", stdin=json.dumps(WHOLE).encode()).objects()
    assert decoded["text"] == "Hello\u202e", "JSON is exact"


def test_an_error_body_is_status_1(inside: Inside, home: Home) -> None:
    done = inside("decode", write(home, b'{"error": {"message": "Bad key.", "type": "auth"}}'), "--json")
    (decoded,) = done.objects()
    assert (done.status, decoded["stop"]) == (1, "error")
    assert any("Bad key." in problem for problem in decoded["problems"])


def test_a_stream_cut_off_is_incomplete_and_status_1(inside: Inside, home: Home) -> None:
    chunk = {"choices": [{"index": 0, "delta": {"content": "Half"}, "finish_reason": None}]}
    done = inside("decode", write(home, b"data: " + json.dumps(chunk).encode() + b"\n\n"), "--json")
    assert (done.status, done.objects()[0]["stop"], done.objects()[0]["text"]) == (1, "incomplete", "Half")


@pytest.mark.parametrize("data", [b"<html>Bad gateway</html>", b"\x00\xff\xfe", b"[1, 2]", b"3"], ids=["HTML", "bytes", "list", "number"])
def test_what_is_no_response_is_told_in_a_sentence(inside: Inside, home: Home, data: bytes) -> None:
    done = inside("decode", write(home, data), "--json")
    assert done.status in (1, 2)
    if done.status == 2:
        assert done.out == b""
        assert done.sentence()
    else:
        assert done.objects()[0]["problems"]


def test_files_that_cannot_be_read_are_told(inside: Inside, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "cannot be read" in inside("decode", "/no/such").sentence()
    assert "cannot be read" in inside("decode", str(home.workspace)).sentence()
    monkeypatch.setattr(command, "LIMIT_BYTES", 1 << 20)
    sparse = home.workspace / "sparse"
    with sparse.open("wb") as file:
        file.truncate(5 << 30)
    for name in (str(sparse), "/dev/zero"):
        done = inside("decode", name)
        assert done.status == 2
        assert "larger than 1 MB" in done.sentence()


def test_the_limit_is_far_above_any_response() -> None:
    assert 100 << 20 <= command.LIMIT_BYTES < 1 << 30
    assert Path("/dev/zero").exists()
