"""Sentences are shown one at a time, as long as they are of use, with hidden characters made visible."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget

from tests.ui.gui import Gui
from workbench.ui.kit.labels import Label
from workbench.ui.told_strip import MOST_KEPT, ToldStrip


def shown(gui: Gui, holds: Callable[[str], bool] = lambda _sentence: True) -> ToldStrip:
    window = QWidget()
    QVBoxLayout(window).addWidget(strip := ToldStrip(holds))
    gui.show(window)
    return strip


async def test_newest_is_shown_and_what_still_holds_comes_back(gui: Gui) -> None:
    strip = shown(gui)
    assert not strip.isVisible()
    strip.tell("first", "warning")
    strip.tell("second", "error")
    assert strip.isVisible()
    assert strip.accessibleName() == "second"
    await gui.click("Close this message")
    assert strip.accessibleName() == "first"
    await gui.click("Close this message")
    assert not strip.isVisible()


def test_what_is_over_goes_with_the_next_sentence(gui: Gui) -> None:
    strip = shown(gui, lambda sentence: sentence == "not saved")
    for sentence in ("old", "not saved", "older", "new"):
        strip.tell(sentence, "error")
    assert [sentence for sentence, _level in strip.sentences] == ["not saved", "new"]


def test_going_on_leaves_what_still_holds(gui: Gui) -> None:
    holding = {"not saved"}
    strip = shown(gui, holding.__contains__)
    strip.tell("not saved", "error")
    strip.tell("no such folder", "error")
    strip.go_on()
    assert (strip.isVisible(), strip.accessibleName()) == (True, "not saved")
    holding.clear()
    strip.go_on()
    assert not strip.isVisible()


def test_same_sentence_is_not_repeated(gui: Gui) -> None:
    strip = shown(gui)
    for sentence in ("a", "b", "a"):
        strip.tell(sentence)
    assert [sentence for sentence, _level in strip.sentences] == ["b", "a"]


def test_only_so_many_are_kept(gui: Gui) -> None:
    strip = shown(gui)
    for number in range(100):
        strip.tell(str(number))
    assert len(strip.sentences) == MOST_KEPT
    assert strip.sentences[-1] == ("99", "info")


def test_foreign_text_is_plain_and_honest(gui: Gui) -> None:
    strip = shown(gui)
    strip.tell("<b>x</b> a\u202eb", "strange level")
    (label,) = strip.findChildren(Label)
    assert label.text() == "<b>x</b> a⟨U+202E⟩b"
    assert strip.sentences[0][1] == "info"


def test_another_strip_takes_over(gui: Gui) -> None:
    strip, other = shown(gui), shown(gui)
    strip.tell("kept", "error")
    other.restore(strip.sentences)
    assert other.sentences == (("kept", "error"),)
    assert other.isVisible()
