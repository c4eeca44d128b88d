"""The first page says who answers, and every sentence it offers works on the open folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.desks import desk_in, project
from tests.ui.frame.sessions import asked, opened_desk, shown, stopped
from tests.ui.gui import Gui
from workbench.conversation.events import TurnFinished
from workbench.practice.intents import Unclear
from workbench.practice.understanding import understand
from workbench.providers.profiles import Profile
from workbench.settings.tree import Settings
from workbench.ui.desk import Desk
from workbench.ui.frame.paragraph import Paragraph
from workbench.ui.frame.welcome import SuggestionRow, Welcome
from workbench.ui.kit.labels import Label
from workbench.words import choose_language


def page_of(gui: Gui, desk: Desk, width: int = 700, height: int = 700) -> Welcome:
    page = Welcome(desk)
    page.resize(width, height)
    return gui.show(page)


def rows(page: Welcome) -> list[str]:
    return [row.text() for row in page.findChildren(SuggestionRow) if row.isVisible()]


def words(page: Welcome) -> list[str]:
    labels = [label.text() for label in page.findChildren(Label) if label.isVisible()]
    return labels + [one.accessibleName() for one in page.findChildren(Paragraph) if one.isVisible()]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
async def test_each_suggestion_is_understood_and_runs(gui: Gui, tmp_path: Path, language: str) -> None:
    choose_language(language)
    (project(tmp_path) / "README.md").write_text("# 标题\n\nIt reads a small table.\n\n这里说明怎样使用。\n", encoding="utf-8")
    async with opened_desk(tmp_path) as desk:
        page = page_of(gui, desk)
        await gui.until(lambda: len(rows(page)) == 3)
        introduce, replace, drill = rows(page)
        assert not any(isinstance(understand(sentence).intent, Unclear) for sentence in rows(page))
        assert await desk.bridge.send(introduce) == "started"
        await gui.until(lambda: not desk.bridge.running)
        await asked(gui, desk, replace)
        (question,) = desk.bridge.pending
        assert question.tool == "edit"
        assert question.preview.kind == "diff"
        assert question.preview.before != question.preview.after
        await stopped(gui, desk)
        ends = [entry.event.end for entry in desk.bridge.entries if isinstance(entry.event, TurnFinished)]
        assert ends == ["answered", "stopped"]
        assert understand(drill).language == ("zh" if language == "zh_CN" else "en")


async def test_pressed_suggestion_is_told(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        page = page_of(gui, desk)
        told: list[str] = []
        page.suggested.connect(told.append)
        await gui.until(lambda: len(rows(page)) == 3)
        await gui.click("Introduce this project")
        row = gui.find("Drill: rate limit", SuggestionRow)
        row.setFocus()
        gui.keys(row, "Space")
        assert told == ["Introduce this project", "Drill: rate limit"]
        assert row.accessibleDescription() == "A 429 arrives; watch the wait and the second try in Requests"


async def test_practice_says_that_it_is_no_ai(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        said = words(page_of(gui, desk))
        assert "ws is open. Nothing has been sent yet." in said
        assert any("a script, not an AI" in sentence for sentence in said)
        assert "Ready for a real model?" in said


async def test_real_model_is_named_and_the_drills_go(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        page = page_of(gui, desk)
        await gui.until(lambda: len(rows(page)) == 3)
        assert await desk.save_settings(Settings(profiles=(Profile(name="mine", title="<b>My</b>", base_url="http://127.0.0.1:9/v1", models=("m1",)),)))
        assert await desk.choose_model("mine", "m1")
        await gui.until(lambda: any("You are talking to m1 at <b>My</b>." in sentence for sentence in words(page)))
        assert len(rows(page)) == 3
        assert not any("Drill" in row for row in rows(page))
        assert shown(desk).session.chosen.model == "m1"


async def test_without_a_folder_the_page_leads_to_one(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        page = page_of(gui, desk)
        wanted: list[bool] = []
        page.folder_wanted.connect(lambda: wanted.append(True))
        assert rows(page) == []
        await gui.click("Open folder…")
        assert wanted == [True]
        assert await desk.open_folder(project(tmp_path))
        await gui.until(lambda: len(rows(page)) == 3)


async def test_name_of_the_folder_is_shown_letter_by_letter(gui: Gui, tmp_path: Path) -> None:
    (tmp_path / "<i>a\u202eb & c").mkdir()
    async with desk_in(tmp_path) as desk:
        page = page_of(gui, desk)
        assert await desk.open_folder(tmp_path / "<i>a\u202eb & c")
        await gui.until(lambda: "<i>a⟨U+202E⟩b & c is open. Nothing has been sent yet." in words(page))


async def test_what_was_found_on_this_machine_is_said_in_a_line(gui: Gui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened_desk(tmp_path) as desk:
        page = page_of(gui, desk)
        found = 0

        async def look() -> int:
            return found

        monkeypatch.setattr(desk, "find_local_servers", look)
        await gui.click("Find local servers")
        await gui.until(lambda: any(line.startswith("No server answers on this machine.") for line in words(page)))
        found = 2
        await gui.click("Find local servers")
        await gui.until(lambda: "2 servers answer on this machine; see the model menu." in words(page))


@pytest.mark.parametrize(("width", "height"), [(340, 300), (560, 500), (900, 900)])
async def test_page_fits_its_width_and_scrolls_where_it_is_too_high(gui: Gui, tmp_path: Path, width: int, height: int) -> None:
    async with opened_desk(tmp_path) as desk:
        page = page_of(gui, desk, width, height)
        await gui.until(lambda: len(rows(page)) == 3)
        await gui.settle()
        for widget in (*page.findChildren(SuggestionRow), *page.findChildren(Paragraph)):
            assert widget.height() >= widget.heightForWidth(widget.width()), "no line is cut"
        for button in (page._find, page._add, page._ready):
            assert button.width() >= button.sizeHint().width()
        assert page._page.width() <= page.viewport().width()
        too_high = page._page.height() > page.viewport().height()
        assert (page.verticalScrollBar().maximum() > 0) is too_high
