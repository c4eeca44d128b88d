"""Providers and keys that are added, changed, deleted, brought back and used; no key is ever seen again or written anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from typing_extensions import override

from tests.settings.test_credentials import Ring
from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from tests.ui.settings.dialogs import KEY, Provider, dialog_in
from tests.ui.settings.forms import LAB, choose, field, fill, nowhere, row, told
from workbench.settings.credentials import SERVICE, Secret
from workbench.settings.files import load_settings
from workbench.ui.kit.popup import PopupMenu
from workbench.wire.server import LoopbackServer

# Adding and saving


async def test_a_provider_is_added_with_its_key_in_the_keyring(gui: Gui, tmp_path: Path) -> None:
    ring = Ring()
    async with LoopbackServer(Provider(key=KEY)) as server, dialog_in(gui, tmp_path, ring=ring) as (desk, dialog):
        await gui.click("Add a provider…")
        gui.find("Add a provider…", PopupMenu).rows.chosen.emit("empty")
        fill(gui, "Name", "Lab server")
        fill(gui, "Address", f"{server.base_url}/v1/chat/completions")
        fill(gui, "Key", KEY)
        fill(gui, "Models", "m-1, m-2")
        await gui.click("Save")
        await gui.until(lambda: desk.app.settings.profiles)
        (profile,) = load_settings(desk.app.settings_path).settings.profiles
        assert (profile.name, profile.title, profile.base_url, profile.models) == ("lab-server", "Lab server", f"{server.base_url}/v1", ("m-1", "m-2"))
        await gui.until(lambda: "The key is kept in the system's keyring." in told(dialog))
        assert ring.kept == {(SERVICE, "lab-server"): KEY}
        assert field(gui, "Key").text() == ""
        assert "Remove key" in gui.names()
        assert ("lab-server", "m-1") in [(entry.profile, entry.model) for entry in desk.models]
        assert dialog.providers.unsaved() == 0
        nowhere(desk, dialog)


async def test_without_a_keyring_the_key_stays_in_memory_and_that_is_said(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, settings=LAB.format(url="http://127.0.0.1:9")) as (desk, dialog):
        await choose(gui, dialog, "lab")
        await gui.until(lambda: "There is no keyring here" in told(dialog))
        fill(gui, "Key", KEY)
        await gui.click("Save")
        await gui.until(lambda: "The key is kept in memory only" in told(dialog))
        assert await desk.app.credentials.find("lab") == Secret(KEY)
        nowhere(desk, dialog)
        await gui.click("Remove key")
        await gui.until(lambda: "There is no key: LAB_API_KEY is not set." in told(dialog))
        assert await desk.app.credentials.find("lab") is None


async def test_a_key_in_the_environment_is_shown_by_its_name_alone(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, settings=LAB.format(url="http://127.0.0.1:9"), environment={"LAB_API_KEY": KEY}) as (desk, dialog):
        await choose(gui, dialog, "lab")
        await gui.until(lambda: "The key is taken from the environment variable LAB_API_KEY." in told(dialog))
        assert field(gui, "Environment variable").text() == "LAB_API_KEY"
        assert "Remove key" not in gui.names()
        assert not row(gui, "Lab server").endswith("no key")
        nowhere(desk, dialog)


async def test_a_key_that_the_keyring_does_not_let_go_is_told(gui: Gui, tmp_path: Path) -> None:
    class Holding(Ring):
        @override
        def delete_password(self, service: str, username: str) -> None:
            raise RuntimeError("held")

    ring = Holding()
    ring.kept[SERVICE, "lab"] = KEY
    async with dialog_in(gui, tmp_path, settings=LAB.format(url="http://127.0.0.1:9"), ring=ring) as (_desk, dialog):
        await choose(gui, dialog, "lab")
        await gui.click("Remove key")
        await gui.until(lambda: "did not let the key go" in field(gui, "Key").accessibleDescription())


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("Name", " ", "A provider needs a name"),
        ("Address", "lab.example/v1", "write it as http:// or https://"),
        ("Address", "https://me:canary@lab.example", "leave these out; a key goes into the key field"),
        ("Key", "Bearer canary", "without “Bearer”"),
        ("Environment variable", "sk-canary", "Write a variable's name in capitals"),
    ],
)
async def test_what_is_refused_stays_in_its_field_with_one_sentence(gui: Gui, tmp_path: Path, name: str, typed: str, said: str) -> None:
    async with dialog_in(gui, tmp_path, settings=LAB.format(url="http://127.0.0.1:9")) as (desk, dialog):
        await choose(gui, dialog, "lab")
        before = desk.app.settings
        fill(gui, name, typed)
        await gui.click("Save")
        await gui.until(lambda: said in field(gui, name).accessibleDescription())
        assert said in told(dialog)
        assert "canary" not in told(dialog)
        assert (field(gui, name).text(), desk.app.settings) == (typed, before)
        assert "canary" not in desk.app.settings_path.read_text(encoding="utf-8")


async def test_saving_keeps_what_the_form_does_not_show(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, settings=LAB.format(url="http://127.0.0.1:9")) as (desk, dialog):
        await choose(gui, dialog, "lab")
        fill(gui, "Name", "My lab")
        await gui.click("Save")
        await gui.until(lambda: desk.app.settings.profiles[0].title == "My lab")
        assert desk.app.settings.profiles[0].quirks.max_tools == 7
        assert "# by hand" in desk.app.settings_path.read_text(encoding="utf-8")


async def test_a_known_provider_that_is_changed_becomes_an_own_one(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, ring=Ring()) as (desk, dialog):
        await choose(gui, dialog, "openai")
        fill(gui, "Models", "gpt-x")
        fill(gui, "Key", KEY)
        await gui.click("Save")
        await gui.until(lambda: desk.app.settings.profiles)
        (own,) = desk.app.settings.profiles
        assert (own.name, own.models, own.quirks.max_tokens_field) == ("openai", ("gpt-x",), "max_completion_tokens")
        await gui.until(lambda: [entry.why_not for entry in desk.models if entry.profile == "openai"] == [""])
        await gui.click("Delete")
        await gui.until(lambda: desk.app.settings.profiles == ())
        assert row(gui, "OpenAI"), "it is again as the program knows it"


async def test_an_address_that_everybody_can_read_is_warned_of_while_it_is_typed(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path) as (_desk, dialog):
        dialog.providers.begin("empty")
        await gui.settle()
        fill(gui, "Address", "http://10.0.4.20:8000/v1")
        assert "Not encrypted: everybody between here and 10.0.4.20:8000" in told(dialog)
        fill(gui, "Address", "https://10.0.4.20:8000/v1")
        assert "Not encrypted" not in told(dialog)
        fill(gui, "Address", "http://[::1]:8000/v1")
        assert "Not encrypted" not in told(dialog)


async def test_what_was_typed_stays_while_another_provider_is_looked_at(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, settings=LAB.format(url="http://127.0.0.1:9")) as (_desk, dialog):
        await choose(gui, dialog, "lab")
        fill(gui, "Name", "Changed")
        await choose(gui, dialog, "openai")
        assert row(gui, "Changed").endswith("not saved")
        await choose(gui, dialog, "lab")
        assert field(gui, "Name").text() == "Changed"
        await gui.click("Revert")
        assert field(gui, "Name").text() == "Lab server"
        assert dialog.providers.unsaved() == 0


async def test_hostile_names_are_shown_letter_by_letter(gui: Gui, tmp_path: Path) -> None:
    hostile = '[[profiles]]\nname = "x"\ntitle = "<b>bold</b>\\u202egpj &x"\nbase_url = "http://127.0.0.1:9/v1"\n'
    async with dialog_in(gui, tmp_path, settings=hostile) as (_desk, dialog):
        await gui.until(lambda: row(gui, "<b>bold</b>⟨U+202E⟩gpj &x"))
        await choose(gui, dialog, "x")
        await gui.click("Delete")
        await gui.until(lambda: "“<b>bold</b>⟨U+202E⟩gpj &x” was deleted." in told(dialog))
        assert_plain(dialog)


# Deleting


async def test_a_deleted_provider_can_be_brought_back_with_its_key(gui: Gui, tmp_path: Path) -> None:
    ring = Ring()
    ring.kept[SERVICE, "lab"] = KEY
    async with dialog_in(gui, tmp_path, settings=LAB.format(url="http://127.0.0.1:9"), ring=ring) as (desk, dialog):
        before = desk.app.settings
        await choose(gui, dialog, "lab")
        await gui.click("Delete")
        await gui.until(lambda: "“Lab server” was deleted." in told(dialog))
        assert desk.app.settings.profiles == ()
        await gui.click("Undo")
        await gui.until(lambda: desk.app.settings == before)
        assert ring.kept == {(SERVICE, "lab"): KEY}
        await gui.until(lambda: field(gui, "Name").text() == "Lab server")


async def test_the_key_of_a_deleted_provider_goes_when_the_dialog_closes(gui: Gui, tmp_path: Path) -> None:
    ring = Ring()
    ring.kept[SERVICE, "lab"] = KEY
    async with dialog_in(gui, tmp_path, settings=LAB.format(url="http://127.0.0.1:9"), ring=ring) as (desk, dialog):
        await choose(gui, dialog, "lab")
        await gui.click("Delete")
        await gui.until(lambda: desk.app.settings.profiles == ())
        assert ring.kept
        dialog.close()
        await gui.until(lambda: not ring.kept)


# Using


async def test_use_this_model_sends_the_next_request_there_and_is_remembered(gui: Gui, tmp_path: Path) -> None:
    settings = LAB.format(url="http://127.0.0.1:9")
    async with dialog_in(gui, tmp_path, settings=settings, environment={"LAB_API_KEY": KEY}) as (desk, dialog):
        await choose(gui, dialog, "lab")
        fill(gui, "Models", "m-1")
        await gui.click("Use this model")
        await gui.until(lambda: desk.app.settings.model.model == "m-1")
        assert desk.bridge.opened is not None
        assert (desk.bridge.opened.choice.profile.name, desk.bridge.opened.choice.model) == ("lab", "m-1")
        await gui.until(lambda: row(gui, "Lab server").endswith("in use"))
        await choose(gui, dialog, "practice")
        await gui.click("Use this model")
        await gui.until(lambda: desk.app.settings.model.profile == "practice")


async def test_use_needs_a_model_and_says_how_to_find_one(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path) as (_desk, dialog):
        await choose(gui, dialog, "groq")
        await gui.click("Use this model")
        await gui.until(lambda: "Name a model first; a test shows which there are." in told(dialog))


async def test_a_model_that_cannot_be_used_says_why_in_the_dialog(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, settings=LAB.format(url="http://127.0.0.1:9")) as (desk, dialog):
        await choose(gui, dialog, "lab")
        await gui.click("Use this model")
        await gui.until(lambda: "Lab server needs a key" in told(dialog))
        assert desk.app.settings.model.profile == "practice"


async def test_the_key_cannot_be_copied_from_its_field(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, settings=LAB.format(url="http://127.0.0.1:9")) as (_desk, dialog):
        await choose(gui, dialog, "lab")
        fill(gui, "Key", KEY)
        QApplication.clipboard().setText("before")
        field(gui, "Key").selectAll()
        field(gui, "Key").copy()
        assert QApplication.clipboard().text() == "before"
        assert KEY not in field(gui, "Key").displayText()
