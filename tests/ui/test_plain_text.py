"""The test of all parts finds each fault it is there for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QTextEdit, QToolButton, QVBoxLayout, QWidget

from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.ui.kit.buttons import Button, IconButton
from workbench.ui.kit.fields import Field
from workbench.ui.kit.labels import Label, plain_tip
from workbench.ui.kit.layout import column


def with_html_tip() -> QWidget:
    label = Label("x")
    label.setToolTip("<b>bold</b>")
    return label


FAULTY: dict[str, tuple[Callable[[], QWidget], str]] = {
    "label": (lambda: QLabel("<b>x</b>"), "a label that reads HTML"),
    "no name": (QLineEdit, "no accessible name"),
    "no tip": (QToolButton, "no tool tip"),
    "rich editor": (QTextEdit, "rich text"),
    "tip": (with_html_tip, "a tool tip that reads HTML"),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_a_fault_deep_inside_is_told(gui: Gui, fault: str) -> None:
    make, words = FAULTY[fault]
    outer, inner = QWidget(), QWidget()
    QVBoxLayout(outer).addWidget(inner)
    QVBoxLayout(inner).addWidget(make())
    gui.show(outer)
    with pytest.raises(AssertionError, match=words):
        assert_plain(outer)


def test_the_controls_of_the_kit_have_no_fault(gui: Gui) -> None:
    tipped = Label("file")
    plain_tip(tipped, "<script>&\n")
    assert_plain(gui.show(column(Button("Send"), IconButton("search", "Search"), Field("Filter"), tipped, Label("<b>"))))


def test_a_button_of_qt_is_named_by_its_words(gui: Gui) -> None:
    assert_plain(gui.show(QPushButton("Words")))
