"""What providers demand of a tool's schema."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.dialects.test_json_text import VALUES
from workbench.dialects.schema_rules import moonshot_faults, root_fault, strict_faults

CLOSED = {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"], "additionalProperties": False}


def test_a_closed_schema_has_no_faults() -> None:
    assert root_fault(CLOSED) is None
    assert list(strict_faults(CLOSED)) == []
    assert list(moonshot_faults(CLOSED)) == []


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        ({"type": "object", "properties": {}}, [""]),
        ({**CLOSED, "required": []}, [""]),
        ({**CLOSED, "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}}}, ["/properties/a", "/properties/a"]),
        ({**CLOSED, "properties": {"a": {"type": "array", "items": {"type": "object"}}}}, ["/properties/a/items"]),
        ({**CLOSED, "properties": {"a": {"anyOf": [{"type": "object"}, {"type": "null"}]}}}, ["/properties/a/anyOf/0"]),
        ({**CLOSED, "$defs": {"x/y": {"type": "object"}}}, ["/$defs/x~1y"]),
        ({**CLOSED, "oneOf": []}, ["/oneOf"]),
    ],
)
def test_strict_mode_names_each_fault(schema: dict[str, Any], pointers: list[str]) -> None:
    assert [fault.pointer for fault in strict_faults(schema)] == pointers


@pytest.mark.parametrize("schema", [None, [], {}, {"type": "string"}, {"type": None}])
def test_the_root_must_be_an_object(schema: Any) -> None:
    assert root_fault(schema) is not None


def test_moonshot_wants_types_inside_of_the_alternatives() -> None:
    faulty = {"type": "object", "properties": {"a": {"type": "string", "anyOf": []}, "b": {"type": "array", "items": [{}]}}}
    assert [fault.pointer for fault in moonshot_faults(faulty)] == ["/properties/a/anyOf", "/properties/b/items"]


@given(VALUES)
def test_no_value_breaks_the_rules(value: Any) -> None:
    for schema in (value, {"type": "object", "properties": value, "required": value, "items": value, "anyOf": value}):
        list(strict_faults(schema))
        list(moonshot_faults(schema))
        root_fault(schema)
