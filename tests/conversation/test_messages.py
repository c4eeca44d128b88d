"""Tests of messages: what they give of their parts, arguments, and ids."""

from __future__ import annotations

import re

import pytest

from workbench.conversation.messages import (
    ImagePart,
    Message,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    mint_call_id,
    mint_id,
    text_message,
)


def test_a_message_gives_its_texts_reasoning_and_calls_in_order() -> None:
    call = ToolCallPart(call_id="c1", name="read", arguments_raw="{}")
    message = Message(
        message_id="m",
        role="assistant",
        parts=(ReasoningPart(text="hm "), TextPart(text="a"), call, ReasoningPart(text="so"), TextPart(text="b")),
    )
    assert (message.text(), message.reasoning(), message.calls(), message.results()) == ("ab", "hm so", (call,), ())


def test_a_tool_message_gives_its_results() -> None:
    result = ToolResultPart(call_id="c1", name="read", content=(TextPart(text="x"), ImagePart(media_type="image/png", data="AA=="), TextPart(text="y")))
    message = Message(message_id="m", role="tool", parts=(result,))
    assert message.results() == (result,)
    assert result.text() == "xy"


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        ("", {}),
        (" \n", {}),
        ('{"a": 1}', {"a": 1}),
        ('{"a": ', None),
        ("[1]", None),
        ('"text"', None),
        ("null", None),
        ("[" * 100_000, None),
        ('{"a": 1} trailing', None),
    ],
)
def test_arguments_are_an_object_or_nothing(raw: str, arguments: dict[str, object] | None) -> None:
    assert ToolCallPart(call_id="c", name="x", arguments_raw=raw).arguments() == arguments


def test_call_ids_fit_every_provider_but_one_and_never_repeat() -> None:
    ids = [mint_call_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert all(re.fullmatch(r"call_[0-9a-f]{24}", call_id) for call_id in ids)
    assert len(ids[0]) == 29


def test_other_ids_carry_their_kind() -> None:
    assert re.fullmatch(r"msg_[0-9a-f]{16}", mint_id("msg"))
    assert mint_id("msg") != mint_id("msg")


def test_a_text_message_has_one_part_and_an_id_of_its_own() -> None:
    first, second = text_message("user", "hi", created_at=5.0), text_message("user", "hi", created_at=5.0)
    assert first.parts == (TextPart(text="hi"),)
    assert first.created_at == 5.0
    assert first.message_id != second.message_id
