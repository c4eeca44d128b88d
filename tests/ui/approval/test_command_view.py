"""The painted command: shown whole, however long, with what hides drawn as boxes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.pace import not_hung, turns
from tests.ui.approval.asked import command
from tests.ui.gui import Gui
from workbench.permissions.visible import visible
from workbench.ui.approval.command_text import PartFact
from workbench.ui.approval.command_view import CommandView

NOTE = PartFact("shield-off", "No sandbox confines it.")


def view(gui: Gui, text: str, folder: Path, width: int = 900, height: int = 400) -> CommandView:
    shown = CommandView("Command")
    shown.resize(width, height)
    gui.show(shown)
    shown.show_command(text, command(text, folder=folder).parts, [NOTE])
    return shown


@pytest.mark.parametrize(
    "text",
    [
        "ls",
        "a && b & c ; d | e",
        "echo '<b>bold</b>' && echo \"&amp; &lt;\"",
        'ls <span style="font-size:1px;color:#fff">out; touch pwned #</span>',
        "echo hi\u202e#hs|live lruc",
        "rm /tmp/\u200bimportant \U000e0068\U000e0069",
        "printf 'a\rb'",
        "cat <<'E'\n\tone\n\n  two\nE",
        "x" * 5000,
        "echo 中文 && echo שלום",
        "echo \u0301\u0302\u0303\u0304",
    ],
)
async def test_shown_text_is_the_command_with_marks(gui: Gui, tmp_path: Path, text: str) -> None:
    shown = view(gui, text, tmp_path)
    assert shown.command_text() == text
    assert shown.plain_text().startswith(visible(text, keep="\n"))
    rows = [shown._rows.row(place) for place in range(len(shown._rows))]
    joined = rows[0].text + "".join(("" if row.goes_on else "\n") + row.text for row in rows[1:])
    assert joined == text
    gui.picture(shown)


async def test_hidden_character_changes_the_picture(gui: Gui, tmp_path: Path) -> None:
    plain = gui.picture(view(gui, "echo hi", tmp_path))
    assert gui.picture(view(gui, "echo h\u200bi", tmp_path)) != plain


async def test_everything_must_be_scrolled_through(gui: Gui, tmp_path: Path) -> None:
    shown = view(gui, " && ".join(f"rm -rf part{n}" for n in range(20)), tmp_path, height=300)
    await gui.until(lambda: shown.laid_out and shown.seen.count)
    assert not shown.seen.whole
    QTest.keyClick(shown, Qt.Key.Key_End)
    await gui.until(lambda: shown.seen.whole)
    for number in range(20):
        assert f"{number + 1} · rm -rf part{number} · 4 Destroy" in shown.plain_text()


@pytest.mark.parametrize("text", ["ab " * 1_700_000, "中" * 1_000_000, "\u202e" * 300_000, "echo a\n" * 150_000], ids=["plain", "wide", "hidden", "lines"])
async def test_text_of_megabytes_does_not_hold_up_the_window(gui: Gui, text: str) -> None:
    shown = CommandView("Command")
    shown.resize(900, 400)
    gui.show(shown)
    with not_hung(5):
        shown.show_command(text, (), [NOTE])
        gui.picture(shown)
    assert not shown.laid_out, "it is laid out later, in slices"
    async with turns() as coming:
        await gui.until(lambda: shown.laid_out, timeout_s=30)
    assert coming.worst_share < 0.25
    assert shown.command_text() is text
    assert not shown.seen.whole
