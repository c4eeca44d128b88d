"""Reads what a project's manifest says of it: name, version, what it needs, how it starts. Cut or broken files give what can be made out."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.practice.phrases import shortened

NEEDS_AT_MOST = 200


@dataclass(frozen=True)
class Manifest:
    """What a manifest says; empty where it says nothing.

    Attributes:
        needs: names of required packages; None when the manifest has no place for them.
        runtime: the language version it asks for, e.g. ``Python >=3.11``.
        starts: commands it installs or names, with what they start.
    """

    name: str = ""
    version: str = ""
    about: str = ""
    licence: str = ""
    runtime: str = ""
    needs: tuple[str, ...] | None = None
    starts: dict[str, str] = field(default_factory=dict)


def read_manifest(path: str, text: str) -> Manifest:
    """Return what the manifest at `path` says; nothing for kinds that are not known."""
    name = path.rsplit("/", 1)[-1]
    reader = _READERS.get(name)
    if reader is None:
        return Manifest()
    try:
        return reader(text)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return _by_lines(text)


def _text(value: object) -> str:
    return shortened(value, 200) if isinstance(value, str) else ""


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _requirement_name(requirement: object) -> str:
    found = re.match(r"\s*([\w.@/-]+)", requirement) if isinstance(requirement, str) else None
    return found[1] if found else ""


def _names(values: object) -> tuple[str, ...]:
    listed = list(values)[:NEEDS_AT_MOST] if isinstance(values, list | tuple | Mapping) else []
    return tuple(dict.fromkeys(name for value in listed if (name := _requirement_name(value))))


def _pyproject(text: str) -> Manifest:
    document = tomllib.loads(text)
    project, tool = _table(document.get("project")), _table(document.get("tool"))
    poetry = _table(tool.get("poetry"))
    licence = project.get("license", poetry.get("license"))
    needs = _names(project["dependencies"]) if "dependencies" in project else None
    if poetry and needs is None:
        needs = _names([name for name in _table(poetry.get("dependencies")) if name != "python"])
    runtime = _text(project.get("requires-python") or _table(poetry.get("dependencies")).get("python"))
    return Manifest(
        name=_text(project.get("name", poetry.get("name"))),
        version=_text(project.get("version", poetry.get("version"))),
        about=_text(project.get("description", poetry.get("description"))),
        licence=_text(licence if isinstance(licence, str) else _table(licence).get("text", _table(licence).get("file"))),
        runtime=f"Python {runtime}" if runtime else "Python",
        needs=needs,
        starts={str(key): _text(value) for key, value in (_table(project.get("scripts")) or _table(poetry.get("scripts"))).items()},
    )


def _package_json(text: str) -> Manifest:
    document = _table(json.loads(text))
    engine = _text(_table(document.get("engines")).get("node"))
    binaries = document.get("bin")
    starts = {f"npm run {key}": _text(value) for key, value in _table(document.get("scripts")).items() if key in ("start", "dev", "build", "test")}
    if isinstance(binaries, str):
        starts[_text(document.get("name"))] = binaries
    starts.update({str(key): _text(value) for key, value in _table(binaries).items()})
    return Manifest(
        name=_text(document.get("name")),
        version=_text(document.get("version")),
        about=_text(document.get("description")),
        licence=_text(document.get("license")),
        runtime=f"Node {engine}".strip(),
        needs=_names(_table(document.get("dependencies"))),
        starts=starts,
    )


def _cargo(text: str) -> Manifest:
    document = tomllib.loads(text)
    package = _table(document.get("package"))
    return Manifest(
        name=_text(package.get("name")),
        version=_text(package.get("version")),
        about=_text(package.get("description")),
        licence=_text(package.get("license")),
        runtime=f"Rust {_text(package.get('rust-version'))}".strip(),
        needs=_names(_table(document.get("dependencies"))),
        starts={"cargo run": ""} if package else {},
    )


def _go_mod(text: str) -> Manifest:
    module = re.search(r"^module\s+(\S+)", text, re.MULTILINE)
    version = re.search(r"^go\s+(\S+)", text, re.MULTILINE)
    needs = re.findall(r"^(?:require)?\s+([\w.-]+\.[\w.-]+/\S+)\s+v\S+(?!.*// indirect)", text, re.MULTILINE)
    return Manifest(name=module[1] if module else "", runtime=f"Go {version[1]}" if version else "Go", needs=_names(needs))


def _requirements(text: str) -> Manifest:
    lines = [line for line in text.split("\n")[:NEEDS_AT_MOST] if line.strip() and not line.lstrip().startswith(("#", "-"))]
    return Manifest(runtime="Python", needs=_names(lines))


def _by_lines(text: str) -> Manifest:
    """Return what single lines say, for a file that was cut or is not in order."""

    def value(key: str) -> str:
        found = re.search(rf"^\s*[\"']?{key}[\"']?\s*[=:]\s*[\"']([^\"'\n]+)[\"']", text[:20_000], re.MULTILINE)
        return shortened(found[1], 200) if found else ""

    return Manifest(name=value("name"), version=value("version"), about=value("description"), licence=value("license"))


_READERS: dict[str, Callable[[str], Manifest]] = {
    "pyproject.toml": _pyproject,
    "package.json": _package_json,
    "composer.json": _package_json,
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
    "requirements.txt": _requirements,
    "setup.py": _by_lines,
    "setup.cfg": _by_lines,
}
