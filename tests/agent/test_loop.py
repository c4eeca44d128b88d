"""The loop keeps what came, ends turns with a sentence, and never runs a call of an answer that did not end well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.agent.dialogue import Dialogue, results_of
from tests.agent.scripted_model import answer, call
from workbench.agent.loop import MOST_CALLS, MOST_CORRECTIONS
from workbench.conversation.events import ExchangeOpened, ModelResponded, StepStarted, ToolFinished, ToolStarted
from workbench.conversation.messages import FinishReason
from workbench.conversation.stream import CallArgumentsDelta, CallStarted, Problem, ReasoningDelta, ResponseFailed, StreamEvent, TextDelta
from workbench.errors import ProviderRefused, ProviderUnreachable, ResponseUnreadable, StoreFailed, StreamBroken


async def test_provider_that_cannot_be_reached_fails_the_turn_with_its_sentence(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Hello")
        end = await d.answers("", ProviderUnreachable("localhost:1 did not answer. Is the server running?"))
        assert (end.end, end.failure, end.text) == ("failed", "unreachable", "localhost:1 did not answer. Is the server running?")
        assert not d.facts(ModelResponded)
        request = await d.user("Again")
        assert [message.role for message in request.messages] == ["user", "user"]
        assert (await d.answers("Hi.")).end == "answered"


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (ProviderRefused("The key is wrong.", failure="auth", status=401), "auth"),
        (ResponseUnreadable("This is no answer."), "unreadable"),
        (StreamBroken("The connection was lost."), "connection_lost"),
    ],
)
async def test_every_failure_has_its_class(tmp_path: Path, error: Exception, failure: str) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Hello")
        end = await d.answers("", error)
        assert (end.end, end.failure, end.text) == ("failed", failure, str(error))


async def test_broken_stream_keeps_the_partial_answer_and_runs_none_of_its_calls(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "x"}) as d:
        await d.user("Hello")
        pieces: list[StreamEvent] = [
            ReasoningDelta(text="Hm."),
            TextDelta(text="Here is the plan"),
            CallStarted(key=0, call_id="w", name="write"),
            CallArgumentsDelta(key=0, text='{"file_pa'),
        ]
        end = await d.answers("", *pieces, StreamBroken("The connection was lost in the middle of the answer."))
        assert (end.end, end.failure) == ("failed", "connection_lost")
        (responded,) = d.facts(ModelResponded)
        assert (responded.message.state, responded.message.text()) == ("incomplete", "Here is the plan")
        (finished,) = d.facts(ToolFinished)
        assert finished.result.text().startswith("Error (cancelled): The connection was lost")
        assert not d.facts(ToolStarted)
        request = await d.user("Try again")
        assert [message.role for message in request.messages] == ["user", "assistant", "tool", "user"]
        await d.answers("Ok.")


async def test_stream_that_just_ends_is_not_an_answer(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Hello")
        end = await d.answers("", *answer("Half", finish="incomplete", may_run=False))
        assert (end.end, end.failure) == ("failed", "connection_lost")


async def test_error_inside_the_stream_fails_the_turn(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Hello")
        end = await d.answers("", TextDelta(text="Well"), ResponseFailed(kind="overloaded", text="The provider is overloaded."))
        assert (end.end, end.failure, end.text) == ("failed", "overloaded", "The provider is overloaded.")
        assert d.facts(ModelResponded)[0].message.state == "error"


@pytest.mark.parametrize(
    ("finish", "end", "failure"),
    [
        ("end", "answered", ""),
        ("stop_sequence", "answered", ""),
        ("unknown", "answered", ""),
        ("length", "answered", "length"),
        ("content_filter", "failed", "content_filter"),
        ("refusal", "failed", "refusal"),
        ("tool_use", "failed", "no_calls"),
    ],
)
async def test_ends_of_an_answer_without_calls(tmp_path: Path, finish: FinishReason, end: str, failure: str) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Hello")
        found = await d.answers("", *answer("Hi.", finish=finish))
        assert (found.end, found.failure) == (end, failure)
        assert bool(found.text) == bool(failure)


async def test_pause_asks_again(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Hello")
        await d.streams("Wait", finish="pause")
        request = await d.model.asked()
        assert [message.role for message in request.messages] == ["user", "assistant"]
        assert (await d.answers("Done.")).steps == 2


async def test_silent_answer_is_said_to_be_one(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Hello")
        end = await d.answers("", *answer(""))
        assert (end.end, end.text) == ("answered", "The model ended its answer without saying anything.")
        await d.user("Hello?")
        await d.answers("Hi.")


@pytest.mark.parametrize(("finish", "failure"), [("content_filter", "content_filter"), ("unknown", "unknown_end"), ("incomplete", "connection_lost")])
async def test_held_back_calls_end_the_turn_unless_it_was_only_cut(tmp_path: Path, finish: FinishReason, failure: str) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "x"}) as d:
        await d.user("Hello")
        end = await d.answers("", *answer("", call("read", "c1", file_path="a.txt"), finish=finish, may_run=False))
        assert (end.end, end.failure) == ("failed", failure)
        assert not d.facts(ToolStarted)
        assert d.facts(ToolFinished)[0].result.is_error


async def test_reused_call_id_gets_a_new_one_and_results_stay_with_their_calls(tmp_path: Path) -> None:
    """The bug case same-id-next-turn: the first use keeps its id, the wire's own stays beside the new one."""
    async with Dialogue(tmp_path, files={"a": "A", "b": "B", "c": "C"}) as d:
        await d.user("Read")
        for name in "abc":
            await d.streams("", call("read", "read:0", file_path=name))
            request = await d.model.asked()
        await d.answers("ok")
        calls = [message.calls()[0] for message in request.messages if message.calls()]
        results = [message.results()[0] for message in request.messages if message.results()]
        assert calls[0].call_id == "read:0"
        assert len({part.call_id for part in calls}) == 3
        assert [part.wire_id for part in calls] == ["", "read:0", "read:0"]
        assert [result.call_id for result in results] == [part.call_id for part in calls]
        assert [name in result.text() for name, result in zip("ABC", results, strict=True)] == [True] * 3


async def test_same_id_twice_in_one_answer_is_told_apart(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a": "A", "b": "B"}) as d:
        await d.user("Read")
        await d.streams("", call("read", "x", key=1, file_path="a"), call("read", "x", key=2, file_path="b"))
        texts = results_of(await d.model.asked())
        assert ["A" in texts[0], "B" in texts[1]] == [True, True]
        await d.answers("ok")


async def test_problems_of_the_decoder_are_kept(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Hello")
        await d.answers("", Problem(code="x", text="The server repeated a name."), *answer("Hi."))
        assert d.facts(ModelResponded)[0].problems == ("The server repeated a name.",)


async def test_full_disk_ends_the_turn(tmp_path: Path) -> None:
    from tests.agent.tools import Probe
    from workbench.errors import ToolError

    async def fail(_arguments: Any, _context: Any) -> Any:
        raise ToolError("no_space", "The disk is full.")

    async with Dialogue(tmp_path, tools=[Probe("probe", work=fail)]) as d:
        await d.user("Hello")
        await d.streams("", call("probe", "c1"))
        end = await d.end()
        assert (end.end, end.failure) == ("failed", "no_space")
        assert len(d.model.requests) == 1


async def test_request_leaves_only_after_its_exchange_is_in_the_journal(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Hello")
        assert len(d.facts(ExchangeOpened)) == len(d.model.requests) == 1
        assert d.facts(StepStarted)[0].step == 1
        await d.answers("Hi.")
        (responded,) = d.facts(ModelResponded)
        assert responded.exchange_id == d.facts(ExchangeOpened)[0].exchange_id
        assert responded.message.origin is not None
        assert (responded.message.origin.provider, responded.message.origin.response_id) == ("script", "r1")


class FailingSink:
    """A sink that fails from a given fact on."""

    def __init__(self, last: int) -> None:
        self.last = last

    def write(self, entry: Any) -> None:
        if entry.seq > self.last:
            raise StoreFailed("The session's file cannot be written: the disk is full.")

    async def settled(self, seq: int) -> None:
        if seq > self.last:
            raise StoreFailed("The session's file cannot be written: the disk is full.")


@pytest.mark.parametrize("last", range(7, 20))
async def test_journal_that_fails_at_any_fact_freezes_the_session_and_runs_nothing_more(tmp_path: Path, last: int) -> None:
    d = Dialogue(tmp_path, files={"a.txt": "x"}, sink=FailingSink(last), headless="all")
    d.model.say(*answer("", call("read", "c1", file_path="a.txt"), call("write", "c2", file_path="b.txt", content="x")))
    d.model.say(*answer("Done."))
    await d.session.submit("Go")
    await d.session.wait_idle()
    assert len(d.journal.entries) <= last
    if len(d.journal.entries) == last:
        with pytest.raises(StoreFailed, match="the disk is full"):
            await d.session.submit("more")
    await d.session.aclose()
    assert d.model.open == 0
    started = [fact.call_id for fact in d.facts(ToolStarted)]
    assert (d.folder / "b.txt").exists() <= ("c2" in started)


async def test_flood_of_calls_runs_no_more_than_a_provider_would_take(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "x"}) as d:
        await d.user("Read it often")
        await d.streams("", *(call("read", f"c{number}", file_path="a.txt", offset=number + 1) for number in range(MOST_CALLS + 3)))
        sent = await d.model.asked()
        await d.answers("Done.")
    results = sent.messages[-1].results()
    assert [result.call_id for result in results] == [f"c{number}" for number in range(MOST_CALLS + 3)]
    assert len(d.facts(ToolStarted)) <= MOST_CALLS
    assert all("more calls than are run at once" in result.text() for result in results[MOST_CALLS:])
    assert "more calls" not in results[MOST_CALLS - 1].text()


async def test_a_model_that_does_not_keep_to_the_form_is_corrected_three_times_at_most(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Hello")
        wrong = "Invalid Format: Missing 'Action:' after 'Thought:'"
        for number in range(MOST_CORRECTIONS - 1):
            await d.streams("", call("invalid_format", f"c{number}", raw="{}", _status="invalid_json", _correction=wrong))
            request = await d.model.asked()
            assert results_of(request)[-1] == wrong
        end = await d.answers("", *answer("", call("invalid_format", "c9", raw="{}", _status="invalid_json", _correction=wrong)))
        assert (end.end, end.failure) == ("failed", "invalid_form")


async def test_a_tool_that_is_not_there_is_told_in_the_dialect_s_own_words(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Hello")
        told = "teleport is not a valid tool, try one of [read]."
        await d.streams("", call("teleport", "c1", raw="{}", _correction=told))
        assert results_of(await d.model.asked()) == [told]
        await d.answers("Ok.")
