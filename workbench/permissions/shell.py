"""What a shell command is judged to be, first form: it never allows. It finds what a person must see before saying yes, and what rules refuse.

The text is taken apart as bash would, wrappers are looked through, paths are resolved for real. Whatever is not understood only asks.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from workbench.permissions.danger import Badge, Danger
from workbench.permissions.disk import Disk
from workbench.permissions.effort import Effort, TooTangled
from workbench.permissions.names import is_secret, protection
from workbench.permissions.places import Place, Roots, locate
from workbench.permissions.reasons import CommandPart, Outcome, Reason, strictest
from workbench.permissions.rules import Effect, Rule, RuleSet, rule_sentence
from workbench.permissions.shell_danger import destroys, is_fork_bomb, reaches_network, runs_a_download
from workbench.permissions.shell_places import Touched, climbs, touched
from workbench.permissions.shell_reader import take_apart
from workbench.permissions.shell_text import Script, SimpleCommand
from workbench.permissions.shell_wrappers import beginnings, everything_run, inner, program
from workbench.permissions.visible import hidden_characters, mixed_script_words

RUNNABLE_BYTES = (1 << 17) - 1
"""Linux starts no program with a longer argument; other systems with less."""
LENGTH_LIMIT = 8000
"""Characters; a longer command cannot be judged by a person at a glance."""
_SPACES = re.compile(r" {80,}")
_NEWLINES = re.compile(r"\n{10,}")
_GENERAL = frozenset({"shell.command", "shell.always_asks"})
_WORST = frozenset({"shell.destroys", "floor.protected"})
_FOLDERS_AT_MOST = 8
_CD_COSTS = 100  # following a path, in words
_PLACES_AT_MOST = 2000


@dataclass(frozen=True, kw_only=True)
class CommandVerdict:
    """What was found in a command.

    Attributes:
        outcome: ``ask`` or ``deny``, never ``allow``.
        danger: the highest level of any part.
        badges: marks, in no order.
        outside: a path in it leads out of the workspace.
        reasons: the trace.
        parts: each simple command, in order.
    """

    outcome: Outcome
    danger: Danger
    badges: frozenset[Badge]
    outside: bool
    reasons: tuple[Reason, ...]
    parts: tuple[CommandPart, ...]


def judge_command(text: str, *, folder: str, roots: Roots, disk: Disk, rules: RuleSet) -> CommandVerdict:
    """Judge a bash command.

    Args:
        text: exactly what would be given to ``bash -c``.
        folder: real path of the folder it starts in.
        roots: what counts as inside.
        disk: links and globs are resolved with it.
        rules: deny and ask rules are applied to every part; allow rules are only noted.
    """
    if len(text.encode(errors="surrogatepass")) > RUNNABLE_BYTES:
        return _refused(f"It is longer than {RUNNABLE_BYTES:,} bytes, the most that a system runs.")
    try:
        return _verdict(text, folder, roots, disk, rules)
    except (TooTangled, RecursionError):
        return _refused("It is too tangled to be judged in a bearable time, so it is refused.")


def _refused(text: str) -> CommandVerdict:
    """Return the verdict on a command of which not every part was looked at."""
    reason = Reason("shell.too_tangled", text, "", "deny")
    return CommandVerdict(outcome="deny", danger=Danger.DESTROY, badges=frozenset({Badge.TOO_LONG}), outside=False, reasons=(reason,), parts=())


def _verdict(text: str, folder: str, roots: Roots, disk: Disk, rules: RuleSet) -> CommandVerdict:
    variables = {"PWD": folder, **({"HOME": roots.home} if roots.home else {})}
    script = take_apart(text, variables=variables)
    effort = Effort()
    judge = _Judge(roots=roots, disk=disk, rules=rules, variables=variables, effort=effort)
    parts = tuple(judge.part(command, folders) for command, folders in _with_folders(script, folder, judge))
    whole = _Findings()
    _judge_text(text, whole)
    _judge_whole(text, list(_programs(script, variables, effort)), script, whole)
    _note_rules_for_text(text, parts, rules, whole)
    reasons = _telling_first([*(reason for part in parts for reason in part.reasons), *whole.reasons])
    return CommandVerdict(
        outcome=strictest("ask", *(reason.outcome for reason in reasons)),
        danger=max([Danger.RUN, whole.danger, *(part.danger for part in parts)]),
        badges=frozenset(whole.badges | judge.badges),
        outside=Badge.OUTSIDE in judge.badges,
        reasons=reasons,
        parts=parts,
    )


def _telling_first(reasons: list[Reason]) -> tuple[Reason, ...]:
    """Return each reason once: refusals, then the worst, then what else is special about this command, then what holds for every one."""
    return tuple(sorted(dict.fromkeys(reasons), key=_place_in_trace))


def _place_in_trace(reason: Reason) -> tuple[bool, bool, bool, bool]:
    return (reason.outcome != "deny", reason.code not in _WORST, reason.code == "rule.allow", reason.code in _GENERAL)


@dataclass
class _Findings:
    """What was found so far about one part, or about the text as a whole."""

    danger: Danger = Danger.RUN
    badges: set[Badge] = field(default_factory=set)
    reasons: list[Reason] = field(default_factory=list)

    def add(self, reason: Reason, danger: Danger = Danger.RUN, *badges: Badge) -> None:
        self.danger = max(self.danger, danger)
        self.badges.update(badges)
        self.reasons.append(reason)


def _judge_text(text: str, findings: _Findings) -> None:
    """Find what hides from the eye: characters, padding, length."""
    hidden = hidden_characters(text)
    if hidden:
        codes = ", ".join(dict.fromkeys(character.code for character in hidden))
        findings.add(Reason("shell.hidden", f"It holds {len(hidden)} hidden characters: {codes}.", codes), Danger.RUN, Badge.HIDDEN_CHARACTERS)
    for word in mixed_script_words(text):
        findings.add(Reason("shell.mixed_script", "A word mixes letters of different alphabets that look alike.", word), Danger.RUN, Badge.MIXED_SCRIPT)
    if _SPACES.search(text) or _NEWLINES.search(text):
        findings.add(Reason("shell.padding", "Blanks push a part of it out of sight."), Danger.RUN, Badge.PADDING)
    if len(text) > LENGTH_LIMIT:
        findings.add(Reason("shell.too_long", f"It is {len(text)} characters long, more than {LENGTH_LIMIT}."), Danger.RUN, Badge.TOO_LONG)


def _judge_whole(text: str, programs: Sequence[tuple[str, bool, bool]], script: Script, findings: _Findings) -> None:
    """Find what only several commands together are, and say what was not understood."""
    if is_fork_bomb(text):
        findings.add(Reason("shell.destroys", "It starts itself over and over until the machine stops answering."), Danger.DESTROY, Badge.DESTROYS)
    if runs_a_download(programs):
        findings.add(Reason("shell.destroys", "It runs what it has just downloaded."), Danger.DESTROY, Badge.DESTROYS, Badge.NETWORK)
    for problem in script.problems:
        findings.add(Reason("shell.not_understood", f"It is not fully understood: {problem}.", problem))


def _programs(script: Script, variables: dict[str, str], effort: Effort) -> Iterator[tuple[str, bool, bool]]:
    """Yield program, whether its output goes on, and whether it takes code from elsewhere (see `runs_a_download`)."""
    top = {id(command) for command in script.commands}
    for command in everything_run(script.commands, variables, effort):
        goes_on = command.after in {"|", "|&"} or id(command) not in top
        for argv in beginnings(command, effort):
            reads_code = bool(command.piped_from) and not [word for word in argv[1:] if not word.startswith("-")]
            yield program(argv[0]), goes_on, reads_code or bool(command.inside)


def _note_rules_for_text(text: str, parts: tuple[CommandPart, ...], rules: RuleSet, findings: _Findings) -> None:
    effects: tuple[Effect, ...] = ("deny", "ask")
    for effect in effects:
        rule = rules.for_text(text, effect)
        if rule:
            findings.add(_by_rule(rule, text))
    allowing = rules.for_text(text, "allow") or (parts and all(any(reason.code == "rule.allow" for reason in part.reasons) for part in parts))
    if allowing:
        findings.add(Reason("shell.always_asks", "A rule would let it run, but for now every command asks."))
    else:
        findings.add(Reason("shell.command", "Every command asks."))


def _by_rule(rule: Rule, subject: str) -> Reason:
    # An allowing rule is noted only: nothing here may turn into a permission.
    outcome: Outcome = "ask" if rule.effect == "allow" else rule.effect
    return Reason(f"rule.{rule.effect}", rule_sentence(rule), subject, outcome)


@dataclass
class _Judge:
    """Judges the parts of one text; `badges` collects their marks."""

    roots: Roots
    disk: Disk
    rules: RuleSet
    variables: dict[str, str]
    effort: Effort
    badges: set[Badge] = field(default_factory=set)
    _places: int = 0

    def part(self, command: SimpleCommand, folders: tuple[str, ...]) -> CommandPart:
        """Judge one simple command and everything it runs, in each folder it may run in."""
        findings = _Findings()
        places: dict[str, None] = {}
        for run in everything_run((command,), self.variables, self.effort):
            self._judge_argv(run, findings)
            for folder in folders:
                places.update(dict.fromkeys(self._judge_places(run, folder, findings)))
        self.badges |= findings.badges
        reasons = tuple(dict.fromkeys(findings.reasons))
        return CommandPart(
            text=command.source,
            outcome=strictest("ask", *(reason.outcome for reason in reasons)),
            danger=findings.danger,
            folder=folders[0],
            places=tuple(places),
            reasons=reasons,
        )

    def _judge_argv(self, command: SimpleCommand, findings: _Findings) -> None:
        for argv in beginnings(command, self.effort):
            shown = " ".join(argv)
            if text := destroys(argv):
                findings.add(Reason("shell.destroys", text, shown), Danger.DESTROY, Badge.DESTROYS)
            if text := reaches_network(argv):
                findings.add(Reason("shell.network", text, shown), Danger.REACH, Badge.NETWORK)
            self._apply_rules(argv, findings)

    def _apply_rules(self, argv: tuple[str, ...], findings: _Findings) -> None:
        effects: tuple[Effect, ...] = ("deny", "ask", "allow")
        for effect in effects:
            rule = self.rules.for_argv(argv, effect) or self.rules.for_argv((program(argv[0]), *argv[1:]), effect)
            if rule:
                findings.add(_by_rule(rule, " ".join(argv)))
                return

    def _judge_places(self, command: SimpleCommand, folder: str, findings: _Findings) -> Iterator[str]:
        innermost = command
        while (wrapped := inner(innermost)) is not None:
            innermost = wrapped
            self.effort.spend(len(wrapped.words))
        found = list(itertools.islice(touched(innermost, folder, self.disk), _PLACES_AT_MOST))
        if innermost is not command:
            found += touched(SimpleCommand(redirects=command.redirects), folder, self.disk)
        for touch in found:
            self._places += 1
            if self._places > _PLACES_AT_MOST:
                findings.add(Reason("shell.too_many_paths", f"It names more than {_PLACES_AT_MOST} paths; the rest was not looked at."))
                return
            place = locate(touch.path, folder=folder, roots=self.roots, disk=self.disk)
            if self._is_path(touch, place):
                self._judge_place(touch, place, findings)
                yield place.real

    def _is_path(self, touch: Touched, place: Place) -> bool:
        """Say whether a word counts as a path: it is used as one, looks like one, or something of that name is there."""
        return touch.certain or climbs(touch.path) or place.kind != "missing" or place.linked or "." in touch.path

    def _judge_place(self, touch: Touched, place: Place, findings: _Findings) -> None:
        writes = touch.access == "write"
        if self.roots.in_data_folder(place.real):
            findings.add(Reason("floor.data_folder", "It reaches into the program's own data.", place.real, "deny"), Danger.DESTROY, Badge.PROTECTED)
        elif not place.inside and not (self.roots.in_outputs(place.real) and not writes) and (climbs(touch.path) or place.linked or not place.root):
            danger = Danger.DESTROY if writes else Danger.REACH
            text = "It writes outside the workspace." if writes else "It leads outside the workspace."
            findings.add(Reason("floor.outside", text, place.real), danger, Badge.OUTSIDE)
        if is_secret(place.real) or is_secret(touch.path):
            findings.add(Reason("floor.secret", "Files of this name hold keys or passwords.", place.real), Danger.REACH, Badge.SECRET)
        guarded = protection(place.real) if touch.access != "read" else None
        if guarded:
            text = "It may change a file that steers what runs later."
            findings.add(Reason("floor.protected", text, place.real), guarded.danger, Badge.PROTECTED)


def _with_folders(script: Script, start: str, judge: _Judge) -> Iterator[tuple[SimpleCommand, tuple[str, ...]]]:
    """Yield each command with the folders it may run in: ``cd`` is followed, in sub-shells only until their end."""
    states: dict[tuple[int, ...], tuple[str, ...]] = {(): (start,)}
    for command in script.commands:
        group = command.group
        judge.effort.spend(len(group))
        outer = next(group[:length] for length in range(len(group), -1, -1) if group[:length] in states)
        folders = states.setdefault(group, states[outer])
        yield command, folders
        piped = command.after in {"|", "|&"} or command.before in {"|", "|&"}
        if not piped and command.words and command.words[0].text in {"cd", "pushd"}:
            states[group] = _after_cd(command, folders, judge)


def _after_cd(command: SimpleCommand, folders: tuple[str, ...], judge: _Judge) -> tuple[str, ...]:
    """Return where the next command may run; a folder that is there is surely entered, any other only perhaps."""
    operands = [word for word in command.words[1:] if not word.text.startswith("-") or word.text == "-"]
    if operands and (not operands[0].known or operands[0].text == "-"):
        return folders
    entered: dict[str, None] = {}
    for folder in folders:
        judge.effort.spend(_CD_COSTS)
        place = locate(operands[0].text if operands else "~", folder=folder, roots=judge.roots, disk=judge.disk)
        entered[place.real] = None
        if place.kind != "folder":
            entered[folder] = None
    return tuple(entered)[:_FOLDERS_AT_MOST]


