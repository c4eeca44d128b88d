"""Rules about the schema of a tool: what all servers want of it, what `strict` wants, and what Moonshot wants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.findings import error
from workbench.dialects.json_document import pointer_names
from workbench.dialects.schema_rules import moonshot_faults, root_fault, strict_faults


def check_schema(function: JsonObject, pointer: str, *, moonshot: bool) -> Iterator[Finding]:
    """Yield what is wrong with the parameters of a function that stands at `pointer`."""
    name, schema = function.get("name"), function.get("parameters")
    if schema is None:
        return
    if fault := root_fault(schema):
        yield error(
            "chat.schema-root",
            f"{pointer}/parameters",
            f"The schema of {name} {fault.text}.",
            'Use {"type": "object", "properties": {}} for a tool without parameters.',
            *_object_root(schema, f"{pointer}/parameters"),
        )
    for fault in strict_faults(schema) if function.get("strict") is True else ():
        yield error(
            "chat.strict-schema",
            f"{pointer}/parameters{fault.pointer}",
            f"The schema of {name} {fault.text}.",
            "Switch `strict` off, or close the schema.",
            Edit(op="replace", pointer=f"{pointer}/strict", value=False),
        )
    for fault in moonshot_faults(schema) if moonshot else ():
        yield error(
            "chat.moonshot-schema",
            f"{pointer}/parameters{fault.pointer}",
            f"The schema of {name} {fault.text} (Moonshot's schema dialect).",
            "Move the type into the alternatives, use one schema for items.",
            *_for_moonshot(schema, f"{pointer}/parameters", fault.pointer),
        )


def _object_root(schema: Any, pointer: str) -> Iterator[Edit]:
    """Yield the edit for a root that only forgot to say that it is an object; what else it may be is not guessed."""
    if isinstance(schema, dict) and "type" not in schema:
        yield Edit(op="add", pointer=f"{pointer}/type", value="object")


def _for_moonshot(schema: Any, root: str, fault: str) -> Iterator[Edit]:
    """Yield the edits for a type beside `anyOf`, or for a tuple."""
    inside, _, word = fault.rpartition("/")
    node = schema
    for name in pointer_names(inside):
        node = node[int(name)] if isinstance(node, list) else node[name]
    if word == "anyOf":
        yield from _type_inside(node, f"{root}{inside}")
        return
    alternatives = node["items"] if isinstance(node.get("items"), list) else node.get("prefixItems")
    if "prefixItems" in node:
        yield Edit(op="remove", pointer=f"{root}{inside}/prefixItems")
    one = {"anyOf": alternatives} if isinstance(alternatives, list) and alternatives else {}
    yield Edit(op="add", pointer=f"{root}{inside}/items", value=one)


def _type_inside(node: JsonObject, pointer: str) -> Iterator[Edit]:
    alternatives = node["anyOf"]
    if not isinstance(alternatives, list) or not alternatives:
        yield Edit(op="remove", pointer=f"{pointer}/anyOf")
        return
    if pointer.endswith("/parameters"):  # the root must say that it is an object: only the alternatives can go
        yield Edit(op="remove", pointer=f"{pointer}/anyOf")
        return
    yield Edit(op="remove", pointer=f"{pointer}/type")
    for number, alternative in enumerate(alternatives):
        if isinstance(alternative, dict) and not {"type", "anyOf", "$ref"} & alternative.keys():
            yield Edit(op="add", pointer=f"{pointer}/anyOf/{number}/type", value=node["type"])
