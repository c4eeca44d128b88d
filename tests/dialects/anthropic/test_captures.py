"""Whole requests of a real agent: recognised, read, found in order, written again, and valid by the official package's types."""

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
from workbench.conversation.messages import Message, ModelRequest, ReasoningPart
from workbench.dialects.anthropic import DIALECT
from workbench.dialects.base import Quirks
from workbench.dialects.registry import detect
from workbench.dialects.spelling import forget_spelling


def captures() -> list[tuple[str, dict[str, Any]]]:
    data = shared_data()
    files = sorted((data / "captures").glob("*/*-request.json")) if data else []
    loaded = [(f"{file.parent.name} {file.name[:3]}", json.loads(file.read_bytes())) for file in files]
    return [(name, capture) for name, capture in loaded if capture["path"].partition("?")[0].endswith("/messages")]


CAPTURES = captures()
each_capture = pytest.mark.parametrize("capture", [capture for _, capture in CAPTURES], ids=[name for name, _ in CAPTURES])


@needs_shared
@each_capture
def test_a_real_request_is_read_and_written_again(capture: dict[str, Any]) -> None:
    body = json.dumps(capture["body"]).encode()
    assert detect(capture["path"], body) == detect("", body) == "anthropic"
    assert json.loads(DIALECT.encode_request(DIALECT.parse_request(body)).body) == capture["body"]
    assert [finding for finding in DIALECT.check(body) if finding.severity == "error"] == []


@needs_shared
def test_there_are_captures() -> None:
    assert len(CAPTURES) == 3


@needs_shared
@each_capture
def test_each_message_is_at_least_one_piece(capture: dict[str, Any]) -> None:
    encoded = DIALECT.encode_request(DIALECT.parse_request(json.dumps(capture["body"]).encode()))
    assert len(encoded.pieces) >= len(capture["body"]["messages"]) + 2
    opening = [piece for piece in encoded.pieces[1:-1] if piece.removeprefix(b",").startswith(b'{"role":')]
    assert len(opening) == len(capture["body"]["messages"])


VARIANTS = {
    "as it was": None,
    "plain": Quirks(cache_marks=False),
    "marked": Quirks(),
    "budget": Quirks(thinking="budget"),
    "adaptive": Quirks(thinking="adaptive"),
}


def _with_signed_thought(request: ModelRequest) -> ModelRequest:
    thought = ReasoningPart(text="so", signature="sig==")
    more = Message(message_id="t", role="assistant", parts=(thought, *request.messages[0].parts[:1]))
    options = replace(request.options, temperature=None)  # the package's types know it no more, older models do
    return replace(request, messages=(*request.messages[:-1], more, request.messages[-1]), options=options)


@needs_shared
def test_what_is_written_is_valid_by_the_official_types(tmp_path: Path) -> None:
    """Run the shared validator over what we write: the types of Anthropic's own package must take it, with nothing unknown in it."""
    data = shared_data()
    assert data is not None
    full = _with_signed_thought(everything())
    written = 0
    sources = [(name, DIALECT.parse_request(json.dumps(capture["body"]).encode())) for name, capture in CAPTURES]
    for name, request in [*sources, ("everything", full)]:
        for variant, quirks in VARIANTS.items():
            if quirks is None and name == "everything":
                continue
            body = DIALECT.encode_request(request if quirks is None else forget_spelling(request), quirks or Quirks()).body
            if quirks is not None:
                assert [finding for finding in DIALECT.check(body, quirks) if finding.severity == "error"] == []
            folder = tmp_path / f"{name} {variant}".replace(" ", "-")
            folder.mkdir()
            shown = {"path": "/v1/messages", "headers": {}, "body": json.loads(body)}
            (folder / "001-request.json").write_text(json.dumps(shown), encoding="utf-8")
            written += 1
    script = data.parent / "scripts/validate_requests.py"
    folders = sorted(str(folder) for folder in tmp_path.iterdir())
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, str(script), *folders], capture_output=True, text=True, env=environment, check=True, timeout=55)
    lines = [line for line in done.stdout.splitlines() if " messages " in line]
    assert len(lines) == written
    assert [line for line in lines if not line.endswith("messages sdk: ok")] == []
