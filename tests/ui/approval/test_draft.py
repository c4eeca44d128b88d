"""The arguments of a question while they are edited: nothing is lost, nothing hides, and only real changes count."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.permissions.visible import is_hidden
from workbench.ui.approval.draft import LONGEST_TEXT, Draft, is_editable_text, json_text

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "where"},
        "count": {"type": "integer"},
        "share": {"type": "number"},
        "deep": {"type": "boolean"},
        "unit": {"type": "string", "enum": ["a", "b"]},
        "names": {"type": "array", "items": {"type": "string"}},
        "options": {"type": "object", "properties": {"x": {"type": "string"}}},
    },
    "required": ["path"],
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def draft(**values: Any) -> Draft:
    return Draft(values, values, SCHEMA)


def kinds(**values: Any) -> dict[str, str]:
    return {field.name: field.kind for field in draft(**values).fields()}


def test_each_kind_of_argument_gets_its_control() -> None:
    assert kinds(path="a") == {
        "path": "line",
        "count": "integer",
        "share": "number",
        "deep": "boolean",
        "unit": "choice",
        "names": "list",
        "options": "json",
    }


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("path", "a\nb", "lines"),
        ("path", "x" * 200, "lines"),
        ("path", "a\u202eb", "json"),
        ("path", "a\u00a0b", "json"),
        ("path", "a\r\nb", "json"),
        ("path", ["not", "text"], "json"),
        ("count", True, "json"),
        ("count", 1.5, "json"),
        ("share", 2, "number"),
        ("unit", "c", "line"),
        ("names", ["a", "b\nc"], "json"),
        ("names", ["a", ""], "json"),
        ("extra", {"a": 1}, "json"),
    ],
)
def test_value_that_a_control_cannot_hold_exactly_is_edited_as_json(name: str, value: object, kind: str) -> None:
    assert kinds(**{name: value})[name] == kind


def test_schema_that_is_none_is_no_obstacle() -> None:
    for schema in ({}, {"properties": 3}, {"properties": {"a": True}, "required": "a"}):
        held = Draft({"a": 1}, {"a": 1}, schema)
        assert [field.name for field in held.fields()] == ["a"]
        assert held.check().problem == ""


def is_edited(held: Draft) -> bool:
    return held.edited


def test_only_real_changes_count() -> None:
    held = draft(path="a", count=1)
    assert not is_edited(held)
    held.put("count", 2)
    assert is_edited(held)
    assert held.changed() == ["count"]
    held.put("count", 1)
    assert not is_edited(held)
    held.put("count", True)
    assert is_edited(held), "true is not 1"
    held.leave_out("count")
    assert held.changed() == ["count"]
    held.reset()
    assert not is_edited(held)
    assert held.values == {"path": "a", "count": 1}


def test_what_the_model_sent_stays_known_after_an_earlier_edit() -> None:
    held = Draft({"path": "a"}, {"path": "b"}, SCHEMA)
    assert not held.edited
    assert held.changed() == ["path"]


def test_text_that_is_no_json_names_the_place_and_keeps_the_values() -> None:
    held = draft(path="a")
    problem = held.put_text('{\n  "path": "b",\n  oops\n}')
    assert problem is not None
    assert (problem.line, problem.column) == (3, 3)
    assert held.edited
    assert held.check().problem == problem.text
    assert held.values == {"path": "a"}
    assert held.put_text('{"path": "b"}') is None
    assert held.changed() == ["path"]


@pytest.mark.parametrize("text", ["[1]", "3", '{"path": NaN}', "", "[" * 5000 + "]" * 5000])
def test_other_texts_are_refused(text: str) -> None:
    held = draft(path="a")
    assert held.put_text(text) is not None
    assert held.check().problem


def test_value_that_cannot_be_read_stops_the_answer() -> None:
    held = draft(path="a")
    held.cannot_read("count", "count must be a whole number.")
    assert held.edited
    assert held.changed() == ["count"]
    assert held.check().problem == "count must be a whole number."
    held.put("count", 3)
    assert held.check().problem == ""


def test_missing_argument_is_told() -> None:
    held = draft(path="a")
    held.leave_out("path")
    assert held.check().problem == "'path' is missing."


@given(JSON)
def test_json_text_hides_nothing_and_reads_back(value: object) -> None:
    text = json_text(value)
    assert json.loads(text) == value
    assert not any(is_hidden(character) for character in text.replace("\n", ""))


def test_json_text_escapes_what_hides() -> None:
    assert json_text("a\u202e\U000e0068中") == '"a\\u202e\\udb40\\udc68中"'
    assert is_editable_text("a\n\tb 中")
    assert not is_editable_text("a\u200bb")


def test_very_long_values_are_not_edited_here() -> None:
    fields = {field.name: field for field in draft(path="x" * (LONGEST_TEXT + 1), names=["a"] * 3).fields()}
    assert fields["path"].too_long
    assert not fields["names"].too_long
