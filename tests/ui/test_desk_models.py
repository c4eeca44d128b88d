"""Models are chosen and remembered, a missing one is told and replaced, and settings are in force only if they could be written."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.ui.desks import FAST, Told, desk_in, opened, project, said, shown
from tests.ui.gui import Gui
from workbench.conversation.events import ModelChosen
from workbench.practice.server import MODEL_NAME
from workbench.providers.profiles import Profile
from workbench.settings.files import load_settings
from workbench.settings.tree import AppearanceSettings, PracticeSettings

OWN = FAST + '[[profiles]]\nname = "mine"\ntitle = "Mine"\nbase_url = "http://127.0.0.1:9/v1"\nmodels = ["a", "b"]\n'
"""Settings with a profile of the user's own, at an address where nobody answers."""



async def test_model_that_is_chosen_answers_and_is_remembered(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path, OWN) as desk:
        mine = [entry for entry in desk.models if entry.profile == "mine"]
        assert [(entry.title, entry.model, entry.why_not) for entry in mine] == [("Mine", "a", ""), ("Mine", "b", "")]
        assert await desk.choose_model("mine", "b")
        assert desk.bridge.opened is not None
        assert desk.bridge.opened.session.chosen == ModelChosen(profile="mine", model="b", dialect="chat_completions")
        assert desk.bridge.opened.choice.model == "b"
        kept = load_settings(tmp_path / "data" / "settings.toml").settings
        assert (kept.model.profile, kept.model.model) == ("mine", "b")


async def test_provider_without_a_key_says_what_is_missing(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        told = Told(desk)
        entry = next(entry for entry in desk.models if entry.profile == "openai")
        assert (entry.why_not, entry.lacks) == ("OpenAI needs a key: enter it in the settings.", "no key")
        assert not await desk.choose_model("openai", entry.model)
        assert told.sentences == [(entry.why_not, "warning")]
    async with desk_in(tmp_path, environment={"OPENAI_API_KEY": "k"}) as desk:
        await desk.refresh_models()
        entry = next(entry for entry in desk.models if entry.profile == "openai")
        assert entry.why_not == "No model of OpenAI is known yet: choose one in the settings."


async def test_profile_that_does_not_exist_is_told(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        told = Told(desk)
        assert not await desk.choose_model("nobody", "x")
        assert "nobody" in told.last
        assert desk.app.settings.model.profile == "practice"


async def test_session_goes_on_with_the_model_it_was_left_with(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path, OWN) as desk:
        await said(gui, desk, "hi there")
        first = shown(desk)
        await desk.choose_model("mine", "a")
        await desk.new_session()
        await desk.choose_model("practice", MODEL_NAME)
        told = Told(desk)
        assert await desk.open_session(first)
        assert desk.bridge.opened is not None
        assert desk.bridge.opened.choice.profile.name == "mine"
        assert told.sentences == []


async def test_session_whose_model_is_gone_goes_on_with_the_usual_one_and_that_is_told(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path, OWN) as desk:
        await said(gui, desk, "hi there")
        first = shown(desk)
        await desk.choose_model("mine", "a")
    (tmp_path / "data" / "settings.toml").write_text(FAST)
    async with opened(tmp_path) as desk:
        told = Told(desk)
        assert await desk.open_session(first)
        assert desk.bridge.opened is not None
        assert desk.bridge.opened.choice.profile.name == "practice"
        assert len(told.sentences) == 1
        assert "mine" in told.last


async def test_settings_whose_model_is_gone_still_open_a_session(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path, settings=FAST + '[model]\nprofile = "gone"\n') as desk:
        told = Told(desk)
        assert await desk.open_folder(project(tmp_path))
        assert desk.bridge.opened is not None
        assert desk.bridge.opened.choice.profile.name == "practice"
        assert "gone" in told.last


async def test_settings_are_written_and_in_force(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        changed: list[bool] = []
        desk.settings_changed.connect(lambda: changed.append(True))
        wanted = msgspec.structs.replace(desk.app.settings, appearance=AppearanceSettings(theme="dark"), practice=PracticeSettings(tokens_per_s=7))
        assert await desk.save_settings(wanted)
        assert changed == [True]
        assert desk.app.settings == wanted
        assert (await desk.app.practice()).rate_per_s == 7
    assert load_settings(tmp_path / "data" / "settings.toml").settings == wanted


async def test_settings_that_cannot_be_written_change_nothing(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        told, before = Told(desk), desk.app.settings
        (tmp_path / "data" / "settings.toml").write_text("this is = not toml = at all")
        assert not await desk.save_settings(msgspec.structs.replace(desk.app.settings, appearance=AppearanceSettings(theme="dark")))
        assert desk.app.settings == before
        assert len(told.sentences) == 1


async def test_local_servers_are_looked_for(gui: Gui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def found(*_arguments: object) -> tuple[Profile, ...]:
        return (Profile(name="ollama", title="Ollama", base_url="http://127.0.0.1:11434/v1", models=("small",)),)

    monkeypatch.setattr("workbench.app.find_local_servers", found)
    async with opened(tmp_path) as desk:
        assert await desk.find_local_servers() == 1
        assert ("ollama", "small", True) in [(entry.profile, entry.model, entry.local) for entry in desk.models]
