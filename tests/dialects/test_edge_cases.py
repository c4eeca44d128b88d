"""The table of edge cases is whole, each row names tests, and every one of them is there."""

from __future__ import annotations

import ast
import functools
import re

import pytest

from tests.dialects.edge_cases import EDGE_CASES
from tests.shared import ROOT, needs_shared, shared_data


@functools.cache
def functions_of(path: str) -> frozenset[str]:
    """Return the names of the test functions of a module."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name.startswith("test_"))


def test_every_row_is_there_in_order() -> None:
    assert list(EDGE_CASES) == list(range(1, 161))
    assert len({claim for claim, _ in EDGE_CASES.values()}) == 160


@pytest.mark.parametrize("number", EDGE_CASES)
def test_a_row_names_tests_that_exist(number: int) -> None:
    claim, tests = EDGE_CASES[number]
    assert claim
    assert tests
    assert len(set(tests)) == len(tests)
    for test in tests:
        path, _, name = test.partition("::")
        assert name in functions_of(path), test


@needs_shared
def test_the_table_has_the_rows_of_the_specification() -> None:
    data = shared_data()
    assert data is not None
    text = (data.parent / "specs/wire-edge-cases.md").read_text(encoding="utf-8")
    assert [int(number) for number in re.findall(r"^\| (\d+) \|", text, flags=re.MULTILINE)] == list(EDGE_CASES)
