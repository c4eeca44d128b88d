"""What “Always allow…” offers: rules per part, narrowest first, within the bounds of level and machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ui.approval.asked import bash, part, question, with_rules
from workbench import words
from workbench.ui.approval.rule_offers import ROWS_AT_MOST, Choice, offers_of, reach_problem, still_asking
from workbench.ui.approval.subject import no_rule_because


@pytest.fixture
def chinese() -> Iterator[None]:
    words.choose_language("zh_CN")
    yield
    words.choose_language("en", {})


def rule(*argv: str) -> dict[str, Any]:
    return {"tool": "bash", "argv": list(argv), "effect": "allow"}


EXACT = {"tool": "bash", "text": "pytest -q && make x", "effect": "allow"}
TWO = bash(
    part("pytest -q", argv=("pytest", "-q"), always=(rule("pytest", "-q"), rule("pytest", "**"))),
    part("make x", argv=("make", "x"), always=(rule("make", "x"),)),
    joint=" && ",
    always=(EXACT,),
)


def test_each_part_has_its_own_rules_and_the_whole_text_comes_last() -> None:
    offered = offers_of(TWO)
    assert [one.parts for one in offered] == [(1,), (2,), ()]
    assert [[width.words for width in one.widths] for one in offered] == [["pytest -q", "pytest …"], ["make x"], ["exactly pytest -q && make x"]]


@pytest.mark.usefixtures("chinese")
def test_the_exact_text_is_offered_whole_in_chinese() -> None:
    text = "echo a: b && make x"
    asked = bash(part(text), always=({"tool": "bash", "text": text, "effect": "allow"},))
    assert [width.words for width in offers_of(asked)[0].widths] == [f"完全等于 {text}"]


def test_the_narrowest_rule_of_every_part_is_ticked_and_the_whole_text_is_not() -> None:
    choice = Choice.of(TWO)
    assert choice.on == [True, True, False]
    assert [width.kept for width in choice.chosen] == [rule("pytest", "-q"), rule("make", "x")]
    assert choice.scope == "session"


def test_the_whole_text_is_ticked_where_no_part_has_a_rule() -> None:
    asked = bash(part("python x.py"), always=({"tool": "bash", "text": "python x.py", "effect": "allow"},))
    assert [width.kept["text"] for width in Choice.of(asked).chosen] == ["python x.py"]


def test_once_keeps_nothing() -> None:
    choice = Choice.of(TWO)
    choice.reach = "once"
    assert choice.chosen == ()
    assert len(choice.considered) == 2


def test_allowed_parts_are_offered_nothing_and_equal_ones_are_offered_together() -> None:
    same = (rule("pytest", "**"),)
    asked = bash(part("ls", outcome="allow", danger=0, always=same), part("pytest a", always=same), part("pytest b", always=same), part("python x"))
    assert [one.parts for one in offers_of(asked)] == [(2, 3)]
    assert still_asking(asked, offers_of(asked)) == (4,)


def test_of_very_many_parts_those_with_a_common_rule_are_ticked_together() -> None:
    tests = [part(f"pytest t{n}", always=(rule("pytest", f"t{n}"), rule("pytest", "**"))) for n in range(100)]
    (offered,) = offers_of(bash(*tests))
    assert offered.parts == tuple(range(1, 101))
    assert [width.words for width in offered.widths] == ["pytest …"]
    different = bash(*(part(f"make t{n}", always=(rule("make", f"t{n}"),)) for n in range(100)))
    assert len(offers_of(different)) == ROWS_AT_MOST
    assert len(still_asking(different, offers_of(different))) == 100 - ROWS_AT_MOST


@pytest.mark.parametrize("fields", [{"danger": 3}, {"danger": 4}, {"can_always": False}])
def test_nothing_is_offered_where_nothing_may_be(fields: dict[str, Any]) -> None:
    assert offers_of(bash(part("pytest", always=(rule("pytest"),)), **fields)) == ()
    assert offers_of(question(always=({"tool": "edit", "path": "a", "effect": "allow"},), **{"can_always": True, **fields})) == ()


def test_host_of_the_web_may_be_let_through_although_nothing_else_of_its_level_may() -> None:
    hosts: tuple[dict[str, Any], ...] = tuple({"tool": "webfetch", "host": host, "effect": "allow"} for host in ("docs.python.org", "*.python.org"))
    asked = question(tool="webfetch", can_always=True, always=hosts, danger=3)
    assert [width.words for width in Choice.of(asked).chosen] == ["docs.python.org"]
    assert [width.words for one in offers_of(asked) for width in one.widths] == ["docs.python.org", "*.python.org"]
    assert reach_problem(offers_of(asked), "project", "none", command=False) == ""
    assert reach_problem(offers_of(asked), "user", "bwrap", command=False) != ""
    assert no_rule_because(asked) == ""
    assert offers_of(question(tool="webfetch", can_always=True, always=hosts, danger=4)) == ()
    assert offers_of(question(tool="webfetch", can_always=True, always=(*hosts, {"tool": "edit", "path": "a", "effect": "allow"}), danger=3)) == ()


def test_what_is_no_rule_here_is_left_out() -> None:
    asked = question(can_always=True, always=({"tool": "edit", "moon": "full", "effect": "allow"}, {"tool": "edit", "path": "a", "effect": "allow"}))
    assert [width.words for one in offers_of(asked) for width in one.widths] == ["a"]


@pytest.mark.parametrize(
    ("reach", "rung", "level", "can"),
    [
        ("once", "none", 2, True),
        ("session", "none", 2, True),
        ("project", "none", 2, False),
        ("project", "bwrap", 2, True),
        ("user", "bwrap", 2, False),
        ("user", "bwrap", 1, True),
    ],
)
def test_how_long_rules_may_hold(reach: Any, rung: Any, level: int, can: bool) -> None:
    (offered,) = offers_of(bash(part("pytest", danger=level, always=(rule("pytest"),))))
    assert bool(reach_problem([offered], reach, rung, command=True)) is not can


def test_rules_for_edits_may_hold_everywhere_without_a_sandbox(tmp_path: Path) -> None:
    assert reach_problem(offers_of(with_rules()), "user", "none", command=False) == ""
