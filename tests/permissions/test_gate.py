"""Decisions: the table of modes, floors above rules, the strictest wins, and an error inside closes the gate."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from tests.permissions.trees import WORKSPACE, MemoryDisk, fixture_disk, fixture_roots
from workbench.permissions.danger import Badge, Danger
from workbench.permissions.gate import Action, Decision, ServerTool, Touch, decide
from workbench.permissions.modes import MODES, GateFacts, Mode, mode_available
from workbench.permissions.reasons import Outcome, strictness
from workbench.permissions.rules import ArgvRule, Effect, HostRule, PathRule, Rule, RuleSet, ServerRule, TextRule, ToolRule

DISK, ROOTS = fixture_disk(), fixture_roots()


def touch(path: str, access: Any = "read") -> Touch:
    return Touch(kind="path", name=path if path.startswith("/") else f"{WORKSPACE}/{path}", access=access)


def read(path: str) -> Action:
    return Action(tool="read", tool_class="read", touches=(touch(path),))


def edit(path: str) -> Action:
    return Action(tool="edit", tool_class="edit", touches=(touch(path, "write"),))


def bash(command: str, **fields: Any) -> Action:
    return Action(tool="bash", tool_class="exec", command=command, **fields)


def fetch(host: str) -> Action:
    return Action(tool="webfetch", tool_class="net_read", touches=(Touch(kind="host", name=host, access="reach"),))


SEARCH = Action(tool="s_search", tool_class="net_read", server=ServerTool(server="s", name="search", definition="sha256:1"))


def judged(action: Action, mode: Mode = "ask", *rules: Rule, **facts: Any) -> Decision:
    return decide(action, mode=mode, rules=RuleSet(rules), roots=ROOTS, disk=DISK, facts=GateFacts(**facts))


TABLE: list[tuple[str, Action, str]] = [
    ("read inside", read("src/app.py"), "allow allow allow allow"),
    ("secret file", read(".env"), "deny ask ask ask"),
    ("read outside", read("/etc/passwd"), "deny ask ask ask"),
    ("edit inside", edit("src/app.py"), "deny ask allow allow"),
    ("new file inside", edit("new/file.py"), "deny ask allow allow"),
    ("protected file", edit(".git/config"), "deny ask ask ask"),
    ("build server's file", edit(".github/workflows/ci.yml"), "deny ask ask ask"),
    ("edit outside", edit("/etc/passwd"), "deny ask ask ask"),
    ("edit a secret", edit(".env"), "deny ask ask ask"),
    ("command", bash("make x"), "deny ask ask ask"),
    ("command that only reads", bash("ls"), "allow allow allow allow"),
    ("destroying command", bash("rm -rf ."), "deny ask ask ask"),
    ("web page", fetch("docs.python.org"), "ask ask ask ask"),
    ("private host", fetch("127.0.0.1"), "ask ask ask ask"),
    ("metadata service", fetch("169.254.169.254"), "deny deny deny deny"),
    ("sending", Action(tool="http_request", tool_class="net_write"), "deny ask ask ask"),
    ("sub-agent", Action(tool="task", tool_class="task"), "allow ask ask ask"),
    ("server's tool", SEARCH, "ask ask ask ask"),
    ("list of tasks", Action(tool="todowrite", tool_class="none"), "allow allow allow allow"),
    ("own data", read("/home/u/.local/share/agent-workbench/rules.toml"), "deny deny deny deny"),
    ("unknown class", Action(tool="x", tool_class="magic"), "deny deny deny deny"),
    ("command tool without its command", Action(tool="bash", tool_class="exec"), "deny deny deny deny"),
]


@pytest.mark.parametrize(("name", "action", "outcomes"), TABLE, ids=[row[0] for row in TABLE])
def test_table_of_modes(name: str, action: Action, outcomes: str) -> None:
    assert [judged(action, mode).outcome for mode in MODES] == outcomes.split()


def test_auto_is_refused_without_a_sandbox_and_says_why() -> None:
    assert [mode_available(mode) is None for mode in MODES] == [True, True, True, False]
    reason = mode_available("auto")
    assert reason is not None
    assert "sandbox" in reason.text
    assert mode_available("auto", GateFacts(rung="bwrap")) is None
    assert judged(Action(tool="task", tool_class="task"), "auto", rung="bwrap").outcome == "allow"


@pytest.mark.parametrize(
    ("action", "danger", "badges"),
    [
        (read("src/app.py"), Danger.LOOK, ()),
        (read(".env"), Danger.REACH, (Badge.SECRET,)),
        (read("sub/link_env"), Danger.REACH, (Badge.SECRET,)),
        (read("/etc/passwd"), Danger.REACH, (Badge.OUTSIDE,)),
        (read("sub/link_out/secret"), Danger.REACH, (Badge.OUTSIDE,)),
        (edit("src/app.py"), Danger.EDIT, ()),
        (edit("Makefile"), Danger.EDIT, (Badge.RUNS_LATER,)),
        (edit(".git/hooks/x"), Danger.DESTROY, (Badge.PROTECTED,)),
        (edit(".github/workflows/x.yml"), Danger.REACH, (Badge.PROTECTED,)),
        (edit("/var/x"), Danger.DESTROY, (Badge.OUTSIDE,)),
        (edit("/home/u/.bashrc"), Danger.DESTROY, (Badge.PROTECTED, Badge.OUTSIDE)),
        (bash("ls"), Danger.LOOK, ()),
        (bash("make x"), Danger.RUN, ()),
        (bash("rm -rf ."), Danger.DESTROY, (Badge.DESTROYS,)),
        (fetch("docs.python.org"), Danger.REACH, (Badge.NETWORK,)),
        (fetch("localhost"), Danger.REACH, (Badge.NETWORK, Badge.PRIVATE_HOST)),
        (Action(tool="x", tool_class="none"), Danger.LOOK, ()),
    ],
    ids=str,
)
def test_level_and_marks(action: Action, danger: Danger, badges: tuple[Badge, ...]) -> None:
    decision = judged(action)
    assert (decision.danger, decision.badges) == (danger, badges)
    assert decision.outside == (Badge.OUTSIDE in badges)


def test_allowing_rule_lets_an_edit_pass_and_is_named() -> None:
    rule = PathRule(effect="allow", tool="edit", path="src/**", rule_id="r1", scope="project")
    decision = judged(edit("src/app.py"), "ask", rule)
    assert decision.outcome == "allow"
    assert decision.reasons[0].code == "rule.allow"
    assert (decision.reasons[0].text, decision.reasons[0].subject) == ("A rule allows it: edit: src/**.", "r1")
    assert judged(edit("docs/guide.md"), "ask", rule).outcome == "ask"
    assert judged(Action(tool="write", tool_class="edit", touches=(touch("src/app.py", "write"),)), "ask", rule).outcome == "ask"


@pytest.mark.parametrize(
    "action", [edit(".git/config"), edit("/etc/x"), edit(".env"), read("/etc/x"), bash("git push --force"), edit("sub/link_out/x")], ids=str
)
def test_allowing_rule_never_lifts_a_floor(action: Action) -> None:
    everything: list[Rule] = [
        PathRule(effect="allow", tool="edit", path="**"), PathRule(effect="allow", tool="edit", path="/**"), PathRule(effect="allow", tool="read", path="/**"),
        ToolRule(effect="allow", tool="edit"), ToolRule(effect="allow", tool="bash"), ArgvRule(effect="allow", argv=("**",)),
        TextRule(effect="allow", text="ls"),
    ]  # fmt: skip
    assert judged(action, "ask", *everything).outcome == "ask"


def test_deny_beats_ask_beats_allow_in_any_order() -> None:
    effects: tuple[Effect, ...] = ("allow", "ask", "deny")
    rules = [PathRule(effect=effect, tool="edit", path=path) for effect, path in zip(effects, ("src/app.py", "src/*", "**"), strict=True)]
    for order in (rules, rules[::-1], [rules[1], rules[2], rules[0]]):
        assert judged(edit("src/app.py"), "accept_edits", *order).outcome == "deny"
        assert judged(edit("src/app.py"), "accept_edits", *[rule for rule in order if rule.effect != "deny"]).outcome == "ask"


def test_mode_stands_above_rules_that_allow() -> None:
    decision = judged(edit("src/app.py"), "read_only", PathRule(effect="allow", tool="edit", path="**"))
    assert decision.outcome == "deny"
    assert decision.reasons[0].code == "mode.deny"


def test_call_with_two_targets_needs_a_rule_for_each() -> None:
    both = Action(tool="edit", tool_class="edit", touches=(touch("src/app.py", "write"), touch("docs/guide.md", "write")))
    rule = PathRule(effect="allow", tool="edit", path="src/**")
    assert judged(both, "ask", rule).outcome == "ask"
    assert judged(both, "ask", rule, PathRule(effect="allow", tool="edit", path="docs/**")).outcome == "allow"
    assert judged(both, "accept_edits", PathRule(effect="deny", tool="edit", path="docs/**")).outcome == "deny"


def test_broken_rules_mean_that_nothing_is_changed() -> None:
    rules = RuleSet(broken="rules.toml, line 3: this is no rule")
    decision = decide(edit("src/app.py"), mode="accept_edits", rules=rules, roots=ROOTS, disk=DISK)
    assert decision.outcome == "deny"
    assert any("line 3" in reason.text for reason in decision.reasons)
    assert decide(read("src/app.py"), mode="ask", rules=rules, roots=ROOTS, disk=DISK).outcome == "allow"


def test_host_and_server_rules() -> None:
    assert judged(fetch("docs.python.org"), "ask", HostRule(effect="allow", tool="webfetch", host="*.python.org")).outcome == "allow"
    assert judged(fetch("docs.python.org.evil.test"), "ask", HostRule(effect="allow", tool="webfetch", host="*.python.org")).outcome == "ask"
    assert judged(fetch("127.0.0.1"), "ask", HostRule(effect="allow", tool="webfetch", host="127.0.0.1")).outcome == "ask"
    assert judged(SEARCH, "ask", ServerRule(effect="allow", server="s", name="search", definition="sha256:1")).outcome == "allow"
    assert judged(SEARCH, "ask", ServerRule(effect="allow", server="s", name="search", definition="sha256:2")).outcome == "ask"


def test_repeated_and_repaired_calls_always_ask() -> None:
    for fields, badge in (({"repeats": 3}, Badge.REPEATED), ({"repaired": True}, Badge.REPAIRED)):
        action = Action(tool="read", tool_class="read", touches=(touch("src/app.py"),), **fields)
        decision = judged(action, "accept_edits", ToolRule(effect="allow", tool="read"))
        assert (decision.outcome, decision.badges) == ("ask", (badge,))
        assert not decision.can_always
    assert judged(Action(tool="read", tool_class="read", touches=(touch("src/app.py"),), repeats=2)).outcome == "allow"


def test_claimed_danger_raises_and_then_asks() -> None:
    decision = judged(Action(tool="read", tool_class="read", touches=(touch("src/app.py"),), claimed_danger=4))
    assert (decision.outcome, decision.danger) == ("ask", Danger.DESTROY)
    assert judged(bash("rm -rf .", claimed_danger=0)).danger is Danger.DESTROY


def test_tool_that_knows_of_an_outside_place_is_believed() -> None:
    action = Action(tool="read", tool_class="read", touches=(Touch(kind="path", name=f"{WORKSPACE}/src/app.py", access="read", outside=True),))
    assert judged(action).outside


def test_outputs_of_the_session_may_be_read_but_not_written() -> None:
    data = ROOTS.data_folder
    roots = type(ROOTS)(workspace=ROOTS.workspace, data_folder=data, outputs=(f"{data}/sessions/1/outputs",))
    path = f"{data}/sessions/1/outputs/call_1.txt"
    assert decide(read(path), mode="ask", rules=RuleSet(), roots=roots, disk=DISK).outcome == "allow"
    decision = decide(edit(path), mode="accept_edits", rules=RuleSet(), roots=roots, disk=DISK)
    assert (decision.outcome, decision.outside) == ("ask", True)


def test_folder_of_a_command_is_judged_like_a_path() -> None:
    assert judged(bash("ls", workdir=f"{WORKSPACE}/src")).outside is False
    assert judged(bash("ls", workdir="/etc")).outside is True
    assert judged(bash("cat ../secret.txt", workdir=f"{WORKSPACE}/src")).outside is False


def test_always_is_offered_only_for_plain_edits_inside() -> None:
    decision = judged(edit("src/deep/a.py"))
    assert decision.can_always
    assert [rule.path for rule in decision.suggested if isinstance(rule, PathRule)] == ["src/deep/a.py", "src/deep/**"]
    for rule in decision.suggested:
        assert judged(edit("src/deep/a.py"), "ask", rule).outcome == "allow"
        assert judged(edit("src/other.py"), "ask", rule).outcome == "ask"
    for action in (edit(".git/config"), edit("/etc/x"), bash("ls"), read(".env"), edit("a*b.py"), fetch("127.0.0.1")):
        assert not judged(action).can_always
    assert len(judged(edit("README.md")).suggested) == 1


def test_hidden_characters_in_a_name_are_marked() -> None:
    decision = judged(edit("src/a\u202eyp.exe"))
    assert Badge.HIDDEN_CHARACTERS in decision.badges
    assert not decision.can_always


class BrokenDisk(MemoryDisk):
    """A disk that fails in a way nobody expected."""

    @override
    def lstat(self, path: str) -> Any:
        raise RuntimeError("the look-up table is empty")


def test_error_inside_closes_the_gate_and_says_so() -> None:
    decision = decide(read("src/app.py"), mode="ask", rules=RuleSet(), roots=ROOTS, disk=BrokenDisk({}))
    assert decision.outcome == "deny"
    assert decision.danger is Danger.DESTROY
    assert decision.reasons[0].code == "gate.failed"
    assert "RuntimeError" in decision.reasons[0].text


class UnreadableDisk(MemoryDisk):
    """A disk on which nothing may be looked at."""

    @override
    def lstat(self, path: str) -> Any:
        raise PermissionError(13, "Permission denied")


def test_place_that_cannot_be_seen_counts_as_outside() -> None:
    decision = decide(read("src/app.py"), mode="ask", rules=RuleSet(), roots=ROOTS, disk=UnreadableDisk({}))
    assert (decision.outcome, decision.outside) == ("ask", True)
    assert "Permission denied" in decision.reasons[0].text


def test_command_says_once_that_it_asks() -> None:
    assert [reason.code for reason in judged(bash("make x")).reasons] == ["shell.command"]
    assert [reason.code for reason in judged(bash("ls")).reasons] == ["shell.reader"]


def test_deciding_reason_stands_first() -> None:
    decision = judged(edit(".git/config"), "read_only")
    assert [strictness(reason.outcome) for reason in decision.reasons] == sorted((strictness(reason.outcome) for reason in decision.reasons), reverse=True)
    assert decision.reasons[0].outcome == decision.outcome


def test_stricter_than_compares_what_a_person_would_have_to_see() -> None:
    seen = judged(bash("ls"))
    assert not judged(bash("ls -la")).stricter_than(seen)
    assert judged(bash("rm -rf .")).stricter_than(seen)
    assert judged(bash("cat .env")).stricter_than(judged(bash("curl https://example.test")))
    assert not judged(bash("ls")).stricter_than(judged(bash("rm -rf .")))
    assert judged(bash("make x"), "read_only").stricter_than(judged(bash("make x")))


ACTIONS = [row[1] for row in TABLE]


@given(
    action=st.sampled_from(ACTIONS),
    mode=st.sampled_from(MODES),
    effects=st.lists(st.tuples(st.sampled_from(get_args(Effect)), st.sampled_from(["edit", "read", "bash", "webfetch", "task"])), max_size=4),
)
def test_adding_a_deny_rule_never_makes_anything_laxer(action: Action, mode: Mode, effects: list[tuple[Effect, str]]) -> None:
    rules: list[Rule] = [ToolRule(effect=effect, tool=tool) for effect, tool in effects]
    before: Outcome = judged(action, mode, *rules).outcome
    after = judged(action, mode, *rules, ToolRule(effect="deny", tool=action.tool)).outcome
    assert strictness(after) >= strictness(before)
    if action.server is None:
        assert after == "deny"
