"""A reply as each dialect's models give it."""

from __future__ import annotations

import pytest

from workbench.conversation.messages import DialectName, ReasoningPart, TextPart, ToolCallPart, Usage
from workbench.practice.dressing import asks_for_thoughts, dressed
from workbench.practice.reply import Reply

CALLS = tuple(ToolCallPart(call_id=f"c{number}", name="read", arguments_raw="{}") for number in range(3))
REPLY = Reply(pieces=(ReasoningPart(text="hm", field="reasoning_content"), TextPart(text="I look."), *CALLS), finish_reason="tool_use", usage=Usage())


def kinds(reply: Reply) -> list[str]:
    return [type(piece).__name__ for piece in reply.pieces]


@pytest.mark.parametrize("dialect", ["functions", "react"])
def test_a_turn_of_the_old_dialects_has_one_call(dialect: DialectName) -> None:
    assert [call.call_id for call in dressed(REPLY, dialect).calls()] == ["c0"]


@pytest.mark.parametrize("dialect", ["chat_completions", "responses", "anthropic", "gemini", "ollama"])
def test_the_others_have_all_calls_in_their_order(dialect: DialectName) -> None:
    assert [call.call_id for call in dressed(REPLY, dialect).calls()] == ["c0", "c1", "c2"]
    assert kinds(dressed(REPLY, dialect)) == kinds(REPLY)


def test_thoughts_stand_where_the_dialect_has_them() -> None:
    thoughts = {name: dressed(REPLY, name).pieces[0] for name in ("chat_completions", "react", "anthropic", "responses", "gemini")}
    assert all(isinstance(thought, ReasoningPart) and thought.text == "hm" for thought in thoughts.values())
    assert [getattr(thought, "field", "") for thought in thoughts.values()] == ["reasoning_content", "thought", "", "", ""]
    claude, responses = thoughts["anthropic"], thoughts["responses"]
    assert isinstance(claude, ReasoningPart)
    assert isinstance(responses, ReasoningPart)
    assert claude.signature
    assert responses.encrypted
    assert responses.item_id.startswith("rs_")
    assert all(call.metadata["thoughtSignature"] for call in dressed(REPLY, "gemini").calls())


def test_the_same_reply_is_dressed_alike() -> None:
    assert dressed(REPLY, "anthropic") == dressed(REPLY, "anthropic")


def test_react_text_says_whether_it_is_the_answer() -> None:
    assert [piece.phase for piece in dressed(REPLY, "react").pieces if isinstance(piece, TextPart)] == ["commentary"]
    last = Reply(pieces=(TextPart(text="Done."),), finish_reason="end", usage=Usage())
    assert [piece.phase for piece in dressed(last, "react").pieces if isinstance(piece, TextPart)] == ["final"]


@pytest.mark.parametrize(
    ("dialect", "body", "asked"),
    [
        ("anthropic", {}, False),
        ("anthropic", {"thinking": {"type": "adaptive"}}, True),
        ("anthropic", {"thinking": {"type": "disabled"}}, False),
        ("gemini", {"generationConfig": {"thinkingConfig": {"includeThoughts": True}}}, True),
        ("gemini", {}, False),
        ("functions", {}, False),
        ("chat_completions", {}, True),
    ],
)
def test_thoughts_are_told_to_those_who_ask(dialect: DialectName, body: dict[str, object], asked: bool) -> None:
    assert asks_for_thoughts(body, dialect) == asked
    assert ("ReasoningPart" in kinds(dressed(REPLY, dialect, thinks=asks_for_thoughts(body, dialect)))) == asked
