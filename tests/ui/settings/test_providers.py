"""The list of providers, their tests and the search for local servers, through the real dialog."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLineEdit
from shiboken6 import isValid

from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from tests.ui.settings.dialogs import KEY, Provider, Silent, dialog_in, lines_of
from tests.ui.settings.forms import LAB, choose, field, fill, nowhere, row, rows, told, tried
from workbench.ui.kit.popup import PopupMenu
from workbench.wire.server import LoopbackServer

# The list


async def test_the_list_has_practice_own_and_known_providers(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, settings=LAB.format(url="http://127.0.0.1:9")) as (_desk, dialog):
        await gui.until(lambda: len(rows(gui)) > 3)
        assert rows(gui)[0].startswith("Practice model, Chat · 127.0.0.1:")
        assert rows(gui)[0].endswith("in use")
        assert rows(gui)[1] == "Lab server, Chat · 127.0.0.1:9, no key"
        assert rows(gui)[2] == "OpenAI, Chat · api.openai.com, no key"
        assert_plain(dialog)


async def test_the_practice_model_can_be_tested_and_not_changed(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path):
        assert not field(gui, "Address").isEnabled()
        assert not gui.find("Choose from the listed models").isEnabled()
        assert "Key" not in gui.names()
        assert "Save" not in gui.names()
        assert [outcome for outcome, _ in await tried(gui)] == ["ok"] * 4


# Testing


async def test_each_thing_found_has_its_line_and_the_models_are_offered(gui: Gui, tmp_path: Path) -> None:
    async with LoopbackServer(provider := Provider(key=KEY)) as server:
        settings = LAB.format(url=server.base_url)
        async with dialog_in(gui, tmp_path, settings=settings, environment={"LAB_API_KEY": KEY}) as (desk, dialog):
            await choose(gui, dialog, "lab")
            assert await tried(gui) == [
                ("ok", "The address answers"),
                ("ok", "It speaks Chat Completions"),
                ("ok", "The key is accepted"),
                ("ok", "It has the model m-2"),
            ]
            assert lines_of(gui)[2].facts == "from LAB_API_KEY"
            assert provider.came == [KEY, KEY, ""]
            assert "2 listed" in told(dialog)
            await gui.click("Choose from the listed models")
            gui.find("Models", PopupMenu).rows.chosen.emit("m-1")
            assert field(gui, "Models").text() == "m-1, m-2"
            nowhere(desk, dialog)


async def test_a_wrong_key_is_told_with_the_servers_own_words_and_without_the_key(gui: Gui, tmp_path: Path) -> None:
    async with LoopbackServer(Provider(key="right")) as server, dialog_in(gui, tmp_path, settings=LAB.format(url=server.base_url)) as (desk, dialog):
        await choose(gui, dialog, "lab")
        fill(gui, "Key", KEY)
        assert await tried(gui) == [("ok", "The address answers"), ("failed", "The key was refused: Incorrect API key provided: •••.")]
        assert "Incorrect API key" in lines_of(gui)[1].original
        assert row(gui, "Lab server").endswith("not saved")
        nowhere(desk, dialog)


async def test_what_was_typed_is_tested_without_being_saved(gui: Gui, tmp_path: Path) -> None:
    async with LoopbackServer(Provider(key=KEY)) as server, dialog_in(gui, tmp_path) as (desk, dialog):
        dialog.providers.begin("empty")
        fill(gui, "Address", f"{server.base_url}/v1")
        fill(gui, "Key", KEY)
        assert [outcome for outcome, _ in await tried(gui)] == ["ok"] * 4
        assert desk.app.settings.profiles == ()
        assert desk.app.credentials.known() == ()


async def test_a_test_can_be_stopped(gui: Gui, tmp_path: Path) -> None:
    async with LoopbackServer(silent := Silent()) as server, dialog_in(gui, tmp_path, settings=LAB.format(url=server.base_url)) as (_desk, dialog):
        await choose(gui, dialog, "lab")
        await gui.click("Test")
        await silent.asked.wait()
        await gui.click("Stop")
        await silent.gone.wait()
        assert [line.sentence for line in lines_of(gui)] == ["Stopped"]
        assert "Test" in gui.names()


@pytest.mark.parametrize("leaving", ["another provider", "closing"])
async def test_a_test_ends_when_nobody_looks_at_it_any_more(gui: Gui, tmp_path: Path, leaving: str) -> None:
    async with LoopbackServer(silent := Silent()) as server, dialog_in(gui, tmp_path, settings=LAB.format(url=server.base_url)) as (_desk, dialog):
        await choose(gui, dialog, "lab")
        gui.keys(dialog, "F5")
        await silent.asked.wait()
        if leaving == "closing":
            dialog.close()
        else:
            dialog.providers.choose("openai")
        await silent.gone.wait()


async def test_two_thousand_models_can_be_chosen_from(gui: Gui, tmp_path: Path) -> None:
    names = [f"model-{number}" for number in range(2_000)]
    async with LoopbackServer(Provider(*names)) as server, dialog_in(gui, tmp_path, settings=LAB.format(url=server.base_url)) as (_desk, dialog):
        await choose(gui, dialog, "lab")
        await tried(gui)
        assert "2000 listed" in told(dialog)
        await gui.click("Choose from the listed models")
        menu = gui.find("Models", PopupMenu)
        assert len(menu.entries) == 2_000
        gui.type(gui.find("Filter", QLineEdit), "model-1234")
        gui.keys(gui.find("Filter", QLineEdit), "Return")
        await gui.until(lambda: field(gui, "Models").text() == "model-1234, m-2")


# Local servers


async def test_local_servers_are_looked_for_place_by_place(gui: Gui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.providers import discovery
    from workbench.providers.discovery import LocalKind

    async with LoopbackServer(Provider("qwen3:8b", "llama3")) as server, dialog_in(gui, tmp_path) as (desk, _dialog):
        kinds = (LocalKind("ollama", "Ollama", server.port), LocalKind("vllm", "vLLM", 1))
        monkeypatch.setattr("workbench.ui.settings.local_search.LOCAL_KINDS", kinds)
        monkeypatch.setattr("workbench.app.find_local_servers", lambda http: discovery.find_local_servers(http, kinds=kinds))
        await gui.click("Find local servers")
        await gui.until(lambda: [line.outcome for line in lines_of(gui, "Local servers")] == ["ok", "nothing"])
        found, nobody = lines_of(gui, "Local servers")
        assert (found.sentence, found.facts) == (f"Ollama at 127.0.0.1:{server.port}", "2 models")
        assert nobody.sentence == "vLLM: nobody at 127.0.0.1:1"
        await gui.until(lambda: row(gui, "Ollama").endswith("found"))
        assert ("ollama", "llama3") in [(entry.profile, entry.model) for entry in desk.models]


@pytest.mark.parametrize("menu", ["Add a provider…", "Dialect"])
async def test_closing_with_an_open_menu_and_the_keyboard_in_a_field_leaves_nothing_behind(gui: Gui, tmp_path: Path, menu: str) -> None:
    async with dialog_in(gui, tmp_path, settings=LAB.format(url="http://127.0.0.1:9")) as (_desk, dialog):
        await choose(gui, dialog, "lab")
        dialog.activateWindow()
        field(gui, "Address").setFocus()
        await gui.click(menu)
        dialog.close()
        await gui.until(lambda: not isValid(dialog))
