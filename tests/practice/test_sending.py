"""A reply becomes stream events whose join is the reply, at the wanted pace."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from workbench.conversation.assembler import Assembler
from workbench.conversation.messages import ReasoningPart, TextPart, ToolCallPart, Usage
from workbench.practice.reply import Reply
from workbench.practice.sending import Pace, stream_events, token_pieces, whole_message

REPLY = Reply(
    pieces=(
        ReasoningPart(text="Think.\n想。", field="reasoning_content"),
        TextPart(text="Say `x`  now.\n\n| a |\n说。"),
        ToolCallPart(call_id="call_1", name="read", arguments_raw='{"file_path": "说明.md"}'),
        ToolCallPart(call_id="call_2", name="list", arguments_raw="{}"),
    ),
    finish_reason="tool_use",
    usage=Usage(input_tokens=3, output_tokens=4, reasoning_tokens=1),
)


@given(st.text(max_size=60))
def test_pieces_joined_are_the_text(text: str) -> None:
    pieces = token_pieces(text)
    assert "".join(pieces) == text
    assert all(pieces)


def test_pieces_are_about_a_token_long() -> None:
    text = "The practice model streams its words at a pace. 练习模型按速度输出文字。" * 20
    assert 0.6 < len(token_pieces(text)) / (len(text.encode()) / 4) < 1.7


def test_events_fold_into_the_reply() -> None:
    assembler = Assembler()
    for event in stream_events(REPLY, response_id="r", model="m"):
        assembler.add(event)
    message = assembler.message("m1")
    assert message.parts == REPLY.pieces
    assert message.usage == REPLY.usage
    assert assembler.ended is not None
    assert assembler.ended.finish_reason == "tool_use"


def test_aside_is_left_out_of_a_whole_message() -> None:
    aside = Reply(pieces=REPLY.pieces[:2], finish_reason="end", usage=REPLY.usage, aside=True)
    assert [type(part) for part in whole_message(aside).parts] == [TextPart]
    assert whole_message(REPLY).parts == REPLY.pieces


async def test_pace_follows_the_timetable_and_not_the_sum_of_sleeps() -> None:
    loop = asyncio.get_running_loop()
    pace = Pace(1000)
    started = loop.time()
    for _ in range(300):
        await pace.next_token()
    assert 0.28 < loop.time() - started < 2


async def test_stream_without_a_rate_gives_the_loop_its_turns() -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        counter = group.create_task(count())
        pace = Pace(0)
        for _ in range(10_000_000):
            if turns >= 3:
                break
            await pace.next_token()
        counter.cancel()
    assert turns >= 3
