"""Settings that are saved are in force at once, in open sessions too; what somebody else wrote into the file is not lost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from workbench.agent.limits import Limits
from workbench.app import App
from workbench.conversation.events import LimitReached
from workbench.errors import SettingsError
from workbench.providers.profiles import Profile
from workbench.settings.credentials import Secret
from workbench.settings.files import load_settings, settings_problem
from workbench.settings.tree import AppearanceSettings, ModelSettings, PracticeSettings, Settings, ToolSettings
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse

KEY = "canary/key+7fd1c05b92=="
LAB = Profile(name="lab", base_url="http://127.0.0.1:9/v1", models=("m-1",))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "ws").mkdir()
    return tmp_path / "data"


async def test_what_is_saved_is_in_force_and_in_the_file(data: Path) -> None:
    async with await App.open(data, {}) as app:
        await app.save_settings(replace(app.settings, mode="read_only", profiles=(LAB,)))
        assert app.settings.mode == "read_only"
        assert (await app.choose("lab")).model == "m-1"
        assert load_settings(app.settings_path).settings == app.settings
    async with await App.open(data, {}) as app:
        assert app.settings.profiles == (LAB,)


async def test_the_practice_model_takes_its_new_rate_at_once(data: Path) -> None:
    async with await App.open(data, {}) as app:
        server = await app.practice()
        await app.save_settings(replace(app.settings, practice=PracticeSettings(tokens_per_s=7)))
        assert server.rate_per_s == 7


async def test_two_saves_that_began_from_the_same_settings_both_count(data: Path) -> None:
    async with await App.open(data, {}) as app:
        dark = replace(app.settings, appearance=AppearanceSettings(theme="dark"))
        await asyncio.gather(app.save_settings(dark), app.save_settings(replace(app.settings, mode="read_only")))
        assert (app.settings.appearance.theme, app.settings.mode) == ("dark", "read_only")


async def test_what_another_process_wrote_comes_into_force(data: Path) -> None:
    async with await App.open(data, {}) as app, await App.open(data, {}) as other:
        await other.save_settings(replace(other.settings, profiles=(LAB,)))
        await app.save_settings(replace(app.settings, mode="read_only"))
        assert (app.settings.mode, app.settings.profiles) == ("read_only", (LAB,))


async def test_a_refused_value_changes_nothing(data: Path) -> None:
    async with await App.open(data, {}) as app:
        before = app.settings
        with pytest.raises(SettingsError, match="zoom_percent"):
            await app.save_settings(replace(before, appearance=AppearanceSettings(zoom_percent=1)))
        assert app.settings == before
        assert not app.settings_path.exists()


@pytest.fixture
def broken(data: Path) -> Path:
    data.mkdir()
    (data / "settings.toml").write_text("mode = ")
    return data


async def test_a_broken_file_stays_until_it_is_set_aside(broken: Path) -> None:
    async with await App.open(broken, {}) as app:
        with pytest.raises(SettingsError, match="Nothing was saved"):
            await app.save_settings(replace(app.settings, mode="read_only"))
        assert app.settings == Settings()
        assert settings_problem(app.settings_path) is not None
        kept = await app.begin_settings_file()
        await app.save_settings(replace(app.settings, mode="read_only"))
        assert kept.read_text() == "mode = "
        assert load_settings(app.settings_path).settings.mode == "read_only"


async def test_a_file_that_broke_while_the_program_ran_is_replaced_by_what_is_in_force(data: Path) -> None:
    async with await App.open(data, {}) as app:
        await app.save_settings(replace(app.settings, mode="read_only", profiles=(LAB,)))
        app.settings_path.write_text("mode = ")
        await app.begin_settings_file()
        assert load_settings(app.settings_path).settings == app.settings == Settings(mode="read_only", profiles=(LAB,))


async def test_an_open_session_takes_the_new_settings(data: Path) -> None:
    async with await App.open(data, {}) as app:
        opened = await app.open_session(await app.workspace(data.parent / "ws"), await app.choose())
        wanted = replace(
            app.settings,
            limits=Limits(steps=1),
            model=ModelSettings(max_output_tokens=99),
            tools=ToolSettings(demo=False),
            practice=PracticeSettings(tokens_per_s=0),
        )
        await app.save_settings(wanted)
        opened = app.renewed(opened)
        request = opened.session.next_request()
        assert request.options.max_output_tokens == 99
        assert "calculator" not in [tool.name for tool in request.tools]
        waits = asyncio.Event()
        subscription = opened.session.journal.subscribe(lambda entry: waits.set() if isinstance(entry.event, LimitReached) else None)
        await opened.session.submit("introduce this project")
        await waits.wait()
        subscription.close()
        await opened.aclose()


async def test_an_open_session_follows_its_profile_to_another_address(data: Path) -> None:
    async with await App.open(data, {}) as app:
        await app.save_settings(replace(app.settings, profiles=(LAB,)))
        opened = await app.open_session(await app.workspace(data.parent / "ws"), await app.choose("lab"))
        await app.save_settings(replace(app.settings, profiles=(replace(LAB, base_url="http://127.0.0.1:8/v1"),)))
        opened = app.renewed(opened)
        assert (opened.choice.profile.base_url, opened.choice.model) == ("http://127.0.0.1:8/v1", "m-1")
        await app.save_settings(replace(app.settings, profiles=()))
        assert app.renewed(opened).choice.profile.base_url == "http://127.0.0.1:8/v1", "a profile that was removed serves until another is chosen"
        await opened.aclose()


# Testing a provider


async def seen(app: App, profile: Profile, key: str = "") -> list[str]:
    """Test a profile against a server that keeps what came; return the Authorization headers."""
    came: list[str] = []

    async def handler(request: ServerRequest) -> ServerResponse:
        came.append(request.header("authorization") or "")
        return ServerResponse(404)

    async with LoopbackServer(handler) as server:
        lines = [line async for line in app.probe(replace(profile, base_url=server.base_url + "/v1/"), key=key)]
    assert lines[0].message_id == "probe.reached"
    assert KEY not in repr(lines)
    return came


async def test_a_test_uses_the_key_that_was_typed_else_the_one_the_profile_has(data: Path) -> None:
    async with await App.open(data, {"LAB_KEY": KEY}) as app:
        named = replace(LAB, key_variable="LAB_KEY")
        assert await seen(app, LAB) == ["", ""]
        assert await seen(app, named) == [f"Bearer {KEY}"] * 2
        await app.credentials.keep("lab", Secret("kept"))
        assert await seen(app, named) == ["Bearer kept"] * 2
        assert await seen(app, named, "typed") == ["Bearer typed"] * 2


async def test_a_test_of_no_address_is_one_sentence(data: Path) -> None:
    async with await App.open(data, {}) as app:
        with pytest.raises(SettingsError, match="holds a user name"):
            await anext(app.probe(replace(LAB, base_url="http://u:p@h/v1")))
