"""`workbench run`: what it streams, who answers its questions, which session and model it takes, and how Ctrl+C ends it."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Inside
from tests.cli.program import Home, answer_text, lives, of_type, types, wait_for_pid
from tests.cli.screen import Screen
from workbench.words import language


def test_facts_are_json_lines_and_nothing_else(home: Home) -> None:
    done = home.run("run", "what time is it", "--json")
    assert done.status == 0
    facts = done.objects()
    assert [fact["seq"] for fact in facts] == list(range(1, len(facts) + 1))
    assert types(facts)[0] == "SessionOpened"
    assert types(facts)[-1] == "TurnFinished"
    assert done.sentence() == f"session {facts[0]['session_id']}"
    assert facts == home.session(), "what streamed is what was kept"


def test_words_go_to_stdout_and_the_rest_to_stderr(home: Home) -> None:
    done = home.run("run", "what time is it")
    assert done.status == 0
    assert "get_current_time" in done.err
    assert "get_current_time" not in done.answer
    assert done.answer.rstrip().endswith("(Etc/UTC).")
    assert "\x1b" not in done.answer + done.err, "no colours but for a terminal"


def test_the_prompt_may_come_from_standard_input(inside: Inside) -> None:
    done = inside("run", "-", "--json", stdin="现在几点\n".encode())
    assert done.status == 0
    assert of_type(done.objects(), "UserMessageAdded")[0]["message"]["parts"][0]["text"] == "现在几点\n"


@pytest.mark.parametrize("stdin", [b"", b" \n\t", b"\xff\xfe"], ids=["empty", "blank", "not text"])
def test_a_prompt_that_says_nothing_makes_no_session(inside: Inside, home: Home, stdin: bytes) -> None:
    done = inside("run", "-", stdin=stdin)
    assert done.status == 2
    assert done.sentence()
    assert not (home.data / "sessions").exists()


@pytest.mark.parametrize(("approve", "status"), [("ask", "denied"), ("none", "denied"), ("reads", "denied"), ("all", "ok")])
def test_who_answers_without_a_terminal(inside: Inside, home: Home, approve: str, status: str) -> None:
    facts = inside("run", "run touch made; echo hi", "--json", "--approve", approve).objects()
    assert [fact["status"] for fact in of_type(facts, "ToolFinished")] == [status]
    assert [fact["by"] for fact in of_type(facts, "ApprovalResolved")] == ["policy"]


def test_reads_allows_what_only_looks(inside: Inside, home: Home) -> None:
    outside = home.workspace.parent / "outside.txt"
    outside.write_text("beyond\n")
    facts = inside("run", "Read README.md", "--json", "--approve", "reads").objects()
    assert of_type(facts, "ToolFinished")[0]["kind"] == "file_not_found", "inside, it runs without a question"
    facts = inside("run", f"Read {outside}", "--json", "--approve", "reads").objects()
    assert of_type(facts, "ToolFinished")[0]["status"] == "denied", "level 3 is more than a look"


def test_a_turn_that_was_not_answered_is_status_1(inside: Inside) -> None:
    done = inside("run", "Drill: cut stream", "--json")
    assert done.status == 1
    assert done.objects()[-1]["end"] == "failed"
    assert len(done.err.splitlines()) == 2, "the session's id, and the sentence"


def test_a_failure_is_one_sentence_for_people(inside: Inside) -> None:
    done = inside("run", "Drill: cut stream")
    assert done.status == 1
    assert done.err.count("broke off") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "nosuch"), "no provider profile “nosuch”"),
        (("--model", "nosuch/x"), "no provider profile “nosuch”"),
        (("--model", "openai"), "Which model of OpenAI?"),
        (("--base-url", "http://127.0.0.1:1/v1"), "Which model answers at http://127.0.0.1:1/v1?"),
        (("--base-url", "no address", "--model", "x"), "no address"),
        (("--session", "nosuch"), "no session"),
        (("--session", "last"), "There are no sessions yet"),
        (("--mode", "auto"), None),
    ],
)
def test_choices_that_cannot_be_are_told_in_a_sentence(inside: Inside, words: tuple[str, ...], said: str | None) -> None:
    done = inside("run", "what time is it", *words)
    if said is None:
        assert done.status == 0
        assert "sandbox" in done.err, "a mode that is not available falls back to ask, and says so"
    else:
        assert done.status == 2
        assert said in done.sentence()


def test_last_goes_on_with_workspace_model_and_mode(inside: Inside, home: Home) -> None:
    first = inside("run", "what time is it", "--json", "--mode", "read_only").objects()
    facts = inside("run", "run touch made; echo hi", "--json", "--session", "last").objects()
    opened = facts[0]
    assert (opened["type"], opened["session_id"], opened["resumed"]) == ("SessionOpened", first[0]["session_id"], True)
    assert opened["workspace"] == str(home.workspace)
    assert opened["seq"] == len(first) + 1, "what was there before does not stream again"
    assert of_type(facts, "ToolFinished")[0]["status"] == "denied"
    assert not of_type(facts, "ApprovalRequested"), "the mode still is read only"
    assert home.sessions()[0].turns == 2


def test_a_session_may_be_named_by_the_beginning_of_its_id(inside: Inside) -> None:
    session_id = inside("run", "what time is it", "--json").objects()[0]["session_id"]
    assert inside("run", "what time is it", "--json", "--session", session_id[:-3]).objects()[0]["session_id"] == session_id


def test_a_session_whose_workspace_vanished_says_so_and_can_move(inside: Inside, home: Home, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    assert inside("run", "what time is it", "--workspace", str(gone)).status == 0
    shutil.rmtree(gone)
    done = inside("run", "what time is it", "--session", "last")
    assert done.status == 2
    assert f"{gone} does not exist" in done.sentence()
    moved = inside("run", "what time is it", "--session", "last", "--workspace", str(home.workspace), "--json").objects()
    assert moved[0]["workspace"] == str(home.workspace)


def test_notices_are_told_at_the_start(inside: Inside, home: Home) -> None:
    home.settings("[practice]\ntokens_per_s = -3\n")
    done = inside("run", "what time is it")
    assert done.status == 0
    assert "settings.toml cannot be used" in done.err


def test_the_language_of_the_settings_is_spoken(inside: Inside, home: Home) -> None:
    home.settings('[appearance]\nlanguage = "zh_CN"\n')
    assert inside("run", "hi", "--workspace", "/no/such").status == 2
    assert language() == "zh_CN"


def test_interrupting_stops_within_a_second_and_the_session_goes_on(home: Home) -> None:
    home.settings("[practice]\ntokens_per_s = 20\n")
    with Screen(home, "run", "introduce this project") as screen:
        screen.wait_for("practice model")
        began_s = time.monotonic()
        screen.interrupt()
        screen.wait_for("Stopped.")
        assert screen.end() == 1
        assert time.monotonic() - began_s < 1.5
    facts = home.session()
    assert facts[-1]["end"] == "stopped"
    home.settings("[practice]\ntokens_per_s = 0\n")
    again = home.turn("what time is it", "--session", "last")
    assert again[-1]["end"] == "answered"


def test_interrupting_ends_a_command_and_what_it_started(home: Home) -> None:
    with Screen(home, "run", "run sleep 300 & echo $! > pid; wait", "--approve", "all") as screen:
        pid = wait_for_pid(home.workspace / "pid")
        began_s = time.monotonic()
        screen.interrupt()
        assert screen.end() == 1
        assert time.monotonic() - began_s < 1.5
    assert not lives(pid)
    assert of_type(home.session(), "ToolFinished")[0]["status"] == "cancelled"


def test_a_polite_kill_stops_the_turn(home: Home) -> None:
    home.settings("[practice]\ntokens_per_s = 20\n")
    with subprocess.Popen(home.command("run", "introduce this project"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=home.environment()) as process:
        assert process.stdout is not None
        process.stdout.read(5)
        process.send_signal(signal.SIGTERM)
        process.stdout.read()
    assert process.returncode == 1
    assert home.session()[-1]["end"] == "stopped"


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb"])
def test_terminals_without_colours_get_no_escape_codes(home: Home, environment: dict[str, str]) -> None:
    with Screen(home, "run", "run touch made; echo hi", environment=environment) as screen:
        screen.wait_for("Allow?")
        screen.enter("y")
        assert screen.end() == 0
        assert b"\x1b" not in screen.raw


def test_words_wrap_at_the_terminals_width(home: Home) -> None:
    with Screen(home, "run", "hi", columns=40) as screen:
        assert screen.end() == 0
        prose = [line for line in screen.text.splitlines() if " " in line and not line.startswith("|")]
    assert max(map(len, prose)) <= 40
    assert len(prose) > 5


def test_closed_streams_are_no_terminal(home: Home) -> None:
    command = ["sh", "-c", 'exec "$@" <&-', "sh", *home.command("run", "run touch made; echo hi", "--json")]
    done = subprocess.run(command, capture_output=True, env=home.environment(), text=True, check=False)
    assert done.returncode == 0
    assert '"status":"denied"' in done.stdout
    command[2] = 'exec "$@" 2>&-'
    done = subprocess.run(command, capture_output=True, env=home.environment(), stdin=subprocess.DEVNULL, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_answer_in_chinese_is_whole(inside: Inside) -> None:
    facts = inside("run", "现在几点", "--json").objects()
    assert "\ufffd" not in answer_text(facts)
