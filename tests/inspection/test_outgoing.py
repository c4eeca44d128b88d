"""What goes out next: the same rows however the facts come, every call tied to its result, and reasons for what is missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

import pytest

from tests.agent.dialogue import Dialogue
from tests.agent.scripted_model import answer, call, command
from tests.inspection.test_timeline_practice import practice
from tests.pace import steps
from workbench.agent.session import Session
from workbench.conversation.events import Entry, LiveEvent
from workbench.conversation.messages import (
    ImagePart,
    Message,
    ModelRequest,
    ReasoningPart,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolResultPart,
    Usage,
    text_message,
)
from workbench.conversation.stream import ReasoningDelta, ResponseEnded, TextDelta
from workbench.inspection.outgoing import Outgoing, tools_text
from workbench.inspection.outgoing_rows import LANES, Row
from workbench.inspection.timeline import Timeline
from workbench.inspection.timeline_items import StepItem, TimelineItem

TOOL = ToolDefinition(name="read", description="Reads a file.", input_schema={"type": "object"})


@dataclass
class Window:
    """A session as a window follows it: after each batch, the rows are shown and compared with rows made from nothing."""

    session: Session
    timeline: Timeline = field(default_factory=Timeline)
    outgoing: Outgoing = field(default_factory=Outgoing)
    heard: list[Entry | LiveEvent] = field(default_factory=list)
    shown: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.heard.extend(self.session.journal.entries)
        self.session.journal.subscribe(self.heard.append, live=self.heard.append, after=self.session.journal.last_seq)
        self.look()

    def arriving(self) -> list[TimelineItem]:
        items = self.timeline.items
        steps = [place for place, item in enumerate(items) if isinstance(item, StepItem)]
        return items[steps[-1] + 1 :] if steps and self.outgoing.awaits_answer else []

    def look(self) -> list[Row]:
        """Take what came, show, check, and return the rows."""
        heard = [*self.heard]
        self.heard.clear()
        self.timeline.apply(heard)
        self.outgoing.take(event for event in heard if isinstance(event, Entry))
        request, queued = self.session.next_request(), self.session.queued
        first = self.outgoing.show(request, self.timeline.call, self.arriving(), queued)
        rows = [self.outgoing[n] for n in range(len(self.outgoing))]
        assert rows[:first] == self.shown[:first], "a row changed before the first that was told"
        anew = Outgoing()
        anew.take(self.session.journal.entries)
        anew.show(request, self.timeline.call, self.arriving(), queued)
        assert [anew[n] for n in range(len(anew))] == rows
        assert (anew.sizes(), anew.largest(), anew.counted(), anew.missing) == (
            self.outgoing.sizes(),
            self.outgoing.largest(),
            self.outgoing.counted(),
            self.outgoing.missing,
        )
        assert self.outgoing.show_tail(self.timeline.call, self.arriving(), queued) >= first
        assert [self.outgoing[n] for n in range(len(self.outgoing))] == rows, "the same request, shown as such, reads the same"
        self.shown = rows
        check_pairs(self.outgoing)
        return rows


def check_pairs(outgoing: Outgoing) -> None:
    """Every call that stands has one result, in the same lane, below it."""
    for place in range(len(outgoing)):
        row = outgoing[place]
        if row.call_id:
            pair = outgoing.pair(row.call_id)
            assert pair is not None
            assert place in pair
            assert pair.result is None or pair.result > pair.call
            assert outgoing[pair.call].lane == row.lane


def told(rows: list[Row]) -> list[str]:
    """Return rows as short words: ``1 user``, ``text``, ``call``, ``result: running``."""
    return [
        f"{row.number} {row.role}{': ' + row.note if row.note else ''}"
        if row.kind == "message"
        else row.kind
        if row.part is None
        else type(row.part).__name__.removesuffix("Part").removeprefix("Tool").lower() + (f": {row.missing}" if row.missing else "")
        for row in rows
    ]


def request_of(*messages: Message, tools: tuple[ToolDefinition, ...] = (TOOL,), system: tuple[str, ...] = ("Be brief.",)) -> ModelRequest:
    return ModelRequest(system=system, tools=tools, messages=messages, options=RequestOptions(model="m"))


def rows_of(outgoing: Outgoing) -> list[Row]:
    return [outgoing[n] for n in range(len(outgoing))]


def test_nothing_said_yet_shows_what_will_go_anyway() -> None:
    outgoing = Outgoing()
    outgoing.show(request_of(), lambda _: None)
    assert told(rows_of(outgoing)) == ["system", "tools", "1 user", "hint"]
    assert outgoing.number == 1
    assert outgoing.sizes()["system"] > 0 < outgoing.sizes()["tools"]


async def test_a_turn_is_told_row_by_row(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "one\n"}) as dialogue:
        window = Window(dialogue.session)
        assert told(window.look()) == ["system", "tools", "1 user", "hint"]
        await dialogue.user("Read a.txt and delete it.")
        assert told(window.look())[2:] == ["1 user", "text", "2 assistant: arriving"]
        read, delete = call("read", "x", file_path="a.txt"), command("rm a.txt", "y")
        dialogue.model.say(TextDelta(text="I will "), TextDelta(text="look."), read[0], whole=False)
        await dialogue.model.streamed()
        assert told(window.look())[4:] == ["2 assistant: arriving", "text", "call"]
        dialogue.model.say(read[1], *delete[:2], read[2], delete[2], ResponseEnded(finish_reason="tool_use", finish_raw="tool_use"))
        question = await dialogue.question()
        await dialogue.result()
        assert told(window.look())[4:] == ["2 assistant", "text", "call", "call", "3 result: blocked", "result", "result: waiting"]
        assert window.outgoing.missing == 1
        dialogue.approve(question)
        await dialogue.result()
        await dialogue.model.asked()
        assert told(window.look())[-4:] == ["3 result", "result", "result", "4 assistant: arriving"]
        assert window.outgoing.number == 3
        await dialogue.answers("Done.")
        assert told(window.look())[-4:] == ["4 assistant", "text", "5 user", "hint"]
        counted = window.outgoing.counted()
        assert counted is not None
        assert (counted.request, counted.input_tokens) == (2, 10)


async def test_what_is_said_meanwhile_waits_in_line(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as dialogue:
        window = Window(dialogue.session)
        await dialogue.user("Wait for me.")
        await dialogue.session.submit("And then this.")
        rows = window.look()
        assert told(rows)[4:] == ["2 assistant: arriving", "3 user: in_line", "text"]
        assert isinstance(rows[-1].part, TextPart)
        assert rows[-1].part.text == "And then this."
        await dialogue.answers("Yes.")
        await dialogue.model.asked()
        assert told(window.look())[-2:] == ["text", "4 assistant: arriving"]
        await dialogue.answers("Done.")


async def test_reasoning_arrives_in_its_own_colour(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as dialogue:
        window = Window(dialogue.session)
        await dialogue.user("Think.")
        dialogue.model.say(ReasoningDelta(text="Let me think. " * 20), *answer("Four."))
        await dialogue.end()
        rows = window.look()
        assert [row.role for row in rows if isinstance(row.part, ReasoningPart)] == ["reasoning"]
        assert window.outgoing.sizes()["reasoning"] > 50


async def test_every_state_of_the_practice_model_reads_the_same_from_nothing(tmp_path: Path) -> None:
    async with practice(tmp_path) as session:
        window = Window(session.opened.session)
        session.opened.session.journal.subscribe(lambda _entry: None, live=lambda _live: None)
        for prompt in ("introduce this project", "run echo hello", "Drill: broken arguments", "Drill: unknown tool", "Drill: cut call"):
            await session.opened.session.submit(prompt)
            await session.opened.session.wait_idle()
            window.look()
        assert sum(isinstance(row.part, ToolCallPart) for row in window.shown) > 4
        assert window.outgoing.missing == 0


async def test_a_stopped_turn_leaves_nothing_missing(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, mode="ask") as dialogue:
        window = Window(dialogue.session)
        await dialogue.user("Run it.")
        await dialogue.streams("", command("touch x", "c1"))
        await dialogue.question()
        window.look()
        assert window.outgoing.missing == 1
        await dialogue.session.stop()
        window.look()
        assert window.outgoing.missing == 0
        assert told(window.shown)[-2:] == ["4 user", "hint"]


def test_brackets_of_parallel_calls_have_lanes_of_their_own() -> None:
    calls = tuple(ToolCallPart(call_id=f"c{n}", name="read", arguments_raw="{}") for n in range(8))
    results = tuple(ToolResultPart(call_id=f"c{n}", name="read", content=(TextPart(text="x"),)) for n in range(8))
    outgoing = Outgoing()
    outgoing.show(request_of(Message(message_id="a", role="assistant", parts=calls), Message(message_id="r", role="tool", parts=results)), lambda _: None)
    check_pairs(outgoing)
    lanes = [row.lane for row in rows_of(outgoing) if isinstance(row.part, ToolCallPart)]
    assert max(lanes) == LANES - 1
    assert lanes[-LANES:] == list(range(LANES - 1, -1, -1))


def test_a_history_that_was_rewritten_is_shown_anew() -> None:
    kept, dropped, summary = text_message("user", "one " * 50), text_message("assistant", "two " * 90), text_message("user", "three")
    outgoing, anew = Outgoing(), Outgoing()
    outgoing.show(request_of(kept, dropped), lambda _: None)
    first = outgoing.show(request_of(kept, summary), lambda _: None)
    anew.show(request_of(kept, summary), lambda _: None)
    assert first == 4
    assert rows_of(outgoing) == rows_of(anew)
    assert (outgoing.sizes(), outgoing.largest()) == (anew.sizes(), anew.largest())


def test_results_that_are_answered_anew_stay_with_their_calls() -> None:
    asked = Message(message_id="a", role="assistant", parts=(ToolCallPart(call_id="c1", name="read", arguments_raw="{}"),))
    results = [
        Message(message_id="a_results", role="tool", parts=(ToolResultPart(call_id="c1", name="read", content=(TextPart(text=text),)),)) for text in "xy"
    ]
    outgoing = Outgoing()
    for result in (*results, results[1]):
        outgoing.show(request_of(asked, result), lambda _: None)
        check_pairs(outgoing)
        assert outgoing.pair("c1") == (3, 5)


def test_other_tools_or_another_system_text_change_the_first_rows() -> None:
    outgoing = Outgoing()
    outgoing.show(request_of(), lambda _: None)
    assert outgoing.show(request_of(), lambda _: None) == 2
    assert outgoing.show(request_of(tools=()), lambda _: None) == 1
    assert outgoing.sizes()["tools"] == 0
    assert outgoing.show(request_of(tools=(), system=("Other.",)), lambda _: None) == 0


async def test_a_count_of_another_model_does_not_scale(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as dialogue:
        window = Window(dialogue.session)
        await dialogue.user("Hello")
        await dialogue.answers("", *answer("Hi.", usage=Usage(input_tokens=4000, cached_tokens=1000)))
        window.look()
        outgoing = window.outgoing
        counted = outgoing.counted()
        assert counted is not None
        assert (counted.input_tokens, counted.cached_tokens) == (4000, 1000)
        scale = outgoing.scale()
        assert scale.tokens(outgoing.sent_before()) == 4000 or scale.factor in (0.25, 4.0)
        assert outgoing.tokens() == 4000 + scale.tokens(sum(outgoing.sizes().values()) - outgoing.sent_before())
        request = dialogue.session.next_request()
        other = ModelRequest(system=request.system, tools=request.tools, messages=request.messages, options=RequestOptions(model="another"))
        outgoing.show(other, window.timeline.call)
        assert outgoing.counted() is None
        assert outgoing.scale().factor == 1.0


def test_a_picture_is_a_row_that_counts_nothing() -> None:
    message = Message(message_id="m", role="user", parts=(ImagePart(media_type="image/png", data="AA=="), TextPart(text="what is it?")))
    outgoing = Outgoing()
    outgoing.show(request_of(message), lambda _: None)
    assert [row.size > 0 for row in rows_of(outgoing)[3:5]] == [False, True]


def test_a_message_is_found_from_any_of_its_rows() -> None:
    message = Message(message_id="m", role="user", parts=(TextPart(text="a"), TextPart(text="b")))
    outgoing = Outgoing()
    outgoing.show(request_of(message, text_message("assistant", "c")), lambda _: None)
    assert [outgoing.message_at(n) for n in (0, 2, 4, 5)] == [(0, 1), (2, 5), (2, 5), (5, 7)]


def test_messages_that_stand_are_not_looked_into_again() -> None:
    messages: list[Message] = []
    for n in range(2_500):
        calls = tuple(ToolCallPart(call_id=f"c{n}.{k}", name="read", arguments_raw='{"file_path": "src/a.py"}') for k in range(2))
        results = tuple(ToolResultPart(call_id=f"c{n}.{k}", name="read", content=(TextPart(text="line\n" * 100),)) for k in range(2))
        messages += [text_message("user", "Do it."), Message(message_id=f"a{n}", role="assistant", parts=(TextPart(text="Yes."), *calls))]
        messages += [Message(message_id=f"r{n}", role="tool", parts=results), text_message("assistant", "Done.")]
    outgoing = Outgoing()
    request = request_of(*messages)
    outgoing.show(request, lambda _: None)
    assert len(outgoing) > 20_000
    more = request_of(*messages, text_message("user", "more"))
    assert steps(outgoing.show, more, lambda _: None) < 3 * len(messages), "each is only found to be the same"
    assert steps(outgoing.show_tail, lambda _: None) < 1_000


@pytest.mark.parametrize("most", [1, 3, 8, 100])
def test_rows_made_bit_by_bit_are_those_made_at_once(most: int) -> None:
    call = ToolCallPart(call_id="c", name="read", arguments_raw="{}")
    result = Message(message_id="r", role="tool", parts=(ToolResultPart(call_id="c", name="read", content=(TextPart(text="x"),)),))
    asked = Message(message_id="a", role="assistant", parts=(call,))
    request = request_of(*(text_message("user", f"words {n}") for n in range(6)), asked, result)
    whole, parts = Outgoing(), Outgoing()
    whole.show(request, lambda _: None, in_line=("more",))
    rounds = 1
    first = parts.show(request, lambda _: None, in_line=("more",), most=most)
    assert first == 0
    while parts.behind:
        assert len(parts) == parts.show_tail(lambda _: None, in_line=("more",)), "no row below what is not whole"
        before = len(parts)
        assert parts.show(request, lambda _: None, in_line=("more",), most=most) == before
        rounds += 1
    assert rounds == ceil(8 / most)
    assert list(map(parts.__getitem__, range(len(parts)))) == list(map(whole.__getitem__, range(len(whole))))
    assert (parts.sizes(), parts.pair("c"), parts.tokens()) == (whole.sizes(), whole.pair("c"), whole.tokens())


def test_tools_are_told_as_json() -> None:
    assert tools_text((TOOL,)) == (
        '[\n  {\n    "name": "read",\n    "description": "Reads a file.",\n    "input_schema": {\n      "type": "object"\n    }\n  }\n]'
    )
