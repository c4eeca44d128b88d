"""Read the program's sources for the checks: every module, every import in it, wherever the import stands."""

from __future__ import annotations

import ast
import functools
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.shared import ROOT


class Import(NamedTuple):
    """One import statement, or a call of ``import_module`` with a literal name, as it was resolved.

    Attributes:
        module: the full name of what is imported; for ``from a import b`` it is ``a.b`` if that is a module of ours, else ``a``.
        line: where it stands.
        inside_function: it runs only when a function is called.
    """

    module: str
    line: int
    inside_function: bool


@functools.cache
def program() -> dict[str, Path]:
    """Return every module of the program by its full name."""
    return {_module_name(path): path for path in sorted((ROOT / "workbench").rglob("*.py"))}


def _module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """Return the room of a module of ours, ``""`` for the package ``workbench`` itself, which holds the version only."""
    return module.partition(".")[2].partition(".")[0]


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """Return the parsed file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imports_of(module: str) -> list[Import]:
    """Return every import of a module of ours: at the top, under ``TYPE_CHECKING``, inside functions, by ``import_module``."""
    return list(_walk(tree_of(program()[module]), inside_function=False))


def _walk(node: ast.AST, *, inside_function: bool) -> Iterator[Import]:
    for name in _names(node):
        yield Import(name, getattr(node, "lineno", 0), inside_function)
    inside_function = inside_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, inside_function=inside_function)


def _names(node: ast.AST) -> list[str]:
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom(module=str(origin)):
            return sorted({_origin_or_module(origin, alias.name) for alias in node.names})
        case ast.Call(args=[*arguments]) if "import_module" in ast.dump(node):  # also where it is handed to a thread
            return [argument.value for argument in arguments if isinstance(argument, ast.Constant) and isinstance(argument.value, str)]
        case _:
            return []


def _origin_or_module(origin: str, name: str) -> str:
    return f"{origin}.{name}" if f"{origin}.{name}" in program() else origin


@functools.cache
def files() -> tuple[Path, ...]:
    """Return every file that belongs to the project: what git tracks or would track; without git, what is not hidden or built."""
    listed = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return tuple(ROOT / name for name in sorted(set(listed.stdout.split("\0"))) if name and (ROOT / name).is_file())
    return tuple(sorted(_visible_files(ROOT)))


def _visible_files(folder: Path) -> Iterator[Path]:
    for entry in os.scandir(folder):
        if entry.is_file():
            yield Path(entry.path)
        elif entry.name == ".ci" or not (entry.name.startswith((".", "__")) or entry.name in ("build", "dist")):
            yield from _visible_files(Path(entry.path))


def python_files() -> list[Path]:
    """Return every Python file of the project."""
    return [path for path in files() if path.suffix == ".py"]


def relative(path: Path) -> str:
    """Return a path as people write it, from the project's root with forward slashes."""
    return path.relative_to(ROOT).as_posix()
