"""What providers demand of a tool's JSON Schema; shared by the dialects' rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from workbench.dialects.json_document import pointer_to

_UNSUPPORTED = frozenset(
    {"allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties", "propertyNames", "unevaluatedProperties"}
)
_DEEPEST = 64


class SchemaFault(NamedTuple):
    """One fault: where in the schema (JSON pointer, empty for the root) and what, as the end of a sentence about the schema."""

    pointer: str
    text: str


def root_fault(schema: Any) -> SchemaFault | None:
    """Return what is wrong with the root: it must be an object schema."""
    if not isinstance(schema, dict):
        return SchemaFault("", "is not an object")
    return None if schema.get("type") == "object" else SchemaFault("", f'has the type {schema.get("type")!r} at its root, it must be "object"')


def strict_faults(schema: Any, pointer: str = "", depth: int = 0) -> Iterator[SchemaFault]:
    """Yield what OpenAI's strict mode refuses: open objects, optional properties, keywords it does not know."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return
    for name in sorted(_UNSUPPORTED & schema.keys()):
        yield SchemaFault(f"{pointer}/{name}", f"uses {name!r}, which strict mode does not support")
    properties = schema.get("properties")
    if schema.get("type") == "object" or isinstance(properties, dict):
        yield from _object_faults(schema, properties if isinstance(properties, dict) else {}, pointer)
    for place, inner in _inner_schemas(schema):
        yield from strict_faults(inner, f"{pointer}/{place}", depth + 1)


def moonshot_faults(schema: Any, pointer: str = "", depth: int = 0) -> Iterator[SchemaFault]:
    """Yield what Moonshot's schema dialect refuses: a type beside `anyOf`, and arrays of tuples."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return
    if "type" in schema and "anyOf" in schema:
        yield SchemaFault(f"{pointer}/anyOf", "has a type beside 'anyOf'; the type belongs into each alternative")
    if isinstance(schema.get("items"), list) or "prefixItems" in schema:
        yield SchemaFault(f"{pointer}/items", "describes a tuple; items must be one schema")
    for place, inner in _inner_schemas(schema):
        yield from moonshot_faults(inner, f"{pointer}/{place}", depth + 1)


def _object_faults(schema: dict[str, Any], properties: dict[str, Any], pointer: str) -> Iterator[SchemaFault]:
    if schema.get("additionalProperties") is not False:
        yield SchemaFault(pointer, "has an object without 'additionalProperties': false")
    required = schema.get("required")
    missing = [name for name in properties if name not in (required if isinstance(required, list) else [])]
    if missing:
        yield SchemaFault(pointer, f"leaves {', '.join(map(repr, missing))} out of 'required'; optional values are written as a type with \"null\"")


def _inner_schemas(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name in ("properties", "$defs", "definitions"):
        members = schema.get(name)
        for key, inner in members.items() if isinstance(members, dict) else ():
            yield f"{name}{pointer_to(key)}", inner
    items = schema.get("items")
    if isinstance(items, dict):
        yield "items", items
    for name in ("anyOf", "allOf", "oneOf", "prefixItems"):
        several = schema.get(name)
        for place, inner in enumerate(several if isinstance(several, list) else ()):
            yield f"{name}/{place}", inner
