"""Judges the parts of a command text: rules, dangers and places of each, and whether it may run without a question.

A part that was understood is judged by exactly the paths it reads; any other by everything in it that could be a path.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from workbench.permissions.commands_judged import BUILTINS, covers
from workbench.permissions.danger import Badge, Danger
from workbench.permissions.disk import Disk
from workbench.permissions.effort import Effort
from workbench.permissions.names import is_secret, protection
from workbench.permissions.places import Place, Roots, locate
from workbench.permissions.reasons import CommandPart, Outcome, Reason, strictest
from workbench.permissions.rules import ArgvRule, Effect, Rule, RuleSet, matches_argv, rule_sentence
from workbench.permissions.runners import is_runner
from workbench.permissions.shell_danger import destroys, reaches_network
from workbench.permissions.shell_places import Touched, climbs, touched
from workbench.permissions.shell_steps import Step
from workbench.permissions.shell_text import SimpleCommand
from workbench.permissions.shell_wrappers import SHELLS, WRAPPERS, beginnings, everything_run, inner, program
from workbench.permissions.suggestions import suggest

PLACES_AT_MOST = 2000
SEARCHED_FOLDERS = ("/usr/local/bin", "/usr/bin", "/bin")
"""The PATH that commands run with."""
OUTSIDE_ADVICE = "Commands may use only what is inside the workspace; for other places use the file tools, which ask the person."


_RUN_OTHERS = SHELLS | WRAPPERS.keys() | {"eval", "source", "."}


@dataclass
class Findings:
    """What was found so far about one part, or about the text as a whole."""

    danger: Danger = Danger.LOOK
    badges: set[Badge] = field(default_factory=set)
    reasons: list[Reason] = field(default_factory=list)

    def add(self, reason: Reason, danger: Danger = Danger.RUN, *badges: Badge) -> None:
        """Note a reason, the level it raises the part to, and its marks."""
        self.danger = max(self.danger, danger)
        self.badges.update(badges)
        self.reasons.append(reason)


def by_rule(rule: Rule, subject: str) -> Reason:
    """Return the reason that a rule gives; its subject is the rule's id, or the words if it has none."""
    return Reason(f"rule.{rule.effect}", rule_sentence(rule), rule.rule_id or subject, rule.effect)


@dataclass
class Judge:
    """Judges the parts of one text; `badges` collects their marks."""

    roots: Roots
    disk: Disk
    rules: RuleSet
    variables: dict[str, str]
    effort: Effort
    badges: set[Badge] = field(default_factory=set)
    _places: int = 0

    def part(self, command: SimpleCommand, folders: tuple[str, ...], step: Step | None) -> CommandPart:
        """Judge one simple command and everything it runs.

        Args:
            command: as any text is read.
            folders: the real folders it may run in, as far as `step` does not know better.
            step: what was understood of it; None if the text as a whole was not understood.
        """
        findings = Findings()
        exact = step is not None and not step.problem and not step.options and all(argv and is_runner(argv) for argv in step.needs_rule)
        runs = list(everything_run((command,), self.variables, self.effort))
        for run in runs:
            self._judge_argv(run, findings)
        places: dict[str, None] = {}
        if step is not None:
            places.update(dict.fromkeys(self._judge_spots(step, findings)))
            for argv in step.argvs:
                self._apply_rules(argv, findings)
            folders = tuple(step.folders) or folders
        if not exact:
            for folder, run in itertools.product(folders, [run for run in runs if not run.elsewhere]):
                places.update(dict.fromkeys(self._judge_places(run, folder, findings)))
        self._conclude(step, command.source, findings)
        self.badges |= findings.badges
        reasons = tuple(dict.fromkeys(findings.reasons))
        argv = next(iter(step.argvs)) if step is not None and len(step.argvs) == 1 and not step.problem else ()
        part = CommandPart(
            text=step.source if step is not None and step.source else command.source,
            outcome=strictest(*(reason.outcome for reason in reasons)),
            danger=findings.danger,
            folder=folders[0],
            places=tuple(places),
            reasons=reasons,
            argv=argv,
            program=self._program(argv),
        )
        return replace(part, suggested=_suggested(part)) if part.outcome == "ask" else part

    # Rules, and what the words say

    def _judge_argv(self, command: SimpleCommand, findings: Findings) -> None:
        if not command.words:
            return
        for argv in beginnings(command, self.effort):
            shown = " ".join(argv)
            if text := destroys(argv):
                findings.add(Reason("shell.destroys", text, shown), Danger.DESTROY, Badge.DESTROYS)
            if text := reaches_network(argv):
                findings.add(Reason("shell.network", text, shown), Danger.REACH, Badge.NETWORK)
            self._apply_rules(argv, findings)
        chosen_late = command.words[:1] if program(command.words[0].text) not in _RUN_OTHERS else command.words
        if not all(word.known for word in chosen_late):
            text = "Which command it runs is known only when it runs, so no rule can be held against it."
            findings.add(Reason("floor.unknown_command", text, command.source))

    def _apply_rules(self, argv: tuple[str, ...], findings: Findings) -> None:
        """Note a rule that refuses or asks; those that allow are looked at when everything else is known."""
        if not self.rules.rules:
            return
        effects: tuple[Effect, ...] = ("deny", "ask")
        for effect in effects:
            rule = self.rules.for_argv(argv, effect) or self.rules.for_argv((program(argv[0]), *argv[1:]), effect)
            if rule:
                findings.add(by_rule(rule, " ".join(argv)))
                return

    def _conclude(self, step: Step | None, source: str, findings: Findings) -> None:
        """Say why the part may run, or what it asks for."""
        match step:
            case None:
                findings.add(Reason("shell.command", "It is not known to only read, so it asks.", source))
            case Step(problem=problem) if problem:
                findings.add(Reason("shell.not_understood", f"It is not fully understood: {problem}.", source))
            case Step(writes=True):
                findings.add(Reason("shell.writes", "It writes its output to a file.", source))
            case Step(options=options) if options:
                findings.add(Reason("shell.options", f"It is not known to be harmless: {options}.", source))
            case Step(needs_rule=words) if words:
                self._judge_rule(list(words), source, findings)
            case _:
                findings.add(Reason("shell.reader", "It only reads.", source, "allow"), Danger.LOOK)

    def _judge_rule(self, programs: Sequence[tuple[str, ...]], source: str, findings: Findings) -> None:
        found = [self._allowing(argv) for argv in programs]
        if all(found) and findings.danger <= Danger.RUN:
            for rule in found:
                if rule is not None:
                    findings.add(by_rule(rule, source))
        else:
            findings.add(Reason("shell.command", "It is not known to only read, so it asks.", source))

    def _allowing(self, argv: tuple[str, ...]) -> Rule | None:
        """Return a rule that lets these words run; None also if they are not all known."""
        if not argv:
            return None
        matching = (rule for rule in self.rules.rules if rule.effect == "allow" and isinstance(rule, ArgvRule))
        return next((rule for rule in matching if self._matches(rule, argv) and covers(rule, argv)), None)

    def _matches(self, rule: ArgvRule, argv: tuple[str, ...]) -> bool:
        if is_runner(argv):
            return matches_argv(rule.argv, argv)  # each of its options is known to be harmless
        return RuleSet((rule,)).for_argv(argv, "allow") is not None

    def _program(self, argv: Sequence[str]) -> str:
        """Return the real path of the program that would start; empty for builtins."""
        if not argv or argv[0] in BUILTINS:
            return ""
        for folder in SEARCHED_FOLDERS:
            place = locate(f"{folder}/{argv[0]}", folder="/", roots=self.roots, disk=self.disk)
            if place.kind == "file":
                return place.real
        return ""

    # Places

    def _judge_spots(self, step: Step, findings: Findings) -> Iterator[str]:
        """Judge the paths that an understood command reads, or that its redirects write."""
        for spot in step.spots:
            access = Touched(spot.path, "write" if spot.written else "read", spot.certain)
            if spot.certain or self._is_path(access, spot.place):
                self._judge_place(access, spot.place, findings)
                yield spot.place.real

    def _judge_places(self, command: SimpleCommand, folder: str, findings: Findings) -> Iterator[str]:
        innermost = command
        while (wrapped := inner(innermost)) is not None:
            innermost = wrapped
            self.effort.spend(len(wrapped.words))
        found = list(itertools.islice(touched(innermost, folder, self.disk), PLACES_AT_MOST))
        if innermost is not command:
            found += touched(SimpleCommand(redirects=command.redirects), folder, self.disk)
        for touch in found:
            self._places += 1
            if self._places > PLACES_AT_MOST:
                findings.add(Reason("shell.too_many_paths", f"It names more than {PLACES_AT_MOST} paths; the rest was not looked at."))
                return
            place = locate(touch.path, folder=folder, roots=self.roots, disk=self.disk)
            if self._is_path(touch, place):
                self._judge_place(touch, place, findings)
                yield place.real

    def _is_path(self, touch: Touched, place: Place) -> bool:
        """Say whether a word counts as a path: it is used as one, looks like one, or something of that name is there."""
        return touch.certain or climbs(touch.path) or place.kind != "missing" or place.linked or "." in touch.path

    def _judge_place(self, touch: Touched, place: Place, findings: Findings) -> None:
        writes = touch.access == "write"
        if self.roots.in_data_folder(place.real):
            findings.add(Reason("floor.data_folder", "It reaches into the program's own data.", place.real, "deny"), Danger.DESTROY, Badge.PROTECTED)
        elif not place.inside and not (self.roots.in_outputs(place.real) and not writes) and (climbs(touch.path) or place.linked or not place.root):
            danger = Danger.DESTROY if writes else Danger.REACH
            text = "It writes outside the workspace." if writes else "It leads outside the workspace."
            findings.add(Reason("floor.outside", f"{text} {OUTSIDE_ADVICE}", place.real, "deny"), danger, Badge.OUTSIDE)
        elif place.problem and touch.certain:
            findings.add(Reason("floor.unknown_place", f"Where a path leads cannot be known: {place.problem}.", place.real))
        if is_secret(place.real) or is_secret(touch.path):
            findings.add(Reason("floor.secret", "Files of this name hold keys or passwords.", place.real), Danger.REACH, Badge.SECRET)
        guarded = protection(place.real) if touch.access != "read" else None
        if guarded:
            text = "It may change a file that steers what runs later."
            findings.add(Reason("floor.protected", text, place.real), guarded.danger, Badge.PROTECTED)


def _suggested(part: CommandPart) -> tuple[Rule, ...]:
    """Return the rules that may be offered: only where nothing but the missing rule asks, and every word is known."""
    asking: set[tuple[str, Outcome]] = {(reason.code, reason.outcome) for reason in part.reasons if reason.outcome != "allow"}
    if not part.argv or part.danger > Danger.RUN or asking != {("shell.command", "ask")}:
        return ()
    rules = (ArgvRule(effect="allow", argv=pattern) for pattern in suggest(part.argv))
    return tuple(rule for rule in rules if covers(rule, part.argv))
