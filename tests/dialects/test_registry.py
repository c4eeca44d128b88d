"""Finding the dialect of a name and of a body."""

from __future__ import annotations

import json

import pytest

from tests.shared import needs_shared, shared_data
from workbench.dialects.registry import detect, dialect, names
from workbench.dialects.shapes import response_shape, title

PATHS = {
    "chat": "/v1/chat/completions",
    "legacy": "/v1/chat/completions",
    "react": "/v1/chat/completions",
    "responses": "/v1/responses?x=1",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/gemini-3:streamGenerateContent?alt=sse",
    "gemini3": "/v1beta/models/gemini-3:generateContent",
    "ollama": "/api/chat",
    "seed": "/compatible-mode/v1/chat/completions",
}
NAMES = {"chat": "chat_completions", "seed": "chat_completions", "legacy": "functions", "gemini3": "gemini"}


def test_every_name_gives_its_codec() -> None:
    assert "chat_completions" in names()
    for name in names():
        assert dialect(name).name == name
        assert title(name)


def test_an_unknown_name_says_which_there_are() -> None:
    with pytest.raises(KeyError, match="chat_completions"):
        dialect("morse")


@needs_shared
def test_the_weather_conversation_is_recognised_in_every_dialect() -> None:
    data = shared_data()
    assert data is not None
    files = sorted((data / "weather").glob("*.request.json"))
    assert len(files) > 25
    for file in files:
        prefix = file.name.partition(".")[0]
        expected = NAMES.get(prefix, prefix)
        assert detect(PATHS[prefix], file.read_bytes()) == expected, file.name
        assert detect("", file.read_bytes()) == expected, file.name


@needs_shared
def test_the_answers_of_the_weather_conversation_are_recognised() -> None:
    data = shared_data()
    assert data is not None
    for file in sorted((data / "weather").glob("*.response.json")):
        prefix = file.name.partition(".")[0]
        expected = {"legacy": "chat_completions", "react": "chat_completions", "seed": "chat_completions", "chat": "chat_completions"}.get(prefix, prefix)
        assert response_shape(json.loads(file.read_bytes())) == expected, file.name


@pytest.mark.parametrize("body", [b"", b"x", b"[]", b'"text"', b"{}", b'{"messages": 3}', b'{"model": "m"}'])
def test_what_is_no_request_is_none(body: bytes) -> None:
    assert detect("", body) is None


@pytest.mark.parametrize("value", [None, [], {}, {"error": {}}, {"object": "list"}, 3])
def test_what_is_no_answer_is_none(value: object) -> None:
    assert response_shape(value) is None
