"""What a lasting rule lets through is said in plain words, for every kind of rule."""

from __future__ import annotations

import pytest

from tests.ui.approval.asked import with_rules
from workbench.conversation.calls import Target
from workbench.conversation.events import Decided, Entry
from workbench.permissions.rules import ArgvRule, HostRule, PathRule, Rule, ServerRule, TextRule, ToolRule
from workbench.ui.approval.rule_words import lets_through, offered, still_asks, would_have_matched

FILE = PathRule(effect="allow", tool="edit", path="src/a.py")
FOLDER = PathRule(effect="allow", tool="edit", path="src/**")


def call(number: int, name: str, tool: str = "edit") -> Entry:
    target = Target(kind="path", name=name, access="write")
    fact = Decided(turn_id="t0", step=1, call_id=f"c{number}", tool=tool, outcome="ask", danger=1, outside=False, targets=(target,))
    return Entry(number, 0.0, fact)


def test_rules_keep_their_order_and_stored_form() -> None:
    found = offered(with_rules())
    assert [(one.tool, one.width) for one in found] == [("edit", "src/a.py"), ("edit", "src/**")]
    assert found[1].kept == {"tool": "edit", "path": "src/**", "effect": "allow"}


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (FILE, "Also lets through: every later edit of this file, whatever it writes"),
        (FOLDER, "Also lets through: every later edit below src/, of new files too"),
        (ArgvRule(effect="allow", argv=("ls", "**")), "Also lets through: every command whose words match"),
        (TextRule(effect="allow", text="ls"), "Also lets through: exactly this text, whenever it comes"),
        (HostRule(effect="allow", tool="webfetch", host="a.org"), "Also lets through: every later webfetch of this host"),
        (ServerRule(effect="allow", server="s", name="n", definition="d"), "Also lets through: every later call of this tool, whatever it is given"),
        (ToolRule(effect="allow", tool="read"), "Also lets through: every later call of this tool"),
    ],
)
def test_every_rule_is_told(rule: Rule, words: str) -> None:
    assert lets_through(rule) == words
    assert still_asks(rule)


def test_figures_count_the_last_calls() -> None:
    entries = [call(1, "/ws/src/a.py"), call(2, "/ws/src/b.py"), call(3, "/ws/c.py"), call(4, "/ws/src/a.py", "write"), call(5, "/ws-evil/src/a.py")]
    assert would_have_matched(FILE, with_rules(), entries, "/ws") == "1 of your last 5 calls"
    assert would_have_matched(FOLDER, with_rules(), entries, "/ws/") == "2 of your last 5 calls"
    assert would_have_matched(FOLDER, with_rules(), [], "/ws") == ""
    assert would_have_matched(ToolRule(effect="allow", tool="x"), with_rules(), entries, "/ws") == ""
    many = [call(number, "/ws/src/a.py") for number in range(100)]
    assert would_have_matched(FILE, with_rules(), many, "/ws") == "40 of your last 40 calls"
