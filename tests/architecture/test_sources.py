"""The reader of imports sees an import wherever it hides."""

from __future__ import annotations

import ast
import subprocess

import pytest

from tests.architecture import sources
from tests.architecture.sources import Import


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import workbench.errors", [Import("workbench.errors", 1, False)]),
        ("from workbench import errors, __version__", [Import("workbench", 1, False), Import("workbench.errors", 1, False)]),
        ("from workbench.errors import ToolError, Stopped", [Import("workbench.errors", 1, False)]),
        ("if TYPE_CHECKING:\n    from workbench.errors import Stopped", [Import("workbench.errors", 2, False)]),
        ("class A:\n    def b(self):\n        import PySide6.QtCore", [Import("PySide6.QtCore", 3, True)]),
        ("async def a():\n    await asyncio.to_thread(importlib.import_module, 'mcp.client')", [Import("mcp.client", 2, True)]),
        ("importlib.import_module('qasync')", [Import("qasync", 1, False)]),
        ("print('qasync')", []),
    ],
)
def test_import_is_seen(code: str, expected: list[Import]) -> None:
    assert list(sources._walk(ast.parse(code), inside_function=False)) == expected


def test_every_module_of_the_program_is_read() -> None:
    assert {"workbench", "workbench.errors", "workbench.resources"} <= set(sources.program())
    assert sources.room_of("workbench.errors") == "errors"
    assert sources.room_of("workbench") == ""


def test_files_of_the_project_are_listed_without_what_is_built() -> None:
    names = {sources.relative(path) for path in sources.files()}
    assert {"pyproject.toml", "README.md", "tests/architecture/test_sources.py"} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith(".venv")]


def test_files_are_the_same_without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    with_git = set(sources.python_files())
    monkeypatch.setattr(subprocess, "run", lambda *_args, **_options: subprocess.CompletedProcess([], 128))
    without_git = {path for path in sources.files.__wrapped__() if path.suffix == ".py"}
    assert with_git <= without_git
