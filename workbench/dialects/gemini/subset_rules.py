"""Rules about the schema of a tool: the subset that `parameters` takes, and the JSON Schema of `parametersJsonSchema`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.findings import error, warning
from workbench.dialects.gemini.parts import key_of, member, snake
from workbench.dialects.gemini.schema import SUBSET_KEYS, reduced, type_word
from workbench.dialects.json_document import pointer_to
from workbench.dialects.schema_rules import root_fault

_DEEPEST = 64
_KEYS = SUBSET_KEYS | {snake(key) for key in SUBSET_KEYS}
_ON_SOME = frozenset({"gemini.schema-empty-object"})
"""Faults that newer models were seen to take."""


class _Fault(NamedTuple):
    """One fault of a schema: the rule, where (below the schema), and what, as the end of a sentence about the schema."""

    rule: str
    pointer: str
    text: str


def check_schema(declaration: JsonObject, pointer: str) -> Iterator[Finding]:
    """Yield what is wrong with the schemas of one declaration. The repair writes `parameters` anew in the subset."""
    name, parameters = declaration["name"], declaration.get("parameters")
    key = key_of(declaration, "parametersJsonSchema")
    whole = member(declaration, "parametersJsonSchema")
    if parameters is not None and whole is not None:
        yield error(
            "gemini.two-schemas",
            f"{pointer}/parameters",
            f"The tool {name} has `parameters` and `parametersJsonSchema`; only one is allowed.",
            "Leave `parameters` out.",
            Edit(op="remove", pointer=f"{pointer}/parameters"),
        )
        return
    if whole is not None and (fault := root_fault(whole)):
        yield error("gemini.schema-root", f"{pointer}/{key}", f"The schema of {name} {fault.text}.", 'Its root must have "type": "object".')
    if parameters is not None:
        written = reduced(parameters)
        place = f"{pointer}/parameters"
        edit = Edit(op="replace", pointer=place, value=written) if written else Edit(op="remove", pointer=place)
        for found in _root(parameters):
            grave = warning if found.rule in _ON_SOME else error
            fix = "Send it as `parametersJsonSchema`, or reduce it to what `parameters` takes."
            yield grave(found.rule, f"{place}{found.pointer}", f"The schema of {name} {found.text}.", fix, edit)


def _root(schema: Any) -> Iterator[_Fault]:
    if not isinstance(schema, dict) or (type_word(schema.get("type")) != "OBJECT" and "$ref" not in schema):
        yield _Fault("gemini.schema-root", "", "has no object at its root")
        if not isinstance(schema, dict):
            return
    elif not schema.get("properties") and not _foreign(schema):
        yield _Fault("gemini.schema-empty-object", "", "is an object without properties; a tool without parameters has no `parameters`")
    yield from _faults(schema, "", 0)


def _foreign(schema: JsonObject) -> list[str]:
    return sorted(str(key) for key in schema if key not in _KEYS)


def _faults(schema: JsonObject, pointer: str, depth: int) -> Iterator[_Fault]:
    if depth > _DEEPEST:
        return
    for key in _foreign(schema):
        yield _Fault("gemini.schema-key", f"{pointer}{pointer_to(key)}", f"has the member {key!r}, which `parameters` does not know")
    yield from _own_faults(schema, pointer)
    properties = schema.get("properties")
    inner = {f"properties{pointer_to(key)}": value for key, value in properties.items()} if isinstance(properties, dict) else {}
    inner["items"] = schema.get("items")
    choices = member(schema, "anyOf")
    inner |= {f"{key_of(schema, 'anyOf')}/{place}": choice for place, choice in enumerate(choices if isinstance(choices, list) else ())}
    for place, value in inner.items():
        if isinstance(value, dict):
            yield from _faults(value, f"{pointer}/{place}", depth + 1)


def _own_faults(schema: JsonObject, pointer: str) -> Iterator[_Fault]:
    kind, word = schema.get("type"), type_word(schema.get("type"))
    if kind is not None and not word:
        yield _Fault("gemini.schema-type", f"{pointer}/type", f"has the type {kind!r}; there is one type, and `nullable`")
    if word == "ARRAY" and (not isinstance(schema.get("items"), dict) or not schema["items"]):
        yield _Fault("gemini.schema-items", f"{pointer}/items", "has an array without items")
    values = schema.get("enum")
    if isinstance(values, list) and (not all(isinstance(value, str) and value for value in values) or (word and word != "STRING")):
        yield _Fault("gemini.schema-enum", f"{pointer}/enum", "allows values other than texts; only texts can be listed")
    required, properties = schema.get("required"), schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    for place, name in enumerate(required if isinstance(required, list) else ()):
        if not isinstance(name, str) or name not in known:
            yield _Fault("gemini.schema-required", f"{pointer}/required/{place}", f"requires {name!r}, which is not among its properties")
