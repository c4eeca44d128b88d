"""Limits are typed, checked, saved at once, and hold for the session that is open."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QLineEdit

from tests.ui.gui import Gui
from tests.ui.settings.dialogs import dialog_in
from workbench.agent.limits import Limits
from workbench.agent.session import Session
from workbench.settings.files import load_settings
from workbench.settings.tree import Settings
from workbench.ui.desk import Desk


def at(settings: Settings, place: str) -> object:
    value: object = settings
    for name in place.split("."):
        value = getattr(value, name)
    return value


def enter(gui: Gui, name: str, text: str) -> QLineEdit:
    field = gui.find(name, QLineEdit)
    field.setText(text)
    gui.keys(field, "Return")
    return field


@pytest.mark.parametrize(
    ("name", "typed", "place", "value"),
    [
        ("Steps", "7", "limits.steps", 7),
        ("Tokens", "200,000", "limits.tokens", 200_000),
        ("Time", "1.5", "limits.time_s", 1.5),
        ("Longest answer", "4096", "model.max_output_tokens", 4096),
        ("Reasoning effort", "high", "model.reasoning_effort", "high"),
        ("Pace", "12", "practice.tokens_per_s", 12.0),
    ],
)
async def test_each_is_saved_at_once_and_read_again(gui: Gui, tmp_path: Path, name: str, typed: str, place: str, value: object) -> None:
    async with dialog_in(gui, tmp_path, page="limits") as (desk, _dialog):
        enter(gui, name, typed)
        await gui.until(lambda: at(desk.app.settings, place) == value)
        assert at(load_settings(desk.app.settings_path).settings, place) == value


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("Steps", "0", "Write a whole number, 1 or more."),
        ("Steps", "", "Write a whole number, 1 or more."),
        ("Tokens", "-5", "Write a whole number, 1 or more. Empty means: no limit."),
        ("Time", "0", "Write a number, 1 or more. Empty means: no limit."),
        ("Time", "nan", "Write a number, 1 or more. Empty means: no limit."),
        ("Longest answer", "many", "Write a whole number, 1 or more. Empty means: the provider's limit."),
        ("Reasoning effort", "very high", "Write one word, as the provider's documentation has it. Empty means: the provider's usual."),
        ("Pace", "100001", "Write a number from 0 to 100,000."),
    ],
)
async def test_what_is_refused_says_what_to_write_and_changes_nothing(gui: Gui, tmp_path: Path, name: str, typed: str, said: str) -> None:
    async with dialog_in(gui, tmp_path, page="limits") as (desk, _dialog):
        before = desk.app.settings
        field = enter(gui, name, typed)
        await gui.settle()
        assert (field.accessibleDescription(), field.text(), desk.app.settings) == (said, typed, before)


async def test_an_emptied_field_takes_the_limit_away(gui: Gui, tmp_path: Path) -> None:
    settings = '[limits]\ntokens = 5\ntime_s = 5.0\n[model]\nmax_output_tokens = 5\nreasoning_effort = "low"\n'
    async with dialog_in(gui, tmp_path, page="limits", settings=settings) as (desk, _dialog):
        for name in ("Tokens", "Time", "Longest answer", "Reasoning effort"):
            enter(gui, name, "")
        await gui.until(lambda: desk.app.settings == Settings())
        assert load_settings(desk.app.settings_path).settings == Settings()


async def test_leaving_a_field_takes_it_too(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="limits") as (desk, dialog):
        dialog.activateWindow()
        await gui.until(dialog.isActiveWindow)
        field = gui.find("Steps", QLineEdit)
        field.setFocus()
        field.setText("9")
        gui.find("Tokens", QLineEdit).setFocus()
        await gui.until(lambda: desk.app.settings.limits.steps == 9)


async def test_the_session_that_is_open_stops_at_the_new_limit(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="limits") as (desk, _dialog):
        enter(gui, "Steps", "1")
        await gui.until(lambda: desk.app.settings.limits.steps == 1)
        assert await desk.bridge.send("introduce this project") == "started"
        session = opened(desk)
        await gui.until(lambda: session.waiting_limit is not None)
        await session.stop()


def opened(desk: Desk) -> Session:
    assert desk.bridge.opened is not None
    return desk.bridge.opened.session


async def test_pause_and_ask_is_a_tick(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="limits") as (desk, _dialog):
        await gui.click("Pause and ask")
        await gui.until(lambda: not desk.app.settings.limits.ask)


async def test_what_others_change_is_shown(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="limits") as (desk, _dialog):
        limits = dataclasses.replace(Limits(), steps=3, tokens=4, ask=False)
        assert await desk.save_settings(replace(desk.app.settings, limits=limits))
        assert gui.find("Steps", QLineEdit).text() == "3"
        assert gui.find("Tokens", QLineEdit).text() == "4"
        assert desk.app.settings.limits == limits
