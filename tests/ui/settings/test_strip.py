"""The strip shows one sentence with its actions, plainly, and goes when it is closed."""

from __future__ import annotations

from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.ui.settings.strip import Action, Strip


async def test_a_sentence_replaces_the_one_before_with_its_actions(gui: Gui) -> None:
    strip, done = gui.show(Strip()), list[str]()
    strip.tell("First <b>", "warning", (Action("Save", lambda: done.append("save")),))
    await gui.click("Save")
    strip.tell("Second\u202e", "error", (Action("Mend", lambda: done.append("mend")),))
    await gui.settle()
    assert strip.label.text() == "Second⟨U+202E⟩"
    await gui.click("Mend")
    assert done == ["save", "mend"]
    assert "Save" not in gui.names()
    assert_plain(strip)
    await gui.click("Close this message")
    assert not strip.isVisible()
