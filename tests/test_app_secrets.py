"""A key is known before anybody can type it, so that it is kept nowhere: neither as a message nor in what a command prints."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest
from msgspec.structs import replace

from workbench.app import App
from workbench.cli import output

KEY = "canary/key+7fd1c05b92=="


@pytest.mark.parametrize("variable", ["MINE", "OPENAI_API_KEY"])
async def test_key_typed_as_the_first_message_is_not_kept(tmp_path: Path, variable: str) -> None:
    (tmp_path / "ws").mkdir()
    async with await App.open(tmp_path / "data", {variable: KEY}) as app:
        choice = await app.choose("m", base_url="http://127.0.0.1:9/v1", key_variable="MINE")
        opened = await app.open_session(await app.workspace(tmp_path / "ws"), choice, headless="none")
        await opened.session.submit(f"my key is {KEY}")
        await opened.session.stop()
        await opened.session.wait_idle()
        await opened.aclose()
    written = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert written
    assert not [path for path in written if KEY.encode() in path.read_bytes()]


async def test_commands_see_only_the_variables_that_a_person_named(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    workspace_folder = (tmp_path / "ws").resolve()
    async with await App.open(tmp_path / "data", {"MINE": "1", "OTHER": "2", "LD_PRELOAD": "3", "HERE": "4", "THERE": "5"}) as app:
        names = ("MINE", "LD_PRELOAD", f"HERE@{workspace_folder}", "THERE@/else")
        await app.save_settings(replace(app.settings, tools=replace(app.settings.tools, environment=names)))
        bench = await app.bench(await app.workspace(workspace_folder))
        assert bench.context.environment.keys() & app.environment.keys() == {"MINE", "HERE"}
        assert bench.context.added_variables == ("MINE", "HERE")
        tool = bench.registry.get("bash")
        assert tool is not None
        plan = await tool.prepare({"command": "ls", "description": "d"}, bench.context)
        assert "It sees these variables of yours: MINE, HERE." in plan.preview.notes


async def test_values_of_added_variables_are_shown_no_more_than_others(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    async with await App.open(tmp_path / "data", {"MY_TOKEN": KEY, "MODE": "development"}) as app:
        await app.save_settings(replace(app.settings, tools=replace(app.settings.tools, environment=("MY_TOKEN", "MODE"))))
        bench = await app.bench(await app.workspace(tmp_path / "ws"))
        assert bench.context.redactor.text(f"MY_TOKEN is {KEY} in development").text == "MY_TOKEN is [REDACTED:MY_TOKEN] in development"
        assert KEY in app.secrets()


async def test_secret_files_of_a_workspace_are_known_to_the_whole_program(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / ".env").write_text(f"TOKEN={KEY}")
    async with await App.open(tmp_path / "data", {}) as app:
        assert KEY not in app.secrets()
        await app.bench(await app.workspace(tmp_path / "ws"))
        assert KEY in app.secrets()


def test_known_keys_are_replaced_in_what_commands_print(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "_masks", output._masks)
    output.hide(lambda: (KEY,))
    output.print_json({"text": f"the key is {KEY}", "url": f"?key={quote(KEY, safe='')}"})
    output.say(f"error: {KEY}")
    output.answer(KEY)
    shown = "".join(capfd.readouterr())
    assert shown.count("REDACTED") == 4
    assert "7fd1c05b92" not in shown


def test_json_on_a_terminal_holds_nothing_that_steers_it(capfd: pytest.CaptureFixture[str]) -> None:
    value = {"text": "\x1b[2J\x9b31m\x7f\x85\u200b\u202e\u2028\u2066 中文 é"}
    output.print_json(value)
    line = capfd.readouterr().out
    assert json.loads(line) == value
    assert line.rstrip("\n").isprintable()
    assert "中文 é" in line
