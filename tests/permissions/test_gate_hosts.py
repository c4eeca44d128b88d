"""What the gate decides on hosts: public ones ask once, this machine and odd ports every time, metadata services never."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.agent.disk import RealDisk
from workbench.permissions.danger import Badge, Danger
from workbench.permissions.gate import Action, Decision, Touch, decide
from workbench.permissions.modes import MODES, GateFacts, Mode
from workbench.permissions.places import Root, Roots
from workbench.permissions.rules import HostRule, Rule, RuleSet

ROOTS = Roots(workspace=Root(path=str(Path("/ws").resolve()), writable=True), home="/home/someone")


def judged(name: str, *rules: Rule, mode: Mode = "ask") -> Decision:
    action = Action(tool="webfetch", tool_class="net_read", touches=(Touch(kind="host", name=name, access="reach"),))
    return decide(action, mode=mode, rules=RuleSet(rules), roots=ROOTS, disk=RealDisk(), facts=GateFacts(rung="bwrap"))


def allow(host: str) -> HostRule:
    return HostRule(effect="allow", tool="webfetch", host=host)


@pytest.mark.parametrize("mode", MODES)
def test_public_host_asks_in_every_mode_and_offers_rules_for_it(mode: Mode) -> None:
    decision = judged("docs.python.org", mode=mode)
    assert (decision.outcome, decision.danger, decision.badges) == ("ask", Danger.REACH, (Badge.NETWORK,))
    assert decision.suggested == (allow("docs.python.org"), allow("*.python.org"))
    for rule in decision.suggested:
        assert judged("docs.python.org", rule, mode=mode).outcome == "allow"
        assert judged("docs.python.org:443", rule, mode=mode).outcome == "allow"


@pytest.mark.parametrize("host", ["docs.python.org.evil.test", "evildocs.python.org.test", "python.org.evil.test", "xpython.org", "docs.python.orgx"])
def test_rule_for_a_host_matches_whole_labels(host: str) -> None:
    assert judged(host, allow("docs.python.org"), allow("*.python.org")).outcome == "ask"


@pytest.mark.parametrize("name", ["docs.python.org:8080", "docs.python.org:0", "docs.python.org:x", "[2606:2800:220:1::1]:8443"])
def test_other_ports_ask_whatever_the_rules_say(name: str) -> None:
    decision = judged(name, allow("docs.python.org"), allow("2606:2800:220:1::1"))
    assert (decision.outcome, decision.reasons[0].code, decision.can_always) == ("ask", "floor.port", False)


@pytest.mark.parametrize(
    "name", ["127.0.0.1:8000", "localhost", "[::1]:80", "2130706433", "0x7f.1:80", "0177.0.0.1", "[::ffff:127.0.0.1]", "10.1.2.3", "printer", "nas.local"]
)
def test_private_host_asks_whatever_the_rules_say(name: str) -> None:
    host = name.partition(":")[0]
    decision = judged(name, allow(host), allow(name), allow("*.local"))
    assert (decision.outcome, decision.danger, decision.can_always) == ("ask", Danger.REACH, False)
    assert Badge.PRIVATE_HOST in decision.badges


@pytest.mark.parametrize(
    "name", ["169.254.169.254", "169.254.169.254:80", "2852039166", "0xa9.0xfe.43518", "[fd00:ec2::254]:80", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]",
             "[2002:a9fe:a9fe::1]", "metadata.google.internal", "METADATA.goog.", "100.100.100.200"]
)  # fmt: skip
def test_metadata_service_is_refused_whatever_the_rules_say(name: str) -> None:
    decision = judged(name, allow("169.254.169.254"), allow(name))
    assert (decision.outcome, decision.danger, decision.can_always) == ("deny", Danger.DESTROY, False)


def test_denying_rule_holds_on_every_port() -> None:
    rule = HostRule(effect="deny", tool="webfetch", host="docs.python.org")
    assert judged("docs.python.org", rule).outcome == judged("docs.python.org:8443", rule).outcome == "deny"
