"""Turns told as dialogues against the real tools, and what front ends may ask of a session."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from tests.agent.dialogue import CHOSEN, Dialogue, results_of
from tests.agent.scripted_model import answer, call, command
from workbench.conversation.events import (
    ApprovalResolved,
    Decided,
    ModeChosen,
    ModelChosen,
    Notice,
    SessionOpened,
    TitleSet,
    ToolFinished,
    ToolStarted,
    UserMessageAdded,
)
from workbench.errors import UsageError


async def test_turn_as_a_dialogue(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "one\ntwo\n"}) as d:
        request = await d.user("Replace one with ONE in a.txt")
        assert request.messages[-1].text() == "Replace one with ONE in a.txt"
        assert str(d.folder) in request.system[0]

        await d.streams("I read it first.", call("read", "c1", file_path="a.txt"))
        assert (await d.result()).status == "ok"
        request = await d.model.asked()
        assert [message.role for message in request.messages] == ["user", "assistant", "tool"]
        assert "1: one\n2: two\n" in results_of(request)[0]

        await d.streams("", call("edit", "c2", file_path="a.txt", old_string="one", new_string="ONE"))
        question = await d.question()
        assert (question.tool, question.danger, question.badges) == ("edit", 1, ())
        assert question.preview.kind == "diff"
        assert d.text("a.txt") == "one\ntwo\n"
        d.approve(question)
        finished = await d.result()
        assert (finished.status, finished.decision) == ("ok", "approved")
        assert d.text("a.txt") == "ONE\ntwo\n"

        request = await d.model.asked()
        assert len(request.messages) == 5
        end = await d.answers("Done.")
        assert (end.end, end.steps) == ("answered", 3)
        assert d.session.messages[-1].text() == "Done."


async def test_rejection_reaches_the_model_with_its_note(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Make a file")
        await d.streams("", call("write", "c1", file_path="b.txt", content="x"))
        d.reject(await d.question(), note="put it into docs/")
        finished = await d.result()
        assert (finished.status, finished.kind, finished.decision) == ("denied", "denied", "rejected")
        (text,) = results_of(await d.model.asked())
        assert text.startswith("Error (denied): The user rejected this call.\nThe user says: put it into docs/\nDo not retry the same call")
        await d.answers("I see.")
        assert not (d.folder / "b.txt").exists()


async def test_edited_call_runs_as_edited_and_the_model_is_told(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Make a file")
        await d.streams("", call("write", "c1", file_path="b.txt", content="theirs"))
        question = await d.question()
        d.approve(question, arguments={"file_path": "b.txt", "content": "mine"})
        finished = await d.result()
        assert (finished.status, finished.decision) == ("ok", "edited")
        (text,) = results_of(await d.model.asked())
        assert text.startswith('The user edited the call before running it: content is "mine" instead of "theirs".\nCreated b.txt')
        await d.answers("Fine.")
        assert d.text("b.txt") == "mine"
        assert '"theirs"' in d.session.messages[1].calls()[0].arguments_raw
        assert [decided.edited for decided in d.facts(Decided)] == [False, True]


async def test_command_runs_after_approval_and_its_output_comes_back(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Run it")
        await d.streams("", call("bash", "c1", command="echo hi > out.txt && cat out.txt", description="say hi"))
        question = await d.question()
        assert (question.danger, question.preview.kind, question.description, question.can_always) == (2, "command", "say hi", False)
        assert [part.text for part in question.parts] == ["echo hi > out.txt", "cat out.txt"]
        d.approve(question)
        (text,) = results_of(await d.model.asked())
        assert text.startswith("hi")
        await d.answers("Ran.")


async def test_words_said_meanwhile_go_in_after_the_step(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "x"}) as d:
        await d.user("Read a.txt")
        assert await d.session.submit("and tell me its length") == "queued"
        assert list(d.session.queued) == ["and tell me its length"]
        assert len(d.facts(UserMessageAdded)) == 1
        await d.streams("", call("read", "c1", file_path="a.txt"))
        request = await d.model.asked()
        assert [message.role for message in request.messages] == ["user", "assistant", "tool", "user"]
        assert request.messages[-1].text() == "and tell me its length"
        assert not d.session.queued
        await d.answers("One.")


async def test_words_said_during_the_last_answer_begin_the_next_turn(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Hello")
        await d.session.submit("And another thing")
        await d.answers("Hi.")
        request = await d.model.asked()
        assert [message.role for message in request.messages] == ["user", "assistant", "user"]
        assert (await d.answers("Yes?")).steps == 1
        await d.session.wait_idle()
        assert len({added.turn_id for added in d.facts(UserMessageAdded)}) == 2


async def test_queued_words_survive_a_stop_and_can_be_taken_back(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Hello")
        await d.session.submit("please also")
        await d.session.submit("check it")
        await d.session.stop()
        assert d.session.queued == ("please also", "check it")
        assert d.session.unqueue() == ("please also", "check it")
        assert not d.session.queued


async def test_empty_message_is_refused_with_a_sentence(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        with pytest.raises(UsageError, match="the message is empty"):
            await d.session.submit("  \n")
        assert not d.session.running


async def test_first_facts_of_a_session(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        assert [type(entry.event) for entry in d.journal.entries] == [SessionOpened, ModelChosen, ModeChosen]
        await d.user("A question\nwith more lines")
        await d.answers("Yes.")
        (title,) = d.facts(TitleSet)
        assert title.title == "A question"
        await d.user("Another")
        await d.answers("No.")
        assert len(d.facts(TitleSet)) == 1


async def test_auto_is_refused_and_other_modes_are_noted(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        with pytest.raises(UsageError, match="sandbox"):
            d.session.choose_mode("auto")
        d.session.choose_mode("accept_edits")
        d.session.choose_mode("accept_edits")
        assert [fact.mode for fact in d.facts(ModeChosen)] == ["ask", "accept_edits"]
        assert d.session.mode == "accept_edits"


async def test_accept_edits_writes_without_a_question(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, mode="accept_edits") as d:
        await d.user("Make a file")
        await d.streams("", call("write", "c1", file_path="b.txt", content="x"), call("write", "c2", file_path=".mcp.json", content="{}"))
        question = await d.question()
        assert (question.call_id, question.badges, question.danger) == ("c2", ("protected",), 4)
        d.reject(question)
        await d.model.asked()
        await d.answers("Done.")
        assert d.text("b.txt") == "x"
        assert not (d.folder / ".mcp.json").exists()


async def test_read_only_refuses_without_asking(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, mode="read_only") as d:
        await d.user("Make a file")
        await d.streams("", call("write", "c1", file_path="b.txt", content="x"), command("touch made", "c2"))
        texts = results_of(await d.model.asked())
        assert all(text.startswith("Error (denied): The call was refused: ") and "mode “Read only”" in text for text in texts)
        await d.answers("I may not.")


async def test_mode_chosen_while_a_question_waits_answers_it(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Make files")
        await d.streams("", call("write", "c1", file_path="b.txt", content="x"), command("touch made", "c2"))
        await d.question()
        second = await d.question()
        d.session.choose_mode("accept_edits")
        assert (await d.result()).call_id == "c1"
        assert [question.call_id for question in d.session.pending] == ["c2"]
        d.session.choose_mode("read_only")
        assert (await d.result()).decision == "rejected"
        assert {(fact.call_id, fact.by) for fact in d.facts(ApprovalResolved)} == {("c1", "program"), ("c2", "program")}
        assert not d.session.resolve(second.approval_id, "approve")
        await d.model.asked()
        await d.answers("Done.")


async def test_always_adds_the_rule_that_was_offered_and_decides_the_queue_again(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Make files")
        paths = {"c1": "src/c1.py", "c2": "src/c2.py", "c3": "top.py"}
        await d.streams("", *(call("write", name, file_path=path, content="x") for name, path in paths.items()))
        first, _second, third = await d.question(), await d.question(), await d.question()
        assert [rule["path"] for rule in first.always] == ["src/c1.py", "src/**"]
        with pytest.raises(ValueError, match="was not offered"):
            d.session.resolve(first.approval_id, "approve", rules=[{"tool": "bash", "effect": "allow"}])
        d.approve(first, rules=[first.always[1]])
        assert [question.call_id for question in d.session.pending] == ["c3"]
        d.reject(third)
        await d.model.asked()
        await d.streams("", call("write", "c4", file_path="src/c4.py", content="x"))
        await d.model.asked()
        await d.answers("Done.")
        assert {name: (d.folder / "src" / f"{name}.py").exists() for name in ("c1", "c2", "c4")} == dict.fromkeys(("c1", "c2", "c4"), True)
        assert d.facts(ApprovalResolved)[0].rules == ({"tool": "write", "path": "src/**", "effect": "allow"},)


async def test_rule_of_a_session_does_not_live_on_in_another(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Make a file")
        await d.streams("", call("write", "c1", file_path="src/a.py", content="x"))
        question = await d.question()
        d.approve(question, rules=[question.always[1]])
        await d.model.asked()
        await d.answers("Done.")
    async with Dialogue(tmp_path, entries=d.journal.entries) as again:
        await again.user("Another")
        await again.streams("", call("write", "c2", file_path="src/b.py", content="x"))
        again.reject(await again.question())
        await again.model.asked()
        await again.answers("Ok.")


async def test_model_chosen_in_the_middle_is_asked_from_the_next_step(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "x"}) as d:
        await d.user("Read a.txt")
        d.session.choose_model(ModelChosen(profile="script", model="other", dialect="anthropic"), d.model)
        await d.streams("", call("read", "c1", file_path="a.txt"))
        assert (await d.model.asked()).options.model == "other"
        await d.answers("Done.")
        assert [fact.model for fact in d.facts(ModelChosen)] == [CHOSEN.model, "other"]


async def test_other_model_gets_no_pictures_and_no_hidden_tools(tmp_path: Path) -> None:
    picture = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
    async with Dialogue(tmp_path) as d:
        (d.folder / "dot.png").write_bytes(picture)
        d.session.choose_model(CHOSEN, d.model, can_see_images=True)
        await d.user("Look")
        await d.streams("", call("read", "c1", file_path="dot.png"))
        await d.model.asked()
        d.session.choose_model(CHOSEN, d.model, hidden={"bash"})
        await d.streams("", call("read", "c2", file_path="dot.png"))
        sent = await d.model.asked()
        await d.answers("Done.")
    kinds = [[type(part).__name__ for part in message.results()[0].content] for message in sent.messages if message.results()]
    assert "ImagePart" in kinds[0]
    assert "ImagePart" not in kinds[1]
    assert "bash" not in [tool.name for tool in sent.tools]


async def test_next_request_is_what_goes_out(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "x"}) as d:
        await d.user("Read a.txt")
        await d.streams("", call("read", "c1", file_path="a.txt"))
        sent = await d.model.asked()
        assert d.session.next_request() == sent
        await d.answers("Done.")


async def test_stopping_one_call_lets_the_others_go_on(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Run both")
        await d.streams("", command("touch a; sleep 60", "c1"), command("touch b; echo two", "c2"))
        d.approve(await d.question())
        d.approve(await d.question())
        await d.fact(ToolStarted)
        assert d.session.stop_call("c1")
        first, second = await d.result(), await d.result()
        assert (first.call_id, first.status) == ("c1", "cancelled")
        assert (second.call_id, second.status) == ("c2", "ok")
        await d.model.asked()
        await d.answers("One was stopped.")
        assert not d.session.stop_call("c1")


async def test_results_stay_the_same_when_the_facts_are_read_again(tmp_path: Path) -> None:
    from workbench.agent.history import history

    async with Dialogue(tmp_path, files={"a.txt": "x"}) as d:
        await d.user("Read a.txt")
        await d.streams("Reading.", call("read", "c1", file_path="a.txt"), call("nothing", "c2"))
        await d.model.asked()
        await d.answers("Done.")
        assert history(d.journal.entries) == d.session.messages
        assert history(d.journal.entries) == history(list(d.journal.entries))


async def test_program_error_in_the_model_ends_the_turn_with_a_sentence(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Hello")
        end = await d.answers("", ZeroDivisionError("a bug in a decoder"))
        assert (end.end, end.failure) == ("failed", "internal")
        assert "ZeroDivisionError" not in end.text
        assert (await d.fact(Notice)).values == {"error": "ZeroDivisionError"}
        assert "journal" in caplog.text
        assert "ZeroDivisionError" in caplog.text
        await d.user("Again")
        assert (await d.answers("Fine.")).end == "answered"
    assert len(d.facts(ToolFinished)) == 0


async def test_live_pieces_arrive_while_the_answer_streams(tmp_path: Path) -> None:
    seen: list[str] = []
    async with Dialogue(tmp_path) as d:
        listening = d.journal.subscribe(lambda _entry: None, live=lambda event: seen.append(type(event).__name__), after=d.journal.last_seq)
        await d.user("Hello")
        await d.answers("", *answer("Hi."))
        listening.close()
    assert seen == ["StreamPieceArrived"] * 4
