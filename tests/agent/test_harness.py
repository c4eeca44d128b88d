"""Calls of a step: found, checked, decided, asked and run; each ends with exactly one result, whatever happens on the way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.agent.dialogue import Dialogue, results_of
from tests.agent.scripted_model import answer, call, command
from tests.agent.tools import Probe
from workbench.conversation.events import ApprovalRequested, Decided, ToolFinished, ToolOutputArrived, ToolStarted
from workbench.conversation.stream import StreamEvent
from workbench.errors import ToolError
from workbench.tools.base import Interrupted, Result, ToolContext


async def step(d: Dialogue, *calls: Sequence[StreamEvent]) -> list[str]:
    """Let the model call something that needs no person, and return the results that go back."""
    await d.user("Go")
    await d.streams("", *calls)
    texts = results_of(await d.model.asked())
    await d.answers("Done.")
    return texts


async def test_unknown_tool_is_answered_with_the_names_and_without_a_question(tmp_path: Path) -> None:
    """The bug case unknown-tool-name: both results go back in one request."""
    async with Dialogue(tmp_path, files={"a.txt": "hello"}) as d:
        unknown, known = await step(d, call("Read_file", "u1", path="a"), call("read", "u2", file_path="a.txt"))
        assert unknown.startswith("Error (unknown_tool): There is no tool named 'Read_file'. Did you mean read?\nThe tools are: read, ")
        assert "hello" in known
        assert not d.facts(ApprovalRequested)
        assert [(fact.call_id, fact.status) for fact in d.facts(ToolFinished)] == [("u1", "error"), ("u2", "ok")]
        assert [fact.call_id for fact in d.facts(Decided)] == ["u2"]


@pytest.mark.parametrize(
    ("raw", "kind"),
    [('{"file_path": ', "invalid_json"), ("[1]", "invalid_arguments"), ("{}", "invalid_arguments"), ('{"file_path": {}}', "invalid_arguments"),
     ("null", "invalid_arguments")],
)
async def test_arguments_that_do_not_fit_are_an_error_result(tmp_path: Path, raw: str, kind: str) -> None:
    async with Dialogue(tmp_path) as d:
        (text,) = await step(d, call("read", "c1", raw=raw))
        assert text.startswith(f"Error ({kind}): ")
        assert not d.facts(Decided)
        assert not d.facts(ToolStarted)


@pytest.mark.parametrize(("path", "title"), [("keys/../keys/.env", "keys/.env"), ("/etc/hostname", "/etc/hostname")])
async def test_a_question_names_its_place_even_if_the_tool_shows_nothing(tmp_path: Path, path: str, title: str) -> None:
    async with Dialogue(tmp_path, files={"keys/.env": "KEY=1"}) as d:
        await d.user("Read it")
        await d.streams("", call("read", "c1", file_path=path))
        question = await d.question()
        assert (question.preview.kind, question.preview.title) == ("none", title)
        d.reject(question)
        await d.answers("Done.")


async def test_line_break_inside_a_string_is_understood(tmp_path: Path) -> None:
    """The bug case args-raw-newline: the question shows the whole command."""
    async with Dialogue(tmp_path) as d:
        await d.user("Commit")
        await d.streams("", call("bash", "c1", raw="{\"command\": \"git commit -m 'feat: x\n\nbody'\", \"description\": \"commit\"}"))
        question = await d.question()
        assert question.arguments["command"] == "git commit -m 'feat: x\n\nbody'"
        d.reject(question)
        await d.model.asked()
        await d.answers("Ok.")


async def test_extra_properties_give_no_privilege(tmp_path: Path) -> None:
    """The bug case extra-property-no-privilege: unknown keys change nothing, are not passed on, and are named to the person."""
    extra = {"security": "allowlist", "approved": True, "requires_approval": False, "dangerouslyDisableSandbox": True, "danger": 0}
    async with Dialogue(tmp_path) as d:
        await d.user("Go")
        await d.streams("", call("bash", "c1", raw=json.dumps({"command": "rm -rf build", "description": "clean", **extra})))
        question = await d.question()
        assert question.arguments == {"command": "rm -rf build", "description": "clean"}
        assert (question.danger, question.badges) == (4, ("destroys",))
        (decided,) = d.facts(Decided)
        assert all(any(name in notice for notice in decided.notices) for name in extra)
        d.reject(question)
        await d.model.asked()
        await d.answers("Ok.")


@pytest.mark.parametrize("status", ["truncated", "invalid_json"])
async def test_incomplete_call_never_runs(tmp_path: Path, status: str) -> None:
    probe = Probe("probe")
    async with Dialogue(tmp_path, tools=[probe]) as d:
        (text,) = await step(d, call("probe", "c1", _status=status))
        assert text.startswith("Error (invalid_json): ")
    assert not probe.ran


async def test_program_error_in_a_tool_is_a_result_and_the_turn_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def fail(_arguments: dict[str, Any], _context: ToolContext) -> Result:
        raise ZeroDivisionError("secret detail")

    async with Dialogue(tmp_path, tools=[Probe("probe", work=fail), Probe("unready", broken=KeyError("x"))]) as d:
        texts = await step(d, call("probe", "c1"), call("unready", "c2"))
        assert [text.startswith("Error (internal_error): Internal error in the program (journal ") for text in texts] == [True, True]
        assert "secret detail" not in "".join(texts)
        assert [fact.kind for fact in d.facts(ToolFinished)] == ["internal_error"] * 2
    assert "secret detail" in caplog.text
    assert "call c1 of tool probe failed (journal" in caplog.text


async def test_tool_error_keeps_its_kind_and_advice(tmp_path: Path) -> None:
    async def fail(_arguments: dict[str, Any], _context: ToolContext) -> Result:
        raise ToolError("timed_out", "It took too long.", "Try less.")

    async with Dialogue(tmp_path, tools=[Probe("probe", work=fail)]) as d:
        assert await step(d, call("probe", "c1")) == ["Error (timed_out): It took too long.\nTry less."]
        (finished,) = d.facts(ToolFinished)
        assert (finished.status, finished.kind, finished.decision, finished.result.synthetic) == ("timed_out", "timed_out", "auto", False)


async def test_interrupted_tool_gives_back_what_it_had(tmp_path: Path) -> None:
    async def work(_arguments: dict[str, Any], _context: ToolContext) -> Result:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise Interrupted(Result(status="cancelled", kind="cancelled", text="half of it")) from None
        raise AssertionError

    probe = Probe("probe", work=work)
    async with Dialogue(tmp_path, tools=[probe]) as d:
        await d.user("Go")
        await d.streams("", call("probe", "c1"))
        await probe.running()
        await d.session.stop()
        (finished,) = d.facts(ToolFinished)
        assert (finished.status, finished.result.text()) == ("cancelled", "half of it")


async def test_effects_begin_only_when_the_fact_is_durable(tmp_path: Path) -> None:
    settled: list[int] = []

    class Sink:
        def write(self, entry: Any) -> None:
            pass

        async def settled(self, seq: int) -> None:
            settled.append(seq)

    seen: list[tuple[str, bool]] = []

    async def look(arguments: dict[str, Any], _context: ToolContext) -> Result:
        started = [entry.seq for entry in d.journal.entries if isinstance(entry.event, ToolStarted)]
        seen.append((arguments["value"], started[-1] in settled))
        return Result(text="ok")

    async with Dialogue(tmp_path, sink=Sink(), headless="all", tools=[Probe("reader", work=look), Probe("writer", "edit", work=look)]) as d:
        await step(d, call("reader", "c1", value="read"), call("writer", "c2", value="write"))
    assert seen == [("read", False), ("write", True)]


async def test_live_output_carries_the_call(tmp_path: Path) -> None:
    async def talk(_arguments: dict[str, Any], context: ToolContext) -> Result:
        context.on_output(f"hello from {context.call_id}")
        return Result(text="ok")

    heard: list[Any] = []
    async with Dialogue(tmp_path, tools=[Probe("probe", work=talk)]) as d:
        listening = d.journal.subscribe(lambda _entry: None, live=heard.append, after=d.journal.last_seq)
        await step(d, call("probe", "c1"))
        listening.close()
    assert [event for event in heard if isinstance(event, ToolOutputArrived)] == [ToolOutputArrived("c1", "hello from c1")]


async def test_third_identical_call_of_a_turn_asks(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "x"}) as d:
        await d.user("Go")
        for number in range(2):
            await d.streams("", call("read", f"c{number}", file_path="a.txt"))
            await d.model.asked()
        await d.streams("", call("read", "c2", file_path="a.txt"))
        question = await d.question()
        assert (question.danger, question.badges, question.reasons[0].code) == (0, ("repeated",), "call.repeated")
        d.reject(question)
        await d.model.asked()
        await d.streams("", call("read", "c3", file_path="a.txt", limit=1))
        await d.model.asked()
        await d.answers("Done.")
        await d.user("New turn")
        await d.streams("", call("read", "c4", file_path="a.txt"))
        await d.model.asked()
        await d.answers("Done.")
        assert len(d.facts(ApprovalRequested)) == 1


async def test_call_split_out_of_glued_arguments_asks(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "x"}) as d:
        await d.user("Go")
        await d.streams("", call("read", "c1", file_path="a.txt", _repaired=True))
        question = await d.question()
        assert question.badges == ("repaired",)
        d.approve(question)
        await d.model.asked()
        await d.answers("Done.")


@pytest.mark.parametrize(
    ("headless", "statuses"),
    [("none", ["ok", "denied", "denied", "denied"]), ("reads", ["ok", "denied", "denied", "denied"]), ("all", ["ok", "ok", "ok", "ok"])],
)
async def test_without_a_person_the_policy_answers(tmp_path: Path, headless: Any, statuses: list[str]) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "x", ".env": "KEY=1"}, headless=headless) as d:
        reads = [call("read", "c1", file_path="a.txt"), call("read", "c2", file_path=".env")]
        texts = await step(d, *reads, call("write", "c3", file_path="b", content="x"), command("touch c4", "c4"))
        by_call = {fact.call_id: fact.status for fact in d.facts(ToolFinished)}
        assert [by_call[f"c{number}"] for number in range(1, 5)] == statuses
        if headless != "all":
            assert texts[3].startswith("Error (denied): The call needs a person's approval, and nobody is there to give it.")


async def test_reads_policy_approves_what_only_looks(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "x"}, headless="reads") as d:
        texts = await step(d, *(call("read", f"c{number}", file_path="a.txt") for number in range(3)))
        assert all("x" in text for text in texts)
        assert len(d.facts(ApprovalRequested)) == 1


async def test_lone_surrogates_do_not_enter_the_history(tmp_path: Path) -> None:
    async def work(_arguments: dict[str, Any], _context: ToolContext) -> Result:
        return Result(text="bin \udc88 end")

    async with Dialogue(tmp_path, tools=[Probe("probe", work=work)]) as d:
        assert await step(d, call("probe", "c1")) == ["bin \ufffd end"]


async def test_custom_call_gives_its_text_as_input(tmp_path: Path) -> None:
    probe = Probe("probe")
    probe.definition.input_schema["properties"]["input"] = {"type": "string"}
    async with Dialogue(tmp_path, tools=[probe]) as d:
        await step(d, call("probe", "c1", raw="*** free text", _kind="custom"))
    assert probe.ran == [{"input": "*** free text"}]


async def test_calls_of_a_held_back_answer_are_not_run(tmp_path: Path) -> None:
    """The bug case args-cut-by-length: nothing of a message that was cut runs, also not its complete calls; the model is told to write less."""
    async with Dialogue(tmp_path, files={"big.py": "# good line\n" * 3}, mode="accept_edits") as d:
        await d.user("Go")
        cut = call("write", "w1", raw='{"file_path":"big.py","content":"import os\\ndef main():\\n    pr', _status="truncated")
        d.model.say(*answer("", call("read", "r1", file_path="big.py"), cut, finish="length", may_run=False))
        texts = results_of(await d.model.asked())
        assert texts[0].startswith("Error (cancelled): Your message was cut at the output limit, so none of its calls was run.")
        assert texts[1].startswith("Error (invalid_json): Your message was cut at the output limit")
        assert "smaller parts" in texts[1]
        await d.answers("Ok.")
        assert d.text("big.py") == "# good line\n" * 3
        assert not d.facts(ApprovalRequested)
        assert not d.facts(ToolStarted)
