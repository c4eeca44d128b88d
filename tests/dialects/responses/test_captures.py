"""Whole requests of real agents: recognised, read, found in order, written again, and valid by the published schemas."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.dialects.chat_completions.test_captures import everything
from tests.shared import ROOT, needs_shared, shared_data
from workbench.conversation.messages import Message, ModelRequest, Origin, ReasoningPart, TextPart
from workbench.dialects.base import NORM
from workbench.dialects.registry import detect
from workbench.dialects.responses import DIALECT
from workbench.dialects.spelling import forget_spelling


def captures() -> list[tuple[str, dict[str, Any]]]:
    data = shared_data()
    files = sorted((data / "captures").glob("*/*-request.json")) if data else []
    loaded = [(f"{file.parent.name} {file.name[:3]}", json.loads(file.read_bytes())) for file in files]
    return [(name, capture) for name, capture in loaded if capture["path"].partition("?")[0].endswith("/responses")]


CAPTURES = captures()
each_capture = pytest.mark.parametrize("capture", [capture for _, capture in CAPTURES], ids=[name for name, _ in CAPTURES])


@needs_shared
def test_there_are_captures() -> None:
    assert len(CAPTURES) == 11


@needs_shared
@each_capture
def test_a_real_request_is_read_and_written_again(capture: dict[str, Any]) -> None:
    body = json.dumps(capture["body"]).encode()
    assert detect(capture["path"], body) == detect("", body) == "responses"
    request = DIALECT.parse_request(body)
    encoded = DIALECT.encode_request(request)
    assert json.loads(encoded.body) == capture["body"]
    assert [finding for finding in DIALECT.check(body) if finding.severity == "error"] == []
    assert encoded.path == "/responses"
    for piece, item in zip(encoded.pieces[1:-1], capture["body"]["input"], strict=True):
        assert json.loads(piece.removeprefix(b",")) == item, "an item is a piece of its own"


@needs_shared
@each_capture
def test_without_its_spelling_it_is_still_in_order(capture: dict[str, Any]) -> None:
    request = forget_spelling(DIALECT.parse_request(json.dumps(capture["body"]).encode()))
    body = DIALECT.encode_request(request).body
    assert DIALECT.check(body) == () or all(finding.severity == "warning" for finding in DIALECT.check(body))
    assert not any("id" in item for item in json.loads(body)["input"]), "nothing is kept at the provider, so no id goes out"


def whole_conversation() -> ModelRequest:
    """Return a request with all that can be said here, and a history that needs every repair."""
    thought = ReasoningPart(summary=("hm",), text="hm", encrypted="gAAA", item_id="rs_1")
    turn = Message(
        message_id="8",
        role="assistant",
        parts=(thought, TextPart(text="I look.", phase="commentary")),
        origin=Origin(dialect="responses", provider="", model="m"),
    )
    request = everything()
    options = replace(request.options, stop=(), max_output_tokens=900)
    return replace(request, messages=(*request.messages, turn, request.messages[0]), options=options)


@needs_shared
def test_what_is_written_is_valid_by_the_published_schemas(tmp_path: Path) -> None:
    """Run the shared validator over what we write: OpenAI's API description and its package's types must both take it."""
    data = shared_data()
    assert data is not None
    whole = {"path": "/v1/responses", "headers": {}, "body": json.loads(DIALECT.encode_request(whole_conversation()).body)}
    assert [finding for finding in DIALECT.check(json.dumps(whole["body"]).encode()) if finding.severity == "error"] == []
    written = 0
    for name, capture in [*CAPTURES, ("everything 001", whole)]:
        request = forget_spelling(DIALECT.parse_request(json.dumps(capture["body"]).encode()))
        extra = {member: value for member, value in request.options.extra.items() if member != "client_metadata" and value is not None}
        request = replace(request, options=replace(request.options, extra=extra))
        body = json.loads(DIALECT.encode_request(request, NORM).body)
        for item in body["input"]:
            if item.get("type") == "reasoning":
                item["id"] = "rs_1"  # the schema demands it; without storing, servers refuse it or do not look at it
        folder = tmp_path / name.replace(" ", "-")
        folder.mkdir()
        (folder / "001-request.json").write_text(json.dumps({**capture, "body": body}), encoding="utf-8")
        written += 1
    script = data.parent / "scripts/validate_requests.py"
    folders = sorted(str(folder) for folder in tmp_path.iterdir())
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, str(script), *folders], capture_output=True, text=True, env=environment, check=True, timeout=55)
    lines = [line for line in done.stdout.splitlines() if " responses " in line]
    assert len(lines) == written
    assert [line for line in lines if not line.endswith("responses spec: ok; sdk: ok")] == []
