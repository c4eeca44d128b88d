"""Tables that say which test shows what: whether the tests they name are there."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable

from tests.shared import ROOT


@functools.cache
def functions_of(path: str) -> frozenset[str]:
    """Return the names of the test functions of a module; none if there is no such module."""
    file = ROOT / path
    tree = ast.parse(file.read_text(encoding="utf-8") if file.is_file() else "")
    return frozenset(each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name.startswith("test_"))


def missing(tests: Iterable[str]) -> list[str]:
    """Return those of `tests` (``tests/room/test_file.py::test_name``) that are not there."""
    return [test for test in tests if test.partition("::")[2] not in functions_of(test.partition("::")[0])]
