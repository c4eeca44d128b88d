"""A key is known before anybody can type it, so that it is kept nowhere: neither as a message nor in what a command prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.app import App

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
