"""Questions at a real terminal: what is shown, what each letter does, and what does not count as an answer."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import Home, answer_text, of_type
from tests.cli.screen import Screen
from workbench.agent.approvals import Approvals
from workbench.cli import approver
from workbench.cli.terminal import Terminal
from workbench.conversation.calls import Preview
from workbench.conversation.events import ApprovalRequested
from workbench.conversation.journal import Journal
from workbench.errors import UsageError

ALLOW = "Allow? y once"
REJECTED = "The user rejected this call."


def bash(command: str) -> str:
    return json.dumps({"command": command, "description": "Do as told"})


def results(facts: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return status and text of each finished call."""
    return [(fact["status"], fact["result"]["content"][0]["text"]) for fact in of_type(facts, "ToolFinished")]


def test_yes_runs_the_command_that_was_shown_whole(home: Home) -> None:
    with Screen(home, "run", "run touch made; echo hi") as screen:
        shown = screen.wait_for(ALLOW)
        assert "── 2 Run · bash" in shown
        assert "│ touch made; echo hi" in shown
        assert "asks because: It is not known to only read" in shown
        screen.enter("y")
        assert screen.end() == 0
    facts = home.session()
    assert results(facts)[0][0] == "ok"
    assert "hi" in results(facts)[0][1]
    assert of_type(facts, "ApprovalResolved")[0] | {"answer": "approve", "by": "terminal"} == of_type(facts, "ApprovalResolved")[0]


def test_no_with_a_note_tells_the_model(home: Home) -> None:
    with Screen(home, "run", "run touch made") as screen:
        screen.wait_for(ALLOW)
        screen.enter("n use another name")
        screen.wait_for("rejected by you")
        assert screen.end() == 0
    facts = home.session()
    status, text = results(facts)[0]
    assert status == "denied"
    assert "The user says: use another name" in text
    assert "use another name" in answer_text(facts), "the practice model repeats what it was told"
    assert not (home.workspace / "made").exists()


def test_stop_ends_the_turn(home: Home) -> None:
    with Screen(home, "run", "run touch made") as screen:
        screen.wait_for(ALLOW)
        screen.enter("s")
        screen.wait_for("Stopped.")
        assert screen.end() == 1
    facts = home.session()
    assert of_type(facts, "TurnFinished")[-1]["end"] == "stopped"
    assert [status for status, _text in results(facts)] == ["cancelled"]
    assert not (home.workspace / "made").exists()


def test_always_adds_the_rule_that_was_chosen(home: Home) -> None:
    with Screen(home, str(home.workspace), anywhere=True) as screen:
        screen.wait_for("› ")
        screen.enter("write x.txt with content: first")
        shown = screen.wait_for(ALLOW)
        assert "│ x.txt" in shown
        screen.wait_for("a always")
        screen.enter("a")
        offered = screen.wait_for("number, Enter for none")
        assert "1  " in offered
        screen.enter("1")
        assert "s this session · p this project · e everywhere" in screen.wait_for("Enter: this session")
        screen.enter("p")
        screen.wait_for("✓ write")
        screen.wait_for("› ")
        screen.enter("write x.txt with content: second")
        shown = screen.wait_for("✓ write")
        assert ALLOW not in shown, "the rule answers now"
        screen.wait_for("› ")
        screen.enter("/quit")
        assert screen.end() == 0
    assert (home.workspace / "x.txt").read_text() == "second"
    (resolved,) = of_type(home.session(), "ApprovalResolved")
    assert (resolved["scope"], resolved["rules"]) == ("project", [{"tool": "write", "path": "x.txt", "effect": "allow"}])


def test_folder_outside_is_granted_for_the_session(home: Home, tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "a.txt").write_text("alpha")
    (tmp_path / "library" / "b.txt").write_text("beta")
    with Screen(home, str(home.workspace), anywhere=True) as screen:
        screen.wait_for("› ")
        screen.enter("read ../library/a.txt")
        assert "outside" in screen.wait_for("a always")
        screen.enter("a")
        assert "reading only" in screen.wait_for("number, Enter for none")
        screen.enter("1")
        screen.wait_for("✓ read")
        screen.wait_for("› ")
        screen.enter("read ../library/b.txt")
        assert ALLOW not in screen.wait_for("✓ read"), "the grant answers now"
        screen.wait_for("› ")
        screen.enter("/quit")
        assert screen.end() == 0
    (resolved,) = of_type(home.session(), "ApprovalResolved")
    assert resolved.get("scope", "session") == "session"
    assert [rule["grant"] for rule in resolved["rules"]] == [str(tmp_path / "library")]
    assert [status for status, _text in results(home.session())] == ["ok", "ok"]


def test_a_rule_for_the_project_outlives_the_program(home: Home) -> None:
    with Screen(home, "run", "write x.txt with content: first") as screen:
        screen.wait_for(ALLOW)
        screen.enter("a")
        screen.wait_for("number, Enter for none")
        screen.enter("1")
        screen.wait_for("Enter: this session")
        screen.enter("p")
        assert screen.end() == 0
    done = home.run("run", "write x.txt with content: second", "--approve", "none")
    assert (done.status, (home.workspace / "x.txt").read_text()) == (0, "second")
    done = home.run("run", "write y.txt with content: other", "--approve", "none")
    assert not (home.workspace / "y.txt").exists()


def test_other_letters_are_no_answer(home: Home) -> None:
    with Screen(home, "tool", "bash", bash("touch made")) as screen:
        for typed in ("", "q", "ok", "yn", "a"):
            screen.wait_for(ALLOW)
            screen.enter(typed)
            screen.wait_for("Type one of these letters")
        screen.wait_for(ALLOW)
        screen.enter("n")
        assert screen.end() == 1
    assert not (home.workspace / "made").exists()


def test_keys_typed_before_the_question_do_not_answer_it(home: Home) -> None:
    home.settings("[practice]\ntokens_per_s = 120\n")
    with Screen(home, "run", "run touch made") as screen:
        screen.wait_for("run")
        screen.type("y\ny\ny")
        screen.wait_for(ALLOW)
        screen.enter("n")
        screen.wait_for("rejected by you")
        screen.end()
    assert results(home.session())[0][0] == "denied"
    assert not (home.workspace / "made").exists()


def test_keys_typed_in_the_moment_a_question_appears_do_not_answer_it(home: Home) -> None:
    with Screen(home, "tool", "bash", bash("touch made")) as screen:
        screen.wait_for("── 2 Run")
        screen.type("y\n")
        screen.wait_for(ALLOW)
        screen.enter("n")
        assert screen.end() == 1
    assert not (home.workspace / "made").exists()


def test_the_end_of_input_rejects(home: Home) -> None:
    with Screen(home, "tool", "bash", bash("touch made")) as screen:
        screen.wait_for(ALLOW)
        screen.type("\x04")
        assert screen.end() == 1
    assert not (home.workspace / "made").exists()


def test_the_highest_level_needs_its_word(home: Home) -> None:
    home.write(keep_txt="x")
    with Screen(home, "tool", "bash", bash("rm -rf keep.txt")) as screen:
        assert "── 4 Destroy" in screen.wait_for(ALLOW)
        screen.enter("y")
        screen.wait_for("Type the word “destroy”")
        screen.enter("y")
        screen.wait_for(ALLOW)
        assert (home.workspace / "keep.txt").exists()
        screen.enter("y")
        screen.wait_for("Type the word “destroy”")
        screen.enter("destroy")
        assert screen.end() == 0
    assert not (home.workspace / "keep.txt").exists()


def editor(folder: Path, code: str) -> dict[str, str]:
    """Return an environment whose editor is a small script; `code` changes `value`, the arguments."""
    script = folder / "editor.py"
    script.write_text(f"import json, pathlib, sys\npath = pathlib.Path(sys.argv[1])\nvalue = json.loads(path.read_text())\n{code}\n")
    return {"EDITOR": f"'{sys.executable}' '{script}'"}


def test_edited_arguments_run_and_are_told_to_the_model(home: Home, tmp_path: Path) -> None:
    environment = editor(tmp_path, "value['command'] = 'echo edited > made'\npath.write_text(json.dumps(value))")
    with Screen(home, "run", "run touch other", environment=environment) as screen:
        screen.wait_for(ALLOW)
        screen.enter("e")
        screen.wait_for("edited by you")
        assert screen.end() == 0
    assert (home.workspace / "made").read_text() == "edited\n"
    assert not (home.workspace / "other").exists()
    assert "echo edited > made" in results(home.session())[0][1]


def test_an_edit_that_says_nothing_approves_nothing(home: Home, tmp_path: Path) -> None:
    code = tmp_path / "code.py"
    environment = editor(tmp_path, f"exec(pathlib.Path({str(code)!r}).read_text())")
    with Screen(home, "tool", "bash", bash("touch made"), environment=environment, columns=300) as screen:
        for does, told in (
            ("", "Nothing was changed."),
            ("path.write_text('{')", "This is not JSON"),
            ("path.write_text('[1]')", "must be a JSON object"),
            ("path.write_bytes(b'\\xff\\xfe')", "This is not JSON"),
            ("sys.exit(3)", "ended with an error; nothing was changed"),
        ):
            code.write_text(does)
            screen.wait_for(ALLOW)
            screen.enter("e")
            screen.wait_for(told)
        screen.wait_for(ALLOW)
        screen.enter("n")
        assert screen.end() == 1
    assert not (home.workspace / "made").exists()


def test_an_editor_that_is_not_there_is_told(home: Home) -> None:
    with Screen(home, "tool", "bash", bash("touch made"), environment={"EDITOR": "no-such-editor --wait"}) as screen:
        screen.wait_for(ALLOW)
        screen.enter("e")
        screen.wait_for("could not be started")
        screen.wait_for(ALLOW)
        screen.enter("n")
        assert screen.end() == 1


def test_without_an_editor_a_line_of_json_is_asked_for(home: Home) -> None:
    with Screen(home, "tool", "bash", bash("touch made")) as screen:
        screen.wait_for(ALLOW)
        screen.enter("e")
        screen.wait_for("as JSON on one line:")
        screen.enter("")
        screen.wait_for("Nothing was changed.")
        screen.wait_for(ALLOW)
        screen.enter("e")
        screen.wait_for("as JSON on one line:")
        screen.enter(bash("echo typed > made"))
        assert screen.end() == 0
    assert (home.workspace / "made").read_text() == "typed\n"


def test_an_edit_that_became_stricter_is_asked_again(home: Home) -> None:
    home.write(keep_txt="x")
    with Screen(home, "tool", "bash", bash("touch made; echo hi")) as screen:
        assert "── 2 Run" in screen.wait_for(ALLOW)
        screen.enter("e")
        screen.wait_for("as JSON on one line:")
        screen.enter(bash("rm -rf keep.txt"))
        shown = screen.wait_for(ALLOW)
        assert "── 4 Destroy" in shown
        assert "│ rm -rf keep.txt" in shown
        screen.enter("n")
        assert screen.end() == 1
    assert (home.workspace / "keep.txt").exists()


def test_hidden_characters_never_reach_the_terminal(home: Home) -> None:
    hidden = "echo a\u202eb\u200bc\x1b]0;owned\x07\x1b[2J\rd"
    with Screen(home, "tool", "bash", bash(hidden)) as screen:
        shown = screen.wait_for(ALLOW)
        for code in ("202E", "200B", "001B", "0007", "000D"):
            assert f"⟨U+{code}⟩" in shown
        assert "hidden characters" in shown, "and a badge says so"
        screen.enter("n")
        screen.end()
        for raw in ("\u202e", "\u200b", "\x1b]0;", "\x1b[2J", "\x07"):
            assert raw.encode() not in screen.raw
        assert b"\r" not in screen.raw.replace(b"\r\n", b"")


def test_a_limit_asks_and_goes_on_or_ends(home: Home) -> None:
    home.settings("[practice]\ntokens_per_s = 0\n[limits]\nsteps = 1\n")
    with Screen(home, "run", "what time is it") as screen:
        screen.wait_for("The limit of steps (1) is reached.")
        screen.wait_for("y/n: ")
        screen.enter("y")
        assert screen.end() == 0
    with Screen(home, "run", "what time is it") as screen:
        screen.wait_for("y/n: ")
        screen.enter("")
        screen.wait_for("The turn reached its limit of 1 steps.")
        assert screen.end() == 1


def test_a_limit_that_was_far_exceeded_can_still_be_raised(home: Home) -> None:
    home.settings("[practice]\ntokens_per_s = 0\n[limits]\ntokens = 1\n")
    with Screen(home, "run", "what time is it") as screen:
        screen.wait_for("y/n: ")
        screen.enter("y")
        screen.wait_for("It is ")
        assert screen.end() == 0


def asked(approval_id: str) -> ApprovalRequested:
    preview = Preview(kind="command", body=f"echo {approval_id}")
    return ApprovalRequested(
        approval_id=approval_id, turn_id="t", step=1, call_id=approval_id, tool="bash", digest="d", danger=2, preview=preview
    )


async def test_questions_come_one_by_one_and_leave_when_answered_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    """The window, or a stop, may answer first: then the next question is asked, and what is typed answers that one only."""
    keyboard, inner = pty.openpty()
    journal = Journal()
    approvals = Approvals(journal)
    with os.fdopen(inner, "r", encoding="utf-8") as stream:
        terminal = approver.TerminalApprover(approver.Questions(approvals), Terminal(stream))
        journal.subscribe(terminal.entry)
        async with asyncio.TaskGroup() as group:
            asking = group.create_task(terminal.run())
            first, second = approvals.request(asked("one")), approvals.request(asked("two"))
            shown = await _until(capsys, "Allow?")
            assert "│ echo one" in shown
            assert "(1 more wait)" in shown
            assert "echo two" not in shown
            assert approvals.resolve("one", "approve")
            assert (await first.answer()).by == "person"
            shown = await _until(capsys, "Allow?")
            assert "│ echo two" in shown
            assert "more wait" not in shown
            os.write(keyboard, b"n why\n")
            answered = await second.answer()
            assert (answered.answer, answered.note, answered.by) == ("reject", "why", "terminal")
            asking.cancel()
    os.close(keyboard)


async def _until(capsys: pytest.CaptureFixture[str], text: str) -> str:
    """Return what was shown up to some words, letting the loop run."""
    shown = ""
    while text not in shown:
        await asyncio.sleep(0.01)
        shown += capsys.readouterr().err
    return shown


@pytest.mark.parametrize(("text", "problem"), [("{", "not JSON"), ("[" * 100_000, "not JSON"), ("3", "must be a JSON object")])
def test_arguments_a_person_wrote_must_be_an_object(text: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        approver.arguments_from(text)
