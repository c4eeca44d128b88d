"""Which of the last calls some rules would have let through: what a person weighs before they keep them. Read from facts alone, without Qt.

A call counts only if it asked, and if everything in it that asked is covered: a rule lifts no floor, so what was offered no rule then
would ask again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from workbench.conversation.calls import Answer, CallPart, Target
from workbench.conversation.events import ApprovalRequested, ApprovalResolved, Decided, Entry
from workbench.permissions.rules import (
    ArgvRule,
    GrantRule,
    HostRule,
    PathRule,
    Rule,
    ServerRule,
    TextRule,
    ToolRule,
    matches_argv,
    matches_host,
    matches_path,
    rule_from,
)

CALLS_LOOKED_AT = 40
FACTS_LOOKED_AT = 20_000
"""Facts of a session that are looked through, the newest."""


class RehearsedCall(NamedTuple):
    """A call that the rules would have let through.

    Attributes:
        tool: its name; foreign text.
        text: the command, path or host, on one line or more; foreign text.
        answer: what was answered when it asked; empty if nobody did.
        at: when it asked, seconds since 1970.
    """

    tool: str
    text: str
    answer: Answer | None
    at: float


class RuleRehearsal(NamedTuple):
    """What rules would have done.

    Attributes:
        total: calls that were looked at, at most `CALLS_LOOKED_AT`.
        allowed: those that asked and would not have, the newest first.
    """

    total: int = 0
    allowed: tuple[RehearsedCall, ...] = ()


class _Asked(NamedTuple):
    requested: ApprovalRequested
    at: float
    answer: Answer | None


_Key: TypeAlias = tuple[str, int, str]


def rehearse_rules(rules: Sequence[Rule], sessions: Iterable[Sequence[Entry]], *, workspace: str, except_call: str = "") -> RuleRehearsal:
    """Say which of a project's last calls some rules would have let through without a question.

    Args:
        rules: those that would be added, all to allow.
        sessions: the facts of each session in order, the session used last first.
        workspace: the real path of the project's folder.
        except_call: the call that asks just now, which does not count.
    """
    total, allowed = 0, list[RehearsedCall]()
    for entries in sessions:
        for asked in _last_calls(entries, CALLS_LOOKED_AT - total, except_call):
            total += 1
            if asked is not None and would_allow(rules, asked.requested, workspace):
                allowed.append(RehearsedCall(asked.requested.tool, _text_of(asked.requested), asked.answer, asked.at))
        if total >= CALLS_LOOKED_AT:
            break
    return RuleRehearsal(total, tuple(allowed))


def would_allow(rules: Sequence[Rule], requested: ApprovalRequested, workspace: str) -> bool:
    """Say whether rules cover everything that asked in a call."""
    if requested.preview.kind == "command":
        return _allows_command(rules, requested)
    if not requested.always:
        return False
    offered = [rule_from(kept) for kept in requested.always]
    if any(isinstance(rule, ServerRule | ToolRule) and rule in offered for rule in map(_bare, rules)):
        return True
    return bool(requested.targets) and all(_covers(rules, requested.tool, target, workspace) for target in requested.targets)


def _allows_command(rules: Sequence[Rule], requested: ApprovalRequested) -> bool:
    texts = {kept.get("text") for kept in requested.always}
    if any(isinstance(rule, TextRule) and rule.text == requested.preview.body and rule.text in texts for rule in rules):
        return True
    asking = [part for part in requested.parts if part.outcome != "allow"]
    return bool(asking) and all(_allows_part(rules, part) for part in asking)


def _allows_part(rules: Sequence[Rule], part: CallPart) -> bool:
    """Say whether a rule covers a part; one that was offered no rule is beyond all of them."""
    return bool(part.always and part.argv) and any(isinstance(rule, ArgvRule) and matches_argv(rule.argv, part.argv) for rule in rules)


def _covers(rules: Sequence[Rule], tool: str, target: Target, workspace: str) -> bool:
    for rule in rules:
        match rule:
            case PathRule(tool=own, path=pattern) if own == tool and target.kind == "path":
                root = workspace.rstrip("/") + "/"
                inside = target.name.startswith(root) and not target.outside
                subject = target.name if pattern.startswith("/") else target.name.removeprefix(root) if inside else ""
                if subject and matches_path(pattern, subject):
                    return True
            case GrantRule(folder=folder) if target.kind == "path" and f"{target.name}/".startswith(f"{folder}/"):
                return True
            case HostRule(tool=own, host=pattern) if own == tool and target.kind == "host" and matches_host(pattern, target.name):
                return True
            case _:
                pass
    return False


def _bare(rule: Rule) -> Rule:
    """Return a rule as `rule_from` makes it of its stored form, so that it can be compared."""
    return replace(rule, scope="session", rule_id="")


def _last_calls(entries: Sequence[Entry], at_most: int, except_call: str) -> Iterator[_Asked | None]:
    """Yield the last calls, the newest first: how each asked, None for one that did not.

    A call may be decided twice, and ask again: what counts is how it asked first.
    """
    found: dict[_Key, _Asked | None] = {}
    answers: dict[str, Answer] = {}
    for entry in reversed(entries[-FACTS_LOOKED_AT:]):
        match entry.event:
            case ApprovalResolved(approval_id=approval_id, answer=answer, by="person" | "terminal"):
                answers[approval_id] = answer
            case Decided() as decided if decided.call_id != except_call:
                if len(found) >= at_most and _key(decided) not in found:
                    break
                found.setdefault(_key(decided), None)
            case ApprovalRequested() as requested if _key(requested) in found or len(found) < at_most:
                if requested.call_id != except_call:
                    found[_key(requested)] = _Asked(requested, entry.at, answers.get(requested.approval_id))
            case _:
                pass
    yield from found.values()


def _key(fact: Decided | ApprovalRequested) -> _Key:
    return fact.turn_id, fact.step, fact.call_id


def _text_of(requested: ApprovalRequested) -> str:
    if requested.preview.kind == "command":
        return requested.preview.body
    return requested.preview.title or (requested.targets[0].name if requested.targets else "")
