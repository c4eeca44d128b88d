"""Whole requests of real agents: recognised, read, found in order, written again, and valid by the published schemas."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.shared import ROOT, needs_shared, shared_data
from workbench.conversation.messages import (
    FilePart,
    ImagePart,
    Message,
    ModelRequest,
    ReasoningPart,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolResultPart,
    text_message,
)
from workbench.dialects.base import Quirks
from workbench.dialects.chat_completions import DIALECT
from workbench.dialects.registry import detect
from workbench.dialects.spelling import forget_spelling


def captures() -> list[tuple[str, dict[str, Any]]]:
    data = shared_data()
    files = sorted((data / "captures").glob("*/*-request.json")) if data else []
    loaded = [(f"{file.parent.name} {file.name[:3]}", json.loads(file.read_bytes())) for file in files]
    return [(name, capture) for name, capture in loaded if capture["path"].endswith("/chat/completions")]


CAPTURES = captures()
each_capture = pytest.mark.parametrize("capture", [capture for _, capture in CAPTURES], ids=[name for name, _ in CAPTURES])


@needs_shared
@each_capture
def test_a_real_request_is_read_and_written_again(capture: dict[str, Any]) -> None:
    body = json.dumps(capture["body"]).encode()
    assert detect(capture["path"], body) == detect("", body) == "chat_completions"
    request = DIALECT.parse_request(body)
    assert json.loads(DIALECT.encode_request(request).body) == capture["body"]
    assert [finding for finding in DIALECT.check(body) if finding.severity == "error"] == []


@needs_shared
@each_capture
def test_its_messages_are_pieces_of_their_own(capture: dict[str, Any]) -> None:
    encoded = DIALECT.encode_request(DIALECT.parse_request(json.dumps(capture["body"]).encode()))
    assert len(encoded.pieces) == len(capture["body"]["messages"]) + 2
    assert encoded.path == "/chat/completions"
    for piece, message in zip(encoded.pieces[1:-1], capture["body"]["messages"], strict=True):
        assert json.loads(piece.removeprefix(b",")) == message


@needs_shared
def test_the_next_request_begins_with_the_pieces_of_the_last() -> None:
    data = shared_data()
    assert data is not None
    bodies = [json.loads((data / f"captures/gptme/00{number}-request.json").read_bytes())["body"] for number in (3, 5, 7)]
    pieces = [DIALECT.encode_request(DIALECT.parse_request(json.dumps(body).encode())).pieces for body in bodies]
    for before, after in itertools.pairwise(pieces):
        assert after[: len(before) - 1] == before[:-1]
        assert after[-1] == before[-1]


VARIANTS = {
    "as it was": None,
    "plain": Quirks(),
    "another server": Quirks(empty_content="omit", system_role="developer", max_tokens_field="max_completion_tokens", stream_usage=False),
}


def everything() -> ModelRequest:
    """Return a request with all that can be said, and a history that needs every repair."""
    picture = ImagePart(media_type="image/png", data="iVBORw0KGgo=")
    calls = [ToolCallPart(call_id=call_id, name="read", arguments_raw=raw) for call_id, raw in (("a", "{}"), ("b", "15 * 4"), ("c", '{"path":'))]
    messages = (
        Message(message_id="1", role="user", parts=(TextPart(text="see"), picture, FilePart(media_type="application/pdf", data="JVBE", name="a.pdf"))),
        Message(message_id="2", role="assistant", parts=(ReasoningPart(text="hm", field="reasoning_content"), TextPart(text="look"), *calls)),
        Message(message_id="3", role="tool", parts=(ToolResultPart(call_id="b", name="read", content=(TextPart(text="no"), picture), is_error=True),)),
        Message(message_id="4", role="system", parts=(TextPart(text="note"),)),
        Message(message_id="5", role="assistant", parts=(ToolCallPart(call_id="a", name="sql", arguments_raw="SELECT", kind="custom"),)),
        Message(message_id="6", role="assistant", parts=()),
        text_message("user", "and now?"),
    )
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": False}
    tools = (ToolDefinition(name="read", description="Reads.", input_schema=schema, strict=True),)
    choices = {"tool_choice": "read", "parallel_tool_calls": False, "reasoning_effort": "low", "stop": ("x",), "temperature": 0.5, "max_output_tokens": 9}
    return ModelRequest(system=("Be brief.", "Be kind."), tools=tools, messages=messages, options=RequestOptions(model="m", **choices))  # type: ignore[arg-type]


@needs_shared
def test_what_is_written_is_valid_by_the_published_schemas(tmp_path: Path) -> None:
    """Run the shared validator over what we write: OpenAI's API description and its package's types must both take it."""
    data = shared_data()
    assert data is not None
    written = 0
    whole = {"path": "/v1/chat/completions", "headers": {}, "body": json.loads(DIALECT.encode_request(everything()).body)}
    assert [finding for finding in DIALECT.check(json.dumps(whole["body"]).encode()) if finding.severity == "error"] == []
    for name, capture in [*CAPTURES, ("everything 001", whole)]:
        request = DIALECT.parse_request(json.dumps(capture["body"]).encode())
        for variant, quirks in VARIANTS.items():
            again = request if quirks is None else forget_spelling(replace(request, options=replace(request.options, max_output_tokens=500)))
            body = json.loads(DIALECT.encode_request(again, quirks or Quirks()).body)
            folder = tmp_path / f"{name} {variant}".replace(" ", "-")
            folder.mkdir()
            (folder / "001-request.json").write_text(json.dumps({**capture, "body": body}), encoding="utf-8")
            written += 1
    script = data.parent / "scripts/validate_requests.py"
    folders = sorted(str(folder) for folder in tmp_path.iterdir())
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, str(script), *folders], capture_output=True, text=True, env=environment, check=True, timeout=55)
    lines = [line for line in done.stdout.splitlines() if " chat " in line]
    assert len(lines) == written
    assert [line for line in lines if not line.endswith("chat spec: ok; sdk: ok")] == []
