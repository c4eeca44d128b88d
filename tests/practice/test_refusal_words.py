"""Refusals in the words of each provider: every sentence belongs to a rule that there is, and says what stands where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import workbench
from workbench.conversation.messages import DialectName
from workbench.dialects.refusals import explain
from workbench.dialects.registry import dialect
from workbench.practice.refusal_words import WORDS
from workbench.practice.refusals import from_findings

RULES_OF = {"chat": "chat_completions"}
USER = {"role": "user", "content": "x"}
USE = {"type": "tool_use", "id": "toolu_a", "name": "read", "input": {}}
DONE = {"type": "tool_result", "tool_use_id": "toolu_a", "content": "y"}
TEXT = {"type": "text", "text": "x"}
ASK = {"role": "user", "parts": [{"text": "x"}]}
WRONG = {"function": {"name": "x", "arguments": "{}"}}
CALL = {"functionCall": {"name": "read", "args": {}}}

UNEXPLAINED = {"anthropic.no-max-tokens"}
"""Rules whose words do not lead back to them: the sentence is too general. May only shrink."""


@pytest.mark.parametrize("rule", WORDS)
def test_every_sentence_belongs_to_a_rule(rule: str) -> None:
    word, _, fault = rule.partition(".")
    folder = Path(workbench.__file__).parent / "dialects" / RULES_OF.get(word, word)
    source = "".join(file.read_text(encoding="utf-8") for file in folder.glob("*.py"))
    assert f'"{rule}"' in source or f'.{fault}"' in source or f'"{word}.{{' in source or f'f"{word}.' in source


def claude(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 9, "messages": list(messages)}


REFUSED: list[tuple[DialectName, dict[str, Any], str]] = [
    (
        "anthropic",
        claude(USER, {"role": "assistant", "content": [USE]}, USER),
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_a.",
    ),
    ("anthropic", claude({"role": "user", "content": [DONE]}), "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_a."),
    ("anthropic", {"model": "m", "messages": [USER]}, "max_tokens: Field required"),
    (
        "responses",
        {"model": "m", "input": [USER, {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{}"}, USER]},
        "No tool output found for function call call_1.",
    ),
    (
        "responses",
        {"model": "m", "input": [USER, {"type": "function_call_output", "call_id": "call_1", "output": "x"}]},
        "No tool call found for function call output with call_id call_1.",
    ),
    ("gemini", {"contents": [ASK, {"role": "model", "parts": [CALL]}, ASK]}, "Please ensure that the number of function response parts"),
    ("gemini", {"contents": []}, "* GenerateContentRequest.contents: contents is not specified"),
    (
        "ollama",
        {"model": "m", "stream": False, "messages": [USER, {"role": "assistant", "tool_calls": [WRONG]}, {"role": "tool", "tool_name": "x", "content": "y"}]},
        "json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments",
    ),
    ("ollama", {"model": "m", "stream": False, "messages": [{"role": "user", "content": [TEXT]}]}, "json: cannot unmarshal array into"),
]


@pytest.mark.parametrize(("name", "body", "words"), REFUSED, ids=[f"{name} {words[:30]}" for name, _, words in REFUSED])
def test_a_refusal_says_where_and_what_and_is_understood_again(name: DialectName, body: dict[str, Any], words: str) -> None:
    raw = json.dumps(body).encode()
    error = from_findings(dialect(name).check(raw), body, name)
    assert error is not None
    assert error.status == 400
    assert words in error.message
    assert error.dialect == name
    told = explain(name, raw, error.message, 400)
    first = next(finding for finding in dialect(name).check(raw) if finding.severity == "error")
    assert first.rule in [finding.rule for finding in told] or first.rule in UNEXPLAINED
