"""Definitions come from resources/tools, say what the specification says, and a damaged one is told in a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tools.cases import FOLDER
from workbench import resources
from workbench.errors import ResourceMissing
from workbench.tools.definitions import load_definition

ADDED = {"read": ("show_secrets",)}
"""What the specification of permissions adds to that of tools: names only is the first offer for files that hold secrets."""

SPECIFIED = json.loads((FOLDER / "tool_schemas.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["read", "write", "edit", "multiedit"])
def test_definition_is_the_specified_one(name: str) -> None:
    definition = load_definition(name)
    properties = {key: value for key, value in definition.input_schema["properties"].items() if key not in ADDED.get(name, ())}
    schema = {**definition.input_schema, "properties": properties}
    assert (definition.name, definition.description, schema) == (name, SPECIFIED[name]["description"], SPECIFIED[name]["parameters"])
    assert set(ADDED.get(name, ())) <= set(definition.input_schema["properties"])


@pytest.mark.parametrize("text", ["{", "[]", '{"name": "broken"}', '{"name": "other", "description": "", "input_schema": {}}'])
def test_damaged_definition_is_told_in_a_sentence(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "resources" / "tools").mkdir(parents=True)
    (tmp_path / "resources" / "tools" / "broken.json").write_text(text)
    monkeypatch.setattr(resources, "PACKAGE", tmp_path / "workbench")
    with pytest.raises(ResourceMissing, match="Install the program again"):
        load_definition("broken")
