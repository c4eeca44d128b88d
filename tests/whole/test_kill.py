"""The program is killed in the middle of a turn: everything up to that moment is there, and the session goes on with a legal history."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.agent.invariants import check_journal
from tests.cli.program import FAST, Home, lives, of_type, types, wait_for_pid
from tests.cli.screen import Screen
from tests.shared import ROOT
from workbench.conversation.events import ExchangeClosed, ExchangeOpened
from workbench.dialects.registry import dialect
from workbench.store.session_store import SessionStore

SLOW = "[practice]\ntokens_per_s = 30\n"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    shutil.copytree(ROOT / "resources" / "sample_project", home.workspace, dirs_exist_ok=True)
    return home


def go_on(home: Home) -> list[dict[str, Any]]:
    """Go on with the newest session, at full speed; return the facts of the new turn."""
    home.settings(FAST)
    facts = home.turn("what time is it", "--session", "last")
    assert facts[-1]["end"] == "answered", "the practice model refuses a history that is not legal"
    return facts


def check_history(home: Home) -> None:
    """Check the whole journal, and every request that was ever sent, by the rules of its dialect."""
    store = SessionStore.open(home.sessions()[0].folder, read_only=True)
    try:
        entries = store.entries()
        check_journal(entries)
        for entry in entries:
            if isinstance(entry.event, ExchangeOpened):
                assert dialect("chat_completions").check(store.body(entry.event.body)) == ()
    finally:
        store.close()


def test_killed_while_an_answer_streams(home: Home) -> None:
    home.settings(SLOW)
    with subprocess.Popen(home.command("run", "hi"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=home.environment()) as process:
        assert process.stdout is not None
        seen = _read_at_least(process.stdout.fileno(), 40)
        shown_later = seen + _read_at_least(process.stdout.fileno(), 40)
        process.kill()
    facts = home.run("inspect", "last", "--events", "--json", anywhere=True).objects()
    assert facts == home.session()
    assert types(facts)[-1] == "ExchangeOpened", "the request is there although it never ended"
    assert home.sessions()[0].state == "interrupted"
    response = home.run("inspect", "last", "--request", "1", "--raw", "response", anywhere=True).out
    text = _streamed_text(response)
    assert text.startswith(seen.decode("utf-8", "ignore")), "what a person had read is recorded"
    assert shown_later.decode("utf-8", "ignore").startswith(text) or text.startswith(shown_later.decode("utf-8", "ignore"))
    added = go_on(home)
    assert of_type(added, "TurnFinished")[0]["end"] == "interrupted"
    check_history(home)


def test_killed_while_a_tool_runs(home: Home) -> None:
    prompt = "run echo $$ > pid && sleep 300"
    with subprocess.Popen(
        home.command("run", prompt, "--approve", "all", "--json"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=home.environment()
    ) as process:
        pid = wait_for_pid(home.workspace / "pid")
        process.kill()
    try:
        facts = home.session()
        assert types(facts)[-1] == "ToolStarted"
        added = go_on(home)
        (ended,) = [fact for fact in added if fact["type"] == "ToolFinished" and fact["tool"] == "bash"]
        assert ended["result"]["is_error"]
        assert "The program ended" in ended["result"]["content"][0]["text"]
        check_history(home)
    finally:
        _end_group(pid)


def test_killed_while_a_question_is_open(home: Home) -> None:
    with Screen(home, "run", "run touch made") as screen:
        screen.wait_for("Allow?")
        screen.kill()
    facts = home.session()
    assert types(facts)[-1] == "ApprovalRequested"
    added = go_on(home)
    assert of_type(added, "ApprovalResolved")[0] | {"answer": "stop", "by": "program"} == of_type(added, "ApprovalResolved")[0]
    assert not (home.workspace / "made").exists(), "nobody allowed it"
    check_history(home)


def test_killed_again_and_again_loses_nothing(home: Home) -> None:
    """Whatever the moment, all facts up to the newest request that left are on disk, and the next start goes on from there."""
    home.settings("[practice]\ntokens_per_s = 300\n")
    for count in (9, 14, 19):
        more = ("--session", "last") if home.sessions() else ()
        command = home.command("run", "introduce this project", "--approve", "reads", "--json", *more)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=home.environment()) as process:
            assert process.stdout is not None
            lines = [json.loads(process.stdout.readline()) for _ in range(count)]
            process.kill()
        sent = [line["seq"] for line in lines[:-1] if line["type"] == "ExchangeOpened"]  # another fact behind it: it has left
        on_disk = {fact["seq"]: fact for fact in home.session()}
        assert [on_disk.get(line["seq"]) for line in lines if line["seq"] <= sent[-1]] == [line for line in lines if line["seq"] <= sent[-1]]
    go_on(home)
    check_history(home)


def test_one_session_is_written_by_one_process(home: Home) -> None:
    with Screen(home, "run", "run touch made") as screen:
        screen.wait_for("Allow?")
        assert home.sessions()[0].state == "in_use"
        done = home.run("run", "hi", "--session", "last")
        assert done.status == 2
        assert "another" in done.sentence()
        assert types(home.session())[-1] == "ApprovalRequested", "reading goes on"
        screen.enter("n")
        assert screen.end() == 0
    assert home.run("run", "what time is it", "--session", "last").status == 0


def test_closed_exchanges_stand_beside_the_interrupted_one(home: Home) -> None:
    home.settings("[practice]\ntokens_per_s = 100\n")
    command = home.command("run", "introduce this project")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=home.environment()) as process:
        assert process.stdout is not None
        assert any(b"at once" in line for line in process.stdout), "the text of the second answer"
        process.kill()
    listed = home.run("inspect", "last", "--json", anywhere=True).objects()
    assert [(request["number"], request["status"]) for request in listed] == [(1, 200), (2, None)]
    store = SessionStore.open(home.sessions()[0].folder, read_only=True)
    try:
        assert sum(isinstance(entry.event, ExchangeClosed) for entry in store.entries()) == 1
    finally:
        store.close()


def _read_at_least(number: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        assert select.select([number], [], [], 20)[0], "nothing streams"
        data += os.read(number, 4096)
    return data


def _streamed_text(response: bytes) -> str:
    decoder = dialect("chat_completions").stream_decoder()
    return "".join(getattr(event, "text", "") for event in decoder.feed(response) if type(event).__name__ == "TextDelta")


def _end_group(pid: int) -> None:
    """End what the killed program left behind; nothing else can."""
    if lives(pid):
        for process in [*psutil.Process(pid).children(recursive=True), psutil.Process(pid)]:
            os.kill(process.pid, signal.SIGKILL)
    assert Path("/proc").exists()
