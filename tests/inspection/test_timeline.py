"""A journal reads as the same conversation, live or replayed, in whatever batches it comes."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.agent.dialogue import Dialogue
from tests.agent.scripted_model import call, command
from tests.conversation.strategies import entries
from tests.inspection.following import Recording, check_batches, looks, replayed
from tests.inspection.wire import Wire, kinds, live, only_call, only_notice
from tests.pace import not_hung
from workbench.agent.limits import Limits
from workbench.conversation.events import (
    Entry,
    ModelResponded,
    Notice,
    TitleSet,
    ToolFinished,
    ToolOutputArrived,
    ToolStarted,
    TurnStarted,
    UserMessageAdded,
)
from workbench.conversation.messages import TextPart, ToolCallPart, ToolResultPart, text_message
from workbench.conversation.stream import (
    ResponseEnded,
    TextDelta,
)
from workbench.errors import ProviderRefused, StreamBroken
from workbench.inspection.timeline import Timeline
from workbench.inspection.timeline_items import CallsItem, NoticeItem, PromptItem, StepItem, TextItem


def test_the_newest_title_counts_and_the_newest_fact_is_known() -> None:
    timeline = Timeline()
    assert (timeline.title, timeline.last_seq) == ("", 0)
    timeline.apply([Entry(1, 0.0, TitleSet(title="one")), Entry(2, 0.0, TitleSet(title="two")), Entry(3, 0.0, TurnStarted(turn_id="t"))])
    assert (timeline.title, timeline.last_seq, timeline.items) == ("two", 3, [])


def test_a_retry_waits_visibly_and_leaves_a_line_in_the_step() -> None:
    wire = Wire()
    wire.begin()
    said = {"error": "Slow down.", "message_id": "provider.refused", "values": {"status": 429}, "original": '{"slow": 1}'}
    wire.close(status=429, failure="rate_limit", retry_in_s=12.0, **said)
    waiting = only_notice(live(wire))
    assert (waiting.kind, waiting.retry_at, waiting.attempt, waiting.original) == ("retry", 1_700_000_012.0, 2, '{"slow": 1}')
    assert looks(live(wire).items) == looks(replayed(wire.recording.facts).items), "who comes later sees that it waits, too"
    wire.open(attempt=2)
    wire.pieces(TextDelta(text="Hello"))
    assert kinds(live(wire)) == ["Prompt", "Step", "Text"]
    wire.close()
    wire.respond()
    wire.end()
    step = check_batches(wire.heard).items[1]
    assert isinstance(step, StepItem)
    assert [(attempt.closed.status, attempt.closed.retry_in_s) for attempt in step.attempts if attempt.closed] == [(429, 12.0), (200, None)]


def test_a_stop_while_a_retry_waits_takes_it_away() -> None:
    wire = Wire()
    wire.begin()
    wire.close(status=503, error="Overloaded.", retry_in_s=60.0)
    wire.end("stopped")
    assert only_notice(live(wire)).kind == "turn_end"


def test_a_fact_that_comes_while_a_message_streams_stands_before_it_live_and_replayed() -> None:
    wire = Wire()
    wire.begin()
    wire.pieces(TextDelta(text="Hel"))
    wire.fact(Notice(message_id="x", text="Careful.", level="warning"))
    wire.pieces(TextDelta(text="lo"))
    timeline = live(wire)
    assert kinds(timeline) == ["Prompt", "Step", "Notice", "Text"]
    wire.close()
    wire.respond()
    check_batches(wire.heard)


def test_a_warning_that_no_fact_tells_is_shown_once_and_stays() -> None:
    wire = Wire()
    wire.begin()
    wire.pieces(TextDelta(text="Hel"))
    wire.journal.emit(Notice(message_id="store.full", text="The disk is full.", level="error"))
    wire.pieces(TextDelta(text="lo"))
    timeline = live(wire)
    assert only_notice(timeline).text == "The disk is full."
    assert kinds(timeline) == ["Prompt", "Step", "Notice", "Text"]


def test_problems_that_the_decoder_noted_are_told_after_a_whole_answer_only() -> None:
    for state, expected in ((None, ["problem", "problem"]), ("incomplete", [])):
        wire = Wire()
        wire.begin()
        wire.pieces(TextDelta(text="So"), ResponseEnded(finish_reason="end"))
        wire.close()
        wire.respond(state, ("First.", "Second."))  # type: ignore[arg-type]
        assert [item.kind for item in check_batches(wire.heard).items if isinstance(item, NoticeItem)] == expected


def test_output_of_a_running_tool_keeps_its_end_and_counts_all_lines() -> None:
    wire = Wire()
    wire.begin()
    wire.pieces(*command("yes", "c"))
    wire.close()
    wire.respond()
    wire.fact(ToolStarted(turn_id="t", step=1, call_id="c", tool="bash"))
    for number in range(20_000):
        wire.journal.emit(ToolOutputArrived("c", f"line {number}\n"))
    wire.journal.emit(ToolOutputArrived("c", "half"))
    wire.journal.emit(ToolOutputArrived("unknown", "x"))
    timeline = Timeline()
    timeline.apply(wire.heard)
    running = only_call(timeline)
    assert running.state == "running"
    assert running.output_lines == 20_001
    assert len(running.output) == 64 * 1024
    assert running.output.endswith("line 19999\nhalf")
    part = ToolResultPart(call_id="c", name="bash", content=(TextPart(text="done"),))
    wire.fact(ToolFinished(turn_id="t", step=1, call_id="c", tool="bash", status="ok", result=part))
    timeline.apply(wire.heard[-1:])
    assert (running.state, running.output, running.output_lines) == ("ok", "", 0)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(entries(max_size=20), st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_any_facts_in_any_order_are_read_and_every_change_is_told(facts: list[Entry], sizes: list[int]) -> None:
    messages = [entry.event.message for entry in facts if isinstance(entry.event, ModelResponded)]
    called = [part.call_id for message in messages for part in message.parts if isinstance(part, ToolCallPart)]
    assume(len(set(called)) == len(called))  # as conversation/messages.py says
    check_batches(facts, sizes)


async def test_states_of_calls_through_a_real_turn(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "one\n"}) as d:
        recording = Recording(d.journal)
        await d.user("Go")
        await d.streams(
            "Looking.",
            call("read", "c1", file_path=str(d.folder / "a.txt")),
            call("write", "c2", file_path="b.txt", content="x"),
            call("write", "c3", file_path="c.txt", content="x"),
            call("no_such_tool", "c4", destination="the moon"),
            command("exit 3", "c5"),
        )
        first, second, third = [await d.question() for _ in range(3)]
        timeline = check_batches(recording.heard)
        waiting = timeline.call("c2")
        assert waiting is not None
        assert (waiting.state, waiting.approval, waiting.title) == ("waiting", first, "b.txt")
        d.approve(first, arguments={"file_path": "b.txt", "content": "y"})
        d.reject(second, "Not this one.")
        d.approve(third)
        await d.model.asked()
        await d.answers("Done.")
        timeline = check_batches(recording.heard)
        box = next(item for item in timeline.items if isinstance(item, CallsItem))
        read, edited, rejected, unknown, failed = box.calls
        assert [one.state for one in box.calls] == ["ok", "edited", "rejected", "failed", "failed"]
        assert read.title == "a.txt"
        assert (edited.sent, edited.ran) == ({"file_path": "b.txt", "content": "x"}, {"file_path": "b.txt", "content": "y"})
        assert edited.preview is not None
        assert edited.preview.after == "x"
        assert edited.asked == first, "a question can be read after it was answered"
        assert edited.decided is not None
        ((before, answer),) = edited.decided_before
        assert (before.edited, edited.decided.edited) == (False, True), "and each decision"
        assert answer is not None
        assert answer.answer == "approve_edited"
        assert (rejected.note, rejected.approval) == ("Not this one.", None)
        assert rejected.resolved is not None
        assert unknown.title == "the moon"
        assert (failed.title, failed.finished and failed.finished.exit_code) == ("exit 3", 3)
        assert failed.started_at is not None
        assert kinds(timeline) == ["Prompt", "Step", "Text", "Calls", "Step", "Text"], "results are shown in the cards only"
        recording.close()


async def test_a_limit_waits_and_is_raised_or_ends_the_turn(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, limits=Limits(steps=1)) as d:
        recording = Recording(d.journal)
        await d.user("Go")
        await d.streams("", call("list", "c1"))
        await d.until(lambda _entry: d.session.waiting_limit is not None)
        reached = only_notice(check_batches(recording.heard))
        assert (reached.kind, reached.waits) == ("limit", True)
        d.session.raise_limit(2)
        await d.model.asked()
        await d.streams("", call("list", "c2"))
        await d.until(lambda _entry: d.session.waiting_limit is not None)
        d.session.end_at_limit()
        await d.end()
        first, second = [item for item in check_batches(recording.heard).items if isinstance(item, NoticeItem)]
        assert (first.waits, first.raised, first.end) == (False, 2, None)
        assert (second.kind, second.waits, second.end) == ("limit", False, "limit")
        recording.close()


async def test_a_stopped_turn_counts_what_it_ended(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        recording = Recording(d.journal)
        await d.user("Go")
        await d.streams("", call("write", "c1", file_path="a", content="x"), call("write", "c2", file_path="b", content="x"))
        await d.question()
        await d.session.stop()
        timeline = check_batches(recording.heard)
        end = only_notice(timeline)
        assert (end.kind, end.end, end.stopped_calls) == ("turn_end", "stopped", 2)
        stopped = timeline.call("c1")
        assert stopped is not None
        assert (stopped.state, stopped.approval) == ("stopped", None)
        recording.close()


async def test_a_refused_request_is_told_with_the_providers_own_words(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        recording = Recording(d.journal)
        await d.user("Go")
        d.model.say(ProviderRefused("Provider answered 400: No.", failure="bad_request", status=400, original="{}", message_id="provider.refused"))
        await d.end()
        end = only_notice(check_batches(recording.heard))
        assert (end.kind, end.end, end.text, end.level) == ("turn_end", "failed", "Provider answered 400: No.", "error")
        assert end.exchange_id
        recording.close()


async def test_a_lost_connection_keeps_the_words_before_it(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        recording = Recording(d.journal)
        await d.user("Go")
        d.model.say(TextDelta(text="Half"), StreamBroken("The connection was lost."))
        await d.end()
        timeline = check_batches(recording.heard)
        text = timeline.items[2]
        assert isinstance(text, TextItem)
        assert (text.text, text.cut) == ("Half", True)
        recording.close()


async def test_a_resumed_session_reads_on(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Go")
        await d.streams("", call("write", "c1", file_path="a", content="x"))
        await d.question()
        facts = list(d.journal.entries)
    async with Dialogue(tmp_path, entries=facts) as again:
        recording = Recording(again.journal)
        timeline = check_batches(recording.heard)
        assert [item.kind for item in timeline.items if isinstance(item, NoticeItem)] == ["resumed", "turn_end"]
        left = timeline.call("c1")
        assert left is not None
        assert (left.state, left.approval) == ("stopped", None)
        await again.user("Go on")
        await again.answers("Yes.")
        assert kinds(check_batches(recording.heard))[-3:] == ["Prompt", "Step", "Text"]
        recording.close()


async def test_opening_a_session_again_and_again_leaves_one_line(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Go")
        await d.answers("Yes.")
        facts = list(d.journal.entries)
    for _ in range(3):
        async with Dialogue(tmp_path, entries=facts) as again:
            facts = list(again.journal.entries)
    assert [item.kind for item in replayed(facts).items if isinstance(item, NoticeItem)] == ["resumed"]


async def test_a_session_killed_after_any_fact_reads_to_its_end(tmp_path: Path) -> None:
    """A kill leaves a prefix of the facts; resumed, no call of it may look as if it still ran."""
    async with Dialogue(tmp_path, files={"a.txt": "one\n"}) as d:
        await d.user("Go")
        await d.streams("Looking.", call("read", "c1", file_path="a.txt"), call("write", "c2", file_path="b.txt", content="x"))
        d.approve(await d.question())
        await d.model.asked()
        await d.answers("Done.")
        facts = list(d.journal.entries)
    for length in range(1, len(facts) + 1):
        check_batches(facts[:length], (1,))
        async with Dialogue(tmp_path, entries=facts[:length]) as again:
            for item in check_batches(list(again.journal.entries), (2,)).items:
                states = {one.state for one in item.calls} if isinstance(item, CallsItem) else set()
                assert not states & {"arriving", "queued", "running", "waiting"}


def test_ten_thousand_messages_are_replayed_without_a_halt() -> None:
    wire = Wire()
    for number in range(5_000):
        wire.begin()
        wire.pieces(TextDelta(text=f"Text {number} " * 20), *call("read", f"c{number}", file_path=f"/ws/src/file{number}.py"))
        wire.close()
        wire.respond()
        wire.fact(ToolStarted(turn_id="t", step=number, call_id=f"c{number}", tool="read"))
        part = ToolResultPart(call_id=f"c{number}", name="read", content=(TextPart(text="x" * 2000),))
        wire.fact(ToolFinished(turn_id="t", step=number, call_id=f"c{number}", tool="read", status="ok", result=part))
        wire.fact(UserMessageAdded(turn_id="t", message=text_message("tool", "x")))
    facts = wire.recording.facts
    timeline = Timeline()
    with not_hung(4):
        timeline.apply(facts)
    assert len(timeline.items) == 1 + 3 * 5_000


def test_people_are_told_from_programs_among_user_messages() -> None:
    wire = Wire()
    result = ToolResultPart(call_id="c", name="read", content=(TextPart(text="x"),))
    wire.fact(UserMessageAdded(turn_id="t", message=text_message("tool", "", synthetic=True)))
    wire.fact(UserMessageAdded(turn_id="t", message=text_message("user", "a note of the program", synthetic=True)))
    wire.fact(UserMessageAdded(turn_id="t", message=text_message("user", "And this")))
    timeline = check_batches(wire.heard)
    assert [item.message.text() for item in timeline.items if isinstance(item, PromptItem)] == ["Go", "And this"]
    assert result.text() == "x"
