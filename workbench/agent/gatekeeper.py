"""The gate as a session uses it: its mode, rules and roots, and how a tool's plan becomes an action that the gate can judge."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbench.agent.disk import RealDisk
from workbench.conversation.calls import CallPart, Reason, RuleScope, Target
from workbench.conversation.messages import ToolCallPart
from workbench.conversation.values import JsonObject, json_bytes
from workbench.permissions import gate, reasons
from workbench.permissions.disk import Disk
from workbench.permissions.gate import Action, Decision, Touch, decide
from workbench.permissions.modes import GateFacts, Mode
from workbench.permissions.places import Root, Roots
from workbench.permissions.rules import ArgvRule, Rule, RuleSet, TextRule, rule_from, stored
from workbench.tools.base import Plan, Tool
from workbench.workspace.paths import Workspace

PARTS_AT_MOST = 200
"""More parts of a command than this are not put into an approval; they were all judged."""


@dataclass
class Gatekeeper:
    """What is in force now. Mode and rules change while the session runs; a call that waits for its turn is decided again then.

    Attributes:
        roots: what counts as inside.
        mode: the session's mode.
        rules: rules of every scope.
        disk: how paths are looked at.
        facts: what is known of the machine.
        know: finds that out before a command is decided on; None if `facts` are all there is.
        made: how many rules were made for the session, which gives them their numbers.
    """

    roots: Roots
    mode: Mode = "ask"
    rules: RuleSet = field(default_factory=RuleSet)
    disk: Disk = field(default_factory=RealDisk)
    facts: GateFacts = field(default_factory=GateFacts)
    know: Callable[[], Awaitable[GateFacts]] | None = None
    made: int = 0

    @property
    def in_force(self) -> tuple[Mode, RuleSet]:
        """The mode and the rules now; equal as long as nothing changed."""
        return self.mode, self.rules

    def decide(self, action: Action) -> Decision:
        """Decide now. Looks at the disk: blocking for a moment."""
        rules = _without_kept_for_a_sandbox(self.rules) if self.know is not None and self.facts.rung == "none" else self.rules
        return decide(action, mode=self.mode, rules=rules, roots=self.roots, disk=self.disk, facts=self.facts)

    def add(self, rules: Sequence[JsonObject], scope: RuleScope) -> tuple[Rule, ...]:
        """Put rules in force, given in the form in which they are stored; return them with their ids.

        Raises:
            SettingsError: one of them is no rule; none is in force.
        """
        added = tuple(rule_from(rule, scope=scope, rule_id=self._new_id(scope)) for rule in rules)
        self.rules = replace(self.rules, rules=(*self.rules.rules, *added))
        return added

    def _new_id(self, scope: RuleScope) -> str:
        """Return an id for a rule: a number in the session; one that no other session gives for a rule that outlives it."""
        if scope != "session":
            return f"{scope}-{secrets.token_hex(4)}"
        self.made += 1
        return f"session-{self.made}"

    def renew(self, kept: RuleSet) -> None:
        """Put other kept rules in force; those of the session stay."""
        own = tuple(rule for rule in self.rules.rules if rule.scope == "session")
        self.rules = RuleSet((*kept.rules, *own), kept.broken)

    def limit_to_session(self, rules: Sequence[Rule]) -> None:
        """Let rules that could not be kept end with the session."""
        ids = {rule.rule_id for rule in rules}
        self.rules = replace(self.rules, rules=tuple(replace(rule, scope="session") if rule.rule_id in ids else rule for rule in self.rules.rules))

    async def judge(self, action: Action) -> Decision:
        """Decide in a worker thread."""
        if action.command is not None and self.know is not None:
            self.facts = await self.know()
        return await asyncio.to_thread(self.decide, action)


def _without_kept_for_a_sandbox(rules: RuleSet) -> RuleSet:
    """Return rules without those that let commands run and outlive the session: they were given where a sandbox held what they let run."""
    kept = {rule for rule in rules.rules if isinstance(rule, ArgvRule | TextRule) and rule.effect == "allow" and rule.scope != "session"}
    return replace(rules, rules=tuple(rule for rule in rules.rules if rule not in kept))


def roots_of(workspace: Workspace, *, data_folder: Path | None = None, outputs: Path | None = None) -> Roots:
    """Return what the gate judges paths against. Blocking.

    Args:
        workspace: the folder and what was granted.
        data_folder: the program's own data.
        outputs: the session's folder of whole outputs, which may be read although it lies in the data folder.
    """
    return Roots(
        workspace=Root(path=str(workspace.root.path), writable=workspace.root.writable),
        extra=tuple(Root(path=str(root.path), writable=root.writable) for root in workspace.extra),
        data_folder=None if data_folder is None else os.path.realpath(data_folder),
        outputs=() if outputs is None else (os.path.realpath(outputs),),
        home=str(workspace.home) if workspace.home else os.path.realpath(Path.home()),
        folds_case=sys.platform in {"darwin", "win32"},
    )


def action_of(tool: Tool, plan: Plan, call: ToolCallPart, *, repeats: int, edited: bool) -> Action:
    """Return a plan as the gate judges it. A call that a person edited is no longer the model's broken one."""
    folder = next((target.name for target in plan.targets if target.kind == "path"), None)
    return Action(
        tool=plan.tool,
        tool_class=tool.tool_class,
        touches=tuple(Touch(kind=target.kind, name=target.name, access=target.access, outside=target.outside) for target in plan.targets),
        command=plan.command,
        workdir=folder if plan.command is not None else None,
        digest=digest_of(plan),
        repaired=call.repaired and not edited,
        repeats=1 if edited else repeats,
    )


def digest_of(plan: Plan) -> str:
    """Return the SHA-256 over everything that makes a plan what it is: tool, arguments, command, targets, base hashes and tickets."""
    targets = [[target.kind, target.name, target.access, target.outside] for target in plan.targets]
    parts = [plan.tool, sorted(plan.arguments.items()), plan.command, targets, sorted(plan.base_hashes.items()), sorted(plan.tickets.items())]
    return hashlib.sha256(json_bytes(parts)).hexdigest()


def fact_reasons(found: tuple[reasons.Reason, ...]) -> tuple[Reason, ...]:
    """Return the gate's reasons as they stand in the journal."""
    return tuple(Reason(code=reason.code, text=reason.text, subject=reason.subject, outcome=reason.outcome) for reason in found)


def fact_parts(decision: gate.Decision) -> tuple[CallPart, ...]:
    """Return the parts of a command as they stand in the journal, the first `PARTS_AT_MOST`."""
    return tuple(
        CallPart(
            text=part.text,
            outcome=part.outcome,
            danger=int(part.danger),
            folder=part.folder,
            places=part.places,
            reasons=fact_reasons(part.reasons),
            argv=part.argv,
            program=part.program,
            always=tuple(stored(rule) for rule in part.suggested),
        )
        for part in decision.parts[:PARTS_AT_MOST]
    )


def paths_of(targets: tuple[Target, ...], *, changing: bool) -> frozenset[str]:
    """Return the real paths among targets that would be changed, or only looked at."""
    return frozenset(target.name for target in targets if target.kind == "path" and (target.access in {"write", "delete"}) == changing)
