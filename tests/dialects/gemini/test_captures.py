"""Whole requests of real agents: recognised, read, written again, and valid by the published types."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from google.genai import types

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
from workbench.dialects.gemini import DIALECT
from workbench.dialects.registry import detect
from workbench.dialects.spelling import forget_spelling


def captures() -> list[tuple[str, dict[str, Any]]]:
    data = shared_data()
    files = sorted((data / "captures").glob("*/*-request.json")) if data else []
    loaded = [(f"{file.parent.name} {file.name[:3]}", json.loads(file.read_bytes())) for file in files]
    return [(name, capture) for name, capture in loaded if "enerateContent" in capture["path"]]


CAPTURES = captures()
each_capture = pytest.mark.parametrize("capture", [capture for _, capture in CAPTURES], ids=[name for name, _ in CAPTURES])
VARIANTS = {
    "plain": Quirks(),
    "subset": Quirks(json_schema=False, thinking="budget"),
    "gemini 3": Quirks(thinking="adaptive", signature_stand_in=True),
}


@needs_shared
def test_there_are_captures() -> None:
    assert len(CAPTURES) == 7


@needs_shared
@each_capture
def test_a_real_request_is_read_and_written_again(capture: dict[str, Any]) -> None:
    body = json.dumps(capture["body"]).encode()
    assert detect(capture["path"], body) == detect("", body) == "gemini"
    request = DIALECT.with_path(DIALECT.parse_request(body), capture["path"])
    encoded = DIALECT.encode_request(request)
    assert json.loads(encoded.body) == capture["body"]
    assert encoded.path == capture["path"]
    assert [finding for finding in DIALECT.check(body) if finding.severity == "error"] == []


@needs_shared
@each_capture
def test_its_contents_are_pieces_of_their_own(capture: dict[str, Any]) -> None:
    pieces = DIALECT.encode_request(DIALECT.parse_request(json.dumps(capture["body"]).encode())).pieces
    assert len(pieces) == len(capture["body"]["contents"]) + 2
    for piece, content in zip(pieces[1:-1], capture["body"]["contents"], strict=True):
        assert json.loads(piece.removeprefix(b",")) == content


@needs_shared
@pytest.mark.parametrize("folder", ["gemini", "acp-gemini", "opencode-gemini"])
def test_the_next_request_begins_with_the_pieces_of_the_last(folder: str) -> None:
    bodies = [capture["body"] for name, capture in CAPTURES if name.startswith(f"{folder} ")][-2:]
    pieces = [DIALECT.encode_request(DIALECT.parse_request(json.dumps(body).encode())).pieces for body in bodies]
    for before, after in itertools.pairwise(pieces):
        assert after[: len(before) - 1] == before[:-1]
        assert after[-1] == before[-1]


def everything() -> ModelRequest:
    """Return a request with all that can be said, and a history that needs every repair."""
    picture = ImagePart(media_type="image/png", data="iVBORw0KGgo=")
    calls = [ToolCallPart(call_id=call_id, name="read", arguments_raw=raw) for call_id, raw in (("a", "{}"), ("b", "15 * 4"), ("c", '{"path":'))]
    messages = (
        Message(message_id="1", role="user", parts=(TextPart(text="see"), picture, FilePart(media_type="application/pdf", data="JVBE", name="a.pdf"))),
        Message(message_id="2", role="assistant", parts=(ReasoningPart(text="hm", field="reasoning_content"), TextPart(text="look"), *calls)),
        Message(message_id="3", role="tool", parts=(ToolResultPart(call_id="b", name="read", content=(TextPart(text="no"), picture), is_error=True),)),
        Message(message_id="4", role="system", parts=(TextPart(text="note"),)),
        Message(message_id="5", role="assistant", parts=(ToolCallPart(call_id="a", name="sql query", arguments_raw="SELECT", kind="custom"),)),
        Message(message_id="6", role="assistant", parts=()),
        text_message("user", "and now?"),
    )
    schema = {"type": "object", "properties": {"path": {"type": ["string", "null"]}}, "required": ["path"], "additionalProperties": False}
    tools = (ToolDefinition(name="read", description="Reads.", input_schema=schema, strict=True),)
    choices = {"tool_choice": "read", "parallel_tool_calls": False, "reasoning_effort": "low", "stop": ("x",), "temperature": 0.5, "max_output_tokens": 9}
    return ModelRequest(
        system=("Be brief.", "Be kind."), tools=tools, messages=messages, options=RequestOptions(model="gemini-3-pro", **choices)  # type: ignore[arg-type]
    )


def written() -> list[tuple[str, dict[str, Any]]]:
    """Return what we write of all captures and of everything, for all kinds of servers."""
    found = [("everything", everything())]
    found += [(name, DIALECT.parse_request(json.dumps(capture["body"]).encode())) for name, capture in CAPTURES]
    bodies: list[tuple[str, dict[str, Any]]] = []
    for name, request in found:
        for variant, quirks in VARIANTS.items():
            body = DIALECT.encode_request(forget_spelling(request), quirks).body
            assert [finding.rule for finding in DIALECT.check(body, quirks) if finding.severity == "error"] == [], (name, variant)
            bodies.append((f"{name} {variant}", json.loads(body)))
    return bodies


def test_what_is_written_is_valid_by_the_official_types() -> None:
    for _, body in written():
        for content in body["contents"]:
            types.Content.model_validate(content)
        for tool in body.get("tools", []):
            types.Tool.model_validate(tool)
        if "toolConfig" in body:
            types.ToolConfig.model_validate(body["toolConfig"])
        types.GenerateContentConfig.model_validate({**body.get("generationConfig", {}), "systemInstruction": body.get("systemInstruction")})


@needs_shared
@pytest.mark.skipif(importlib.util.find_spec("google.ai") is None, reason="the public protobuf (google-ai-generativelanguage) is not installed")
def test_what_is_written_is_valid_by_the_public_protobuf(tmp_path: Path) -> None:
    data = shared_data()
    assert data is not None
    for name, body in written():
        folder = tmp_path / name.replace(" ", "-")
        folder.mkdir()
        body.get("generationConfig", {}).get("thinkingConfig", {}).pop("thinkingLevel", None)  # newer than the published protobuf
        capture = {"path": "/v1beta/models/m:generateContent", "headers": {}, "body": body}
        (folder / "001-request.json").write_text(json.dumps(capture), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    command = [sys.executable, str(data.parent / "scripts/validate_requests.py"), *sorted(str(folder) for folder in tmp_path.iterdir())]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True, timeout=55)
    lines = [line for line in done.stdout.splitlines() if " gemini " in line]
    assert len(lines) == len(written())
    assert [line for line in lines if not line.endswith("proto: ok; genai-sdk: ok")] == []
