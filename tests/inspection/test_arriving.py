"""A message that streams gives the items of the whole message, each where it will stay."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.inspection.following import Follower, check_batches, looks, replayed
from tests.inspection.wire import Wire, kinds, live, only_call
from tests.pace import not_hung
from workbench.conversation.events import Entry, StreamPieceArrived
from workbench.conversation.messages import MessageState, OpaquePart, ReasoningPart, Usage
from workbench.conversation.stream import (
    CallArgumentsDelta,
    CallDone,
    CallDropped,
    CallNamed,
    CallStarted,
    OpaqueItem,
    ReasoningDelta,
    ReasoningDone,
    ResponseEnded,
    StreamEvent,
    TextDelta,
    UsageReported,
)
from workbench.inspection.timeline import Timeline
from workbench.inspection.timeline_items import ReasoningItem, StepItem, TextItem


def test_text_reasoning_and_calls_grow_while_they_stream() -> None:
    wire = Wire()
    wire.begin()
    wire.pieces(ReasoningDelta(text="Let me "), ReasoningDelta(text="think."))
    timeline = live(wire)
    assert kinds(timeline) == ["Prompt", "Step", "Reasoning"]
    thought = timeline.items[-1]
    assert isinstance(thought, ReasoningItem)
    assert (thought.text, thought.done) == ("Let me think.", False)
    wire.pieces(TextDelta(text="I look"), CallStarted(key=0, call_id="c", name="read"), CallArgumentsDelta(key=0, text='{"file_path": "/ws/src'))
    timeline = live(wire)
    assert kinds(timeline) == ["Prompt", "Step", "Reasoning", "Text", "Calls"]
    thought, text = timeline.items[2:4]
    assert isinstance(thought, ReasoningItem)
    assert isinstance(text, TextItem)
    assert (thought.done, text.text, text.done) == (True, "I look", True)
    arriving = only_call(timeline)
    assert (arriving.tool, arriving.state, arriving.arguments_raw) == ("read", "arriving", '{"file_path": "/ws/src')
    assert timeline.call("c") is None, "ids are settled when the message is"
    ids = [item.item_id for item in timeline.items]
    wire.pieces(CallArgumentsDelta(key=0, text='/a.py"}'), CallDone(key=0, call_id="c", name="read", arguments_raw='{"file_path": "/ws/src/a.py"}'))
    wire.close()
    wire.respond()
    timeline = live(wire)
    assert [item.item_id for item in timeline.items] == ids, "nothing jumps when the message is complete"
    settled = only_call(timeline)
    assert (settled.state, settled.title, settled.sent) == ("queued", "src/a.py", {"file_path": "/ws/src/a.py"})
    assert timeline.call("c") is settled
    assert timeline.place_of("c") == 4
    check_batches(wire.heard)


def test_white_space_alone_shows_nothing() -> None:
    wire = Wire()
    wire.begin()
    wire.pieces(TextDelta(text="\n\n"), CallStarted(key=0, call_id="c", name="list"))
    assert kinds(live(wire)) == ["Prompt", "Step", "Calls"]
    wire.close()
    wire.respond()
    assert kinds(check_batches(wire.heard)) == ["Prompt", "Step", "Calls"]


def test_a_dropped_call_goes_and_takes_the_empty_box_with_it() -> None:
    wire = Wire()
    wire.begin()
    wire.pieces(TextDelta(text="So"), CallStarted(key=0, call_id="c", name="list"))
    assert kinds(live(wire)) == ["Prompt", "Step", "Text", "Calls"]
    wire.pieces(CallDropped(key=0), UsageReported(usage=Usage(input_tokens=3)), ResponseEnded(finish_reason="end"))
    assert kinds(live(wire)) == ["Prompt", "Step", "Text"]
    wire.close()
    wire.respond()
    step = check_batches(wire.heard).items[1]
    assert isinstance(step, StepItem)
    assert step.usage == Usage(input_tokens=3)


@pytest.mark.parametrize(("state", "finish"), [("incomplete", "incomplete"), ("error", "error"), ("cancelled", "incomplete"), (None, "length")])
def test_a_text_that_broke_off_says_so(state: MessageState | None, finish: Any) -> None:
    wire = Wire()
    wire.begin()
    wire.pieces(TextDelta(text="Half a sen"), ResponseEnded(finish_reason=finish))
    wire.close()
    wire.respond(state)
    text = check_batches(wire.heard).items[-1]
    assert isinstance(text, TextItem)
    assert (text.text, text.cut, text.done) == ("Half a sen", True, True)


def test_a_call_that_broke_off_leaves_the_text_before_it_whole() -> None:
    wire = Wire()
    wire.begin()
    wire.pieces(TextDelta(text="I write."), CallStarted(key=0, call_id="c", name="write"), CallArgumentsDelta(key=0, text='{"fi'))
    wire.close(error="gone", failure="connection_lost")
    wire.respond("incomplete")
    timeline = check_batches(wire.heard)
    text = timeline.items[2]
    assert isinstance(text, TextItem)
    assert not text.cut
    assert only_call(timeline).arguments_raw == '{"fi'


def test_reasoning_knows_its_tokens_and_live_its_time() -> None:
    wire = Wire()
    wire.begin()
    before = len(wire.heard)
    wire.pieces(ReasoningDelta(text="a"), ReasoningDelta(text="b"), TextDelta(text="c"), UsageReported(usage=Usage(reasoning_tokens=186)))
    wire.close()
    wire.respond()
    timeline = Timeline()
    timeline.apply(wire.heard[:before], now=10.0)
    timeline.apply(wire.heard[before : before + 1], now=20.0)
    timeline.apply(wire.heard[before + 1 : before + 2], now=23.5)
    timeline.apply(wire.heard[before + 2 :], now=30.0)
    thought = timeline.items[2]
    assert isinstance(thought, ReasoningItem)
    assert (thought.duration_s, thought.tokens, thought.done) == (3.5, 186, True)
    again = replayed(wire.recording.facts).items[2]
    assert isinstance(again, ReasoningItem)
    assert (again.duration_s, again.tokens) == (None, 186)


def test_who_begins_to_listen_in_the_middle_of_a_stream_sees_the_same_in_the_end() -> None:
    wire = Wire()
    wire.begin()
    wire.pieces(ReasoningDelta(text="Hm"), TextDelta(text="one "), CallStarted(key=0, call_id="c", name="read"))
    missed = len(wire.heard)
    early = [event for event in wire.heard if isinstance(event, Entry)]
    wire.pieces(CallArgumentsDelta(key=0, text="{}"), TextDelta(text="two"), CallDone(key=0, call_id="c", name="read", arguments_raw="{}"))
    wire.close()
    wire.respond()
    follower = Follower()
    follower.take(early)
    for event in wire.heard[missed:]:
        follower.take([event])
    assert looks(follower.timeline.items) == looks(replayed(wire.recording.facts).items)


WORDS = st.text("ab \n", max_size=4)
PARTS = st.builds(ReasoningPart, text=WORDS, summary=st.lists(WORDS, max_size=2).map(tuple), signature=st.sampled_from(["", "s"]))


@st.composite
def streams(draw: st.DrawFn) -> list[StreamEvent]:
    """Draw the pieces of an answer in any order a decoder may give them."""
    pieces: list[StreamEvent] = []
    begun: list[int] = []
    open_: list[int] = []
    for _ in range(draw(st.integers(0, 25))):
        match draw(st.sampled_from(["text", "text", "reasoning", "reasoning", "done", "call", "name", "arguments", "drop", "opaque"])):
            case "text":
                pieces.append(TextDelta(text=draw(WORDS), signature=draw(st.sampled_from(["", "", "", "s"]))))
            case "reasoning":
                pieces.append(ReasoningDelta(text=draw(WORDS), field=draw(st.sampled_from(["", "reasoning", "thinking_content"]))))
            case "done":
                pieces.append(ReasoningDone(part=draw(PARTS)))
            case "opaque":
                pieces.append(OpaqueItem(part=OpaquePart(dialect="anthropic", provider="p", item={})))
            case "call":
                begun.append(len(begun))
                open_.append(begun[-1])
                pieces.append(CallStarted(key=begun[-1], call_id=f"c{begun[-1]}", name=draw(st.sampled_from(["", "read"]))))
            case kind if open_:
                key = draw(st.sampled_from(open_))
                if kind == "name":
                    pieces.append(CallNamed(key=key, name="grep"))
                elif kind == "arguments":
                    pieces.append(CallArgumentsDelta(key=key, text=draw(st.sampled_from(['{"a', '": 1}', "x"]))))
                else:
                    open_.remove(key)
                    pieces.append(CallDropped(key=key))
            case _:
                pass
    pieces += [CallDone(key=key, call_id=f"d{key}", name="read", arguments_raw='{"path": "x"}') for key in open_ if draw(st.booleans())]
    return pieces


@settings(max_examples=300, deadline=None)
@given(st.lists(streams(), min_size=1, max_size=3), st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_any_stream_gives_the_items_of_its_message_whatever_the_batches(messages: list[list[StreamEvent]], sizes: list[int]) -> None:
    wire = Wire()
    for pieces in messages:
        wire.begin()
        wire.pieces(*pieces)
        wire.close()
        wire.respond()
    wire.end()
    check_batches(wire.heard, sizes, (1,))


@settings(max_examples=100, deadline=None)
@given(streams())
def test_what_streams_stands_where_the_whole_message_puts_it(pieces: list[StreamEvent]) -> None:
    """Only a call that turns out to be a repeat, or reasoning that gets its words at the end, may move anything."""
    late = [piece for piece in pieces if isinstance(piece, CallDropped | ReasoningDone)]
    wire = Wire()
    wire.begin()
    wire.pieces(*pieces)
    before = [item.item_id for item in live(wire).items]
    wire.close()
    wire.respond()
    after = [item.item_id for item in live(wire).items]
    assert late or before == after


def test_a_long_text_costs_no_more_for_each_piece() -> None:
    """Pieces of a batch are joined once: two million characters in small pieces must not be copied for each of them."""
    wire = Wire()
    wire.begin()
    for _ in range(50_000):
        wire.journal.emit(StreamPieceArrived("t", 1, "x1", TextDelta(text="x" * 40)))
    timeline = Timeline()
    with not_hung(2):
        for at in range(0, len(wire.heard), 500):
            timeline.apply(wire.heard[at : at + 500])
    last = timeline.items[-1]
    assert isinstance(last, TextItem)
    assert len(last.text) == 2_000_000
