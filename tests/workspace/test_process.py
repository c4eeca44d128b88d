"""Commands: their end, what they leave, what they cannot do to us."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import psutil
import pytest

from tests.left_behind import NewChildren
from tests.workspace.running import command, open_descriptors, run
from workbench.errors import ToolError
from workbench.workspace import output_reader, process
from workbench.workspace.jobs import Jobs
from workbench.workspace.process import CommandCancelled, run_command, run_in_background


async def test_outcome_of_an_ordinary_command(tmp_path: Path) -> None:
    live: list[str] = []
    outcome = await run(tmp_path, "echo out; echo err >&2; exit 4", on_text=live.append)
    assert (outcome.ended, outcome.exit_code, outcome.signal) == ("exited", 4, "")
    assert outcome.output.text == "out\nerr\n"
    assert "".join(live) == "out\nerr\n"
    assert (outcome.log, outcome.survivors, outcome.held_open) == (None, (), False)
    assert outcome.status is not None
    assert outcome.status.folder == tmp_path


async def test_nothing_stays_open_or_alive(tmp_path: Path, new_children: NewChildren) -> None:
    await run(tmp_path, "true")  # what is made once is made now
    descriptors = open_descriptors()
    for text in ("echo a", "kill -9 $$", "exec true", "echo ("):
        await run(tmp_path, text)
    await run(tmp_path, "sleep 5", timeout_s=0.05)
    with pytest.raises(ToolError):
        await run(tmp_path / "missing", "true")
    assert open_descriptors() == descriptors
    assert new_children() == []


async def test_command_runs_in_a_session_of_its_own(tmp_path: Path) -> None:
    outcome = await run(tmp_path, "ps -o pid=,pgid=,sid= -p $$; tty; umask")
    pid, group, session = outcome.output.text.splitlines()[0].split()
    assert pid == group == session
    assert int(session) != os.getsid(0)
    assert "not a tty" in outcome.output.text


async def test_missing_folder_and_unusable_command_are_said(tmp_path: Path) -> None:
    with pytest.raises(ToolError) as missing:
        await run(tmp_path / "missing", "true")
    assert missing.value.kind == "workdir_not_found"
    with pytest.raises(ToolError) as too_long:
        await run(tmp_path, f": {'x' * 3_000_000}")
    assert too_long.value.kind == "spawn_failed"
    with pytest.raises(ToolError) as nul:
        await run(tmp_path, "echo \0")
    assert nul.value.kind == "spawn_failed"


async def test_cancel_while_starting_leaves_nothing(tmp_path: Path) -> None:
    for turns in range(6):
        async with asyncio.TaskGroup() as group:
            task = group.create_task(run(tmp_path, "sleep 43.1"))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
        assert task.cancelled()
        assert not [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == ["sleep", "43.1"]]


async def test_cancelling_again_and_again_changes_nothing(tmp_path: Path) -> None:
    up = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        text = "trap '' TERM; echo up; sleep 43.2; sleep 43.2"
        task = group.create_task(run(tmp_path, text, on_text=lambda _text: up.set()))
        await up.wait()
        while not task.done():
            task.cancel()
            await asyncio.sleep(0.02)
    with pytest.raises(CommandCancelled) as cancelled:
        task.result()
    assert cancelled.value.outcome.output.text == "up\n"
    assert not [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == ["sleep", "43.2"]]


async def test_time_out_reports_what_came(tmp_path: Path) -> None:
    outcome = await run(tmp_path, "printf partly; sleep 30", timeout_s=0.3)
    assert (outcome.ended, outcome.exit_code, outcome.output.text) == ("timed_out", None, "partly")


async def test_output_over_the_cap_ends_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_reader.OutputReader.__init__, "__kwdefaults__", {"cap_bytes": 200_000})
    started = time.monotonic()
    outcome = await run(tmp_path, "trap '' TERM; setsid yes")
    assert outcome.ended == "output_limit"
    assert time.monotonic() - started < 2
    assert outcome.log is not None
    assert outcome.log.stat().st_size == 200_000


async def test_survivor_goes_on_writing_to_the_log(tmp_path: Path) -> None:
    jobs = Jobs()
    text = "(until [ -e go ]; do sleep 0.02; done; echo later; touch done; sleep 44) & echo now"
    outcome = await run(tmp_path, text, jobs=jobs)
    assert outcome.output.text == "now\n"
    assert outcome.log is not None
    assert outcome.survivors
    (tmp_path / "go").touch()
    while not (tmp_path / "done").exists():  # noqa: ASYNC110 - another process makes it
        await asyncio.sleep(0.01)
    (job,) = await jobs.running()
    assert job.log.read_text() == "now\nlater\n"
    await jobs.aclose()


async def test_what_holds_the_pipe_unseen_is_told(tmp_path: Path) -> None:
    jobs = Jobs()
    outcome = await run(tmp_path, "env -i setsid sleep 0.6 & sleep 0.1; echo x", jobs=jobs)
    assert (outcome.survivors, outcome.held_open) == ((), True)
    (job,) = await jobs.running()
    assert job.processes == ()
    await jobs.aclose()


async def test_background_command_is_left_running_and_one_that_fails_is_told_at_once(tmp_path: Path, new_children: NewChildren) -> None:
    jobs = Jobs()
    outcome = await run_in_background(command(tmp_path, "echo up; exec sleep 45"), jobs=jobs, on_text=lambda _text: None)
    assert (outcome.ended, outcome.exit_code, outcome.output.text) == ("running", None, "up\n")
    assert [one.command for one in outcome.survivors] == ["sleep 45"]
    assert outcome.log is not None
    assert outcome.log.read_text() == "up\n"
    failed = await run_in_background(command(tmp_path, "no_such_server"), jobs=jobs, on_text=lambda _text: None)
    assert (failed.ended, failed.exit_code) == ("exited", 127)
    await jobs.aclose()
    assert new_children() == []


async def test_twenty_commands_at_once(tmp_path: Path) -> None:
    jobs = Jobs()
    async with asyncio.TaskGroup() as group:
        tasks = []
        for number in range(20):
            (tmp_path / str(number)).mkdir()
            one = command(tmp_path / str(number), f"sleep 0.05; echo {number}")
            tasks.append(group.create_task(run_command(one, jobs=jobs, on_text=lambda _text: None)))
    assert [task.result().output.text for task in tasks] == [f"{number}\n" for number in range(20)]


def test_graces_keep_the_promises() -> None:
    assert process.CANCEL_GRACE_S + process.DRAIN_LIMIT_S < 0.8
    assert process.TIMEOUT_GRACE_S + process.DRAIN_LIMIT_S < 2.5
