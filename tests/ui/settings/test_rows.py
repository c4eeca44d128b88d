"""A row takes what its range allows, and keeps what it refuses in the field with the reason beside it."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel

from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.ui.kit.buttons import Check
from workbench.ui.settings.rows import FieldRow, Range, Refusal, SettingRow, number_row

STEPS = Range(lowest=1, highest=1000)
TOKENS = Range(lowest=1, highest=1_000_000_000, empty="no limit", endless=True)
PACE = Range(lowest=0, highest=100, whole=False)


@pytest.mark.parametrize(
    ("allowed", "typed", "value"),
    [
        *((STEPS, " 50 ", 50), (STEPS, "1,000", 1000), (STEPS, "1 000", 1000)),
        *((TOKENS, "", None), (TOKENS, "  ", None), (TOKENS, "2000000", 2_000_000)),
        *((PACE, "0", 0.0), (PACE, "0.5", 0.5), (PACE, "1e1", 10.0)),
    ],
)
def test_numbers_are_read_as_people_write_them(allowed: Range, typed: str, value: float | None) -> None:
    assert allowed.read(typed) == value


@pytest.mark.parametrize(
    ("allowed", "typed"),
    [
        *((STEPS, text) for text in ("", "0", "-1", "1001", "many", "1.5", "1,00", "5 0", "9" * 400)),
        *((PACE, text) for text in ("nan", "inf", "-0.1", "0,5", "101")),
        (TOKENS, "0"),
    ],
)
def test_what_the_range_does_not_allow_is_refused_with_what_to_write(allowed: Range, typed: str) -> None:
    with pytest.raises(ValueError, match=r"^Write a (whole )?number.*\.$"):
        allowed.read(typed)


def test_the_sentence_says_range_and_what_empty_means() -> None:
    assert STEPS.sentence() == "Write a whole number from 1 to 1,000."
    assert TOKENS.sentence() == "Write a whole number, 1 or more. Empty means: no limit."
    assert PACE.sentence() == "Write a number from 0 to 100."


@pytest.mark.parametrize(("value", "shown"), [(None, ""), (50, "50"), (1_000_000_000, "1000000000"), (0.5, "0.5"), (60.0, "60")])
def test_a_value_is_shown_as_it_would_be_typed(value: float | None, shown: str) -> None:
    assert TOKENS.shown(value) == shown


def refusal(row: SettingRow) -> str:
    label = row.findChild(Refusal)
    assert isinstance(label, QLabel)
    return label.text() if label.isVisible() else ""


async def test_a_number_is_taken_when_enter_is_pressed(gui: Gui) -> None:
    row = gui.show(number_row("Steps", "", "requests", STEPS, 50))
    entered: list[object] = []
    row.entered.connect(entered.append)
    row.field.set_text("7")
    assert entered == []
    gui.keys(row.field.edit, "Return")
    assert entered == [7]
    assert_plain(row)


async def test_a_refused_number_stays_with_its_reason_until_it_is_mended(gui: Gui) -> None:
    row = gui.show(number_row("Steps", "", "requests", STEPS, 50))
    entered: list[object] = []
    row.entered.connect(entered.append)
    row.field.set_text("many")
    gui.keys(row.field.edit, "Return")
    assert (row.field.text(), refusal(row), entered) == ("many", STEPS.sentence(), [])
    assert row.field.edit.accessibleDescription() == STEPS.sentence()
    row.show_value(60)
    assert row.field.text() == "many", "another value in force does not take away what is being typed"
    row.field.set_text("60")
    gui.keys(row.field.edit, "Return")
    assert (refusal(row), entered) == ("", [])


async def test_a_number_that_was_not_saved_stays_in_the_field(gui: Gui) -> None:
    row = gui.show(number_row("Steps", "", "requests", STEPS, 50))
    row.field.set_text("7")
    gui.keys(row.field.edit, "Return")
    row.refuse("The disk is full.")
    row.show_value(50)
    assert (row.field.text(), refusal(row)) == ("7", "The disk is full.")


async def test_a_value_changed_elsewhere_is_shown(gui: Gui) -> None:
    row = gui.show(FieldRow("Word", "", str, str, "a"))
    row.show_value("b")
    assert row.field.text() == "b"


async def test_a_narrow_row_sets_words_above_the_control(gui: Gui) -> None:
    row = SettingRow("Steps", "A sentence about them.", check := Check("on"))
    gui.show(row)
    row.resize(800, 80)
    await gui.settle()
    beside = check.mapTo(row, check.rect().topLeft())
    row.resize(300, 120)
    await gui.settle()
    below = check.mapTo(row, check.rect().topLeft())
    assert beside.x() > 250
    assert below.x() < 60
    assert below.y() > beside.y()
