"""What only its maker understands goes back to the provider and model family that made it, byte for byte, and to nobody else."""

from __future__ import annotations

import json
import re

import pytest
from msgspec.structs import replace

from workbench.conversation.messages import (
    DialectName,
    Message,
    ModelRequest,
    OpaquePart,
    Origin,
    Part,
    ReasoningPart,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolResultPart,
    text_message,
)
from workbench.dialects.base import Quirks
from workbench.dialects.origins import same_family
from workbench.dialects.registry import dialect, names

SEALED = re.compile(r"sealed-\w+")
TOOL = ToolDefinition(name="get_weather", description="Tells the weather.", input_schema={"type": "object", "properties": {"city": {"type": "string"}}})
CALL_MARKS: dict[DialectName, dict[str, object]] = {
    "chat_completions": {"extra_content": {"google": {"thought_signature": "sealed-call"}}},
    "gemini": {"id": "sealed-id", "thoughtSignature": "sealed-call"},
    "anthropic": {"caller": {"type": "sealed-call"}},
}
THOUGHTS: dict[DialectName, ReasoningPart] = {
    "chat_completions": ReasoningPart(text="sealed-thought", field="reasoning", details=({"type": "reasoning.encrypted", "data": "sealed-details"},)),
    "functions": ReasoningPart(text="sealed-thought", field="reasoning_content"),
    "responses": ReasoningPart(summary=("sealed-summary",), encrypted="sealed-encrypted"),
    "anthropic": ReasoningPart(text="sealed-thought", signature="sealed-signature"),
    "gemini": ReasoningPart(text="sealed-thought", signature="sealed-signature"),
    "react": ReasoningPart(text="sealed-thought", field="thought"),
    "ollama": ReasoningPart(text="sealed-thought"),
}
SPELLINGS: dict[DialectName, dict[str, object]] = {
    "chat_completions": {"members": {"x": "sealed-member"}, "parts": {"0": {"x": "sealed-part"}}, "content": "list"},
    "functions": {"members": {"x": "sealed-member"}},
    "responses": {},
    "anthropic": {"members": {"x": "sealed-member"}, "blocks": {str(place): {"x": "sealed-block"} for place in range(4)}, "content": "list"},
    "gemini": {"content": {"role": "model", "x": "sealed-member"}},
    "react": {},
    "ollama": {"members": {"x": "sealed-member"}, "calls": {"call_1": {"members": {"x": "sealed-call"}, "function": {"y": "sealed-function"}}}},
}
"""How a parsed request may have spelled the turn: members that are unknown here."""


def turn(name: DialectName, provider: str, model: str) -> Message:
    signed = "sealed-text" if name == "gemini" else ""
    parts: tuple[Part, ...] = (
        THOUGHTS[name],
        TextPart(text="Let me look.", signature=signed),
        OpaquePart(dialect=name, provider=provider, item={"type": "compaction", "data": "sealed-item"}),
        ToolCallPart(call_id="call_1", name="get_weather", arguments_raw='{"city":"Vienna"}', metadata=CALL_MARKS.get(name, {})),
    )
    speller: DialectName = "chat_completions" if name == "react" else name
    wire = {str(speller): SPELLINGS[speller]}
    return Message(message_id="m1", role="assistant", parts=parts, origin=Origin(dialect=name, provider=provider, model=model), wire=wire)


def asked(name: DialectName, answer: Message, provider: str, model: str) -> str:
    result = ToolResultPart(call_id="call_1", name="get_weather", content=(TextPart(text="rain"),))
    messages = (text_message("user", "Hello"), answer, Message(message_id="m2", role="tool", parts=(result,)), text_message("user", "And now?"))
    request = ModelRequest(system=(), tools=(TOOL,), messages=messages, options=RequestOptions(model=model))
    return dialect(name).encode_request(request, Quirks(provider=provider, reasoning_replay="always", thinking="adaptive")).body.decode()


def foreign(name: DialectName, maker: tuple[str, str], target: tuple[str, str]) -> set[str]:
    return set(SEALED.findall(asked(name, turn(name, *maker), *target)))


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize(
    ("maker", "target"),
    [
        (("alpha", "some-model"), ("beta", "some-model")),
        (("proxy", "gpt-5"), ("proxy", "claude-sonnet-4-5")),
        (("proxy", "claude-sonnet-4-5"), ("proxy", "kimi-k2")),
        (("proxy", "openai/gpt-5"), ("proxy", "google/gemini-3-pro")),
        (("google", "gemini-2.5-pro"), ("google", "gemini-3-pro-preview")),
    ],
)
def test_nothing_sealed_goes_to_others(name: DialectName, maker: tuple[str, str], target: tuple[str, str]) -> None:
    assert foreign(name, maker, target) == set()


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("target", names())
def test_nothing_sealed_goes_to_another_dialect(name: DialectName, target: DialectName) -> None:
    if {name, target} <= {"chat_completions", "functions"} or name == target:
        pytest.skip("one family: what one gave goes back through the other")
    assert SEALED.findall(asked(target, turn(name, "alpha", "some-model"), "alpha", "some-model")) == []


@pytest.mark.parametrize("name", names())
def test_all_sealed_goes_back_to_its_maker(name: DialectName) -> None:
    answer = turn(name, "alpha", "some-model")
    answer = replace(answer, wire={}) if name == "react" else answer
    expected = set(SEALED.findall(json.dumps([THOUGHTS[name].text, THOUGHTS[name].summary, THOUGHTS[name].signature, THOUGHTS[name].encrypted])))
    expected |= set(SEALED.findall(json.dumps(CALL_MARKS.get(name, {})))) | set(SEALED.findall(json.dumps(answer.wire.get(name, {}))))
    if name in ("chat_completions", "functions"):
        expected |= {"sealed-details"} if name == "chat_completions" else set()
    if name in ("chat_completions", "responses", "anthropic", "gemini"):
        expected.add("sealed-item")
    assert expected - set(SEALED.findall(asked(name, answer, "alpha", "some-model"))) == set()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("claude-sonnet-4-5", "claude-opus-4-1"),
        ("anthropic/claude-sonnet-4.5", "claude-opus-4-1"),
        ("us.anthropic.claude-sonnet-4-5-v1:0", "claude-sonnet-4-5"),
        ("gpt-5", "o3"),
        ("gpt-5", "codex-mini-latest"),
        ("gemini-2.5-pro", "gemini-2.0-flash"),
        ("models/gemini-3-pro", "gemini-3-flash"),
        ("gemini-flash-latest", "gemini-3-pro"),
        ("my-deployment", "gpt-5"),
        ("qwen3:8b", "qwq"),
        ("", "gpt-5"),
    ],
)
def test_models_of_one_family_share_what_is_sealed(one: str, other: str) -> None:
    assert same_family(one, other)
    assert same_family(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gpt-5", "claude-sonnet-4-5"),
        ("gpt-5", "gpt-oss-120b"),
        ("gemini-2.5-pro", "gemini-3-pro"),
        ("anthropic/claude-sonnet-4.5", "openai/gpt-5"),
        ("accounts/fireworks/models/kimi-k2", "accounts/fireworks/models/deepseek-v3"),
        ("deepseek-r1:8b", "qwen3:8b"),
        ("acme/one", "other/one"),
    ],
)
def test_models_of_two_families_share_nothing(one: str, other: str) -> None:
    assert not same_family(one, other)
    assert not same_family(other, one)
