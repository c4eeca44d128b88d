"""Providers through the real dialog: adding, testing, keys, deleting, using; no key is ever seen again or written anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from shiboken6 import isValid
from typing_extensions import override

from tests.settings.test_credentials import Ring
from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from tests.ui.settings.dialogs import KEY, Provider, Silent, dialog_in, lines_of
from workbench.settings.credentials import SERVICE, Secret
from workbench.settings.files import load_settings
from workbench.ui.desk import Desk
from workbench.ui.kit.labels import Label
from workbench.ui.kit.popup import PopupMenu
from workbench.ui.settings.dialog import SettingsDialog
from workbench.ui.settings.provider_list import ProviderList
from workbench.wire.server import LoopbackServer

LAB = """
[practice]
tokens_per_s = 0

[[profiles]]  # by hand
name = "lab"
title = "Lab server"
base_url = "{url}/v1"
models = ["m-2"]
key_variable = "LAB_API_KEY"

[profiles.quirks]
max_tools = 7
"""


def field(gui: Gui, name: str) -> QLineEdit:
    return gui.find(name, QLineEdit)


def fill(gui: Gui, name: str, text: str) -> None:
    field(gui, name).selectAll()
    gui.type(field(gui, name), text)


def rows(gui: Gui) -> list[str]:
    """Return what a screen reader says of each provider."""
    providers = gui.find("Providers", ProviderList)
    model = providers.model()
    return [str(model.index(row, 0).data(11)) for row in range(model.rowCount())]


def row(gui: Gui, beginning: str) -> str:
    return next((text for text in rows(gui) if text.startswith(beginning)), "")


def told(dialog: SettingsDialog) -> str:
    """Return every word that can be read."""
    return "\n".join(label.text() for label in dialog.findChildren(Label) if label.isVisible())


async def choose(gui: Gui, dialog: SettingsDialog, name: str) -> None:
    dialog.providers.choose(name)
    await gui.settle()
    await gui.until(lambda: field(gui, "Address").text())


async def tried(gui: Gui) -> list[tuple[str, str]]:
    """Press Test and wait for its end."""
    await gui.click("Test")
    await gui.until(lambda: "Test" in gui.names() and lines_of(gui) and all(line.outcome != "running" for line in lines_of(gui)))
    return [(line.outcome, line.sentence) for line in lines_of(gui)]


def nowhere(desk: Desk, dialog: SettingsDialog, key: str = KEY) -> None:
    """Fail if a key is in a file, in a text that can be read, or in a value that is kept."""
    for path in desk.app.data_folder.rglob("*"):
        if path.is_file():
            assert key.encode() not in path.read_bytes(), path
    assert key not in repr(desk.app.settings)
    typed_into = field_of_key(dialog)
    for widget in dialog.findChildren(QWidget):
        for name in ("text", "toolTip", "accessibleName", "accessibleDescription", "toPlainText", "placeholderText"):
            said = getattr(widget, name, None)
            if callable(said) and widget not in (typed_into, typed_into.parentWidget()):
                assert key not in str(said()), (widget, name)


def field_of_key(dialog: SettingsDialog) -> QLineEdit:
    """Return the one field that a key is typed into."""
    (found,) = (edit for edit in dialog.findChildren(QLineEdit) if edit.echoMode() is QLineEdit.EchoMode.Password)
    return found


# The list


async def test_the_list_has_practice_own_and_known_providers(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, settings=LAB.format(url="http://127.0.0.1:9")) as (_desk, dialog):
        await gui.until(lambda: len(rows(gui)) > 3)
        assert rows(gui)[0].startswith("Practice model, chat · 127.0.0.1:")
        assert rows(gui)[0].endswith("in use")
        assert rows(gui)[1] == "Lab server, chat · 127.0.0.1:9, no key"
        assert rows(gui)[2] == "OpenAI, chat · api.openai.com, no key"
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
        assert ring.kept == {(SERVICE, "lab-server"): KEY}
        await gui.until(lambda: "The key is kept in the system's keyring." in told(dialog))
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


async def test_the_key_cannot_be_copied_from_its_field(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, settings=LAB.format(url="http://127.0.0.1:9")) as (_desk, dialog):
        await choose(gui, dialog, "lab")
        fill(gui, "Key", KEY)
        QApplication.clipboard().setText("before")
        field(gui, "Key").selectAll()
        field(gui, "Key").copy()
        assert QApplication.clipboard().text() == "before"
        assert KEY not in field(gui, "Key").displayText()


@pytest.mark.parametrize("menu", ["Add a provider…", "Dialect"])
async def test_closing_with_an_open_menu_and_the_keyboard_in_a_field_leaves_nothing_behind(gui: Gui, tmp_path: Path, menu: str) -> None:
    async with dialog_in(gui, tmp_path, settings=LAB.format(url="http://127.0.0.1:9")) as (_desk, dialog):
        await choose(gui, dialog, "lab")
        dialog.activateWindow()
        field(gui, "Address").setFocus()
        await gui.click(menu)
        dialog.close()
        await gui.until(lambda: not isValid(dialog))
