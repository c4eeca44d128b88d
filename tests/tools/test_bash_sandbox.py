"""bash in a sandbox: what kept a command from something is told, what it planted is moved away, and nothing runs without it."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tools.commands import command_context, run_bash
from tests.workspace.holding import sandbox
from workbench.errors import ToolError
from workbench.tools.base import Interrupted, Result, ToolContext
from workbench.tools.bash import BashTool
from workbench.workspace.sandbox import Sandbox
from workbench.workspace.sandbox_cage import Held


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    found = sandbox("bwrap")

    async def known() -> Sandbox:
        return found

    return replace(command_context(tmp_path), sandbox=known, confinement="confined", data_folder=tmp_path / "data")


def told(result: Result) -> dict[str, Any]:
    value: dict[str, Any] = result.ui["sandbox"]
    return value


async def test_what_went_well_says_only_how_it_was_held(context: ToolContext) -> None:
    result = await run_bash(BashTool(), context, "echo ok")
    assert result.text.startswith("ok\n[exit code 0")
    assert "sandbox" not in result.text
    assert (told(result), result.stopped_by_sandbox) == ({"confinement": "confined", "rung": "bwrap", "denied": [], "quarantined": []}, "")


@pytest.mark.parametrize(
    ("command", "kind", "subject", "needed"),
    [
        ("touch /etc/workbench-x", "write", "/etc/workbench-x", "unconfined"),
        ("echo x > /usr/workbench-x", "write", "/usr/workbench-x", "unconfined"),
        ("git init -q && git config user.name x; mkdir .vscode; true; cat </dev/tcp/192.0.2.1/80", "network", "", "network"),
        ("echo 'curl: (6) Could not resolve host: example.org'; exit 6", "network", "example.org", "network"),
        ("echo 'OSError: [Errno 30] Read-only file system: '\"'/srv/x'\"; exit 1", "write", "/srv/x", "unconfined"),
        ("unshare -U true", "other", "unshare failed", "unconfined"),
    ],
)
async def test_what_was_denied_is_recognised(context: ToolContext, command: str, kind: str, subject: str, needed: str) -> None:
    result = await run_bash(BashTool(), context, command)
    assert {"kind": kind, "subject": subject} in [{**one, "subject": one["subject"].removeprefix("unshare: ")} for one in told(result)["denied"]]
    assert result.stopped_by_sandbox == needed
    assert "[the command runs in a sandbox: " in result.text


@pytest.mark.parametrize(
    "command",
    [
        "echo 'Read-only file system'",
        "echo 'x: Network is unreachable'",
        "cat missing",
        "exit 3",
        "cat /nowhere/at/all",
        "echo 'rm: x: Operation not permitted'; exit 1",
    ],
)
async def test_what_merely_looks_like_it_asks_nobody(context: ToolContext, command: str) -> None:
    result = await run_bash(BashTool(), context, command)
    assert (result.stopped_by_sandbox, told(result)["denied"]) == ("", [])


async def test_with_the_network_open_nobody_says_that_the_sandbox_kept_it_away(context: ToolContext) -> None:
    result = await run_bash(BashTool(), replace(context, confinement="network"), "echo 'curl: (6) Could not resolve host: example.org'; exit 6")
    assert (told(result)["confinement"], told(result)["denied"], result.stopped_by_sandbox) == ("network", [], "")
    assert "it has no network" not in result.text


async def test_that_scratch_is_new_is_told_when_it_is_missed(context: ToolContext) -> None:
    await run_bash(BashTool(), context, "echo x > /tmp/kept")
    result = await run_bash(BashTool(), context, "cat /tmp/kept")
    assert result.text.endswith("[/tmp is new for each command: keep files that are needed again in the workspace]")
    assert result.stopped_by_sandbox == ""


async def test_a_secret_file_that_was_not_named_is_told(context: ToolContext) -> None:
    (context.workspace.path / ".env").write_text("KEY=canary")
    result = await run_bash(BashTool(), context, "python3 -c 'print(1)' ; cat .env")
    assert "canary" not in result.text
    assert told(result)["denied"] == [{"kind": "read", "subject": ".env"}]
    named = replace(context, revealed=frozenset({str(context.workspace.path / ".env")}))
    assert "KEY=" in (await run_bash(BashTool(), named, "cat .env")).text


async def test_what_steers_later_runs_is_moved_away_and_told(context: ToolContext) -> None:
    result = await run_bash(BashTool(), context, "echo '{}' > .mcp.json; exit 1")
    (moved,) = told(result)["quarantined"]
    assert moved["path"] == ".mcp.json"
    assert Path(moved["kept"]).is_relative_to(context.outputs)
    assert ".mcp.json would steer what runs later" in result.text
    assert not (context.workspace.path / ".mcp.json").exists()


async def test_what_a_stopped_command_planted_is_moved_away_too(context: ToolContext) -> None:
    result = await run_bash(BashTool(), context, "echo '{}' > .mcp.json; sleep 60", timeout=300)
    assert result.status == "timed_out"
    assert not (context.workspace.path / ".mcp.json").exists()


async def test_network_is_open_only_when_it_was_decided(context: ToolContext) -> None:
    result = await run_bash(BashTool(), replace(context, confinement="network"), "ls /sys/class/net | wc -l; ls ~ | wc -l")
    assert told(result)["confinement"] == "network"


async def test_no_decision_means_confined_and_unconfined_is_only_what_was_decided(context: ToolContext) -> None:
    assert told(await run_bash(BashTool(), replace(context, confinement=""), "true"))["rung"] == "bwrap"
    free = await run_bash(BashTool(), replace(context, confinement="unconfined"), "true")
    assert told(free) == {"confinement": "unconfined", "rung": "bwrap", "denied": [], "quarantined": []}, "it is said what could have held it"
    bare = await run_bash(BashTool(), replace(context, confinement="unconfined", sandbox=None), "true")
    assert told(bare)["rung"] == "none"


@pytest.mark.parametrize("present", [True, False])
async def test_without_a_sandbox_nothing_runs(context: ToolContext, present: bool) -> None:
    async def none() -> Sandbox:
        return Sandbox()

    with pytest.raises(ToolError) as refused:
        await run_bash(BashTool(), replace(context, sandbox=none if present else None), "touch made")
    assert refused.value.kind == "sandbox_unavailable"
    assert not (context.workspace.path / "made").exists()


async def test_whole_output_of_a_call_before_can_be_read_inside(context: ToolContext) -> None:
    first = await run_bash(BashTool(), context, "seq 1 5000")
    assert "5000" in (await run_bash(BashTool(), context, f"tail -1 {context.outputs / first.output_file}")).text


@pytest.mark.parametrize("end", ["next command", "close"])
async def test_what_goes_on_running_plants_nothing_either(context: ToolContext, end: str) -> None:
    tool, planted = BashTool(), context.workspace.path / ".mcp.json"
    await run_bash(tool, context, "until [ -e go ]; do sleep 0.02; done; echo '{}' > .mcp.json; touch made; sleep 60", background=True)
    (context.workspace.path / "go").touch()
    while not (context.workspace.path / "made").exists():
        await asyncio.to_thread(time.sleep, 0.02)
    assert planted.exists()
    if end == "close":
        await tool.jobs.aclose()
    else:
        result = await run_bash(tool, context, "ls -a")
        assert ".mcp.json" not in result.text.partition("[exit")[0]
        assert [one["path"] for one in told(result)["quarantined"]] == [".mcp.json"]
        assert ".mcp.json would steer what runs later" in result.text
        await tool.jobs.aclose()
    assert not planted.exists()


async def test_what_was_there_when_it_was_left_running_stays(context: ToolContext) -> None:
    tool = BashTool()
    (context.workspace.path / "AGENTS.md").write_text("mine")
    await run_bash(tool, context, "sleep 60", background=True)
    await run_bash(tool, context, "true")
    await tool.jobs.aclose()
    assert (context.workspace.path / "AGENTS.md").read_text() == "mine"


async def test_a_command_stopped_while_it_is_looked_through_tells_what_it_did(context: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    started, go = threading.Event(), threading.Event()
    put_aside = Held.put_aside

    def slow(held: Held, quarantine: Path) -> Any:
        started.set()
        go.wait(10)
        return put_aside(held, quarantine)

    monkeypatch.setattr(Held, "put_aside", slow)
    running = asyncio.ensure_future(run_bash(BashTool(), context, "echo done; echo '{}' > .mcp.json"))  # noqa: TID251 - the test stops it
    await asyncio.to_thread(started.wait, 10)
    running.cancel()
    go.set()
    with pytest.raises(Interrupted) as stopped:
        await running
    assert stopped.value.result.text.startswith("done\n")
    assert [one["path"] for one in told(stopped.value.result)["quarantined"]] == [".mcp.json"]
