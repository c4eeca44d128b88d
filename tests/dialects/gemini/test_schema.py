"""Schemas reduced to what `parameters` takes, and read back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from tests.dialects.test_json_text import VALUES
from tests.shared import needs_shared, shared_data
from workbench.dialects.gemini import DIALECT
from workbench.dialects.gemini.schema import SUBSET_KEYS, expanded, reduced

TEXT = {"type": "STRING"}


def inner(schema: Any) -> Any:
    """Return a schema, reduced as the only property of a tool's parameters."""
    written = reduced({"type": "object", "properties": {"a": schema}})
    assert written is not None
    return written["properties"]["a"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "$schema": "x", "pattern": "^a", "propertyNames": {}}, {"type": "STRING", "pattern": "^a"}),
        ({"const": "x"}, {"type": "STRING", "enum": ["x"]}),
        ({"const": 3}, {"type": "INTEGER", "description": "One of: 3."}),
        ({"type": ["string", "null"]}, {"type": "STRING", "nullable": True}),
        ({"type": ["string", "integer"]}, {"anyOf": [TEXT, {"type": "INTEGER"}]}),
        ({"type": "integer", "enum": [0, 1], "description": "Level."}, {"type": "INTEGER", "description": "Level. One of: 0, 1."}),
        ({"enum": ["a", "", None]}, {"type": "STRING", "enum": ["a"], "nullable": True}),
        ({"enum": [True]}, {"type": "BOOLEAN", "description": "One of: true."}),
        ({"enum": [0.5]}, {"type": "NUMBER", "description": "One of: 0.5."}),
        ({"type": "array"}, {"type": "ARRAY", "items": TEXT}),
        ({"type": "array", "items": {}, "minItems": 1}, {"type": "ARRAY", "items": TEXT, "minItems": 1}),
        ({"prefixItems": [{"type": "string"}, {"type": "number"}]}, {"type": "ARRAY", "items": {"anyOf": [TEXT, {"type": "NUMBER"}]}}),
        ({"type": "object", "properties": {}}, {"type": "OBJECT"}),
        ({"type": "object", "properties": {"b": {}}, "required": ["b", "c", "b"]}, {"type": "OBJECT", "properties": {"b": TEXT}, "required": ["b"]}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "description": "d"}, {"type": "STRING", "description": "d", "nullable": True}),
        ({"oneOf": [{"type": "string"}, {"type": "number"}]}, {"anyOf": [TEXT, {"type": "NUMBER"}]}),
        ({"allOf": [{"type": "object", "properties": {"x": {}}}, {"properties": {"y": {}}}]}, {"type": "OBJECT", "properties": {"y": TEXT, "x": TEXT}}),
        ({"type": "string", "format": "uri"}, TEXT),
        ({"type": "string", "format": "date-time"}, {"type": "STRING", "format": "date-time"}),
        ({"exclusiveMinimum": 1, "type": "number", "maximum": 3}, {"type": "NUMBER", "maximum": 3}),
        (True, TEXT),
        ({"$ref": "https://elsewhere"}, TEXT),
    ],
)
def test_a_schema_is_reduced(schema: Any, expected: Any) -> None:
    assert inner(schema) == expected


def test_a_tool_without_parameters_has_none() -> None:
    assert reduced({"type": "object", "properties": {}}) is None
    assert reduced({}) is None


@pytest.mark.parametrize("required", [[["a"]], [{"a": 1}], [None, 1, "a"], "a", {"a": 1}])
def test_required_names_that_are_none_are_left_out(required: Any) -> None:
    body = {"type": "object", "properties": {"a": {"type": "string"}}, "required": required}
    assert (reduced(body) or {}).get("required", []) in ([], ["a"])


def test_references_go_in_with_what_stands_beside_them() -> None:
    schema = {
        "type": "object",
        "properties": {"q": {"$ref": "#/$defs/a~1b", "description": "mine"}},
        "$defs": {"a/b": {"type": "string", "description": "theirs", "maxLength": 3}},
    }
    assert reduced(schema) == {"type": "OBJECT", "properties": {"q": {"type": "STRING", "description": "mine", "maxLength": 3}}}


def test_circles_and_floods_of_references_end() -> None:
    circle = {"type": "object", "properties": {"next": {"$ref": "#"}, "all": {"type": "array", "items": {"$ref": "#"}}}}
    assert len(json.dumps(reduced(circle))) < 2_000
    double = {f"d{n}": {"type": "object", "properties": {"l": {"$ref": f"#/$defs/d{n + 1}"}, "r": {"$ref": f"#/$defs/d{n + 1}"}}} for n in range(40)}
    flood = {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": double}
    assert len(json.dumps(reduced(flood))) < 1_000_000
    endless = {"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"$ref": "#/$defs/x"}}}
    assert reduced(endless) == {"type": "OBJECT", "properties": {"a": {"type": "OBJECT"}}}


def test_the_subset_is_read_as_json_schema() -> None:
    subset = {"type": "OBJECT", "properties": {"a": {"type": 1, "nullable": True}, "b": {"any_of": [{"type": "NUMBER"}]}}, "propertyOrdering": ["a"]}
    expected = {"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"anyOf": [{"type": "number"}]}}}
    assert expanded(subset) == expected
    assert reduced(expanded(subset)) == {
        "type": "OBJECT",
        "properties": {"a": {"type": "STRING", "nullable": True}, "b": {"type": "NUMBER"}},
    }


SCHEMAS = st.recursive(
    st.fixed_dictionaries({}, optional={"type": st.sampled_from(["string", "integer", "array", "object", ["string", "null"], "odd"]), "const": VALUES}),
    lambda deeper: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", ["object", "string"]]),
            "properties": st.dictionaries(st.sampled_from(["a", "b", "$ref"]), deeper, max_size=2),
            "required": st.lists(st.sampled_from(["a", "b", "z"]), max_size=2),
            "items": deeper | st.lists(deeper, max_size=2),
            "anyOf": st.lists(deeper, max_size=2),
            "enum": st.lists(VALUES, max_size=2),
            "$ref": st.sampled_from(["#", "#/properties/a", "#/x", "x"]),
            "allOf": st.lists(deeper, max_size=2),
        },
    ),
    max_leaves=8,
)


@given(SCHEMAS)
def test_whatever_is_reduced_breaks_no_rule_and_the_official_types_take_it(schema: Any) -> None:
    written = reduced(schema)
    if written is None:
        return
    types.Schema.model_validate(written)
    body = {"contents": [{"role": "user", "parts": [{"text": "go"}]}], "tools": [{"functionDeclarations": [{"name": "t", "parameters": written}]}]}
    faults = [finding.rule for finding in DIALECT.check(json.dumps(body).encode()) if finding.rule != "gemini.schema-root"]
    assert faults == []
    assert set(_keys(written)) <= SUBSET_KEYS
    assert reduced(schema) == written


def _keys(schema: dict[str, Any]) -> list[str]:
    below = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), *([schema["items"]] if "items" in schema else [])]
    return [*schema, *(key for each in below for key in _keys(each))]


@needs_shared
def test_the_schemas_of_real_agents_are_reduced() -> None:
    data = shared_data()
    assert data is not None
    found = 0
    for file in sorted((data / "captures").glob("*/*-request.json")):
        body = json.loads(file.read_bytes())["body"]
        for tool in body.get("tools", []) if isinstance(body, dict) else []:
            function = tool.get("function", tool) if isinstance(tool, dict) else {}
            schema = function.get("parameters") or function.get("input_schema")
            if isinstance(schema, dict) and (written := reduced(schema)):
                found += 1
                types.Schema.model_validate(written)
                assert set(_keys(written)) <= SUBSET_KEYS
    assert found > 50
