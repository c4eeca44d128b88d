"""bash: the plan that a person sees, places, background, jobs, files, environment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tools.commands import alive, command_context, output_of, run_bash
from workbench.errors import ToolError
from workbench.tools.bash import BashTool
from workbench.tools.read import ReadTool
from workbench.workspace.jobs import Jobs


async def test_plan_shows_exactly_what_will_run(tmp_path: Path) -> None:
    text = "  echo a \\\n && echo b  "
    plan = await BashTool().prepare({"command": text, "description": "harmless", "timeout": 5000}, command_context(tmp_path))
    assert plan.command == text
    command, folder = plan.targets
    assert (command.kind, command.name, command.access) == ("command", text, "run")
    assert (folder.kind, folder.name, folder.outside) == ("path", str(tmp_path / "ws"), False)
    assert (plan.preview.kind, plan.preview.body, plan.preview.language) == ("command", text, "bash")
    assert plan.preview.title == "echo a \\ …"
    assert plan.preview.notes == ("Runs in the workspace folder.", "Is stopped after 5 s.")
    assert "harmless" not in plan.preview.title


async def test_nothing_runs_before_apply(tmp_path: Path) -> None:
    await BashTool().prepare({"command": "touch made", "description": ""}, command_context(tmp_path))
    assert list((tmp_path / "ws").iterdir()) == []


@pytest.mark.parametrize("workdir", ["nope", "file", "file/x", "nope/../x"])
async def test_folder_that_is_none_is_refused(tmp_path: Path, workdir: str) -> None:
    context = command_context(tmp_path)
    (context.workspace.path / "file").touch()
    with pytest.raises(ToolError) as refused:
        await BashTool().prepare({"command": "true", "description": "", "workdir": workdir}, context)
    assert refused.value.kind == "workdir_not_found"


async def test_folder_outside_is_left_to_the_gate(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    plan = await BashTool().prepare({"command": "pwd", "description": "", "workdir": "../other"}, command_context(tmp_path))
    assert (plan.targets[1].name, plan.targets[1].outside) == (str(tmp_path / "other"), True)
    assert plan.preview.notes[0] == f"Runs in {tmp_path / 'other'}."


async def test_folder_that_was_swapped_after_the_decision_is_not_entered(tmp_path: Path) -> None:
    context = command_context(tmp_path)
    (context.workspace.path / "d").mkdir()
    plan = await BashTool().prepare({"command": "touch made", "description": "", "workdir": "d"}, context)
    (context.workspace.path / "d").rmdir()
    (context.workspace.path / "d").symlink_to(tmp_path)
    with pytest.raises(ToolError) as refused:
        await BashTool().apply(plan, context)
    assert refused.value.kind == "changed_during_approval"
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("command", ["", " \n", "a\0b"])
async def test_command_that_is_none_is_refused(tmp_path: Path, command: str) -> None:
    with pytest.raises(ToolError) as refused:
        await BashTool().prepare({"command": command, "description": ""}, command_context(tmp_path))
    assert refused.value.kind == "invalid_arguments"


async def test_whole_output_can_be_read_with_the_read_tool(tmp_path: Path) -> None:
    context = command_context(tmp_path)
    result = await run_bash(BashTool(), context, "seq 1 5000")
    assert result.output_file == "call_1.txt"
    plan = await ReadTool().prepare({"file_path": str(tmp_path / "outputs" / result.output_file), "offset": 2500, "limit": 1}, context)
    assert not plan.targets[0].outside
    assert "2500: 2500" in (await ReadTool().apply(plan, context)).text


async def test_id_of_foreign_make_stays_in_the_outputs_folder(tmp_path: Path) -> None:
    result = await run_bash(BashTool(), command_context(tmp_path, call_id="../../x/\ud800"), "seq 1 5000")
    assert (tmp_path / "outputs" / result.output_file).read_text().endswith("5000\n")
    assert len(list((tmp_path / "outputs").iterdir())) == 1


async def test_background_command_runs_until_the_session_ends(tmp_path: Path) -> None:
    jobs = Jobs()
    result = await run_bash(BashTool(jobs), command_context(tmp_path), "echo up; exec sleep 49.1", background=True, timeout=1000)
    assert (result.status, result.exit_code, output_of(result), result.facts) == ("ok", None, "up", "in the background")
    (job,) = await jobs.running()
    assert f"[still running: {job.processes[0].pid} sleep 49.1; log: {tmp_path / 'outputs' / 'call_1.txt'}]" in result.text
    await jobs.aclose()
    assert alive("sleep 49.1") == []


async def test_live_output_comes_while_it_runs(tmp_path: Path) -> None:
    live: list[str] = []

    def watch(text: str) -> None:
        live.append(text)
        (tmp_path / "ws" / "go").touch()

    command = "echo one; until [ -e go ]; do sleep 0.01; done; printf '\\033[31mtwo\\n'"
    result = await run_bash(BashTool(), command_context(tmp_path, on_output=watch), command, timeout=5000)
    assert live == ["one\n", "two\n"]
    assert output_of(result) == "one\ntwo"


async def test_environment_of_the_session_is_used_and_still_made_safe(tmp_path: Path) -> None:
    context = replace(command_context(tmp_path), environment={"PATH": "/usr/bin:/bin", "NAMED": "yes", "LD_PRELOAD": "/x.so"})
    assert output_of(await run_bash(BashTool(), context, 'echo "$NAMED|$LD_PRELOAD|$PAGER|$HOME"')) == "yes||cat|"


async def test_without_a_session_nothing_but_the_named_variables_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SETTING", "x")
    monkeypatch.setenv("PATH", f"{tmp_path / 'ws' / 'bin'}:/usr/bin:/bin")
    context = replace(command_context(tmp_path), environment={})
    assert output_of(await run_bash(BashTool(), context, 'echo "[$SOME_SETTING]$PATH"')) == "[]/usr/bin:/bin"
