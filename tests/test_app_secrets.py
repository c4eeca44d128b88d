"""A key is known before anybody can type it, so that it is kept nowhere: neither as a message nor in what a command prints."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest

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
