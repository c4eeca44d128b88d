"""Which path belongs to which dialect, and what a path says of its request."""

from __future__ import annotations

import pytest

from workbench.practice.places import Place, dialect_at, dialect_of, place_of


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("/v1/chat/completions", Place("answer", "chat_completions")),
        ("/v1/responses?x=1", Place("answer", "responses")),
        ("/v1/messages?beta=true", Place("answer", "anthropic")),
        ("/v1beta/models/a%2Fb:generateContent", Place("answer", "gemini", "a/b", streams=False)),
        ("/v1beta/models/practice:streamGenerateContent?alt=sse", Place("answer", "gemini", "practice", streams=True)),
        ("/api/chat", Place("answer", "ollama")),
        ("/v1/models/practice", Place("model", "chat_completions", "practice", method="GET")),
        ("/v1beta/models/", Place("models", "gemini", method="GET")),
        ("/api/version", Place("version", "ollama", method="GET")),
        ("/v1/completions", None),
        ("/v1beta/models/practice:countTokens/x:generateContent", None),
    ],
)
def test_a_path_says_what_it_is_for(target: str, place: Place | None) -> None:
    found = place_of(target)
    if place is None:
        assert found is None or found.kind == "model"
    else:
        assert found == place


def test_the_list_of_models_is_anthropic_s_for_its_own_clients() -> None:
    assert place_of("/v1/models?limit=1000", anthropic=True) == Place("models", "anthropic", method="GET")


@pytest.mark.parametrize(
    ("body", "dialect"),
    [
        (b'{"messages": [], "tools": []}', "chat_completions"),
        (b'{"messages": [], "functions": []}', "functions"),
        (b'{"messages": [], "stop": ["\\nObservation:"]}', "react"),
        (b"{", "chat_completions"),
        (b'{"contents": []}', "chat_completions"),
    ],
)
def test_the_body_tells_which_chat_dialect_is_spoken(body: bytes, dialect: str) -> None:
    assert dialect_of(Place("answer", "chat_completions"), "/v1/chat/completions", body) == dialect
    assert dialect_of(Place("answer", "ollama"), "/api/chat", body) == "ollama"


@pytest.mark.parametrize(
    ("target", "dialect"),
    [("/v1beta/x", "gemini"), ("/api/x", "ollama"), ("/v1/messages/x", "anthropic"), ("/v1/responses/x", "responses"), ("/x", "chat_completions")],
)
def test_errors_of_paths_that_are_not_served_are_in_the_likeliest_dialect(target: str, dialect: str) -> None:
    assert dialect_at(target) == dialect
