"""The form and the JSON of a call's arguments edit the same draft, exactly."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QWidget

from tests.pace import not_hung
from tests.ui.approval.test_draft import SCHEMA
from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.ui.approval.argument_field import ArgumentField, shown_value
from workbench.ui.approval.arguments_form import ArgumentsForm, JsonPage
from workbench.ui.approval.draft import Draft
from workbench.ui.approval.exact_label import ExactLabel
from workbench.ui.kit.buttons import Check

W = TypeVar("W", bound=QWidget)
ALL: dict[str, Any] = {"path": "a.txt", "count": 3, "share": 0.5, "deep": True, "unit": "a", "names": ["x", "y"], "options": {"x": "1"}}


def form_of(gui: Gui, **values: Any) -> tuple[ArgumentsForm, Draft]:
    draft = Draft(values, values, SCHEMA)
    form = ArgumentsForm()
    form.resize(600, 800)
    gui.show(form)
    form.show_draft(draft)
    return form, draft


def control(form: ArgumentsForm, name: str, kind: type[W]) -> W:
    (field,) = [field for field in form.fields if field.field.name == name]
    found = field.findChild(kind)
    assert found is not None
    return found


async def test_every_control_changes_its_argument(gui: Gui) -> None:
    form, draft = form_of(gui, **ALL)
    edits: list[int] = []
    form.edited.connect(lambda: edits.append(1))
    assert_plain(form)
    control(form, "path", QLineEdit).setText("b.txt")
    control(form, "count", QLineEdit).setText("-4")
    control(form, "share", QLineEdit).setText("1e3")
    control(form, "deep", Check).click()
    control(form, "unit", QComboBox).setCurrentIndex(2)
    control(form, "names", QPlainTextEdit).setPlainText("one\ntwo words\n")
    control(form, "options", QPlainTextEdit).setPlainText('{"x": "2"}')
    assert draft.values == {
        "path": "b.txt", "count": -4, "share": 1000.0, "deep": False, "unit": "b", "names": ["one", "two words"], "options": {"x": "2"},
    }
    assert sorted(draft.changed()) == sorted(ALL)
    assert len(edits) >= 7
    assert draft.check().problem == ""


async def test_untouched_controls_change_nothing(gui: Gui) -> None:
    form, draft = form_of(gui, **ALL)
    assert not draft.edited
    for editor in (*form.findChildren(QLineEdit), *form.findChildren(QPlainTextEdit)):
        editor.setFocus()
        QTest.keyClick(editor, Qt.Key.Key_End)
        QTest.keyClick(editor, Qt.Key.Key_Tab)
    assert not draft.edited
    assert draft.values == ALL


async def test_arguments_that_were_not_given_stay_away(gui: Gui) -> None:
    form, draft = form_of(gui, path="a")
    edit = control(form, "count", QLineEdit)
    edit.setText("3")
    edit.setText("")
    control(form, "deep", Check).click()
    control(form, "deep", Check).click()
    unit = control(form, "unit", QComboBox)
    assert unit.currentText() == "not given"
    unit.setCurrentIndex(1)
    unit.setCurrentIndex(0)
    control(form, "options", QPlainTextEdit).setPlainText("{}")
    control(form, "options", QPlainTextEdit).setPlainText("")
    assert draft.values == {"path": "a"}
    assert not draft.edited


async def test_wrong_values_are_told(gui: Gui) -> None:
    form, draft = form_of(gui, **ALL)
    for name, text in (("count", "3.5"), ("share", "nan"), ("share", "x")):
        control(form, name, QLineEdit).setText(text)
        assert draft.check().problem.startswith(name)
        draft.reset()
    control(form, "options", QPlainTextEdit).setPlainText("{")
    assert draft.check().problem.startswith("options is not JSON")


async def test_what_the_model_sent_is_shown_beside_a_change(gui: Gui) -> None:
    form, _draft = form_of(gui, **(ALL | {"path": "a\u202eb"}))
    (field,) = [field for field in form.fields if field.field.name == "path"]
    assert not _sent(field).isVisible()
    control(form, "path", QPlainTextEdit).setPlainText('"b"')
    assert _sent(field).isVisible()
    assert _sent(field).text() == "the model sent: a⟨U+202E⟩b"
    assert shown_value({"a": "\u200b"}) == '{"a": "⟨U+200B⟩"}'


def _sent(field: ArgumentField) -> ExactLabel:
    return field._sent


async def test_editor_keeps_every_character_that_it_shows(gui: Gui) -> None:
    form, draft = form_of(gui, path="one\n\ttwo  \n\n三 🌍")
    editor = control(form, "path", QPlainTextEdit)
    editor.appendPlainText("end")
    assert draft.values["path"] == "one\n\ttwo  \n\n三 🌍\nend"


async def test_wheel_over_a_list_of_choices_changes_nothing(gui: Gui) -> None:
    form, draft = form_of(gui, **ALL)
    unit = control(form, "unit", QComboBox)
    assert unit.focusPolicy() is not Qt.FocusPolicy.WheelFocus or not draft.edited


async def test_two_thousand_arguments_are_edited_as_json(gui: Gui) -> None:
    values = {f"argument_{number}": "x" * 20 for number in range(2000)}
    draft = Draft(values, values, {"type": "object"})
    form, page = gui.show(ArgumentsForm()), JsonPage()
    page.resize(800, 600)
    gui.show(page)
    with not_hung(2):
        form.show_draft(draft)
        page.show_draft(draft)
        gui.picture(page)
    assert form.fields == []
    assert json.loads(page.editor.text()) == values
    page.editor.edit.setPlainText(page.editor.text().replace("argument_1999", "last"))
    assert draft.changed() == ["argument_1999", "last"]


async def test_json_page_follows_the_draft_and_tells_what_is_wrong(gui: Gui) -> None:
    draft = Draft(ALL, ALL, SCHEMA)
    page = JsonPage()
    gui.show(page)
    page.show_draft(draft)
    edits: list[int] = []
    page.edited.connect(lambda: edits.append(1))
    assert not draft.edited
    page.editor.edit.setPlainText('{"path": }')
    assert draft.check().problem
    assert len(page.editor.edit.extraSelections()) == 1
    page.editor.edit.setPlainText('{"path": "x"}')
    assert page.editor.edit.extraSelections() == []
    assert draft.values == {"path": "x"}
    assert len(edits) == 2


async def test_json_that_is_too_long_is_shown_and_not_edited(gui: Gui) -> None:
    values = {"content": "x" * 2_000_000}
    draft = Draft(values, values, {})
    page = JsonPage()
    page.resize(800, 600)
    with not_hung(2):
        gui.show(page)
        page.show_draft(draft)
        gui.picture(page)
    assert not page.editor.isVisible()
    assert not draft.edited
