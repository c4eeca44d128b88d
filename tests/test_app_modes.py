"""A new session starts in the mode of the settings; Auto only where a sandbox holds, else in the freest mode that needs none."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.app import App
from workbench.permissions.modes import Mode
from workbench.workspace.sandbox import Rung, Sandbox, SelfTestReport


@pytest.mark.parametrize(
    ("kept", "rung", "starts"),
    [
        ("auto", "bwrap", "auto"),
        ("auto", "landlock", "accept_edits"),
        ("auto", "none", "accept_edits"),
        ("ask", "none", "ask"),
        ("read_only", "bwrap", "read_only"),
    ],
)
async def test_a_new_session_starts_in_a_mode_that_can_be_had(tmp_path: Path, kept: Mode, rung: Rung, starts: Mode) -> None:
    data, folder = tmp_path / "data", tmp_path / "ws"
    folder.mkdir()
    data.mkdir()
    (data / "settings.toml").write_text(f'mode = "{kept}"\n')
    async with await App.open(data, {}) as app:
        app.confining._take(Sandbox(rung=rung, report=SelfTestReport(rung, (), "" if rung == "bwrap" else "It does not hold.")))
        opened = await app.open_session(await app.workspace(folder), await app.choose())
        assert opened.session.mode == starts
        await opened.aclose()
