"""A gate that asks about everything is a gate nobody reads: how often a day's ordinary work asks."""

from __future__ import annotations

from itertools import cycle, islice

from tests.permissions.test_commands_cases import CASES
from tests.permissions.trees import WORKSPACE, fixture_disk, fixture_roots
from workbench.permissions.gate import Action, Touch, decide
from workbench.permissions.modes import GateFacts
from workbench.permissions.rules import RuleSet

READ = ("README.md", "src/app.py", "tests/test_app.py", "docs/guide.md", "Makefile")
RUN = ("pytest -q", "pytest -q tests/test_app.py", "npm run lint", "pytest -x", "make test")
"""What a project's own tools are run with; the first of each kind asks, and “always” lets the others pass."""


def day() -> list[Action]:
    """Return a hundred calls as a session makes them: half of them commands that only read, then reading, changing and testing."""
    innocent = [case["command"] for case in CASES if case["id"].startswith("I") and "pytest" not in case["command"] and not case.get("setup")]
    readers = [command for command in innocent if command.split()[0] in {"ls", "cat", "grep", "rg", "git", "find", "head", "wc", "sed"}][:50]
    commands = [Action(tool="bash", tool_class="exec", command=command) for command in readers]
    reads = [Action(tool="read", tool_class="read", touches=(_path(name, "read"),)) for name in islice(cycle(READ), 20)]
    edits = [Action(tool="edit", tool_class="edit", touches=(_path(name, "write"),)) for name in islice(cycle(("src/app.py", "src/util.py")), 15)]
    runs = [Action(tool="bash", tool_class="exec", command=command) for command in islice(cycle(RUN), 15)]
    return [*commands, *reads, *edits, *runs]


def _path(name: str, access: str) -> Touch:
    return Touch(kind="path", name=f"{WORKSPACE}/{name}", access="write" if access == "write" else "read")


def test_a_hundred_everyday_calls_ask_at_most_twelve_times() -> None:
    """A person who keeps the widest rule that is offered is asked about each kind of thing once."""
    rules, asked = RuleSet(), 0
    calls = day()
    assert len(calls) == 100
    for action in calls:
        decision = decide(action, mode="ask", rules=rules, roots=fixture_roots(), disk=fixture_disk(), facts=GateFacts(rung="bwrap"))
        assert decision.outcome != "deny", action
        if decision.outcome == "ask":
            asked += 1
            for offered in (decision.suggested, *(part.suggested for part in decision.parts)):
                if offered:
                    rules = rules.with_rule(offered[-1])
    assert 0 < asked <= 12
