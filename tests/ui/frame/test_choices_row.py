"""Mode and model are chosen from menus that say what each choice means, and why one cannot be made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.desks import desk_in
from tests.ui.frame.parts import composer_of, menu_of
from tests.ui.frame.sessions import opened_desk, shown
from tests.ui.gui import Gui
from workbench.permissions.modes import GateFacts
from workbench.providers.profiles import Profile
from workbench.settings.tree import Settings
from workbench.ui.desk import ModelEntry
from workbench.ui.frame.menus import ADD_PROVIDER, FIND_SERVERS, Model, mode_entries, model_entries, model_of
from workbench.ui.kit.buttons import MenuButton
from workbench.ui.kit.popup_list import EntryList

# Entries


def test_mode_that_is_not_available_says_why() -> None:
    entries = {entry.entry_id: entry for entry in mode_entries("ask", GateFacts())}
    assert list(entries) == ["read_only", "ask", "accept_edits", "auto"]
    assert entries["auto"].why_not == GateFacts().unconfined_because
    assert [entry.entry_id for entry in entries.values() if entry.chosen] == ["ask"]
    assert all(entry.sentence for entry in entries.values())
    assert mode_entries("auto", GateFacts(rung="bwrap"))[3].why_not == ""
    long = GateFacts(rung="landlock", unconfined_because="Auto needs more than 0.5 of it. This system has no namespaces.")
    assert mode_entries("ask", long)[3].why_not == "Auto needs more than 0.5 of it.", "a menu elides nothing, so it tells the reason alone"


def test_models_stand_by_provider_with_the_ways_to_more_below() -> None:
    models = (
        ModelEntry("practice", "Practice model", "practice", "chat_completions", local=True),
        ModelEntry("ollama", "Ollama", "a/b:14b", "chat_completions", local=True),
        ModelEntry("openai", "OpenAI", "gpt\u202e", "chat_completions", local=False, why_not="OpenAI needs a key.", lacks="no key"),
    )
    practice, local, remote, find, add = model_entries(models, Model("ollama", "a/b:14b"))
    assert (practice.group, practice.note) == ("practice", "Chat Completions")
    assert (local.group, local.note, local.chosen) == ("Ollama", "local", True)
    assert (remote.title, remote.why_not, remote.lacks, remote.note) == ("gpt⟨U+202E⟩", "OpenAI needs a key.", "no key", "")
    assert model_of(local.entry_id) == Model("ollama", "a/b:14b")
    assert (find.entry_id, find.rule, add.entry_id) == (FIND_SERVERS, True, ADD_PROVIDER)


# In the composer


async def test_mode_is_chosen_by_keys(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        await gui.until(composer.edit.hasFocus)
        composer.open_mode_menu()
        await gui.settle()
        rows = menu_of().rows
        assert rows.hasFocus()
        gui.keys(rows, "Down")
        gui.keys(rows, "Return")
        await gui.until(lambda: shown(desk).session.mode == "accept_edits")
        desk.bridge.flush()
        assert gui.find("Mode", MenuButton).text() == "Accept edits"
        assert composer.edit.hasFocus(), "the keyboard is where it was"


async def test_mode_that_is_not_available_cannot_be_chosen(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer_of(gui, desk).open_mode_menu()
        await gui.settle()
        rows = menu_of().rows
        gui.keys(rows, "Up")
        gui.keys(rows, "Up")
        assert rows.entries[rows.currentIndex().row()].entry_id == "auto"
        gui.keys(rows, "Return")
        await gui.settle()
        assert menu_of().isVisible()
        assert shown(desk).session.mode == "ask"


async def test_model_is_chosen_and_shown(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        assert await desk.save_settings(Settings(profiles=(Profile(name="mine", title="My server", base_url="http://127.0.0.1:9/v1", models=("m1",)),)))
        composer = composer_of(gui, desk)
        composer.open_model_menu()
        await gui.settle()
        menu = menu_of()
        gui.type(menu.first(), "m1")
        await gui.until(lambda: [entry.title for entry in menu.rows.entries] == ["m1"])
        gui.keys(menu.first(), "Return")
        await gui.until(lambda: shown(desk).session.chosen.model == "m1")
        assert gui.find("Model", MenuButton).text() == "m1"


async def test_way_to_a_provider_is_in_the_menu(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        wanted: list[bool] = []
        composer.provider_wanted.connect(lambda: wanted.append(True))
        composer.open_model_menu()
        await gui.settle()
        rows: EntryList = menu_of().rows
        gui.keys(rows, "Up")
        gui.keys(rows, "Return")
        assert wanted == [True]


async def test_looking_for_servers_says_what_was_found(gui: Gui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)

        async def nobody() -> int:
            return 0

        monkeypatch.setattr(desk, "find_local_servers", nobody)
        composer._choices._choose_model(FIND_SERVERS)
        await gui.until(lambda: composer._notice.isVisible())
        assert composer._notice.text().startswith("No server answers on this machine.")


async def test_without_a_session_there_is_nothing_to_choose(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        composer_of(gui, desk).open_mode_menu()
        assert not gui.find("Mode").isEnabled()
        assert gui.find("Model", MenuButton).text() == "No model"
