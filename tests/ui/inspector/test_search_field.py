"""The search field: its keys and what it says of the matches."""

from __future__ import annotations

from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.ui.inspector.search_field import MOST_COUNTED, SearchField


def shown(gui: Gui) -> tuple[SearchField, list[str]]:
    field = gui.show(SearchField("Search in the body"))
    told: list[str] = []
    field.searched.connect(lambda words: told.append(f"search {words}"))
    field.next_wanted.connect(lambda: told.append("next"))
    field.previous_wanted.connect(lambda: told.append("previous"))
    return field, told


async def test_keys_go_on_back_and_end(gui: Gui) -> None:
    field, told = shown(gui)
    gui.type(field.edit, "ab")
    for keys in ("Return", "Shift+Return", "F3", "Shift+F3", "Escape"):
        gui.keys(field.edit, keys)
    assert told == ["search a", "search ab", "next", "previous", "next", "previous", "search "]
    assert field.text() == ""
    assert_plain(field)


async def test_matches_are_told_in_few_words(gui: Gui) -> None:
    field, _told = shown(gui)
    field.show_matches(0, 0)
    assert field.note == ""
    field.set_text("x")
    for chosen, count, words in ((0, 0, "none"), (2, 1234, "2 of 1,234"), (0, 7, "7"), (3, MOST_COUNTED, "3 of 100,000+")):
        field.show_matches(chosen, count)
        assert field.note == words
