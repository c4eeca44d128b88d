"""What a lasting rule would let through, said in plain sentences. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, assert_never

from workbench.conversation.events import ApprovalRequested, Decided, Entry
from workbench.conversation.values import JsonObject
from workbench.permissions.rules import ArgvRule, HostRule, PathRule, Rule, ServerRule, TextRule, ToolRule, matches_path, rule_from, rule_text
from workbench.words import _, tell_text

LOOKED_BACK_CALLS = 40
LOOKED_BACK_FACTS = 20_000
_FOLDER = "/**"


class Offered(NamedTuple):
    """A rule that "always" may add.

    Attributes:
        kept: the form in which it is stored and answered with.
        rule: the same as a value.
        tool: the tool's name; foreign text.
        width: what it matches, without the tool; foreign text.
    """

    kept: JsonObject
    rule: Rule
    tool: str
    width: str


def offered(requested: ApprovalRequested) -> list[Offered]:
    """Return the rules of a question, narrowest first."""
    found = []
    for kept in requested.always:
        rule = rule_from(kept, scope="session")
        tool, _colon, width = tell_text(rule_text(rule), piece=True).partition(": ")
        found.append(Offered(kept, rule, tool, width))
    return found


def lets_through(rule: Rule) -> str:
    """Return what a rule lets through besides the call it was offered for."""
    match rule:
        case PathRule(path=path) if path.endswith(_FOLDER):
            return _("Also lets through: every later {tool} below {folder}, of new files too").format(tool=rule.tool, folder=path.removesuffix("**"))
        case PathRule():
            return _("Also lets through: every later {tool} of this file, whatever it writes").format(tool=rule.tool)
        case ArgvRule():
            return _("Also lets through: every command whose words match")
        case TextRule():
            return _("Also lets through: exactly this text, whenever it comes")
        case HostRule():
            return _("Also lets through: every later {tool} of this host").format(tool=rule.tool)
        case ServerRule():
            return _("Also lets through: every later call of this tool, whatever it is given")
        case ToolRule():
            return _("Also lets through: every later call of this tool")
        case _:
            assert_never(rule)


def still_asks(rule: Rule) -> str:
    """Return what asks all the same: a rule lifts no floor."""
    if isinstance(rule, PathRule):
        return _("protected files, secrets and places outside still ask")
    return _("what is dangerous still asks")


def would_have_matched(rule: Rule, requested: ApprovalRequested, entries: Sequence[Entry], workspace: str) -> str:
    """Return how many of the last calls the rule would have let through; empty if it cannot be told."""
    if not isinstance(rule, PathRule):
        return ""
    calls = _last_calls(requested, entries)
    if not calls:
        return ""
    root = workspace.rstrip("/") + "/"
    matching = sum(1 for call in calls if call.tool == rule.tool and _paths_match(rule, call, root))
    return _("{n} of your last {total} calls").format(n=matching, total=len(calls))


def _last_calls(requested: ApprovalRequested, entries: Sequence[Entry]) -> list[Decided]:
    calls: dict[tuple[str, int, str], Decided] = {}
    for entry in reversed(entries[-LOOKED_BACK_FACTS:]):
        event = entry.event
        if isinstance(event, Decided) and event.call_id != requested.call_id:
            calls.setdefault((event.turn_id, event.step, event.call_id), event)
            if len(calls) == LOOKED_BACK_CALLS:
                break
    return list(calls.values())


def _paths_match(rule: PathRule, call: Decided, root: str) -> bool:
    names = [target.name for target in call.targets if target.kind == "path"]
    return bool(names) and all(name.startswith(root) and matches_path(rule.path, name.removeprefix(root)) for name in names)
