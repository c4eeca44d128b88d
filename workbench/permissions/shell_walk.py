"""Follows an understood tree of commands as bash would run it: in which folders, with which loop values, and what each command reads.

``cd`` is tracked with the set of folders it may lead to; loops are unrolled; a command that may run in two ways is judged in both.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, assert_never

from workbench.permissions.commands_judged import judged, program_name, unwrapped
from workbench.permissions.disk import Disk
from workbench.permissions.places import Place, Roots, locate
from workbench.permissions.shell_fields import Field, Scope, fields, literal
from workbench.permissions.shell_steps import Ends, Spot, State, Step
from workbench.permissions.shell_syntax import (
    Branch,
    Chain,
    Command,
    FileTest,
    Group,
    List,
    Loop,
    NotUnderstood,
    Pipeline,
    Redirect,
    Simple,
    Substitution,
    Text,
    Word,
)  # fmt: skip

_STATES_AT_MOST = 8
_STEPS_AT_MOST = 600
_ENVIRONMENT = {
    **dict.fromkeys(("LANG", "LC_ALL", "LC_CTYPE", "TERM"), re.compile(r"[A-Za-z0-9_.@+-]*")),
    "TZ": re.compile(r"(?!.*\.\.)[A-Za-z][A-Za-z0-9_+/-]*|"),
    **dict.fromkeys(("NO_COLOR", "CI", "COLUMNS", "FORCE_COLOR", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"), re.compile(r"[A-Za-z0-9_.-]*")),
}
_LOOP_NAME = re.compile(r"[A-Z]|FILE|DIR|NAME|[a-z][a-z0-9_]*(?<!_proxy)")
"""A loop over PATH or IFS would change what runs; programs read few variables in small letters."""
_PRINTERS = frozenset({"echo", "printf"})
_ANY_KIND = frozenset({"ls", "stat", "file", "test", "[", "find", "tree", "du", "df", "realpath", "readlink", "cd", "fd"})
_PROCESS = "\0"
"""Stands for the pipe that bash puts in place of ``<( … )``; no file has this name."""
NULL_DEVICE = "/dev/null"


class Walked(NamedTuple):
    """The steps in the order of the text, those inside substitutions counted with the command that prints them; and every command word met."""

    steps: tuple[Step, ...]
    names: frozenset[str]


def walk(tree: List, *, folder: str, roots: Roots, disk: Disk) -> Walked:
    """Return what each command of a tree does.

    Raises:
        NotUnderstood: the way through it cannot be followed.
    """
    if not folder.startswith("/"):
        raise NotUnderstood("paths of another system")
    walker = _Walker(roots, disk)
    walker.sequence(tree, (State(folder, folder),), {})
    return Walked(tuple(walker.steps.values()), frozenset(walker.names))


class _Walker:
    def __init__(self, roots: Roots, disk: Disk) -> None:
        self.steps: dict[int, Step] = {}
        self.names: set[str] = set()
        self._roots = roots
        self._disk = disk
        self._owner: Step | None = None
        self._count = 0
        self._places: dict[tuple[str, str], Place] = {}

    # Lists

    def sequence(self, tree: List, states: tuple[State, ...], variables: Mapping[str, str]) -> Ends:
        ends = Ends(states, ())
        for chain in tree.chains:
            ends = self._chain(chain, ends.both, variables)
        return ends

    def _chain(self, chain: Chain, states: tuple[State, ...], variables: Mapping[str, str]) -> Ends:
        ends = self._pipeline(chain.pipelines[0], states, variables)
        for join, pipeline in zip(chain.joins, chain.pipelines[1:], strict=True):
            start = ends.good if join == "&&" else ends.bad
            following = self._pipeline(pipeline, start or ends.both, variables)
            if join == "&&":
                ends = Ends(following.good, tuple(dict.fromkeys(ends.bad + following.bad)))
            else:
                ends = Ends(tuple(dict.fromkeys(ends.good + (following.good if start else ()))), following.bad if start else ())
        return ends

    def _pipeline(self, pipeline: Pipeline, states: tuple[State, ...], variables: Mapping[str, str]) -> Ends:
        if len(states) > _STATES_AT_MOST:
            raise NotUnderstood("too many folders it may run in")
        if len(pipeline.commands) == 1:
            ends = self._command(pipeline.commands[0], states, variables, "")
        else:
            for at, command in enumerate(pipeline.commands):
                following = pipeline.commands[at + 1] if at + 1 < len(pipeline.commands) else None
                feeds = following.words[0].raw if isinstance(following, Simple) and following.words else ""
                self._command(command, states, variables, feeds)
            ends = Ends(states, states)
        return Ends(ends.bad, ends.good) if pipeline.negated else ends

    def _command(self, command: Command, states: tuple[State, ...], variables: Mapping[str, str], feeds: str) -> Ends:
        self._count += 1
        if self._count > _STEPS_AT_MOST:
            raise NotUnderstood("very many commands")
        match command:
            case Simple():
                return self._simple(command, states, variables, feeds)
            case FileTest():
                return self._file_test(command, states, variables)
            case Group():
                inner = self.sequence(command.body, states, variables)
                ends = Ends(states, states) if command.subshell else inner
            case Loop():
                ends = self._loop(command, states, variables)
            case Branch():
                ends = self._branch(command, states, variables)
            case _:
                assert_never(command)
        self._redirect_step(command.redirects, states, variables)
        return _or_not_begun(ends, command.redirects, states)

    def _loop(self, loop: Loop, states: tuple[State, ...], variables: Mapping[str, str]) -> Ends:
        step = self._step(loop, loop.source)
        if not _LOOP_NAME.fullmatch(loop.name):
            step.problem = "a loop variable that programs may read"
        values: dict[str, None] = {}
        for state in states:
            try:
                values.update(dict.fromkeys(item.text for word in loop.words for item in fields(word, self._scope(state, variables))))
            except NotUnderstood as problem:
                step.problem = step.problem or str(problem)
        reached = states
        for value in values or {"": None}:
            reached = tuple(dict.fromkeys(reached + self.sequence(loop.body, reached, {**variables, loop.name: value}).both))
        return Ends(reached, reached)

    def _branch(self, branch: Branch, states: tuple[State, ...], variables: Mapping[str, str]) -> Ends:
        reached: tuple[State, ...] = ()
        for condition, body in branch.choices:
            ends = self.sequence(condition, states, variables)
            reached += self.sequence(body, ends.good or ends.both, variables).both
            states = ends.bad or ends.both
        reached += self.sequence(branch.otherwise, states, variables).both if branch.otherwise else states
        reached = tuple(dict.fromkeys(reached))
        return Ends(reached, reached)

    # Simple commands

    def _step(self, node: object, source: str, name: str = "") -> Step:
        if self._owner is not None:
            return self._owner
        return self.steps.setdefault(id(node), Step(source, name))

    def _scope(self, state: State, variables: Mapping[str, str]) -> Scope:
        return Scope(state.real, state.pwd, variables, self._roots, self._disk)

    def _simple(self, command: Simple, states: tuple[State, ...], variables: Mapping[str, str], feeds: str) -> Ends:
        name = command.words[0].raw if command.words else ""
        step = self._step(command, command.source, name)
        self.names.add(name)
        ends: list[Ends] = []
        for state in states:
            step.folders[state.real] = None
            try:
                ends.append(_or_not_begun(self._simple_in(command, step, state, variables, feeds), command.redirects, (state,)))
            except NotUnderstood as problem:
                step.problem = step.problem or str(problem)
                ends.append(Ends((state,), (state,)))
        return Ends(tuple(dict.fromkeys(state for end in ends for state in end.good)), tuple(dict.fromkeys(state for end in ends for state in end.bad)))

    def _simple_in(self, command: Simple, step: Step, state: State, variables: Mapping[str, str], feeds: str) -> Ends:
        scope = self._scope(state, variables)
        for name, value in command.assignments:
            allowed = _ENVIRONMENT.get(name)
            if allowed is None or not allowed.fullmatch(value.raw):
                raise NotUnderstood(f"a value for {name}")
        for redirect in command.redirects:
            self._redirect(redirect, step, scope)
        if not command.words:
            raise NotUnderstood("a redirect without a command")
        start = unwrapped([word.raw for word in command.words])
        first = command.words[start]
        if not all(isinstance(piece, Text) and not piece.quoted for piece in first.pieces):
            raise NotUnderstood("a command word that is not a plain name")
        words = self._words(command.words[start:], scope, step)
        return self._run(words, step, state, feeds)

    def _words(self, words: Sequence[Word], scope: Scope, step: Step) -> list[Field]:
        name = program_name(words[0].raw)
        found = [Field(words[0].raw)]
        for word in words[1:]:
            for piece in word.pieces:
                if isinstance(piece, Substitution):
                    self._substitution(piece, scope, step)
            if len(word.pieces) == 1 and isinstance(word.pieces[0], Substitution) and word.pieces[0].as_file:
                found.append(Field(_PROCESS))
            else:
                found.extend(fields(word, scope, printed=name in _PRINTERS))
        return found

    def _substitution(self, piece: Substitution, scope: Scope, step: Step) -> None:
        outer, self._owner = self._owner, step
        self.sequence(piece.commands, (State(scope.folder, scope.pwd),), scope.variables)
        self._owner = outer

    def _run(self, words: Sequence[Field], step: Step, state: State, feeds: str) -> Ends:
        argv = tuple(word.text for word in words)
        name = program_name(argv[0])
        known = not any(word.opaque for word in words)
        if any(word.several and word.text.startswith("-") for word in words):
            raise NotUnderstood("names of files that look like options")
        if name == "printf" and any(word.opaque or word.several for word in words[1 : 3 if argv[1:2] == ("--",) else 2]):
            raise NotUnderstood("a format known only when it runs")
        if name == "cd":
            return self._change(argv[1:], step, state)
        try:
            found = judged(argv, feeds=feeds, folder=state.real, roots=self._roots, disk=self._disk)
        except NotUnderstood as problem:
            step.options = step.options or str(problem)
            if known:
                step.argvs[name, *argv[1:]] = None
            return Ends((state,), (state,))
        if found.look.pattern is not None and any(word.several for word in words):
            certain = judged([word.text for word in words if not word.several], feeds=feeds, folder=state.real, roots=self._roots, disk=self._disk)
            if certain.look.pattern != found.look.pattern:
                raise NotUnderstood("a pattern that stands for the names of files")
        if _PROCESS in argv and found.kind != "reader":
            raise NotUnderstood("a process as a file")
        for path in found.look.paths:
            self._spot(path, step, state.real, certain=name != "git", name=name)
        for path in found.look.names:
            step.spots[Spot(path, Place(request=path, real=path, root=self._roots.workspace), certain=False)] = None
        if found.kind == "other":
            step.needs_rule[found.argv if known else ()] = None
        if known and _PROCESS not in argv:
            step.argvs[found.argv] = None
        return Ends((state,), (state,))

    def _spot(self, path: str, step: Step, folder: str, *, certain: bool = True, written: bool = False, name: str = "") -> Place:
        place = self._located(path, folder)
        if path in {_PROCESS, NULL_DEVICE}:
            return place
        step.spots[Spot(path, place, certain, written)] = None
        if place.kind == "other" and name not in _ANY_KIND:
            step.options = step.options or "something that is not an ordinary file"
        if name == "diff" and place.kind == "folder":
            step.options = step.options or "a comparison of whole folders"
        return place

    def _located(self, path: str, folder: str) -> Place:
        key = path, folder
        if key not in self._places:
            self._places[key] = locate(path if path[:1] != "~" else "./" + path, folder=folder, roots=self._roots, disk=self._disk)
        return self._places[key]

    def _file_test(self, test: FileTest, states: tuple[State, ...], variables: Mapping[str, str]) -> Ends:
        step = self._step(test, test.source, "[[")
        for state in states:
            step.folders[state.real] = None
            try:
                scope = self._scope(state, variables)
                value = literal(test.word, scope)
                if test.test not in {"-n", "-z"}:
                    self._spot(value, step, state.real, name="test")
                for redirect in test.redirects:
                    self._redirect(redirect, step, scope)
            except NotUnderstood as problem:
                step.problem = step.problem or str(problem)
        return Ends(states, states)

    # Folders

    def _change(self, arguments: Sequence[str], step: Step, state: State) -> Ends:
        """Follow a ``cd``: by names as bash does, and if that leads nowhere by the real folders, which bash tries next."""
        rest = list(arguments)
        physical = False
        while rest and rest[0] in {"-L", "-P"}:
            physical = rest.pop(0) == "-P"
        if rest[:1] == ["--"]:
            rest.pop(0)
        elif rest and rest[0].startswith("-"):
            raise NotUnderstood("an option of cd")
        if len(rest) > 1 or rest in ([""], ["-"]):
            raise NotUnderstood("where cd leads")
        target = rest[0] if rest else self._roots.home or "/"
        step.argvs["cd", *arguments] = None
        named = posixpath.normpath(posixpath.join(state.pwd, target))
        place = self._spot(target if physical else named, step, state.real)
        if physical or place.kind != "folder":
            place = self._spot(target, step, state.real)
        entered = State(place.real, place.real if physical else named)
        return Ends((entered,), () if place.kind == "folder" and self._may_enter(place) else (state,))

    def _may_enter(self, place: Place) -> bool:
        try:
            self._disk.lstat(f"{place.real}/.")
        except OSError:
            return False
        return True

    # Redirects

    def _redirect_step(self, redirects: tuple[Redirect, ...], states: tuple[State, ...], variables: Mapping[str, str]) -> None:
        """Judge the redirects behind a compound command as a step of their own, where they name files."""
        if not redirects:
            return
        named = any(redirect.body is None and redirect.operator != "<<<" and not _copies(redirect) for redirect in redirects)
        step = self._step(redirects, "") if named else Step("")
        for state in states:
            step.folders[state.real] = None
            try:
                for redirect in redirects:
                    self._redirect(redirect, step, self._scope(state, variables))
            except NotUnderstood as problem:
                step.problem = step.problem or str(problem)
        if step.problem and not named:
            raise NotUnderstood(step.problem)

    def _redirect(self, redirect: Redirect, step: Step, scope: Scope) -> None:
        if redirect.descriptor not in {"", "0", "1", "2"}:
            raise NotUnderstood("a redirect of another descriptor")
        if redirect.body is not None or _copies(redirect):
            return
        for piece in redirect.target.pieces:
            if isinstance(piece, Substitution):
                raise NotUnderstood("a redirect to a value known only when it runs")
        if redirect.operator == "<<<":
            literal(redirect.target, scope)
            return
        named = fields(redirect.target, scope)
        if len(named) != 1 or named[0].opaque:
            raise NotUnderstood("a redirect to several files")
        path = named[0].text
        if path == NULL_DEVICE:
            return
        writes = redirect.operator != "<"
        place = self._spot(path, step, scope.folder, written=writes)
        if writes:
            step.writes = True
        elif place.kind not in {"file", "missing"}:
            raise NotUnderstood("a redirect from something that is not an ordinary file")


def _or_not_begun(ends: Ends, redirects: tuple[Redirect, ...], states: tuple[State, ...]) -> Ends:
    """Return the ends of a command whose redirects may fail: a missing file, or no room for a here-document, and it is not even begun."""
    if all(_copies(redirect) or redirect.target.raw == NULL_DEVICE for redirect in redirects):
        return ends
    return Ends(ends.good, tuple(dict.fromkeys(ends.bad + states)))


def _copies(redirect: Redirect) -> bool:
    """Say whether it is ``2>&1`` or ``>&2``."""
    return redirect.operator == ">&" and redirect.target.raw in {"1", "2"}
