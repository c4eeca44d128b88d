"""The rule of the estimates is what it says, quick for any text, and a provider's count scales it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pace import not_hung
from workbench.conversation.messages import FilePart, ImagePart, OpaquePart, Part, ReasoningPart, TextPart, ToolCallPart, ToolDefinition, ToolResultPart
from workbench.inspection.estimates import Scale, size_of_json, size_of_part, size_of_text, size_of_tool


@pytest.mark.parametrize(
    ("text", "size"),
    [("", 0), ("four", 1), ("ab", 0.5), ("你好", 2), ("你好abcd", 3), ("日本語", 3), ("한국", 2), ("naïve!!!", 2), ("“you”", 1.25)],
)
def test_four_characters_or_one_chinese_one_are_a_token(text: str, size: float) -> None:
    assert size_of_text(text) == pytest.approx(size)


@given(st.text(max_size=200))
def test_a_text_is_at_most_its_characters_and_at_least_a_quarter(text: str) -> None:
    assert len(text) / 4 <= size_of_text(text) <= len(text)


def test_ten_megabytes_are_estimated_without_a_halt() -> None:
    text = "好" + "你好 and some English words. " * 400_000
    with not_hung(1):
        size = size_of_text(text)
    assert size == pytest.approx(size_of_text(text[:20_000]) * len(text) / 20_000, rel=0.01)


@pytest.mark.parametrize(
    ("part", "size"),
    [
        (TextPart(text="12345678"), 2),
        (ReasoningPart(text="1234", summary=("1234", "1234"), signature="not counted"), 3),
        (ToolCallPart(call_id="c", name="read", arguments_raw='{"a":1}x'), 3),
        (ToolResultPart(call_id="c", name="read", content=(TextPart(text="1234"), ImagePart(media_type="image/png", data="AAAA"))), 1),
        (ImagePart(media_type="image/png", data="AAAA"), 0),
        (FilePart(media_type="application/pdf", data="AAAA"), 0),
        (OpaquePart(dialect="anthropic", provider="p", item={"a": "é"}), size_of_json({"a": "é"})),
    ],
)
def test_each_part_counts_what_it_says(part: Part, size: float) -> None:
    assert size_of_part(part) == pytest.approx(size)


def test_a_tool_counts_name_description_and_schema() -> None:
    tool = ToolDefinition(name="read", description="Reads it", input_schema={"type": "object"})
    assert size_of_tool(tool) == pytest.approx((4 + 8 + len('{"type":"object"}')) / 4)


def test_a_provider_s_count_scales() -> None:
    scale = Scale.fitted(1000, 1300)
    assert (scale.tokens(1000), scale.tokens(10), scale.tokens(0.01), scale.tokens(0)) == (1300, 13, 1, 0)


@pytest.mark.parametrize(("size", "tokens", "factor"), [(0, 100, 1), (100, 0, 1), (1, 1000, 4.0), (1000, 1, 0.25)])
def test_a_count_that_cannot_be_of_this_text_is_not_believed(size: float, tokens: int, factor: float) -> None:
    assert Scale.fitted(size, tokens).factor == factor
