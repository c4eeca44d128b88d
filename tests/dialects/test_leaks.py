"""Markup of tool calls that arrived as prose."""

from __future__ import annotations

import time

import pytest

from workbench.dialects.leaks import leaked_call


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "read"}\n</tool_call>',
        "I will look.\n<function_calls>\n<invoke name='read'>",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function",
        "<|tool_calls_section_begin|>",
        "text\n  <｜DSML｜function_calls>",
        '[TOOL_CALLS][{"name": "read"}]',
        "<function=read>\n<parameter=path>",
        "<|python_tag|>read.call()",
        "<minimax:tool_call>",
    ],
)
def test_markup_at_the_start_of_a_line_is_found(text: str) -> None:
    assert leaked_call(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Models write <tool_call> when they call.",
        "```xml\n<tool_call>\n```",
        "~~~\n<function_calls>\n~~~\nThat is how it looks.",
        "a < b",
        "<toolbar>",
    ],
)
def test_prose_and_code_about_markup_is_not(text: str) -> None:
    assert leaked_call(text) == ""


def test_markup_after_a_closed_fence_is_found() -> None:
    assert leaked_call("```\ncode\n```\n<tool_call>") == "<tool_call>"


def test_much_fenced_markup_takes_linear_time() -> None:
    started = time.process_time()
    assert leaked_call("```\n" + "<tool_call>\n" * 200_000) == ""
    assert time.process_time() - started < 5
