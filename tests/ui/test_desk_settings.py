"""Settings saved through the desk reach the sessions that are open, and a key that is kept makes its provider's models available."""

from __future__ import annotations

from pathlib import Path

import msgspec

from tests.settings.test_credentials import Ring
from tests.ui.desks import Told, desk_in, project
from tests.ui.gui import Gui
from workbench.settings.credentials import SERVICE, Credentials
from workbench.settings.files import load_settings
from workbench.settings.tree import ModelSettings, Settings, ToolSettings


async def test_an_open_session_follows_the_settings(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        assert await desk.open_folder(project(tmp_path))
        opened = desk.bridge.opened
        assert opened is not None
        wanted = msgspec.structs.replace(desk.app.settings, model=ModelSettings(max_output_tokens=77), tools=ToolSettings(demo=False))
        assert await desk.save_settings(wanted)
        request = opened.session.next_request()
        assert request.options.max_output_tokens == 77
        assert "calculator" not in [tool.name for tool in request.tools]


async def test_what_another_process_wrote_stays(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        path = desk.app.settings_path
        path.write_text(path.read_text(encoding="utf-8") + '\n[model]\nmodel = "theirs"\n', encoding="utf-8")
        assert await desk.save_settings(msgspec.structs.replace(desk.app.settings, mode="read_only"))
        assert (desk.app.settings.mode, desk.app.settings.model.model) == ("read_only", "theirs")
        assert load_settings(path).settings == desk.app.settings


async def test_a_broken_file_is_told_and_stays(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        told, before = Told(desk), desk.app.settings
        desk.app.settings_path.write_text("mode = ", encoding="utf-8")
        assert not await desk.save_settings(Settings(mode="read_only"))
        assert desk.app.settings == before
        assert "Nothing was saved" in told.sentences[0][0]
        assert desk.app.settings_path.read_text(encoding="utf-8") == "mode = "


async def test_a_model_whose_key_lies_in_the_keyring_can_be_chosen_at_once(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        ring = Ring()
        ring.kept[SERVICE, "openai"] = "sk-kept-before"
        desk.app.credentials = Credentials({}, backend=ring)
        assert await desk.choose_model("openai", "gpt-x")
        assert desk.app.settings.model == ModelSettings(profile="openai", model="gpt-x")
