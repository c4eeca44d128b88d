"""The one decision on a call: allow, ask or deny, with everything that led to it.

Fail closed: what is not fully understood asks; what cannot be decided is denied. Order of authority: built-in floors, deny, ask,
allow, then the mode's default; the strictest of floors, rules and mode wins, and an allowing rule never lifts a floor. One rule answers
the question about reading outside: the grant of a folder, made for that very question and for nothing else (`grants`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from workbench.permissions.action import Action, ServerTool, Touch
from workbench.permissions.danger import Badge, Danger, in_order, raised
from workbench.permissions.disk import Disk
from workbench.permissions.gate_command import held, parts_with_rules, rule_for_text, without_rules
from workbench.permissions.grants import grant_for, grant_over
from workbench.permissions.hosts import USUAL_PORTS, host_kind, host_rules, split_host
from workbench.permissions.modes import GateFacts, Mode, default_for, effective_mode
from workbench.permissions.names import is_secret, protection, runs_later
from workbench.permissions.places import Place, Roots, locate
from workbench.permissions.reasons import CommandPart, Confinement, Outcome, Reason, strictest, strictness
from workbench.permissions.rules import Effect, Rule, RuleSet, ServerRule, ToolRule, rule_sentence
from workbench.permissions.shell import CommandVerdict, judge_command
from workbench.permissions.suggestions import suggest_paths
from workbench.permissions.visible import hidden_characters

__all__ = ["REPEATS_ASK", "Action", "Decision", "ServerTool", "Touch", "decide"]

REPEATS_ASK = 3
"""The third time the very same call comes in a turn, a person is asked whatever it is."""

_BASE_DANGER = {
    "none": Danger.LOOK,
    "read": Danger.LOOK,
    "edit": Danger.EDIT,
    "exec": Danger.RUN,
    "task": Danger.RUN,
    "net_read": Danger.REACH,
    "net_write": Danger.REACH,
}


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What the program decided, and why.

    Attributes:
        outcome: ``allow`` runs, ``ask`` asks a person, ``deny`` is answered to the model.
        danger: the level shown.
        outside: something in it leads out of the workspace.
        badges: marks in the order shown.
        reasons: the trace, the deciding one first.
        parts: the simple commands of a shell text.
        can_always: a lasting rule may be offered.
        suggested: the rules to offer for the whole call, narrowest first; those for the parts of a command are with the parts.
        confinement: how the command is held if it runs.
    """

    outcome: Outcome
    danger: Danger
    outside: bool = False
    badges: tuple[Badge, ...] = ()
    reasons: tuple[Reason, ...] = ()
    parts: tuple[CommandPart, ...] = ()
    can_always: bool = False
    suggested: tuple[Rule, ...] = ()
    confinement: Confinement = ""

    def stricter_than(self, seen: Decision) -> bool:
        """Say whether this needs more of a person than what they saw before: a stricter outcome, a higher level, a new mark, or a looser hold."""
        return (
            strictness(self.outcome) > strictness(seen.outcome)
            or self.danger > seen.danger
            or (self.outside and not seen.outside)
            or not set(self.badges) <= set(seen.badges)
            or _HOLDS.index(self.confinement) > _HOLDS.index(seen.confinement)
        )


_HOLDS: tuple[Confinement, ...] = ("", "confined", "network", "unconfined")


def decide(action: Action, *, mode: Mode, rules: RuleSet, roots: Roots, disk: Disk, facts: GateFacts | None = None) -> Decision:
    """Decide on a call. Pure but for looks at the disk; never raises: an error inside is a denial that says so.

    Args:
        action: the call.
        mode: the session's mode; see `effective_mode`.
        rules: all rules in force.
        roots: what counts as inside, and what is closed to every tool.
        disk: links are followed with it.
        facts: what is known of the machine.
    """
    try:
        known = facts or GateFacts()
        return _Judgement(action, effective_mode(mode, rules, known), rules, roots, disk, known).decide()
    except Exception as error:  # noqa: BLE001 - the gate must close on any error, also one of its own
        text = f"The permission check itself failed ({type(error).__name__}), so the call was refused."
        return Decision(outcome="deny", danger=Danger.DESTROY, reasons=(Reason("gate.failed", text, str(error)[:200], "deny"),))


@dataclass
class _Judgement:
    """One decision in the making."""

    action: Action
    mode: Mode
    rules: RuleSet
    roots: Roots
    disk: Disk
    facts: GateFacts
    danger: Danger = Danger.LOOK
    outside: bool = False
    badges: set[Badge] = field(default_factory=set)
    reasons: list[Reason] = field(default_factory=list)
    parts: tuple[CommandPart, ...] = ()
    places: list[Place] = field(default_factory=list)
    confinement: Confinement = ""
    granted: bool = False

    @property
    def reads(self) -> bool:
        """Whether this is a call of a tool of ours that only reads: only those may be let into a granted folder."""
        return self.action.tool_class == "read" and self.action.server is None and self.action.command is None

    @property
    def runs(self) -> bool:
        """Whether this is a command, whose level and outcome come from its text: one that only looks runs in every mode."""
        return self.action.tool_class == "exec" and self.action.command is not None

    def decide(self) -> Decision:
        kind = "mcp" if self.action.server else self.action.tool_class
        default = default_for(kind, self.mode)
        if default is None:
            text = f"The tool's class “{self.action.tool_class}” is not known, so it is not run."
            return Decision(outcome="deny", danger=Danger.DESTROY, reasons=(Reason("gate.unknown_class", text, self.action.tool, "deny"),))
        self._judge_class(default)
        self._judge_touches()
        self._judge_command()
        self._judge_call()
        self._apply_rules(default)
        return self._decision()

    # What is found

    def _add(self, reason: Reason, danger: Danger = Danger.LOOK, *badges: Badge) -> None:
        self.danger = max(self.danger, danger)
        self.badges.update(badges)
        self.reasons.append(reason)

    def _judge_class(self, default: Reason) -> None:
        self.danger = Danger.LOOK if self.runs else _BASE_DANGER.get(self.action.tool_class, Danger.RUN)
        if self.action.server:
            self.danger = max(self.danger, Danger.REACH if self.action.server.remote else Danger.RUN)
        if self.rules.broken:
            outcome: Outcome = "allow" if self.runs else default.outcome
            self._add(Reason("rules.broken", f"The rules cannot be used, so nothing may be changed: {self.rules.broken}", "", outcome))
        if default.outcome == "deny" and not self.runs:
            self._add(default)

    def _judge_touches(self) -> None:
        for touch in self.action.touches:
            match touch.kind:
                case "path":
                    self._judge_path(touch)
                case "host":
                    self._judge_host(touch)
                case "command":
                    pass  # the text itself is judged

    def _judge_path(self, touch: Touch) -> None:
        place = locate(touch.name, folder=self.roots.workspace.path, roots=self.roots, disk=self.disk)
        self.places.append(place)
        changes = touch.access in {"write", "delete"}
        if self.roots.in_data_folder(place.real):
            self._add(Reason("floor.data_folder", "This belongs to the program's own data, which no tool may touch.", place.real, "deny"), Danger.DESTROY)
        elif self._is_outside(touch, place, changes=changes):
            self._add_outside(place, changes=changes)
        if is_secret(place.real) or is_secret(touch.name):
            text = "Files of this name hold keys or passwords."
            self._add(Reason("floor.secret", text, place.real, self._floor()), Danger.REACH, Badge.SECRET)
        if changes:
            self._judge_change(place)

    def _is_outside(self, touch: Touch, place: Place, *, changes: bool) -> bool:
        if self.roots.in_outputs(place.real):
            return changes
        return touch.outside or not place.inside or (changes and place.root is not None and not place.root.writable)

    def _add_outside(self, place: Place, *, changes: bool) -> None:
        self.outside = True
        text = "This writes outside the workspace." if changes else "This leads outside the workspace."
        if place.problem:
            text = f"Where this leads cannot be known: {place.problem}."
        outcome = "allow" if not changes and self._is_granted(place) else self._floor()
        self._add(Reason("floor.outside", text, place.real, outcome), Danger.DESTROY if changes else Danger.REACH, Badge.OUTSIDE)

    def _is_granted(self, place: Place) -> bool:
        """Say whether a person granted a folder that holds a place outside, and note which; it stays marked as outside."""
        grant = grant_over(place, self.rules.rules, roots=self.roots, disk=self.disk) if self.reads else None
        if grant is not None:
            self.granted = True
            self._add(Reason("rule.allow", rule_sentence(grant), grant.rule_id, "allow"))
        return grant is not None

    def _judge_change(self, place: Place) -> None:
        guarded = protection(place.real)
        if guarded:
            text = f"Files like {guarded.name} steer what runs later."
            self._add(Reason("floor.protected", text, place.real), guarded.danger, Badge.PROTECTED)
        elif runs_later(place.real):
            self.badges.add(Badge.RUNS_LATER)

    def _judge_host(self, touch: Touch) -> None:
        self.badges.add(Badge.NETWORK)
        host, port = split_host(touch.name)
        if port is not None and port not in USUAL_PORTS:
            self._add(Reason("floor.port", "This asks a port that is not one of the web's own, 80 and 443.", touch.name), Danger.REACH)
        match host_kind(host):
            case "metadata":
                self._add(Reason("floor.metadata", "This address gives out a cloud machine's keys; it is always refused.", touch.name, "deny"), Danger.DESTROY)
            case "private":
                self._add(Reason("floor.private_host", "This address is on this machine or its own network.", touch.name), Danger.REACH, Badge.PRIVATE_HOST)
            case "public":
                self.danger = max(self.danger, Danger.REACH)

    def _judge_command(self) -> None:
        if self.action.tool_class != "exec" and self.action.command is None:
            return
        if self.action.command is None:
            self._add(Reason("gate.no_command", "The tool runs commands but did not say which.", self.action.tool, "deny"), Danger.DESTROY)
            return
        folder = self.action.workdir or self.roots.workspace.path
        if locate(folder, folder=self.roots.workspace.path, roots=self.roots, disk=self.disk).root is None:
            self._add_outside(Place(request=folder, real=folder), changes=False)
        verdict = self._verdict(self.action.command, folder)
        found = held(verdict, mode=self.mode, facts=self.facts, asked_for=self.action.confinement)
        self.danger = max(self.danger, found.danger)
        self.badges |= verdict.badges
        self.outside = self.outside or verdict.outside
        self.reasons.extend(found.reasons)
        self.parts, self.confinement = verdict.parts, found.confinement

    def _verdict(self, command: str, folder: str, more: tuple[Rule, ...] = ()) -> CommandVerdict:
        rules = replace(self.rules, rules=(*self.rules.rules, *more)) if more else self.rules
        return judge_command(command, folder=folder, roots=self.roots, disk=self.disk, rules=rules)

    def _judge_call(self) -> None:
        if self.action.repaired:
            self._add(Reason("call.repaired", "The model glued several calls together; this one was split out."), self.danger, Badge.REPAIRED)
        if self.action.repeats >= REPEATS_ASK:
            text = f"This very call came {self.action.repeats} times in this turn."
            self._add(Reason("call.repeated", text, str(self.action.repeats)), self.danger, Badge.REPEATED)
        if any(hidden_characters(touch.name) for touch in self.action.touches):
            self._add(Reason("call.hidden", "A name in it holds hidden characters."), self.danger, Badge.HIDDEN_CHARACTERS)
        computed, self.danger = self.danger, raised(self.danger, self.action.claimed_danger)
        if self.danger > computed:
            self._add(Reason("call.claimed", "The tool's own description calls it more dangerous.", "", "ask" if self.danger >= Danger.RUN else "allow"))

    # What rules and mode say

    def _apply_rules(self, default: Reason) -> None:
        effects: tuple[Effect, ...] = ("deny", "ask", "allow")
        found: dict[Effect, Rule] = {effect: rule for effect in effects if (rule := self._rule(effect)) is not None}
        for effect, rule in found.items():
            self.reasons.append(Reason(f"rule.{effect}", rule_sentence(rule), rule.rule_id, effect))
        if not found and default.outcome != "deny" and not self.runs and not self.granted:  # their own reasons say it better
            self.reasons.append(default)

    def _rule(self, effect: Effect) -> Rule | None:
        """Return the rule of an effect that settles this call: for allow every target must be covered, else one is enough."""
        action = self.action
        if action.server:
            return self.rules.for_server(action.server.server, action.server.name, action.server.definition, effect)
        whole = self.rules.for_tool(action.tool, effect)
        searches = action.tool_class == "net_read" and not action.touches  # it names no host of its own
        if whole and (effect != "allow" or searches or action.tool_class in {"none", "read", "task"}):
            return whole
        per_place = [self._rule_for_place(place, effect) for place in self.places]
        per_host = [self.rules.for_host(action.tool, split_host(touch.name)[0], effect) for touch in action.touches if touch.kind == "host"]
        found = [*per_place, *per_host]
        if effect == "allow" and (action.tool_class == "exec" or not all(found)):
            return None
        return next((rule for rule in found if rule), None)

    def _rule_for_place(self, place: Place, effect: Effect) -> Rule | None:
        return self.rules.for_path(self.action.tool, self._relative(place), place.real, effect, folds_case=self.roots.folds_case)

    def _relative(self, place: Place) -> str:
        return place.real[len(place.root.path.rstrip("/")) + 1 :] if place.root and not place.problem else ""

    def _floor(self) -> Outcome:
        """Return what a floor on reading outside or reading secrets does: in read-only mode nobody is asked."""
        return "deny" if self.mode == "read_only" else "ask"

    # The result

    def _decision(self) -> Decision:
        outcome = self._outcome()
        suggested = self._remembered(asks=outcome == "ask")
        return Decision(
            outcome=outcome,
            danger=self.danger,
            outside=self.outside,
            badges=in_order(self.badges),
            reasons=tuple(sorted(dict.fromkeys(self.reasons), key=lambda reason: -strictness(reason.outcome))),
            parts=self.parts,
            can_always=bool(suggested) or any(part.suggested for part in self.parts),
            suggested=suggested,
            confinement="" if outcome == "deny" else self.confinement,
        )

    def _remembered(self, *, asks: bool) -> tuple[Rule, ...]:
        """Return the rules for the whole call that "always" may add; those for the parts of a command are put to the parts."""
        if self.action.command is None:
            return self._suggested() if asks else ()
        command, badges = self.action.command, frozenset(self.badges)
        folder = self.action.workdir or self.roots.workspace.path
        held_anew = self.action.confinement or any(reason.code == "rule.ask" for reason in self.reasons)
        if not asks or not self.runs or held_anew or self.danger >= Danger.DESTROY:
            self.parts = without_rules(self.parts)
            return ()

        def rejudge(more: tuple[Rule, ...]) -> CommandVerdict:
            return self._verdict(command, folder, more)

        self.parts = parts_with_rules(self.parts, badges, rejudge)
        return rule_for_text(command, self.parts, self.danger, badges, rejudge)

    def _outcome(self) -> Outcome:
        """Return the strictest of all reasons; the mode's own asking gives way to a rule that allows."""
        return strictest(*(reason.outcome for reason in self.reasons))

    def _suggested(self) -> tuple[Rule, ...]:
        """Return the rules that "always" may add where nothing but the mode asks: for edits inside, public hosts, servers' tools, sub-agents.

        Where nothing asks but that the place is outside, its folder may be granted.
        """
        action, server = self.action, self.action.server
        asking = {reason.code for reason in self.reasons if reason.outcome != "allow" and not reason.code.startswith("mode.")}
        if self.danger >= Danger.DESTROY or asking - {"floor.outside"}:
            return ()
        if asking:
            return self._grants()
        if server is not None:
            bound = ServerRule(effect="allow", server=server.server, name=server.name, definition=server.definition)
            return (bound,) if server.definition else ()
        match action.tool_class, action.touches:
            case "edit", (_,) if self.danger <= Danger.EDIT:
                return suggest_paths(action.tool, self._relative(self.places[0])) if len(self.places) == 1 else ()
            case "net_read", (Touch(kind="host", name=name),):
                return host_rules(action.tool, split_host(name)[0])
            case ("task", _) | ("net_read", ()):
                return (ToolRule(effect="allow", tool=action.tool),)
            case _:
                return ()

    def _grants(self) -> tuple[Rule, ...]:
        """Return the grant to offer for a call that reads one place outside."""
        if not self.reads or len(self.places) != 1 or [touch.access for touch in self.action.touches] != ["read"]:
            return ()
        grant = grant_for(self.places[0], roots=self.roots, disk=self.disk)
        return (grant,) if grant is not None else ()
