"""Manifests of several kinds are read, whole, cut and broken."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.practice.manifests import Manifest, read_manifest


def test_pyproject() -> None:
    head = '[project]\nname = "a"\nversion = "1"\ndescription = "d"\nlicense = {text = "MIT"}\nrequires-python = ">=3.9"\n'
    text = head + 'dependencies = ["x>=1; python_version<\'3\'", "y[z]"]\n[project.scripts]\na = "a:main"'
    assert read_manifest("p/pyproject.toml", text) == Manifest("a", "1", "d", "MIT", "Python >=3.9", ("x", "y"), {"a": "a:main"})


def test_poetry() -> None:
    text = '[tool.poetry]\nname = "a"\nversion = "1"\nlicense = "MIT"\n[tool.poetry.dependencies]\npython = "^3.9"\nhttpx = "*"'
    assert read_manifest("pyproject.toml", text) == Manifest("a", "1", "", "MIT", "Python ^3.9", ("httpx",), {})


def test_package_json() -> None:
    head = '{"name": "a", "version": "1", "engines": {"node": ">=20"}, "bin": {"a": "cli.js"}, '
    text = head + '"scripts": {"test": "vitest", "x": "y"}, "dependencies": {"left": "1"}}'
    assert read_manifest("package.json", text) == Manifest("a", "1", "", "", "Node >=20", ("left",), {"npm run test": "vitest", "a": "cli.js"})


def test_cargo() -> None:
    text = '[package]\nname = "a"\nversion = "1"\n[dependencies]\nserde = "1"'
    assert read_manifest("Cargo.toml", text) == Manifest("a", "1", "", "", "Rust", ("serde",), {"cargo run": ""})


def test_go_mod() -> None:
    text = "module example.org/a\n\ngo 1.22\n\nrequire (\n\texample.org/b v1.0.0\n)\nrequire example.org/c v2.0.0\n"
    assert read_manifest("go.mod", text) == Manifest("example.org/a", runtime="Go 1.22", needs=("example.org/b", "example.org/c"))


def test_requirements() -> None:
    assert read_manifest("requirements.txt", "# x\nhttpx==1\n-r other\nrich\n").needs == ("httpx", "rich")


def test_cut_manifest_gives_what_stands_in_its_lines() -> None:
    assert read_manifest("pyproject.toml", '[project]\nname = "a"\nversion = "1"\ndependencies = [\n  "x",') == Manifest("a", "1")
    assert read_manifest("package.json", '{\n  "name": "a",\n  "version": "1",\n  "depend').name == "a"


def test_unknown_kind_says_nothing() -> None:
    assert read_manifest("pom.xml", "<x/>") == Manifest()


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(["text", "node", "start", "x"]), inner, max_size=2)),
    max_leaves=4,
)
OBJECTS = st.dictionaries(st.sampled_from(["name", "version", "bin", "scripts", "dependencies", "engines", "project", "package"]), VALUES)


def as_lines(value: dict[str, object]) -> str:
    return "\n".join(f"{key} = {json.dumps(inner)}" for key, inner in value.items())


@pytest.mark.parametrize("name", ["pyproject.toml", "package.json", "Cargo.toml", "go.mod", "setup.py", "requirements.txt"])
@given(text=st.one_of(st.text(max_size=80), OBJECTS.map(json.dumps), OBJECTS.map(as_lines)))
def test_any_manifest_is_read(name: str, text: str) -> None:
    assert isinstance(read_manifest(name, text), Manifest)
