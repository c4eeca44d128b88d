"""Tests of values: JSON in and out, and text that is not Unicode."""

from __future__ import annotations

import gc
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conversation.strategies import EVENT_TYPES, JSON_OBJECTS, STREAM_EVENT_TYPES, values
from workbench.conversation.messages import Message, ModelRequest, TextPart, ToolCallPart
from workbench.conversation.values import Value, clean_text, from_json, json_bytes


@pytest.mark.parametrize("kind", [*STREAM_EVENT_TYPES, Message, ModelRequest], ids=lambda kind: kind.__name__)
def test_every_value_survives_json(kind: type[Value]) -> None:
    @settings(max_examples=20, deadline=None, database=None)
    @given(values(kind))
    def check(value: Value) -> None:
        assert from_json(json_bytes(value), kind) == value

    check()


def test_the_class_name_stands_under_type() -> None:
    assert json_bytes(TextPart(text="a")) == b'{"type":"TextPart","text":"a"}'


def test_values_are_built_by_keyword_only() -> None:
    with pytest.raises(TypeError):
        TextPart("a")  # type: ignore[call-arg]


@pytest.mark.parametrize("kind", [*STREAM_EVENT_TYPES, *EVENT_TYPES, Message, ModelRequest], ids=lambda kind: kind.__name__)
def test_the_garbage_collector_walks_no_value(kind: type[Value]) -> None:
    @settings(max_examples=5, deadline=None, database=None)
    @given(values(kind))
    def check(value: Value) -> None:
        assert not gc.is_tracked(value)

    check()


def test_equal_content_is_equal_and_another_is_not() -> None:
    assert TextPart(text="a") == TextPart(text="a") != TextPart(text="a", phase="final")


@settings(max_examples=100, deadline=None, database=None)
@given(st.text(st.characters(), max_size=20))
def test_clean_text_can_always_be_encoded_and_keeps_what_is_unicode(text: str) -> None:
    cleaned = clean_text(text)
    assert cleaned.encode().decode() == cleaned
    assert len(cleaned) == len(text) or _holds_a_pair(text)
    if text.isascii():
        assert cleaned == text


def test_a_surrogate_pair_becomes_the_character_it_means() -> None:
    assert clean_text("\ud83d\ude00!") == "😀!"


def test_a_lone_surrogate_costs_one_character_not_the_value() -> None:
    assert json_bytes(TextPart(text="a\ud800b")) == '{"type":"TextPart","text":"a\ufffdb"}'.encode()


@settings(max_examples=30, deadline=None, database=None)
@given(JSON_OBJECTS)
def test_lone_surrogates_are_cleaned_in_keys_and_deep_inside(tree: dict[str, object]) -> None:
    part = ToolCallPart(call_id="c", name="x", arguments_raw="", metadata={"\udfff": [tree, "\ud800"]})
    assert from_json(json_bytes(part), ToolCallPart).metadata == {"\ufffd": [tree, "\ufffd"]}


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(msgspec.DecodeError):
        from_json(b'{"type":"TextPart"', TextPart)


def test_a_value_of_another_class_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        from_json(json_bytes(TextPart(text="a")), Message)


def _holds_a_pair(text: str) -> bool:
    return any("\ud800" <= a <= "\udbff" and "\udc00" <= b <= "\udfff" for a, b in pairwise(text))
