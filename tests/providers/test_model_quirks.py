"""Quirks follow the model where models of one provider differ, and what a person set in a profile stays."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from workbench.dialects.base import NORM, Quirks
from workbench.providers.known_profiles import KNOWN_PROFILES
from workbench.providers.model_quirks import quirks_for
from workbench.providers.profiles import Profile

KNOWN = {profile.name: profile for profile in KNOWN_PROFILES}


@pytest.mark.parametrize(
    ("profile", "model", "expected"),
    [
        ("openai", "gpt-4o", {"max_tokens_field": "max_completion_tokens", "stop": True, "system_role": "system"}),
        ("openai", "gpt-5.6-sol", {"stop": False, "system_role": "developer"}),
        ("openai", "gpt-5-chat-latest", {"stop": True, "system_role": "system"}),
        ("openai", "o1-mini", {"stop": False, "system_role": "system"}),
        ("openai", "o4-mini", {"stop": False, "system_role": "developer"}),
        ("openrouter", "openai/o3", {"stop": False, "max_tokens_field": "max_completion_tokens", "system_role": "system", "reasoning_replay": "always"}),
        ("deepseek", "deepseek-v4-pro", {"reasoning_replay": "with_calls", "forced_choice": False}),
        ("deepseek", "deepseek-r1", {"reasoning_replay": "never", "forced_choice": True}),
        ("dashscope", "deepseek-r1-0528", {"reasoning_replay": "never", "empty_content": "empty"}),
        ("groq", "moonshotai/kimi-k2-thinking", {"reasoning_replay": "with_calls"}),
        ("mistral", "mistral-large-latest", {"call_id_format": "mistral", "result_name": True}),
        ("anthropic", "claude-3-5-haiku-latest", {"thinking": "off"}),
        ("anthropic", "claude-3-7-sonnet-20250219", {"thinking": "budget"}),
        ("anthropic", "claude-sonnet-4-20250514", {"thinking": "budget"}),
        ("anthropic", "claude-opus-4-1", {"thinking": "budget"}),
        ("anthropic", "claude-haiku-4-5-20251001", {"thinking": "budget"}),
        ("anthropic", "claude-opus-4-6", {"thinking": "adaptive"}),
        ("anthropic", "claude-sonnet-5", {"thinking": "adaptive"}),
        ("google", "gemini-2.0-flash", {"thinking": "off", "json_schema": False, "signature_stand_in": False}),
        ("google", "models/gemini-2.5-pro", {"thinking": "budget", "signature_stand_in": False, "json_schema": True}),
        ("google", "gemini-3-pro-preview", {"thinking": "adaptive", "signature_stand_in": True}),
        ("xai", "grok-4", {"reasoning_replay": "never"}),
    ],
)
def test_what_is_known_of_a_model(profile: str, model: str, expected: dict[str, Any]) -> None:
    quirks = quirks_for(KNOWN[profile], model)
    assert {name: getattr(quirks, name) for name in expected} == expected
    assert quirks.provider == profile


def test_what_a_person_set_otherwise_stays() -> None:
    mine = replace(KNOWN["deepseek"], quirks=Quirks(reasoning_replay="always"))
    assert quirks_for(mine, "deepseek-r1").reasoning_replay == "always"


def test_every_ollama_is_asked_for_a_window_that_holds_the_tools() -> None:
    own = Profile(name="mine", base_url="http://h", dialect="ollama")
    assert quirks_for(own, "qwen3:8b").context_tokens == 32_768
    assert quirks_for(replace(own, quirks=Quirks(context_tokens=8_192)), "qwen3:8b").context_tokens == 8_192


def test_an_unknown_model_of_an_own_server_is_the_norm() -> None:
    assert quirks_for(Profile(name="lab", base_url="http://h/v1"), "mystery") == replace(NORM, provider="lab")


def test_the_names_that_are_promised_are_there() -> None:
    assert set(KNOWN) == {
        *("openai", "openai-responses", "anthropic", "google", "google-openai", "deepseek", "dashscope", "moonshot", "mistral"),
        *("groq", "openrouter", "xai"),
    }
    assert {name: KNOWN[name].dialect for name in ("openai-responses", "anthropic", "google", "google-openai")} == {
        "openai-responses": "responses",
        "anthropic": "anthropic",
        "google": "gemini",
        "google-openai": "chat_completions",
    }
