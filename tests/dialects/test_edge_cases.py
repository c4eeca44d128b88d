"""The table of edge cases is whole, each row names tests, and every one of them is there."""

from __future__ import annotations

import re

import pytest

from tests.dialects.edge_cases import EDGE_CASES
from tests.named_tests import missing
from tests.shared import needs_shared, shared_data


def test_every_row_is_there_in_order() -> None:
    assert list(EDGE_CASES) == list(range(1, 161))
    assert len({claim for claim, _ in EDGE_CASES.values()}) == 160


@pytest.mark.parametrize("number", EDGE_CASES)
def test_a_row_names_tests_that_exist(number: int) -> None:
    claim, tests = EDGE_CASES[number]
    assert claim
    assert tests
    assert len(set(tests)) == len(tests)
    assert missing(tests) == []


@needs_shared
def test_the_table_has_the_rows_of_the_specification() -> None:
    data = shared_data()
    assert data is not None
    text = (data.parent / "specs/wire-edge-cases.md").read_text(encoding="utf-8")
    assert [int(number) for number in re.findall(r"^\| (\d+) \|", text, flags=re.MULTILINE)] == list(EDGE_CASES)
