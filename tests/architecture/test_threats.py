"""The table of threats is whole, each row names tests, and every one of them is there."""

from __future__ import annotations

import re

import pytest

from tests.named_tests import missing
from tests.shared import needs_shared, shared_data
from tests.threats import THREATS


def test_every_row_is_there_in_order() -> None:
    assert list(THREATS) == list(range(1, 53))
    assert len({threat.claim for threat in THREATS.values()}) == len(THREATS)


@pytest.mark.parametrize("number", THREATS)
def test_a_row_names_tests_that_exist(number: int) -> None:
    threat = THREATS[number]
    assert threat.tests
    assert len(set(threat.tests)) == len(threat.tests)
    assert missing(threat.tests) == []


@needs_shared
def test_the_table_has_the_rows_of_the_specification() -> None:
    data = shared_data()
    assert data is not None
    text = (data.parent / "specs/permissions.md").read_text(encoding="utf-8").partition("## 6.")[2]
    assert [int(number) for number in re.findall(r"^\| (\d+) \|", text, flags=re.MULTILINE)] == list(THREATS)
