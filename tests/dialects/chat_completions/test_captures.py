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


@needs_shared
def test_what_is_written_is_valid_by_the_published_schemas(tmp_path: Path) -> None:
    """Run the shared validator over our own encoding of every captured request: OpenAI's API description and its package's types."""
    data = shared_data()
    assert data is not None
    written = 0
    for name, capture in CAPTURES:
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
