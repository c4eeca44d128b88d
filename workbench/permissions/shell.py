"""What a shell command is judged to be: allowed only if every character of it is understood and every part only reads, or a rule covers it.

Two readings are made of each text. `shell_reader` takes any text apart and finds what a person must see and what rules refuse;
`shell_grammar` and `shell_walk` understand a subset of bash. A text may run without a question when both agree, and a foreign parser does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.permissions.danger import Badge, Danger
from workbench.permissions.disk import Disk
from workbench.permissions.effort import Effort, TooTangled
from workbench.permissions.places import Roots, locate
from workbench.permissions.reasons import CommandPart, Outcome, Reason, strictest
from workbench.permissions.rules import Effect, RuleSet
from workbench.permissions.shell_danger import is_fork_bomb, runs_a_download
from workbench.permissions.shell_grammar import understood_syntax
from workbench.permissions.shell_parts import Findings, Judge, by_rule
from workbench.permissions.shell_reader import take_apart
from workbench.permissions.shell_second import objection
from workbench.permissions.shell_steps import Step
from workbench.permissions.shell_syntax import NotUnderstood
from workbench.permissions.shell_text import Script, SimpleCommand
from workbench.permissions.shell_walk import Walked, walk
from workbench.permissions.shell_wrappers import beginnings, everything_run, program, stripped
from workbench.permissions.visible import hidden_characters, mixed_script_words

RUNNABLE_BYTES = (1 << 17) - 1
"""Linux starts no program with a longer argument; other systems with less."""
LENGTH_LIMIT = 8000
"""Characters; a longer command cannot be judged by a person at a glance."""
PARTS_LIMIT = 200
MODE_REASONS = frozenset({"shell.command", "shell.options", "shell.not_understood", "shell.writes"})
"""Reasons to ask that come from the command not being known, not from anything found in it: a mode that confines commands may lift them."""
EXACT_REASONS = frozenset({"shell.command", "shell.options"})
"""Reasons to ask that a person may lift for exactly this text: every word of it is known."""
_SPACES = re.compile(r" {80,}")
_NEWLINES = re.compile(r"\n{10,}")
_GENERAL = frozenset({"shell.command", "shell.reader", "rule.allow"})
_WORST = frozenset({"shell.destroys", "floor.protected"})
_FOLDERS_AT_MOST = 8
_CD_COSTS = 100  # following a path, in words


@dataclass(frozen=True, kw_only=True)
class CommandVerdict:
    """What was found in a command.

    Attributes:
        outcome: ``allow`` if it only reads or rules cover it, ``deny`` if a rule refuses it or it leads out of the workspace, else ``ask``.
        danger: the highest level of any part.
        badges: marks, in no order.
        outside: a path in it leads out of the workspace.
        reasons: the trace, the deciding ones first.
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
        text: exactly what would be given to ``bash -c``, in a fresh shell with a scrubbed environment.
        folder: real path of the folder it starts in.
        roots: what counts as inside.
        disk: links, globs and a repository's configuration are looked up with it.
        rules: deny and ask rules are applied to every part; an allowing rule lets a part run that is otherwise understood.
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
    judge = Judge(roots=roots, disk=disk, rules=rules, variables=variables, effort=effort)
    commands = [(command, folders) for command, folders in _with_folders(script, folder, judge) if _is_part(command)]
    whole = Findings()
    _judge_text(text, len(commands), whole)
    walked = None if whole.reasons else _walked(text, [command for command, _folders in commands], folder, roots, disk, whole)
    steps: Sequence[Step | None] = walked.steps if walked else [None] * len(commands)
    parts = tuple(judge.part(command, folders, step) for (command, folders), step in zip(commands, steps, strict=True))
    _judge_whole(text, list(_programs(script, variables, effort)), script, whole)
    _note_rules_for_text(text, rules, whole)
    parts = _allowed_exactly(text, parts, rules, whole)
    reasons = _telling_first([*(reason for part in parts for reason in part.reasons), *whole.reasons])
    outcome = strictest(*(reason.outcome for reason in reasons)) if reasons else "ask"
    if outcome == "allow" and (problem := objection(text, walked.names if walked else frozenset())):
        outcome = "ask"
        reasons = (Reason("shell.not_understood", f"It is not fully understood: {problem}.", problem), *reasons)
    return CommandVerdict(
        outcome=outcome,
        danger=max([Danger.LOOK if outcome == "allow" else Danger.RUN, whole.danger, *(part.danger for part in parts)]),
        badges=frozenset(whole.badges | judge.badges),
        outside=Badge.OUTSIDE in judge.badges,
        reasons=reasons,
        parts=parts,
    )


def _is_part(command: SimpleCommand) -> bool:
    """Say whether a command is more than the reserved word that ends a group or a loop."""
    return bool(command.redirects or command.assignments or command.inside or stripped(command).words)


def _walked(text: str, commands: Sequence[SimpleCommand], folder: str, roots: Roots, disk: Disk, whole: Findings) -> Walked | None:
    """Return what was understood of a text; None, and a reason, if it was not, or if the two readings of it differ."""
    try:
        walked = walk(understood_syntax(text), folder=folder, roots=roots, disk=disk)
        if len(walked.steps) == len(commands) and all(map(_agree, walked.steps, commands)):
            return walked
        problem = "two ways to read it differ"
    except NotUnderstood as error:
        problem = str(error)
    whole.add(Reason("shell.not_understood", f"It is not fully understood: {problem}.", problem))
    return None


def _agree(step: Step, command: SimpleCommand) -> bool:
    words = stripped(command).words
    return not step.name or (bool(words) and words[0].raw == step.name)


def _telling_first(reasons: list[Reason]) -> tuple[Reason, ...]:
    """Return each reason once: refusals, then the worst, then what else is special about this command, then what holds for every one."""
    return tuple(sorted(dict.fromkeys(reasons), key=_place_in_trace))


def _place_in_trace(reason: Reason) -> tuple[bool, bool, bool, bool]:
    return (reason.outcome != "deny", reason.code not in _WORST, reason.outcome == "allow", reason.code in _GENERAL)


def _judge_text(text: str, parts: int, findings: Findings) -> None:
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
    elif parts > PARTS_LIMIT:
        findings.add(Reason("shell.too_long", f"It has {parts} parts, more than {PARTS_LIMIT}."), Danger.RUN, Badge.TOO_LONG)


def _judge_whole(text: str, programs: Sequence[tuple[str, bool, bool]], script: Script, findings: Findings) -> None:
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


def _note_rules_for_text(text: str, rules: RuleSet, findings: Findings) -> None:
    effects: tuple[Effect, ...] = ("deny", "ask")
    for effect in effects:
        rule = rules.for_text(text, effect)
        if rule:
            findings.add(by_rule(rule, text))


def _allowed_exactly(text: str, parts: tuple[CommandPart, ...], rules: RuleSet, whole: Findings) -> tuple[CommandPart, ...]:
    """Return the parts as a rule for exactly this text leaves them: it lifts the asking for what is not known, and nothing else."""
    rule = rules.for_text(text, "allow")
    reasons = [*whole.reasons, *(reason for part in parts for reason in part.reasons)]
    asks_for_more = any(reason.outcome != "allow" and reason.code not in EXACT_REASONS for reason in reasons)
    if rule is None or asks_for_more or any(part.danger > Danger.RUN for part in parts):
        return parts
    allowed = by_rule(rule, text)
    return tuple(part if part.outcome == "allow" else _lifted(part, allowed) for part in parts)


def _lifted(part: CommandPart, by: Reason) -> CommandPart:
    return replace(part, outcome="allow", suggested=(), reasons=(by, *(reason._replace(outcome="allow") for reason in part.reasons)))


def _with_folders(script: Script, start: str, judge: Judge) -> Iterator[tuple[SimpleCommand, tuple[str, ...]]]:
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


def _after_cd(command: SimpleCommand, folders: tuple[str, ...], judge: Judge) -> tuple[str, ...]:
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
