"""A label of foreign text wraps rather than cuts, and tells screen readers what hides in it."""

from __future__ import annotations

import pytest

from tests.ui.gui import Gui
from workbench.ui.approval.exact_label import ExactLabel


@pytest.mark.parametrize("text", ["plain", "two\nlines", "<b>&amp;</b>", "a\u202eb", "x" * 900, ""])
async def test_label_names_its_text_and_wraps(gui: Gui, text: str) -> None:
    label = ExactLabel(text, mono=True)
    label.resize(200, label.heightForWidth(200))
    gui.show(label)
    assert label.text() == text
    assert label.accessibleName() == text.replace("\n", "⏎").replace("\u202e", "⟨U+202E⟩")
    assert label.heightForWidth(200) >= label.heightForWidth(2000)
    gui.picture(label)
