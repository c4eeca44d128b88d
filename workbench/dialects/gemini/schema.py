"""The reduced schema that Gemini's `parameters` takes, made from JSON Schema, and read back into it.

Where a server takes `parametersJsonSchema`, nothing of this is needed; older models and Vertex want the subset. The keys are those of
the wire specification, section 5. What the subset cannot say is left out, never a reason to refuse a tool.
"""

from __future__ import annotations

from typing import Any, Final

from workbench.conversation.values import JsonObject
from workbench.dialects.json_text import write_json

SUBSET_KEYS: Final = frozenset(
    {
        *("type", "format", "title", "description", "nullable", "default", "items", "minItems", "maxItems", "enum", "properties"),
        *("propertyOrdering", "required", "minProperties", "maxProperties", "minimum", "maximum", "minLength", "maxLength", "pattern"),
        *("example", "anyOf"),
    }
)
TYPES: Final = ("", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
"""The types by the numbers that stand for them where enums are encoded as numbers."""

_COPIED = ("title", "minItems", "maxItems", "minProperties", "maxProperties", "minimum", "maximum", "minLength", "maxLength", "pattern", "nullable")
_FORMATS = ("int32", "int64", "float", "double", "date-time", "enum")
_DEEPEST = 32
_MOST_NODES = 5_000
_OBJECT: JsonObject = {"type": "OBJECT"}


def reduced(schema: Any) -> JsonObject | None:
    """Return a tool's schema in the subset; None where `parameters` must be left out because there are none."""
    written = _Reducer(schema if isinstance(schema, dict) else {}).reduce(schema, (), 0)
    return written if written.get("properties") else None


def expanded(schema: Any, depth: int = 0) -> Any:
    """Return a subset schema as JSON Schema: types in small letters, `nullable` as a type."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return schema
    written: JsonObject = {}
    for name, value in schema.items():
        match name:
            case "type":
                written["type"] = type_word(value).lower() if type_word(value) else value
            case "properties" if isinstance(value, dict):
                written[name] = {key: expanded(inner, depth + 1) for key, inner in value.items()}
            case "items":
                written[name] = expanded(value, depth + 1)
            case "anyOf" | "any_of" if isinstance(value, list):
                written["anyOf"] = [expanded(inner, depth + 1) for inner in value]
            case "nullable" | "propertyOrdering" | "property_ordering":
                pass
            case _:
                written[name] = value
    if schema.get("nullable") is True and isinstance(written.get("type"), str):
        written["type"] = [written["type"], "null"]
    return written


def type_word(value: Any) -> str:
    """Return a type as its word in capitals; empty if it is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return TYPES[value] if 0 <= value < len(TYPES) else ""
    return value.upper() if isinstance(value, str) and value.upper() in TYPES else ""


class _Reducer:
    """Reduces one schema, whose root the references in it lead into."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._nodes = 0

    def reduce(self, schema: Any, within: tuple[str, ...], depth: int) -> JsonObject:
        """Return a schema in the subset.

        Args:
            schema: any value; what is no schema at all is a text.
            within: the references that led here; one that leads here again ends as an object.
            depth: how deep this is nested.
        """
        self._nodes += 1
        if depth > _DEEPEST or self._nodes > _MOST_NODES:
            return dict(_OBJECT)
        if not isinstance(schema, dict):
            return {"type": "STRING"}
        reference = schema.get("$ref")
        if isinstance(reference, str):
            if reference in within:
                return _described(dict(_OBJECT), schema)
            beside = {name: value for name, value in schema.items() if name != "$ref"}
            return self.reduce({**self._target(reference), **beside}, (*within, reference), depth + 1)
        return self._node(_merged(schema), within, depth)

    def _target(self, reference: str) -> JsonObject:
        found: Any = self._root
        for step in reference.removeprefix("#").strip("/").split("/") if reference.startswith("#/") else ():
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        return found if isinstance(found, dict) and reference.startswith("#") else {}

    def _node(self, schema: JsonObject, within: tuple[str, ...], depth: int) -> JsonObject:
        words = _types(schema)
        nullable = "NULL" in words or None in _list(schema.get("enum")) or schema.get("nullable") is True
        words = [word for word in words if word != "NULL"]
        choices = [choice for name in ("anyOf", "oneOf") for choice in _list(schema.get(name))]
        if not choices and len(words) > 1:
            choices = [{**schema, "type": word.lower()} for word in words]
            schema = {"description": schema.get("description")}
        if choices:
            return self._any_of(choices, schema, within, depth, nullable=nullable)
        word = words[0] if words else _guessed(schema)
        written: JsonObject = {"type": word}
        if isinstance(schema.get("description"), str):
            written["description"] = schema["description"]
        written |= {name: schema[name] for name in _COPIED if name in schema and name != "nullable"}
        if schema.get("format") in _FORMATS:
            written["format"] = schema["format"]
        if nullable:
            written["nullable"] = True
        self._members(written, schema, within, depth)
        return written

    def _members(self, written: JsonObject, schema: JsonObject, within: tuple[str, ...], depth: int) -> None:
        """Add what belongs to the type: properties, items, or the allowed values."""
        properties = schema.get("properties")
        if written["type"] == "OBJECT" and isinstance(properties, dict) and properties:
            written["properties"] = {str(name): self.reduce(inner, within, depth + 1) for name, inner in properties.items()}
            if required := [name for name in _list(schema.get("required")) if isinstance(name, str) and name in properties]:
                written["required"] = list(dict.fromkeys(required))
        elif written["type"] == "ARRAY":
            items = schema.get("items", schema.get("prefixItems"))
            several = items if isinstance(items, list) else [items]
            inner = [self.reduce(item, within, depth + 1) for item in several]
            different = [item for place, item in enumerate(inner) if item not in inner[:place]]
            written["items"] = different[0] if len(different) == 1 else {"anyOf": different} if different else {"type": "STRING"}
        if values := [value for value in _list(schema.get("enum")) if value is not None and value != ""]:
            if written["type"] == "STRING" and all(isinstance(value, str) for value in values):
                written["enum"] = values
            else:
                allowed = ", ".join(write_json(value).decode() for value in values)
                written["description"] = f"{written.get('description', '')} One of: {allowed}.".strip()

    def _any_of(self, choices: list[Any], schema: JsonObject, within: tuple[str, ...], depth: int, *, nullable: bool) -> JsonObject:
        real = [choice for choice in choices if not (isinstance(choice, dict) and _types(choice) == ["NULL"])]
        nullable = nullable or len(real) < len(choices)
        inner = [self.reduce(choice, within, depth + 1) for choice in real]
        written = dict(inner[0]) if len(inner) == 1 else {"anyOf": inner} if inner else {"type": "STRING"}
        written = _described(written, schema)
        return written | ({"nullable": True} if nullable else {})


def _merged(schema: JsonObject) -> JsonObject:
    """Return a schema with the parts of its `allOf` in it, and `const` as the one allowed value."""
    written = dict(schema)
    for part in _list(schema.get("allOf")):
        for name, value in part.items() if isinstance(part, dict) else ():
            before = written.get(name)
            if name == "properties" and isinstance(value, dict) and isinstance(before, dict):
                written[name] = {**value, **before}
            elif name == "required" and isinstance(before, list):
                written[name] = [*before, *_list(value)]
            else:
                written.setdefault(name, value)
    if "const" in schema:
        written["enum"] = [schema["const"]]
    if isinstance(written.get("$ref"), str) or "allOf" in written:
        written.pop("allOf", None)
    return written


def _types(schema: JsonObject) -> list[str]:
    kind = schema.get("type")
    words = [type_word(each) for each in (kind if isinstance(kind, list) else [kind])]
    return [word for word in words if word]


def _guessed(schema: JsonObject) -> str:
    """Return the type of a schema that names none, as far as its members tell."""
    if isinstance(schema.get("properties"), dict):
        return "OBJECT"
    if "items" in schema or "prefixItems" in schema:
        return "ARRAY"
    values = [value for value in _list(schema.get("enum")) if value is not None]
    for kinds, word in ((bool, "BOOLEAN"), (int, "INTEGER"), (float | int, "NUMBER")):
        if values and all(isinstance(value, kinds) for value in values):
            return word
    return "STRING"


def _described(written: JsonObject, schema: JsonObject) -> JsonObject:
    description = schema.get("description")
    return {**written, "description": description} if isinstance(description, str) else written


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
