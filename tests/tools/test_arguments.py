"""Argument text becomes values that fit the schema, or an error that names what is wrong; nothing is guessed silently."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from referencing import Registry

from tests.tools.cases import SCHEMAS, bug_report, parameters
from workbench.errors import ToolError
from workbench.tools.arguments import fit_arguments, parse_arguments


def refused(raw: str, schema: dict[str, Any]) -> ToolError:
    with pytest.raises(ToolError) as caught:
        parse_arguments(raw, schema)
    return caught.value


def integer(**limits: int) -> dict[str, Any]:
    return {"type": "object", "properties": {"n": {"type": "integer", **limits}}, "required": ["n"]}


@pytest.mark.parametrize("case", parameters("args_cases"))
def test_case(case: dict[str, Any]) -> None:
    raw = case["args"] if isinstance(case["args"], str) else json.dumps(case["args"])
    schema = SCHEMAS[case["tool"]]
    if "error" in case["expect"]:
        assert refused(raw, schema).kind == case["expect"]["error"]
    else:
        assert parse_arguments(raw, schema).values == case["expect"]["args"]


def test_report_raw_newline_inside_a_string_is_accepted() -> None:
    case = bug_report("args-raw-newline")
    raw, wanted = case["input"]["arguments_raw"], case["expect"]["args"]
    schema = {**SCHEMAS["bash"], "required": ["command"]}
    assert parse_arguments(raw, schema).values == wanted
    json.loads(json.dumps(wanted))


def test_report_missing_content_is_not_empty_content() -> None:
    case = bug_report("write-missing-content")
    error = refused(case["input"]["arguments_raw"], case["input"]["schema"])
    assert all(word in error.for_model() for word in case["expect"]["error_contains"])
    assert parse_arguments('{"path": "keep.txt", "content": ""}', case["input"]["schema"]).values == {"path": "keep.txt", "content": ""}


def test_report_double_encoding_is_undone_by_schema_only() -> None:
    case = bug_report("args-double-encoded-array")
    found = [parse_arguments(call["arguments_raw"], call["schema"]) for call in case["input"]["calls"]]
    assert [arguments.values for arguments in found] == case["expect"]["args"]
    assert found[0].notices


def test_report_extra_property_gives_no_privilege() -> None:
    case = bug_report("extra-property-no-privilege")
    found = parse_arguments(case["input"]["arguments_raw"], {**SCHEMAS["bash"], "required": ["command"]})
    assert found.values == case["expect"]["passed_args"]
    assert "approved, dangerouslyDisableSandbox, requires_approval, security" in found.notices[0]


def test_report_lone_surrogate_is_replaced() -> None:
    case = bug_report("lone-surrogate")
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    assert parse_arguments(case["input"]["arguments_raw"], schema).values == case["expect"]["args"]


BROKEN = ["{", '{"a": 1,}', "{'a': 1}", '{"a": NaN}', '{"a": 1} x', "[" * 100_000, '{"a": 1, "a": 2}', '"{', "nul", '{"n": ' + "9" * 5000 + "}"]


@pytest.mark.parametrize("raw", BROKEN)
def test_broken_json_is_never_repaired(raw: str) -> None:
    error = refused(raw, integer())
    assert (error.kind, error.for_model().count("\n")) == ("invalid_json", 1)
    assert len(error.text) < 200


def test_every_wrong_parameter_is_named_at_once() -> None:
    error = refused('{"old_string": {"a": 1}, "new_string": null, "replace_all": 1}', SCHEMAS["edit"])
    assert error.detail["problems"] == (
        "'file_path' is missing",
        "'old_string' must be text, not an object",
        "'new_string' must be text, not null",
        "'replace_all' must be true or false, not the number 1",
    )
    assert "replace_all (boolean, optional)" in error.advice


def test_limits_are_kept_with_a_notice() -> None:
    found = parse_arguments('{"n": 99}', integer(minimum=1, maximum=20))
    assert (found.values, found.notices) == ({"n": 20}, ("'n' was 99; taken as 20.",))
    assert parse_arguments('{"n": "-3"}', integer(minimum=-5)).values == {"n": -3}


@pytest.mark.parametrize("value", ["1e3", "0x10", "", "ten", "1 0", True, None, [], {}, 1.5, "٣x"])
def test_what_is_no_whole_number_is_refused(value: Any) -> None:
    assert refused(json.dumps({"n": value}), integer()).kind == "invalid_arguments"


def test_number_for_text_is_its_text_but_truth_is_not() -> None:
    assert parse_arguments('{"expression": 42}', SCHEMAS["calculator"]).values == {"expression": "42"}
    assert refused('{"expression": true}', SCHEMAS["calculator"]).kind == "invalid_arguments"


def test_two_spellings_must_agree() -> None:
    assert parse_arguments('{"path": "a", "filePath": "a"}', SCHEMAS["read"]).values == {"file_path": "a"}
    assert "two names" in refused('{"path": "a", "filePath": "b"}', SCHEMAS["read"]).text


def test_spellings_inside_lists_and_their_places_in_errors() -> None:
    values = parse_arguments('{"filePath": "a", "edits": [{"oldString": "x", "newString": "y", "replaceAll": "True"}]}', SCHEMAS["multiedit"]).values
    assert values["edits"] == [{"old_string": "x", "new_string": "y", "replace_all": True}]
    raw = '{"path": "a", "edits": [{"oldString": "x", "newString": ""}, {"oldString": "x"}]}'
    assert "'edits[1].new_string' is missing" in refused(raw, SCHEMAS["multiedit"]).text


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("`a.py`", "a.py"),
        ("'a.py'", "a.py"),
        ("'a", "'a"),
        ("\"\"a\"\"", "\"a\""),
        ("@@a", "@a"),
        ("FILE:///w/a%20b", "/w/a b"),
        ("file://localhost/w/x", "/w/x"),
        ("file:///C:/x%5Cy", "C:/x\\y"),
        ("a%20b", "a%20b"),
        ("~/x", "~/x"),
        (" a ", " a "),
    ],
)
def test_what_models_put_around_paths_is_taken_off(given: str, taken: str) -> None:
    found = parse_arguments(json.dumps({"file_path": given}), SCHEMAS["read"])
    assert found.values == {"file_path": taken}
    assert bool(found.notices) == (given != taken)


@pytest.mark.parametrize("given", ["file://server/share/x", "file:///a%00b", "a\0"])
def test_paths_that_cannot_be_meant_are_refused(given: str) -> None:
    assert refused(json.dumps({"file_path": given}), SCHEMAS["read"]).kind == "invalid_arguments"


def test_texts_are_never_touched() -> None:
    for text in ["null", "undefined", "", "true", "5", '"quoted"', "@at", "file:///x", "\r\n", "{}", " "]:
        arguments = {"file_path": "a", "old_string": text, "new_string": text}
        assert parse_arguments(json.dumps(arguments), SCHEMAS["edit"]).values == arguments


def test_wrapped_arguments_are_unwrapped_unless_the_tool_has_such_a_parameter() -> None:
    wrapped = json.dumps({"arguments": json.dumps({"n": 1})})
    assert parse_arguments(wrapped, integer()).values == {"n": 1}
    schema = {"type": "object", "properties": {"arguments": {"type": "object"}}, "required": ["arguments"]}
    assert parse_arguments('{"arguments": {"x": 1}}', schema).values == {"arguments": {"x": 1}}


def test_a_persons_edit_goes_through_the_same_rules() -> None:
    assert fit_arguments({"n": "7"}, integer()).values == {"n": 7}
    with pytest.raises(ToolError):
        fit_arguments([1], integer())


NAMES = st.sampled_from(["file_path", "path", "edits", "old_string", "newString", "x", "pattern", "limit", "todos"])
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
KINDS = {"invalid_arguments", "invalid_json"}


def parsed_or_kind(raw: str, schema: dict[str, Any]) -> dict[str, Any] | str:
    try:
        return parse_arguments(raw, schema).values
    except ToolError as error:
        return error.kind


@given(JSON_VALUES, st.sampled_from(sorted(SCHEMAS)))
def test_any_json_gives_fitting_values_or_a_tool_error(value: Any, tool: str) -> None:
    found = parsed_or_kind(json.dumps(value), SCHEMAS[tool])
    if isinstance(found, str):
        assert found in KINDS
    else:
        jsonschema.validate(found, SCHEMAS[tool], registry=Registry())


@given(st.text(max_size=60))
def test_any_text_gives_values_or_a_tool_error(raw: str) -> None:
    found = parsed_or_kind(raw, SCHEMAS["read"])
    assert isinstance(found, dict) or found in KINDS
