"""What a mode and a sandbox make of a command: what only looks runs everywhere, Auto runs the tame, nothing marked is ever waved through."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.permissions.danger import Badge, Danger
from workbench.permissions.gate_command import PARTS_AT_MOST, held, parts_with_rules, rule_for_text
from workbench.permissions.modes import MODES, GateFacts, Mode
from workbench.permissions.reasons import CommandPart, Confinement, Outcome, Reason, strictest
from workbench.permissions.rules import ArgvRule, Rule, TextRule
from workbench.permissions.shell import CommandVerdict

LOOKS = Reason("shell.reads", "It only looks.", "", "allow")
UNKNOWN = Reason("shell.command", "It is not known.")
BY_RULE = Reason("rule.allow", "A rule allows it.", "project-1", "allow")
ASKED = Reason("rule.ask", "A rule makes it ask.", "project-2", "ask")
DENIED = Reason("rule.deny", "A rule refuses it.", "project-3", "deny")
SANDBOX, BARE = GateFacts(rung="bwrap"), GateFacts()


def verdict(outcome: Outcome, danger: Danger, *reasons: Reason, badges: tuple[Badge, ...] = (), parts: tuple[CommandPart, ...] = ()) -> CommandVerdict:
    return CommandVerdict(outcome=outcome, danger=danger, badges=frozenset(badges), outside=Badge.OUTSIDE in badges, reasons=reasons, parts=parts)


READER = verdict("allow", Danger.LOOK, LOOKS)
RUNNER = verdict("allow", Danger.RUN, BY_RULE)
OTHER = verdict("ask", Danger.RUN, UNKNOWN)
NETWORK = verdict("ask", Danger.REACH, Reason("shell.network", "It reaches the network."), badges=(Badge.NETWORK,))
DESTROYS = verdict("ask", Danger.DESTROY, Reason("shell.destroys", "It destroys."), badges=(Badge.DESTROYS,))
OUTSIDE = verdict("ask", Danger.REACH, Reason("floor.outside", "It leads outside."), badges=(Badge.OUTSIDE,))
SECRET = verdict("ask", Danger.REACH, Reason("floor.secret", "It reads a secret."), badges=(Badge.SECRET,))
PROTECTED = verdict("ask", Danger.DESTROY, Reason("floor.protected", "It is protected."), badges=(Badge.PROTECTED,))
HIDDEN = verdict("ask", Danger.RUN, Reason("shell.hidden", "It hides."), badges=(Badge.HIDDEN_CHARACTERS,))
MANY_PATHS = verdict("ask", Danger.RUN, UNKNOWN, Reason("shell.too_many_paths", "The rest was not looked at."))
RULE_ASKS = verdict("ask", Danger.RUN, UNKNOWN, ASKED)
REFUSED = verdict("deny", Danger.RUN, DENIED, UNKNOWN)

TABLE: list[tuple[str, CommandVerdict, str]] = [
    ("reader", READER, "allow allow allow allow"),
    ("allowed by a rule", RUNNER, "deny allow allow allow"),
    ("other", OTHER, "deny ask ask allow"),
    ("network", NETWORK, "deny ask ask ask"),
    ("destroys", DESTROYS, "deny ask ask ask"),
    ("outside", OUTSIDE, "deny ask ask ask"),
    ("secret", SECRET, "deny ask ask ask"),
    ("protected", PROTECTED, "deny ask ask ask"),
    ("hidden", HIDDEN, "deny ask ask ask"),
    ("not looked at to the end", MANY_PATHS, "deny ask ask ask"),
    ("a rule asks", RULE_ASKS, "deny ask ask ask"),
    ("refused", REFUSED, "deny deny deny deny"),
]


def outcome_of(found: CommandVerdict, mode: Mode, facts: GateFacts = SANDBOX, asked_for: Confinement = "") -> Outcome:
    return strictest(*(reason.outcome for reason in held(found, mode=mode, facts=facts, asked_for=asked_for).reasons))


@pytest.mark.parametrize(("name", "found", "outcomes"), TABLE, ids=[row[0] for row in TABLE])
def test_table_of_modes(name: str, found: CommandVerdict, outcomes: str) -> None:
    assert [outcome_of(found, mode) for mode in MODES] == outcomes.split()


def test_auto_says_that_the_sandbox_holds_it() -> None:
    first = held(OTHER, mode="auto", facts=SANDBOX).reasons[0]
    assert (first.code, first.outcome) == ("mode.auto", "allow")
    assert outcome_of(OTHER, "auto", GateFacts(rung="landlock")) == "ask"
    assert outcome_of(OTHER, "auto", BARE) == "ask"


@pytest.mark.parametrize("found", [row[1] for row in TABLE], ids=[row[0] for row in TABLE])
def test_how_it_is_held(found: CommandVerdict) -> None:
    network = Badge.NETWORK in found.badges
    assert held(found, mode="ask", facts=SANDBOX).confinement == ("network" if network else "confined")
    assert held(found, mode="ask", facts=GateFacts(rung="landlock")).confinement == ("network" if network else "confined")
    assert held(found, mode="ask", facts=BARE).confinement == "unconfined"


@pytest.mark.parametrize("asked_for", ["network", "unconfined"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("found", [READER, RUNNER, OTHER], ids=["reader", "runner", "other"])
def test_a_looser_hold_always_asks_and_is_level_3(found: CommandVerdict, mode: Mode, asked_for: Confinement) -> None:
    result = held(found, mode=mode, facts=SANDBOX, asked_for=asked_for)
    assert result.danger == Danger.REACH
    assert result.confinement == asked_for
    assert outcome_of(found, mode, asked_for=asked_for) == ("deny" if mode == "read_only" else "ask")
    assert any(reason.code == "sandbox.stopped" for reason in result.reasons)


def test_verdict_that_contradicts_itself_asks() -> None:
    for badge in set(Badge) - {Badge.RUNS_LATER}:
        assert outcome_of(verdict("allow", Danger.RUN, BY_RULE, badges=(badge,)), "auto") == "ask", badge
    for danger in (Danger.REACH, Danger.DESTROY):
        assert outcome_of(verdict("allow", danger, BY_RULE), "auto") == "ask"
    assert outcome_of(verdict("ask", Danger.RUN, BY_RULE), "ask") == "ask"
    assert outcome_of(verdict("deny", Danger.RUN), "auto") == "deny"
    assert outcome_of(verdict("allow", Danger.LOOK), "read_only") == "allow"


REASONS = st.sampled_from([LOOKS, UNKNOWN, BY_RULE, ASKED, DENIED, Reason("floor.secret", "x"), Reason("shell.new", "x"), Reason("call.claimed", "x")])
VERDICTS = st.builds(
    lambda outcome, danger, badges, reasons: verdict(outcome, danger, *reasons, badges=tuple(badges)),
    st.sampled_from(["allow", "ask", "deny"]), st.sampled_from(list(Danger)), st.sets(st.sampled_from(list(Badge)), max_size=2), st.lists(REASONS, max_size=3),
)  # fmt: skip


@given(found=VERDICTS, mode=st.sampled_from(MODES), rung=st.sampled_from(["none", "landlock", "bwrap", "seatbelt"]))
def test_nothing_marked_dangerous_runs_unasked_in_any_mode(found: CommandVerdict, mode: Mode, rung: Any) -> None:
    outcome = outcome_of(found, mode, GateFacts(rung=rung))
    if found.outcome == "deny" or DENIED in found.reasons:
        assert outcome == "deny"
    if found.danger > Danger.RUN or found.outside or found.badges - {Badge.RUNS_LATER} or ASKED in found.reasons:
        assert outcome != "allow"
    if mode == "read_only" and outcome == "allow":
        assert found.danger == Danger.LOOK
    if found.outcome == "ask" and outcome == "allow":
        assert mode == "auto"
        assert rung in {"bwrap", "seatbelt"}


def part(text: str, outcome: Outcome = "ask", *, danger: Danger = Danger.RUN, reasons: tuple[Reason, ...] = (UNKNOWN,), known: bool = True) -> CommandPart:
    return CommandPart(text=text, outcome=outcome, danger=danger, folder="/w", reasons=reasons, argv=tuple(text.split()) if known else ())


def tried(*parts: CommandPart, passes: bool = True) -> Any:
    """Return a judge that lets parts pass for which a rule is tried, or none."""

    def rejudge(more: tuple[Rule, ...]) -> CommandVerdict:
        names = {rule.argv[0] for rule in more if isinstance(rule, ArgvRule)}
        whole = any(isinstance(rule, TextRule) for rule in more)
        after = tuple(part(one.text, "allow") if passes and (whole or one.text.split()[0] in names) else one for one in parts)
        return verdict(strictest(*(one.outcome for one in after)), Danger.RUN, UNKNOWN, parts=after)

    return rejudge


def patterns(parts: tuple[CommandPart, ...]) -> list[list[str]]:
    return [[" ".join(rule.argv) for rule in one.suggested if isinstance(rule, ArgvRule)] for one in parts]


def test_rules_are_offered_for_the_parts_and_not_for_the_whole_chain() -> None:
    parts = (part("ls", "allow", danger=Danger.LOOK), part("pytest -q"), part("python x.py"))
    offered = parts_with_rules(parts, frozenset(), tried(*parts))
    assert patterns(offered) == [[], ["pytest -q", "pytest **"], []]


def test_a_rule_that_would_never_match_again_is_not_offered() -> None:
    parts = (part("pytest -q"),)
    assert patterns(parts_with_rules(parts, frozenset(), tried(*parts, passes=False))) == [[]]


@pytest.mark.parametrize(
    "refused",
    [
        part("pytest", danger=Danger.REACH), part("pytest", danger=Danger.DESTROY), part("pytest", known=False), part("pytest", "deny"),
        part("pytest", reasons=(ASKED,)), part("pytest", reasons=(Reason("floor.secret", "x"),)),
        part("pytest", reasons=(Reason("shell.too_many_paths", "x"),)),
    ],
    ids=range(7),
)  # fmt: skip
def test_no_rule_is_offered_for_a_part_that_must_ask(refused: CommandPart) -> None:
    assert patterns(parts_with_rules((refused,), frozenset(), tried(refused))) == [[]]


UNSEEN = {Badge.HIDDEN_CHARACTERS, Badge.MIXED_SCRIPT, Badge.PADDING, Badge.TOO_LONG, Badge.REPAIRED, Badge.REPEATED, Badge.DESTROYS}


@pytest.mark.parametrize("badge", sorted(UNSEEN))
def test_no_rule_is_offered_for_a_command_that_was_not_seen_for_what_it_is(badge: Badge) -> None:
    parts = (part("pytest"),)
    assert patterns(parts_with_rules(parts, frozenset({badge}), tried(*parts))) == [[]]
    assert rule_for_text("pytest", (part("python x.py"),), Danger.RUN, frozenset({badge}), tried(*parts)) == ()


def test_exact_text_is_offered_where_no_pattern_is() -> None:
    parts = (part("python x.py"),)
    assert rule_for_text("python x.py", parts, Danger.RUN, frozenset(), tried(*parts)) == (TextRule(effect="allow", text="python x.py"),)
    assert rule_for_text("python x.py", parts, Danger.REACH, frozenset(), tried(*parts)) == ()
    assert rule_for_text("python x.py", parts, Danger.RUN, frozenset({Badge.SECRET}), tried(*parts)) == ()
    assert rule_for_text("python x.py", parts, Danger.RUN, frozenset(), tried(*parts, passes=False)) == ()
    assert rule_for_text("python $X", (part("python", known=False),), Danger.RUN, frozenset(), tried(*parts)) == ()
    assert rule_for_text("python x.py" * 300, parts, Danger.RUN, frozenset(), tried(*parts)) == ()
    own = parts_with_rules((part("pytest"),), frozenset(), tried(part("pytest")))
    assert rule_for_text("pytest", own, Danger.RUN, frozenset(), tried(part("pytest"))) == ()
    assert rule_for_text("ls", (part("ls", "allow"),), Danger.LOOK, frozenset(), tried(*parts)) == ()


def test_more_parts_than_a_person_reads_are_offered_nothing() -> None:
    parts = tuple(part("pytest") for _number in range(PARTS_AT_MOST + 1))
    assert not any(one.suggested for one in parts_with_rules(parts, frozenset(), tried(*parts)))
