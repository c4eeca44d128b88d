"""Requests of all seven dialects, written by us of the weather conversation and of drawn ones, held against what providers publish:
OpenAI's API description, the types of the official packages, and Ollama's list of fields."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from google.genai import types
from hypothesis import HealthCheck, Phase, given, settings
from msgspec.structs import replace

from tests.dialects.drawn_conversations import conversations
from tests.dialects.test_translations import made_in, weather
from tests.shared import ROOT, needs_shared, shared_data
from workbench.conversation.messages import DialectName, ModelRequest
from workbench.dialects.registry import dialect, names
from workbench.dialects.spelling import forget_spelling

PATHS: dict[DialectName, tuple[str, str]] = {
    "chat_completions": ("/v1/chat/completions", "chat spec: ok; sdk: ok"),
    "functions": ("/v1/chat/completions", "chat spec: ok; sdk: ok"),
    "react": ("/v1/chat/completions", "chat spec: ok; sdk: ok"),
    "responses": ("/v1/responses", "responses spec: ok; sdk: ok"),
    "anthropic": ("/v1/messages", "messages sdk: ok"),
}
"""Where the validator expects a dialect, and what it says of a good request."""

_CALL = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "type": {"const": "function"},
        "function": {
            "type": "object",
            "properties": {"index": {"type": "integer"}, "name": {"type": "string"}, "arguments": {"type": "object"}},
            "required": ["name", "arguments"],
            "additionalProperties": False,
        },
    },
    "required": ["function"],
    "additionalProperties": False,
}
OLLAMA = {
    "type": "object",
    "properties": {
        "model": {"type": "string", "minLength": 1},
        "messages": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "role": {"enum": ["system", "user", "assistant", "tool"]},
                    "content": {"type": "string"},
                    "thinking": {"type": "string"},
                    "images": {"type": "array", "items": {"type": "string", "pattern": "^[A-Za-z0-9+/=]*$"}},
                    "tool_calls": {"type": "array", "items": _CALL},
                    "tool_name": {"type": "string"},
                    "tool_call_id": {"type": "string"},
                },
                "required": ["role", "content"],
                "additionalProperties": False,
            },
        },
        "tools": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "type": {"const": "function"},
                    "function": {
                        "type": "object",
                        "properties": {"name": {"type": "string"}, "description": {"type": "string"}, "parameters": {"type": "object"}},
                        "required": ["name", "parameters"],
                        "additionalProperties": False,
                    },
                },
                "required": ["type", "function"],
                "additionalProperties": False,
            },
        },
        "stream": {"type": "boolean"},
        "think": {"enum": [True, False, "low", "medium", "high"]},
        "format": {},
        "keep_alive": {},
        "options": {
            "type": "object",
            "properties": {
                "num_ctx": {"type": "integer"},
                "num_predict": {"type": "integer"},
                "temperature": {"type": "number"},
                "stop": {"type": "array", "items": {"type": "string"}},
                "seed": {"type": "integer"},
            },
            "additionalProperties": False,
        },
    },
    "required": ["model", "messages", "stream"],
    "additionalProperties": False,
}
"""The fields of Ollama's `ChatRequest`, strictly: it reads no other, and refuses arguments that are text and content that is a list."""


def _drawn() -> list[ModelRequest]:
    """Return drawn conversations, the same ones each time."""
    found: list[ModelRequest] = []

    @settings(max_examples=14, derandomize=True, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(conversations())
    def gather(request: ModelRequest) -> None:
        found.append(request)

    gather()
    return found


@pytest.fixture(scope="module")
def requests() -> list[tuple[str, ModelRequest]]:
    rounds = [(f"weather {source} {number}", made_in(source, weather(source, number))) for source in names() for number in (1, 2, 3)]
    found = [*rounds, *((f"drawn {number}", request) for number, request in enumerate(_drawn()))]
    known = [(name, replace(request, options=replace(request.options, model="m", extra={}))) for name, request in found]
    return [(name, forget_spelling(request)) for name, request in known]


def written(name: DialectName, request: ModelRequest) -> dict[str, Any]:
    """Return the body; two things that only the published schemas want, and servers do not, are put in or taken out."""
    if name == "anthropic":
        request = replace(request, options=replace(request.options, temperature=None))  # its package's types know it no more, older models do
    body: dict[str, Any] = json.loads(dialect(name).encode_request(request).body)
    for item in body["input"] if name == "responses" else ():
        if item.get("type") == "reasoning":
            item["id"] = "rs_1"  # demanded, but where nothing is stored an id is refused or not looked at
    return body


@needs_shared
def test_openai_and_anthropic_would_take_what_we_write(requests: list[tuple[str, ModelRequest]], tmp_path: Path) -> None:
    data = shared_data()
    assert data is not None
    for name, (path, _good) in PATHS.items():
        for title, request in requests:
            folder = tmp_path / f"{name}-{title}".replace(" ", "-")
            folder.mkdir()
            capture = {"path": path, "headers": {}, "body": written(name, request)}
            (folder / "001-request.json").write_text(json.dumps(capture), encoding="utf-8")
    script = data.parent / "scripts/validate_requests.py"
    folders = sorted(str(folder) for folder in tmp_path.iterdir())
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, str(script), *folders], capture_output=True, text=True, env=environment, check=True, timeout=55)
    lines = [line for line in done.stdout.splitlines() if " 001 " in line]
    assert len(lines) == len(PATHS) * len(requests)
    good = {name: said for name, (_path, said) in PATHS.items()}
    assert [line for line in lines if not line.endswith(good[line.partition("-")[0]])] == []  # type: ignore[index]


@needs_shared
def test_google_would_take_what_we_write(requests: list[tuple[str, ModelRequest]]) -> None:
    for _, request in requests:
        body = json.loads(re.sub(r'"\w+weather\w*==?"', '"c2ln"', json.dumps(written("gemini", request)), flags=re.IGNORECASE))  # those of the weather are none
        for content in body["contents"]:
            types.Content.model_validate(content)
        for tool in body.get("tools", []):
            types.Tool.model_validate(tool)
        types.ToolConfig.model_validate(body.get("toolConfig", {}))
        types.GenerateContentConfig.model_validate({**body.get("generationConfig", {}), "systemInstruction": body.get("systemInstruction")})


@needs_shared
def test_ollama_would_take_what_we_write(requests: list[tuple[str, ModelRequest]]) -> None:
    strict = jsonschema.Draft202012Validator(OLLAMA)
    for title, request in requests:
        assert [f"{title} {fault.json_path}: {fault.message}" for fault in strict.iter_errors(written("ollama", request))] == []


@needs_shared
@pytest.mark.parametrize(
    "change", [{"content": [{"type": "text", "text": "a"}]}, {"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}, {"role": "developer"}]
)
def test_the_strict_reader_of_ollama_refuses_what_ollama_refuses(change: dict[str, Any]) -> None:
    good = {"model": "m", "messages": [{"role": "assistant", "content": "a"}], "stream": True}
    strict = jsonschema.Draft202012Validator(OLLAMA)
    assert strict.is_valid(good)
    assert not strict.is_valid({**good, "messages": [{**good["messages"][0], **change}]})  # type: ignore[index]
