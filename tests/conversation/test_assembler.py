"""Tests of the assembler: pieces in any order become parts in the order they began."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.conversation.strategies import values
from workbench.conversation.assembler import Assembler
from workbench.conversation.messages import FinishReason, Message, OpaquePart, Origin, ReasoningPart, TextPart, ToolCallPart, Usage
from workbench.conversation.stream import (
    CallArgumentsDelta,
    CallDone,
    CallDropped,
    CallNamed,
    CallStarted,
    OpaqueItem,
    Problem,
    ReasoningDelta,
    ReasoningDone,
    ResponseEnded,
    ResponseFailed,
    ResponseStarted,
    StreamEvent,
    TextDelta,
    UsageReported,
)


def assembled(*events: StreamEvent) -> Message:
    """Return the message that the events make."""
    return _filled(*events).message("m1")


def test_text_deltas_are_one_part() -> None:
    message = assembled(TextDelta(text="Hel"), TextDelta(text="lo"), ResponseEnded(finish_reason="end", finish_raw="stop"))
    assert message.parts == (TextPart(text="Hello"),)
    assert (message.role, message.state, message.finish_reason, message.finish_raw) == ("assistant", "complete", "end", "stop")


def test_parts_stand_in_the_order_they_began() -> None:
    message = assembled(
        ReasoningDelta(text="let me see", field="reasoning_content"),
        TextDelta(text="I look. "),
        CallStarted(key=0, call_id="c0", name="read"),
        CallStarted(key=1, call_id="c1", name="list"),
        CallArgumentsDelta(key=1, text="{}"),
        CallArgumentsDelta(key=0, text='{"path"'),
        TextDelta(text="Wait."),
        CallArgumentsDelta(key=0, text=':"a"}'),
        CallDone(key=1, call_id="c1", name="list", arguments_raw="{}"),
        CallDone(key=0, call_id="c0", name="read", arguments_raw='{"path":"a"}'),
        ResponseEnded(finish_reason="tool_use"),
    )
    assert message.parts == (
        ReasoningPart(text="let me see", field="reasoning_content"),
        TextPart(text="I look. "),
        ToolCallPart(call_id="c0", name="read", arguments_raw='{"path":"a"}'),
        ToolCallPart(call_id="c1", name="list", arguments_raw="{}"),
        TextPart(text="Wait."),
    )


def test_a_call_that_is_not_done_is_truncated_and_keeps_what_came() -> None:
    message = assembled(CallStarted(key=7, call_id="c", wire_id="w", kind="custom"), CallNamed(key=7, name="pat"), CallNamed(key=7, name="patch"))
    assert message.parts == (ToolCallPart(call_id="c", name="patch", arguments_raw="", kind="custom", status="truncated", wire_id="w"),)
    message = assembled(CallStarted(key=0, call_id="c", name="read"), CallArgumentsDelta(key=0, text='{"a"'), CallArgumentsDelta(key=0, text=":1"))
    assert message.calls()[0].arguments_raw == '{"a":1'
    assert message.calls()[0].status == "truncated"


def test_the_final_word_on_a_call_replaces_what_its_pieces_said() -> None:
    done = CallDone(
        key=0, call_id="new", name="write", arguments_raw="{}", status="invalid_json", wire_id="w", repaired=True, metadata={"signature": "s"}
    )
    message = assembled(CallStarted(key=0, call_id="old", name="wri"), CallArgumentsDelta(key=0, text="rubbish"), done)
    assert message.calls() == (
        ToolCallPart(
            call_id="new", name="write", arguments_raw="{}", status="invalid_json", wire_id="w", repaired=True, metadata={"signature": "s"}
        ),
    )


def test_a_dropped_call_is_gone_but_was_shown() -> None:
    assembler = _filled(CallStarted(key=0, call_id="c", name="read"), CallDropped(key=0))
    assert assembler.message("m").parts == ()
    assert assembler.shown


def test_a_dropped_call_stays_gone_even_if_it_is_done() -> None:
    done = CallDone(key=0, call_id="c", name="read", arguments_raw="{}")
    assert assembled(CallStarted(key=0, call_id="c", name="read"), done, CallDropped(key=0)).parts == ()


def test_reasoning_that_is_done_replaces_its_deltas() -> None:
    part = ReasoningPart(text="hm!", signature="sig", field="thinking_content")
    message = assembled(ReasoningDelta(text="hm"), ReasoningDone(part=part), ReasoningDelta(text="more"), TextDelta(text="x"))
    assert message.parts == (part, ReasoningPart(text="more"), TextPart(text="x"))


def test_reasoning_that_is_done_after_the_text_stays_where_it_began() -> None:
    part = ReasoningPart(text="because", details=({"type": "reasoning.encrypted"},))
    message = assembled(ReasoningDelta(text="because", field="reasoning"), TextDelta(text="So."), ReasoningDone(part=part))
    assert message.parts == (part, TextPart(text="So."))


def test_details_that_come_without_words_keep_the_words_that_came_before() -> None:
    details = ReasoningPart(text="", details=({"type": "reasoning.encrypted"},))
    message = assembled(ReasoningDelta(text="because", field="reasoning"), TextDelta(text="So."), ReasoningDone(part=details))
    assert message.parts == (ReasoningPart(text="because", field="reasoning", details=details.details), TextPart(text="So."))


def test_reasoning_without_any_delta_is_a_part_of_its_own() -> None:
    hidden = ReasoningPart(redacted_data="xyz")
    assert assembled(TextDelta(text="a"), ReasoningDone(part=hidden), TextDelta(text="b")).parts == (TextPart(text="a"), hidden, TextPart(text="b"))


def test_reasoning_done_with_empty_text_keeps_its_signature() -> None:
    part = ReasoningPart(text="", signature="sig")
    assert assembled(ReasoningDone(part=part)).parts == (part,)


def test_reasoning_from_two_fields_is_two_parts() -> None:
    message = assembled(
        ReasoningDelta(text="a", field="reasoning"), ReasoningDelta(text="b"), ReasoningDelta(text="c", field="think_tag"), ReasoningDelta(text="d")
    )
    assert message.parts == (ReasoningPart(text="ab", field="reasoning"), ReasoningPart(text="cd", field="think_tag"))


def test_interleaved_reasoning_and_text_keep_their_order() -> None:
    message = assembled(ReasoningDelta(text="1"), TextDelta(text="2"), ReasoningDelta(text="3"), TextDelta(text="4"))
    assert [part.text for part in message.parts if isinstance(part, TextPart | ReasoningPart)] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("event", [TextDelta(text=""), ReasoningDelta(text=""), ReasoningDelta(text="", field="reasoning_content")])
def test_an_empty_delta_is_no_part_and_nothing_was_shown(event: StreamEvent) -> None:
    assembler = _filled(ResponseStarted(model="m"), event, UsageReported(usage=Usage(input_tokens=1)))
    assert assembler.message("m").parts == ()
    assert not assembler.shown


def test_an_empty_delta_does_not_split_a_part() -> None:
    message = assembled(TextDelta(text="a"), ReasoningDelta(text=""), TextDelta(text=""), TextDelta(text="b"))
    assert message.parts == (TextPart(text="ab"),)


def test_a_signature_without_text_is_kept() -> None:
    assert assembled(TextDelta(text="a"), TextDelta(text="", signature="s")).parts == (TextPart(text="a", signature="s"),)
    assert assembled(TextDelta(text="", signature="s")).parts == (TextPart(text="", signature="s"),)


def test_opaque_items_are_parts() -> None:
    part = OpaquePart(dialect="responses", provider="openai", item={"type": "web_search_call"})
    assert assembled(TextDelta(text="a"), OpaqueItem(part=part)).parts == (TextPart(text="a"), part)


def test_a_message_without_an_end_is_incomplete() -> None:
    message = assembled(ResponseStarted(response_id="r"), TextDelta(text="a"))
    assert (message.state, message.finish_reason) == ("incomplete", "incomplete")
    assert (assembled().state, assembled().parts) == ("incomplete", ())


@pytest.mark.parametrize("reason", get_args(FinishReason))
def test_every_end_gives_a_state(reason: FinishReason) -> None:
    message = assembled(TextDelta(text="a"), ResponseEnded(finish_reason=reason))
    expected = {"incomplete": "incomplete", "error": "error", "cancelled": "cancelled"}.get(reason, "complete")
    assert (message.state, message.finish_reason) == (expected, reason)


def test_a_failure_inside_the_response_is_an_error_whatever_follows() -> None:
    failed = ResponseFailed(kind="overloaded", text="Too busy.")
    assembler = _filled(TextDelta(text="a"), failed, ResponseEnded(finish_reason="end"))
    assert assembler.failure == failed
    assert (assembler.message("m").state, assembler.message("m").finish_reason) == ("error", "error")


def test_a_stopped_response_is_what_its_owner_says() -> None:
    assert _filled(TextDelta(text="a")).message("m", state="cancelled").state == "cancelled"


def test_the_last_usage_and_the_first_ids_win() -> None:
    origin = Origin(dialect="anthropic", provider="p", model="m")
    assembler = _filled(
        ResponseStarted(response_id="r1", model="m1"),
        ResponseStarted(),
        UsageReported(usage=Usage(input_tokens=1)),
        UsageReported(usage=Usage(input_tokens=2, output_tokens=3)),
    )
    message = assembler.message("m", created_at=9.0, origin=origin)
    assert (assembler.response_id, assembler.model) == ("r1", "m1")
    assert (message.usage, message.origin, message.created_at) == (Usage(input_tokens=2, output_tokens=3), origin, 9.0)


def test_problems_are_kept_in_order_and_are_no_parts() -> None:
    problems = [Problem(code="a", text="A."), Problem(code="b", text="B.")]
    assembler = _filled(*problems)
    assert assembler.problems == problems
    assert not assembler.shown


def test_a_place_is_kept_for_reasoning_that_can_be_read_only_when_it_is_done() -> None:
    begun = _filled(ReasoningDelta(text="", begins=True))
    assert (begun.message("m").parts, begun.shown) == ((), False)
    done = _filled(ReasoningDelta(text="", begins=True), TextDelta(text="a"), ReasoningDone(part=ReasoningPart(encrypted="x")))
    assert done.message("m").parts == (ReasoningPart(encrypted="x"), TextPart(text="a"))


def test_a_text_that_says_it_replaces_takes_the_place_of_the_newest_one() -> None:
    assembler = _filled(TextDelta(text="first"), TextDelta(text="wrogn", begins=True), TextDelta(text="wrong", replaces=True))
    assert assembler.message("m").parts == (TextPart(text="first"), TextPart(text="wrong"))


def test_a_message_may_be_asked_for_at_any_time_and_only_grows() -> None:
    assembler = Assembler()
    lengths = []
    for piece in "growing":
        assembler.add(TextDelta(text=piece))
        lengths.append(len(assembler.message("m").text()))
    assert lengths == [1, 2, 3, 4, 5, 6, 7]


@settings(deadline=None, database=None)
@given(st.lists(values(TextDelta).map(lambda event: replace(event, replaces=False)) | values(ReasoningDelta) | values(OpaqueItem), max_size=20))
def test_no_word_is_lost_or_moved(events: list[StreamEvent]) -> None:
    message = assembled(*events)
    assert message.text() == "".join(event.text for event in events if isinstance(event, TextDelta))
    assert message.reasoning() == "".join(event.text for event in events if isinstance(event, ReasoningDelta))
    assert [part for part in message.parts if isinstance(part, OpaquePart)] == [event.part for event in events if isinstance(event, OpaqueItem)]


@settings(deadline=None, database=None)
@given(st.permutations([(key, piece) for key in range(3) for piece in range(3)]))
def test_interleaved_argument_pieces_find_their_call(order: list[tuple[int, int]]) -> None:
    events: list[StreamEvent] = [CallStarted(key=key, call_id=f"c{key}", name="x") for key in range(3)]
    events += [CallArgumentsDelta(key=key, text=f"<{key}.{piece}>") for key, piece in order]
    for call, key in zip(assembled(*events).calls(), range(3), strict=True):
        assert call.arguments_raw == "".join(f"<{key}.{piece}>" for own, piece in order if own == key)


def _filled(*events: StreamEvent) -> Assembler:
    assembler = Assembler()
    for event in events:
        assembler.add(event)
    return assembler
