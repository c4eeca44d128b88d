"""Names are completed while they are typed: files after @, commands after /; the keyboard stays in the text."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.ui.desks import project
from tests.ui.frame.parts import composer_of, messages
from tests.ui.frame.sessions import opened_desk
from tests.ui.frame.trees import filled
from tests.ui.gui import Gui
from workbench.ui.commands import Command, Commands
from workbench.ui.frame.completer import Completer
from workbench.ui.frame.composer import Composer
from workbench.ui.frame.file_finder import FileFinder, mention
from workbench.ui.frame.slash_commands import command_entries, slash_words


def open_lists(composer: Composer) -> list[Completer]:
    return [one for one in composer.window().findChildren(Completer) if one.isVisible()]


def titles(composer: Composer) -> list[str]:
    """Return the rows that are shown, empty if there is no list."""
    lists = open_lists(composer)
    return [entry.title for entry in lists[0].rows.entries] if lists else []


def commands(ran: list[str]) -> Commands:
    made = Commands()
    for command_id, title in (("session.new", "New session"), ("turn.stop", "Stop the turn"), ("folder.open", "Open a folder…"), ("palette.open", "Search")):
        why_not = "No turn runs." if command_id == "turn.stop" else ""
        made.add(Command(command_id=command_id, title=title, run=partial(ran.append, command_id), why_not=partial(str, why_not)))
    return made


# Files


async def test_at_sign_opens_the_files_and_enter_puts_one_in(gui: Gui, tmp_path: Path) -> None:
    filled(project(tmp_path), "src/dates.py", "src/store.py", "data/x.csv")
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        gui.type(composer.edit, "look at @")
        await gui.until(lambda: titles(composer) == ["README.md", "data/x.csv", "src/dates.py", "src/store.py"])
        gui.type(composer.edit, "dat")
        await gui.until(lambda: titles(composer) == ["src/dates.py", "data/x.csv"])
        gui.keys(composer.edit, "Down")
        gui.keys(composer.edit, "Return")
        assert composer.edit.toPlainText() == "look at @data/x.csv "
        assert not open_lists(composer)
        assert messages(desk) == [], "the Enter was for the list"
        assert composer.edit.hasFocus()


async def test_tab_completes_and_esc_closes_without_stopping_anything(gui: Gui, tmp_path: Path) -> None:
    filled(project(tmp_path), "dates.py")
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        gui.type(composer.edit, "@dat")
        await gui.until(lambda: titles(composer) == ["dates.py"])
        gui.keys(composer.edit, "Escape")
        assert not open_lists(composer)
        gui.type(composer.edit, "e")
        await gui.settle()
        assert not open_lists(composer), "closed by Esc, it stays closed for this name"
        composer.put("@da")
        await gui.until(lambda: titles(composer) == ["dates.py"])
        gui.keys(composer.edit, "Tab")
        assert composer.edit.toPlainText() == "@dates.py "
        assert composer.edit.hasFocus()


async def test_ignored_files_are_not_offered_and_new_ones_are(gui: Gui, tmp_path: Path) -> None:
    folder = filled(project(tmp_path), "secret.log", "a.py")
    (folder / ".gitignore").write_text("*.log\n")
    finder = FileFinder()
    finder.look_in(folder)
    assert {one.path for one in await finder.find("")} == {".gitignore", "README.md", "a.py"}
    filled(folder, "b.py")
    assert "b.py" not in {one.path for one in await finder.find("")}
    finder.forget()
    assert "b.py" in {one.path for one in await finder.find("")}
    finder.look_in(None)
    assert await finder.find("a") == ()


async def test_hostile_name_is_shown_marked_and_written_as_the_tools_write_it(gui: Gui, tmp_path: Path) -> None:
    name = "a\nb\u202egpj.txt"
    filled(project(tmp_path), name)
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        gui.type(composer.edit, "@gpj")
        await gui.until(lambda: titles(composer) == ["a⏎b⟨U+202E⟩gpj.txt"])
        gui.keys(composer.edit, "Return")
        assert composer.edit.toPlainText() == '"a\\nb\\u202egpj.txt" '


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("src/a.py", "@src/a.py"),
        ("my file.txt", '"my file.txt"'),
        ("a,b", '"a,b"'),
        ("说明.md", "@说明.md"),
        ('say "hi".txt', '"say \\"hi\\".txt"'),
        ("a\tb", '"a\\tb"'),
        ("x\udcff", '"x\\udcff"'),
    ],
)
def test_mention_names_a_file_so_that_it_is_found(path: str, written: str) -> None:
    assert mention(path) == written


async def test_list_goes_when_the_keyboard_leaves(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        gui.type(composer.edit, "@")
        await gui.until(lambda: bool(open_lists(composer)))
        gui.find("Mode").setFocus()
        await gui.settle()
        assert not open_lists(composer)


async def test_button_types_the_at_sign_with_a_blank_before_it(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        composer.put("see")
        await gui.click("Add a file")
        assert composer.edit.toPlainText() == "see @"
        await gui.until(lambda: titles(composer) == ["README.md"])


async def test_list_stands_above_the_composer_and_inside_the_window(gui: Gui, tmp_path: Path) -> None:
    filled(project(tmp_path), *(f"folder/file_{number}.txt" for number in range(80)))
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        gui.type(composer.edit, "@file")
        await gui.until(lambda: len(titles(composer)) == 50)
        (shown,) = open_lists(composer)
        assert shown.geometry().top() >= 0
        assert shown.geometry().bottom() <= composer.y() + 8


# Commands


async def test_slash_offers_commands_and_runs_one(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        ran: list[str] = []
        composer = composer_of(gui, desk)
        composer.set_commands(commands(ran))
        gui.type(composer.edit, "/")
        assert titles(composer) == ["/folder.open", "/new", "/palette.open", "/stop"]
        gui.type(composer.edit, "ne")
        assert titles(composer)[0] == "/new"
        gui.keys(composer.edit, "Return")
        assert ran == ["session.new"]
        assert composer.edit.toPlainText() == ""
        assert messages(desk) == []


async def test_command_that_cannot_run_says_why_and_does_not(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        ran: list[str] = []
        composer = composer_of(gui, desk)
        composer.set_commands(commands(ran))
        gui.type(composer.edit, "/stop")
        assert open_lists(composer)[0].rows.entries[0].why_not == "No turn runs."
        gui.keys(composer.edit, "Return")
        assert ran == []
        assert composer.edit.toPlainText() == "/stop"


async def test_path_at_the_beginning_is_no_command(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        composer.set_commands(commands([]))
        gui.type(composer.edit, "/etc/hosts")
        assert not open_lists(composer)
        gui.keys(composer.edit, "Return")
        await gui.until(lambda: messages(desk) == ["/etc/hosts"])
        await gui.until(lambda: not desk.bridge.running)


async def test_button_offers_commands_whatever_is_written(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        ran: list[str] = []
        composer = composer_of(gui, desk)
        composer.set_commands(commands(ran))
        composer.put("a draft")
        await gui.click("Command")
        assert "/new" in titles(composer)
        gui.keys(composer.edit, "Down")
        gui.keys(composer.edit, "Return")
        assert ran == ["session.new"]
        assert composer.edit.toPlainText() == "a draft"
        await gui.click("Command")
        gui.type(composer.edit, "x")
        assert not open_lists(composer), "typing goes on with the draft"


def test_words_of_commands_are_short_and_never_two_alike() -> None:
    words = slash_words(commands([]).all())
    assert list(words) == ["new", "stop", "folder.open", "palette.open"]
    assert [entry.title for entry in command_entries("sto", commands([]).all())] == ["/stop"]
    assert command_entries("zzz", commands([]).all()) == ()
