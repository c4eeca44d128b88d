"""A call's title says what it is about, in one line, as a person would name it."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.conversation.calls import Target
from workbench.inspection.call_title import LONGEST, call_title


def path(name: str, *, outside: bool = False) -> Target:
    return Target(kind="path", name=name, access="read", outside=outside)


@pytest.mark.parametrize(
    ("arguments", "targets", "title"),
    [
        ({"file_path": "/ws/src/a.py"}, (), "src/a.py"),
        ({"file_path": "src/a.py"}, (), "src/a.py"),
        ({"file_path": "src/../link"}, (path("/ws/real.py"),), "real.py"),
        ({"file_path": "/etc/hosts"}, (path("/etc/hosts", outside=True),), "/etc/hosts"),
        ({"path": "."}, (path("/ws"),), "."),
        ({"pattern": "strptime", "path": "src"}, (path("/ws/src"),), "strptime src"),
        ({"pattern": "*.py"}, (path("/ws"),), "*.py"),
        ({"command": "make docs", "description": "Build"}, (path("/ws"),), "make docs"),
        ({"command": "\ncd src\nmake\n"}, (), "cd src …"),
        ({"url": "https://docs.python.org/3/"}, (), "docs.python.org/3/"),
        ({"url": "http://docs.python.org/3/"}, (), "http://docs.python.org/3/"),
        ({"patch": "…"}, tuple(path(f"/ws/{name}.py") for name in "abcde"), "a.py, b.py, c.py +2"),
        ({"unit": 3, "city": "Paris"}, (), "Paris"),
        ({"file_path": 7}, (), ""),
        ({}, (), ""),
    ],
)
def test_titles(arguments: dict[str, Any], targets: tuple[Target, ...], title: str) -> None:
    assert call_title(arguments, targets, "/ws") == title


def test_a_folder_whose_name_only_begins_like_the_workspace_is_not_in_it() -> None:
    assert call_title({"file_path": "/ws2/a.py"}, (), "/ws") == "/ws2/a.py"


def test_a_long_command_is_cut() -> None:
    title = call_title({"command": "echo " + "x" * 1000})
    assert len(title) == LONGEST
    assert title.endswith(" …")
