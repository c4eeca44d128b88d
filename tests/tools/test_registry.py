"""The tools of a session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.tools.bash import BashTool
from workbench.tools.calculator import CalculatorTool
from workbench.tools.read import ReadTool
from workbench.tools.registry import ToolRegistry, builtin_tools
from workbench.workspace.jobs import Jobs

RESOURCES = Path(__file__).resolve().parents[2] / "resources" / "tools"


def test_all_tools_are_there_in_a_fixed_order() -> None:
    names = ToolRegistry(builtin_tools(demo=True)).names()
    assert names == ("read", "list", "glob", "grep", "write", "edit", "bash", "webfetch", "calculator", "get_current_time", "get_weather")
    assert ToolRegistry(builtin_tools(demo=False)).names() == names[:8]


def test_definitions_are_those_of_the_tools() -> None:
    registry = ToolRegistry(builtin_tools(demo=True))
    for name, definition in zip(registry.names(), registry.definitions(), strict=True):
        tool = registry.get(name)
        assert tool is not None
        assert tool.definition is definition
        assert definition.name == name == json.loads((RESOURCES / f"{name}.json").read_text(encoding="utf-8"))["name"]
        assert len(definition.description) > 20
    assert registry.get("nothing") is None


def test_schemas_use_only_what_every_dialect_can_say() -> None:
    allowed = {"type", "description", "enum", "items", "properties", "required", "minimum", "maximum"}

    def check(schema: dict[str, object], where: str) -> None:
        assert set(schema) <= allowed, where
        properties = schema.get("properties", {})
        assert isinstance(properties, dict)
        for name, inner in properties.items():
            assert inner["description"], f"{where}.{name}"
            check(inner, f"{where}.{name}")
        if isinstance(items := schema.get("items"), dict):
            check(items, f"{where}[]")

    for definition in ToolRegistry(builtin_tools(demo=True)).definitions():
        check(definition.input_schema, definition.name)
        assert definition.input_schema["type"] == "object"


def test_classes_order_the_tools_by_danger() -> None:
    classes = {tool.name: tool.tool_class for tool in builtin_tools(demo=True)}
    assert {name for name, kind in classes.items() if kind == "read"} == {"read", "list", "glob", "grep"}
    assert {name for name, kind in classes.items() if kind == "edit"} == {"write", "edit"}
    assert {name for name, kind in classes.items() if kind == "none"} == {"calculator", "get_current_time", "get_weather"}
    assert classes["bash"] == "exec"
    assert classes["webfetch"] == "net_read"


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two tools are named 'calculator'"):
        ToolRegistry([CalculatorTool(), CalculatorTool()])


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("Read", "read"), ("read_file", "read"), ("grpe", "grep"), ("get-weather", "get_weather"), ("weather", "get_weather"), ("calculate", "calculator")],
)
def test_name_that_does_not_exist_suggests_one_that_does(asked: str, meant: str) -> None:
    assert ToolRegistry(builtin_tools(demo=True)).suggest(asked)[0] == meant


def test_strange_name_suggests_nothing() -> None:
    registry = ToolRegistry(builtin_tools(demo=True))
    assert registry.suggest("quantum_flux") == ()
    assert registry.suggest("") == ()


def test_session_hands_its_jobs_to_bash() -> None:
    jobs = Jobs()
    bash = ToolRegistry(builtin_tools(demo=False, jobs=jobs)).get("bash")
    assert isinstance(bash, BashTool)
    assert bash.jobs is jobs


def test_scaler_reaches_the_read_tool() -> None:
    def scaler(content: bytes) -> tuple[str, bytes]:
        return "image/png", content

    read = ToolRegistry(builtin_tools(demo=False, scaler=scaler)).get("read")
    assert isinstance(read, ReadTool)
    assert read.scaler is scaler
