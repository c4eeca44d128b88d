"""A folder granted for reading: offered only where nothing but the place asks, reading and nothing else, for one session, bound to the folder itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typing_extensions import override

from tests.permissions.test_gate import bash, edit, read, touch
from tests.permissions.test_gate_laws import ACTIONS, FLOORS, RUNGS, rules_of
from tests.permissions.trees import HOME, MemoryDisk, fixture_disk, fixture_roots
from workbench.errors import SettingsError
from workbench.permissions.danger import Badge, Danger
from workbench.permissions.gate import Action, Decision, ServerTool, decide
from workbench.permissions.grants import grant_for, grants_in_force, may_be_granted
from workbench.permissions.modes import MODES, GateFacts, Mode, Rung
from workbench.permissions.places import Place, Roots
from workbench.permissions.reasons import strictness
from workbench.permissions.rule_checks import warning_of
from workbench.permissions.rules import GrantRule, PathRule, Rule, RuleSet, ToolRule, rule_from, rule_sentence, rule_text, stored

DATA = f"{HOME}/.local/share/agent-workbench"
BEYOND: dict[str, str | None] = {
    "/lib/doc/a.txt": "x", "/lib/doc/deep/b.txt": "x", "/lib/doc/.env": "x", "/lib/doc/out": "->/etc", "/lib/doc/back": "->/lib/doc/deep",
    "/lib/doc/home": f"->{HOME}", "/lib/doc-evil/c.txt": "x", "/lib/link": "->/lib/doc", "/lib/other/d.txt": "x", "/top.txt": "x",
    f"{HOME}/notes/n.txt": "x", f"{HOME}/plain.txt": "x", "/home/all.txt": "x", f"{DATA}/rules.json": "x", f"{HOME}/.local/share/x.txt": "x",
    "/proc/1/maps": "x", "/dev/null": "x", "/sys/x": "x", "/run/user/x": "x", "/runner/x": "x", f"{HOME}/.ssh/known": "x",
}  # fmt: skip
ROOTS = fixture_roots()


def disk_with(**more: str | None) -> MemoryDisk:
    inside = {path: content for path, content in fixture_disk()._entries.items() if path}
    return MemoryDisk({**inside, **BEYOND, **more})


DISK = disk_with()


def judged(action: Action, *rules: Rule, mode: Mode = "ask", rung: Rung = "none", disk: Any = DISK, roots: Roots = ROOTS) -> Decision:
    return decide(action, mode=mode, rules=RuleSet(rules), roots=roots, disk=disk, facts=GateFacts(rung=rung))


def grant(folder: str, **fields: Any) -> GrantRule:
    found = DISK.lstat(folder)
    assert found is not None
    plain: dict[str, Any] = {"effect": "allow", "folder": folder, "identity": found.identity, "rule_id": "session-3"}
    return GrantRule(**(plain | fields))


DOC = grant("/lib/doc")


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("/lib/doc/a.txt", "/lib/doc"), ("/lib/doc", "/lib/doc"), ("/lib/doc/deep", "/lib/doc/deep"), ("/lib/link/a.txt", "/lib/doc"),
        ("/lib/link", "/lib/doc"),
        ("/lib/doc/out/passwd", "/etc"), (f"{HOME}/notes/n.txt", f"{HOME}/notes"), ("/runner/x", "/runner"), ("/srv/ws/secret.txt", "/srv/ws"),
        (f"{HOME}/.ssh/id_rsa", ""), (f"{HOME}/.ssh", ""), (f"{HOME}/.ssh/known", ""), ("/lib/doc/.env", ""), ("/lib/doc/missing", ""), ("/top.txt", ""),
        ("/", ""), (HOME, ""), (f"{HOME}/plain.txt", ""), ("/home", ""), ("/home/all.txt", ""), (f"{HOME}/.local/share/x.txt", ""), (f"{HOME}/.local", ""),
        (DATA, ""), (f"{DATA}/rules.json", ""), ("/proc/1/maps", ""), ("/proc", ""), ("/dev/null", ""), ("/sys/x", ""), ("/run/user", ""), ("/run", ""),
        ("src/app.py", ""), ("/lib/doc/a.txt/x", ""), ("/lib/doc/\u202e", ""), ("~nobody/x", ""),
    ],
)  # fmt: skip
def test_folder_that_is_offered_for_a_place(path: str, folder: str) -> None:
    decision = judged(read(path))
    assert [rule.folder for rule in decision.suggested if isinstance(rule, GrantRule)] == ([folder] if folder else [])
    assert decision.can_always == bool(folder)
    if folder:
        assert decision.outcome == "ask"
        after = judged(read(path), *decision.suggested)
        assert after.outcome == "allow"
        assert after.reasons[0].outcome == "allow"


@pytest.mark.parametrize("tool", ["read", "list", "glob", "grep"])
def test_all_that_only_reads_may_go_into_a_granted_folder_and_the_trace_says_why(tool: str) -> None:
    for path in ("/lib/doc", "/lib/doc/a.txt", "/lib/doc/deep/b.txt", "/lib/link/a.txt", "/lib/doc/back/b.txt"):
        decision = judged(replace(read(path), tool=tool), DOC)
        assert (decision.outcome, decision.danger, decision.outside, decision.badges) == ("allow", Danger.REACH, True, (Badge.OUTSIDE,))
        assert (decision.reasons[0].code, decision.reasons[0].subject) == ("rule.allow", "session-3")
        assert decision.reasons[0].text == "A grant allows it: /lib/doc, reading only."
        assert not any(reason.code.startswith("mode.") for reason in decision.reasons)


BESIDE = ["/lib/doc-evil/c.txt", "/lib/other/d.txt", "/lib", "/lib/doc/../other/d.txt", "/lib/doc/out/passwd", "/etc/passwd", "/top.txt"]


@pytest.mark.parametrize("path", BESIDE)
def test_what_lies_beside_or_behind_a_link_still_asks(path: str) -> None:
    assert judged(read(path), DOC).outcome == "ask"


@pytest.mark.parametrize(
    ("action", "outcome"),
    [
        (edit("/lib/doc/a.txt"), "ask"), (edit("/lib/doc/new"), "ask"), (replace(edit("/lib/doc/a.txt"), touches=(touch("/lib/doc/a.txt", "delete"),)), "ask"),
        (replace(edit("/lib/doc/a.txt"), touches=(touch("/lib/doc/a.txt"),)), "ask"), (replace(read("/x"), touches=(touch("/lib/doc/a.txt", "write"),)), "ask"),
        (read("/lib/doc/.env"), "ask"), (read("/lib/doc/home/.ssh/id_rsa"), "ask"), (replace(read("/lib/doc/a.txt"), repeats=3), "ask"),
        (replace(read("/lib/doc/a.txt"), repaired=True), "ask"), (replace(read("/lib/doc/a.txt"), claimed_danger=4), "ask"),
        (replace(read("/lib/doc/a.txt"), server=ServerTool(server="s", name="n", definition="d")), "ask"),
        (replace(read("/lib/doc/a.txt"), touches=(touch("/lib/doc/a.txt"), touch("/etc/passwd"))), "ask"),
        (bash("cat /lib/doc/a.txt"), "deny"), (bash("ls", workdir="/lib/doc"), "ask"), (bash("echo x > /lib/doc/a.txt"), "deny"),
        (bash("cd /lib/doc && ls"), "deny"), (bash("grep -r x /lib/doc"), "deny"),
    ],
)  # fmt: skip
def test_grant_lets_nothing_else_pass(action: Action, outcome: str) -> None:
    for mode in MODES:
        with_grant, without = (judged(action, *rules, mode=mode, rung="bwrap") for rules in ((DOC,), ()))
        assert with_grant.danger == without.danger
        assert with_grant.outcome != "allow"
        if mode != "read_only":  # which refuses outside altogether
            assert with_grant.outcome == without.outcome == outcome


def test_change_in_a_granted_folder_stays_red() -> None:
    decision = judged(edit("/lib/doc/a.txt"), DOC, mode="auto", rung="bwrap")
    assert (decision.outcome, decision.danger, decision.can_always) == ("ask", Danger.DESTROY, False)


def test_nothing_is_granted_where_more_than_the_place_asks() -> None:
    for action in (
        replace(read("/lib/doc/a.txt"), repeats=3), replace(read("/lib/doc/a.txt"), repaired=True), replace(read("/lib/doc/a.txt"), claimed_danger=4),
        replace(read("/lib/doc/a.txt"), touches=(touch("/lib/doc/a.txt"), touch("/lib/other/d.txt"))), edit("/lib/doc/a.txt"), bash("cat /lib/doc/a.txt"),
        replace(read("/lib/doc/a.txt"), server=ServerTool(server="s", name="n", definition="d")),
        replace(read("src/app.py"), touches=(replace(touch("src/app.py"), outside=True),)),
    ):  # fmt: skip
        assert not judged(action).suggested
    assert not judged(read("/lib/doc/a.txt"), ToolRule(effect="ask", tool="read")).can_always
    assert not judged(read("/lib/doc/a.txt"), mode="read_only").can_always


def test_rule_that_refuses_or_asks_wins_over_a_grant() -> None:
    for rule in (ToolRule(effect="deny", tool="read"), PathRule(effect="deny", tool="read", path="/lib/**")):
        assert judged(read("/lib/doc/a.txt"), DOC, rule).outcome == "deny"
    assert judged(read("/lib/doc/a.txt"), DOC, ToolRule(effect="ask", tool="read")).outcome == "ask"
    assert judged(read("/lib/doc/a.txt"), DOC, ToolRule(effect="allow", tool="read")).reasons[0].subject == "session-3"
    assert judged(read("/lib/doc/a.txt"), ToolRule(effect="allow", tool="read")).outcome == "ask", "a rule for every call lifts no floor"


def test_tool_that_prepared_before_the_grant_is_let_pass_too() -> None:
    """Its own view of outside is from before; the gate looks at the place itself."""
    assert judged(replace(read("/lib/doc/a.txt"), touches=(replace(touch("/lib/doc/a.txt"), outside=True),)), DOC).outcome == "allow"


def test_grant_holds_in_every_mode_since_it_only_reads() -> None:
    assert [judged(read("/lib/doc/a.txt"), DOC, mode=mode).outcome for mode in MODES] == ["allow"] * 4


def test_another_folder_of_that_name_is_not_granted() -> None:
    replaced = grant("/lib/doc", identity="1:99")
    assert judged(read("/lib/doc/a.txt"), replaced).outcome == "ask"
    moved = MemoryDisk({"/lib/old/a.txt": "x", "/lib/doc": "->/lib/old"})
    assert judged(read("/lib/doc/a.txt"), DOC, disk=moved).outcome == "ask"
    assert judged(read("/lib/doc/a.txt"), DOC, disk=MemoryDisk({"/lib/x": None})).outcome == "ask"


CLOSED = ["/", "/home", HOME, f"{HOME}/.local", f"{HOME}/.local/share", DATA, f"{HOME}/.ssh", "/proc", "/proc/1", "/dev", "/sys", "/run/user"]


@pytest.mark.parametrize("folder", CLOSED)
def test_grant_that_may_not_be_is_none_however_it_came_in_force(folder: str) -> None:
    """As if it had been written by hand: the gate asks again what may be granted."""
    identity = getattr(DISK.lstat(folder if folder != "/" else ""), "identity", "")
    forged = GrantRule(effect="allow", folder=folder, identity=identity or "1:1")
    assert not grants_in_force([forged], roots=ROOTS, disk=DISK)
    for path in (f"{folder.rstrip('/')}/x", f"{DATA}/rules.json", f"{HOME}/.ssh/known", "/etc/passwd"):
        assert judged(read(path), forged).outcome == judged(read(path)).outcome != "allow"


@pytest.mark.parametrize("fields", [{"effect": "ask"}, {"effect": "deny"}, {"scope": "project"}, {"scope": "user"}, {"identity": ""}])
def test_grant_of_another_kind_holds_nowhere(fields: dict[str, Any]) -> None:
    assert judged(read("/lib/doc/a.txt"), grant("/lib/doc", **fields)).outcome == "ask"


def test_nothing_may_be_granted_where_home_is_not_known_or_the_disk_tells_no_folders_apart() -> None:
    assert not may_be_granted("/lib/doc", replace(ROOTS, home=None))
    assert may_be_granted("/lib/doc", replace(ROOTS, data_folder=None))
    assert not may_be_granted("C:", replace(ROOTS, home="C:/Users/u"))
    assert may_be_granted("C:/lib", replace(ROOTS, home="C:/Users/u"))
    assert not may_be_granted("c:/USERS", replace(ROOTS, home="C:/Users/u", folds_case=True))

    class Blind(MemoryDisk):
        @override
        def lstat(self, path: str) -> Any:
            found = super().lstat(path)
            return found._replace(inode=0) if found else None

    class Closed(MemoryDisk):
        @override
        def lstat(self, path: str) -> Any:
            raise OSError(13, "Permission denied")

    place = Place(request="/lib/doc/a.txt", real="/lib/doc/a.txt", kind="file")
    assert grant_for(place, roots=ROOTS, disk=DISK) == replace(DOC, rule_id="")
    assert grant_for(place, roots=ROOTS, disk=Blind(BEYOND)) is None
    assert grant_for(place, roots=ROOTS, disk=Closed(BEYOND)) is None


def test_stored_form_is_bound_to_the_folder_and_holds_for_a_session_only() -> None:
    kept = stored(DOC)
    assert kept == {"tool": "read", "grant": "/lib/doc", "identity": DOC.identity, "effect": "allow"}
    assert rule_from(kept, rule_id="session-3") == DOC
    assert (rule_text(DOC), rule_sentence(DOC)) == ("read: /lib/doc, reading only", "A grant allows it: /lib/doc, reading only.")
    assert warning_of(DOC, [ToolRule(effect="allow", tool="read")]) == ""
    for wrong in ({"effect": "deny"}, {"effect": "ask"}, {"identity": ""}, {"grant": ""}, {"tool": "edit"}, {"more": 1}, {"grant": 1}):
        with pytest.raises(SettingsError):
            rule_from(kept | wrong)
    with pytest.raises(SettingsError, match="one session"):
        rule_from(kept, scope="project")
    with pytest.raises(SettingsError, match="one session"):
        rule_from(kept, scope="user")


# Laws, with grants of folders among the rules

GRANTED = ("/lib/doc", "/etc", "/srv/ws", "/srv/outside", "/lib", f"{HOME}/notes", "/home", HOME, DATA, f"{HOME}/.ssh")
GRANTS = st.sampled_from([grant(folder) for folder in GRANTED])
MORE_ACTIONS = [*ACTIONS, *map(read, BEYOND), *map(edit, BEYOND), *(bash(f"cat {path}") for path in BEYOND)]
READS_OUTSIDE = [action for action in FLOORS if action.tool_class == "read" and action.touches[0].name.startswith("/etc")]
EFFECTS = st.sampled_from(["allow", "ask", "deny"])
CASES = {
    "action": st.sampled_from(MORE_ACTIONS), "mode": st.sampled_from(MODES), "rung": st.sampled_from(RUNGS),
    "rules": st.lists(st.one_of(GRANTS, rules_of(EFFECTS)), max_size=4),
}  # fmt: skip


@settings(max_examples=300)
@given(more=GRANTS, **CASES)
def test_grant_never_makes_anything_stricter_or_less_dangerous(action: Action, mode: Mode, rung: Rung, rules: list[Rule], more: Rule) -> None:
    before, after = (judged(action, *known, mode=mode, rung=rung) for known in (rules, [*rules, more]))
    assert strictness(after.outcome) <= strictness(before.outcome)
    assert (after.danger, after.badges, after.outside) == (before.danger, before.badges, before.outside)
    if action.tool_class != "read" or not before.outside:
        assert after.outcome == before.outcome


@settings(max_examples=300)
@given(more=rules_of(st.sampled_from(["ask", "deny"])), **CASES)
def test_rule_that_asks_or_refuses_never_makes_a_grant_laxer(action: Action, mode: Mode, rung: Rung, rules: list[Rule], more: Rule) -> None:
    before, after = (judged(action, *known, mode=mode, rung=rung) for known in (rules, [*rules, more]))
    assert strictness(after.outcome) >= strictness(before.outcome)


@settings(max_examples=300)
@given(
    action=st.sampled_from([floor for floor in FLOORS if floor not in READS_OUTSIDE]),
    mode=st.sampled_from(MODES), rung=st.sampled_from(RUNGS), rules=st.lists(st.one_of(GRANTS, rules_of(st.just("allow"))), max_size=6),
)  # fmt: skip
def test_grants_lift_no_floor_but_that_on_reading_outside(action: Action, mode: Mode, rung: Rung, rules: list[Rule]) -> None:
    assert judged(action, *rules, mode=mode, rung=rung).outcome == judged(action, mode=mode, rung=rung).outcome != "allow"


@settings(max_examples=200)
@given(**CASES)
def test_what_is_offered_comes_true_and_order_has_no_weight(action: Action, mode: Mode, rung: Rung, rules: list[Rule]) -> None:
    decision = judged(action, *rules, mode=mode, rung=rung)
    assert decision.outcome == judged(action, *rules[::-1], mode=mode, rung=rung).outcome
    assert decision.reasons[0].outcome == decision.outcome
    for rule in decision.suggested:
        assert judged(action, *rules, rule, mode=mode, rung=rung).outcome == "allow"
