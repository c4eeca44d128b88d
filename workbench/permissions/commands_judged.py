"""What one command does, by its words: it only reads, it is a runner or another program that needs a rule, or it is not understood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from workbench.permissions.commands_options import Look, look
from workbench.permissions.commands_readers import READERS
from workbench.permissions.commands_special import CHOOSERS, CHOOSERS_OF_MANY, CHOSEN, SPECIAL, VERSIONS
from workbench.permissions.disk import Disk
from workbench.permissions.git_reading import FORMS, git_command, git_look
from workbench.permissions.git_repository import NOT_OWN, is_without_repository, repository_problem
from workbench.permissions.places import Roots
from workbench.permissions.rules import ONE, REST, ArgvRule
from workbench.permissions.runners import is_named_like_one, is_runner, runner_look
from workbench.permissions.secret_search import may_print_a_secret
from workbench.permissions.shell_syntax import NotUnderstood
from workbench.permissions.shell_wrappers import SHELLS, WRAPPERS

_SYSTEM_PROGRAM = re.compile(r"/(?:usr/(?:local/)?)?bin/([A-Za-z0-9_.+-]+)")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*|\[")
_SECONDS = re.compile(r"\d+(\.\d*)?[smhd]?")
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_.=/+-]+")
_CHOOSER_BYTES = 256 * 1024
_PRIORITY = re.compile(r"-?\d{1,2}")
BUILTINS = frozenset({
    "cd", "pwd", "echo", "printf", "test", "[", "true", "false", "set", "type", "command", "export", "declare", "typeset", "local", "readonly", "unset",
    "alias", "unalias", "source", "eval", "exec", "exit", "return", "shift", "trap", "umask", "ulimit",
    "shopt", "read", "mapfile", "readarray", "let", "wait", "jobs",
    "fg", "bg", "disown", "kill", "hash", "history", "fc", "bind", "builtin", "caller", "compgen", "complete", "compopt", "dirs", "pushd", "popd", "enable",
    "getopts", "help", "logout", "suspend", "times", "break", "continue",
})  # fmt: skip
"""Words that bash runs itself. Those that are not in the tables of readers change the shell or run text; no rule allows them."""
_INTERPRETERS = SHELLS | WRAPPERS.keys() | {
    "python", "python2", "python3", "pypy", "pypy3", "node", "nodejs", "deno", "bun", "perl", "ruby", "php", "lua", "tclsh", "wish", "R", "Rscript", "julia",
    "awk", "gawk", "mawk", "sed", "ssh", "docker", "podman", "kubectl", "osascript", "expect", "gdb", "lldb", "vim", "vi", "nvim", "ex", "ed", "emacs", "nano",
    "less", "more", "man", "make", "cmake", "ninja", "npx", "uvx", "pipx", "find", "fd", "git", "xargs", "parallel", "tmux", "screen", "script", "at", "batch",
}  # fmt: skip


class Judged(NamedTuple):
    """What a command does. `kind` is ``reader`` if it needs no rule; `argv` are the words that rules are compared with."""

    kind: Literal["reader", "other"]
    look: Look
    argv: tuple[str, ...]


def program_name(word: str) -> str:
    """Return the program that a command word names.

    Raises:
        NotUnderstood: it is neither a bare name nor a program in a system folder.
    """
    if _NAME.fullmatch(word):
        return word
    if system := _SYSTEM_PROGRAM.fullmatch(word):
        return system[1]
    raise NotUnderstood("a command word that is not a plain name")


def unwrapped(words: Sequence[str]) -> int:
    """Return at which word, as typed, the command behind ``timeout 60`` and ``nice -n 5`` begins.

    Raises:
        NotUnderstood: such a wrapper has other options, or runs nothing.
    """
    at = 0
    while at < len(words) and (name := words[at].rpartition("/")[2]) in {"timeout", "nice"}:
        at += 1
        at = _after_timeout(words, at) if name == "timeout" else _after_nice(words, at)
        if at >= len(words) or words[at] in BUILTINS - {"echo", "printf", "test", "[", "true", "false", "pwd"}:
            raise NotUnderstood("a wrapper around nothing")
    if not all(map(_PLAIN_WORD.fullmatch, words[:at])):
        raise NotUnderstood("a wrapper with words that are not plain")
    return at


def _after_timeout(words: Sequence[str], at: int) -> int:
    while words[at : at + 1] and words[at].startswith("-"):
        if words[at] in {"-s", "-k", "--signal", "--kill-after"}:
            at += 2
        elif words[at] in {"--foreground", "--preserve-status", "-v"} or words[at].startswith(("--signal=", "--kill-after=")):
            at += 1
        else:
            raise NotUnderstood("an option of timeout")
    if not words[at : at + 1] or not _SECONDS.fullmatch(words[at]):
        raise NotUnderstood("a timeout without its time")
    return at + 1


def _after_nice(words: Sequence[str], at: int) -> int:
    if words[at : at + 1] == ["-n"] and words[at + 1 : at + 2] and _PRIORITY.fullmatch(words[at + 1]):
        return at + 2
    if words[at : at + 1] and words[at].startswith("-"):
        raise NotUnderstood("an option of nice")
    return at


def judged(argv: Sequence[str], *, feeds: str, folder: str, roots: Roots, disk: Disk) -> Judged:
    """Return what a command does.

    Args:
        argv: its words, wrappers taken off; the first is a name or a program in a system folder.
        feeds: the program that its output is piped into; empty if there is none.
        folder: the real folder it runs in.
        roots: what counts as inside.
        disk: repository configuration and secret files are looked up with it.

    Raises:
        NotUnderstood: its options are not known to be harmless, whatever rule there is.
    """
    name, arguments = program_name(argv[0]), tuple(argv[1:])
    words = (name, *arguments)
    if chosen := _chosen_by_a_file(name, folder, roots, disk):
        raise NotUnderstood(f"a program that {chosen} may choose")
    if name in VERSIONS and len(arguments) == 1 and arguments[0] in VERSIONS[name]:
        return Judged("reader", Look(), words)
    if name == "git":
        return _judged_git(words, folder, roots, disk)
    if name in SPECIAL:
        return Judged("reader", SPECIAL[name](arguments), words)
    if name in READERS:
        if name == "yes" and feeds != "head":
            raise NotUnderstood("an output without end")
        said, read = look(arguments, READERS[name])
        if may_print_a_secret(name, said, read, folder=folder, roots=roots, disk=disk):
            raise NotUnderstood("a search that may print the content of a file with secrets")
        return Judged("reader", read, words)
    if is_runner(words):
        return Judged("other", runner_look(words), words)
    if name in BUILTINS:
        raise NotUnderstood(f"“{name}”, which changes the shell or runs text")
    return Judged("other", Look(), words)


def _chosen_by_a_file(name: str, folder: str, roots: Roots, disk: Disk) -> str:
    """Return the file by which a version manager would pick, fetch or find the program; empty if there is none."""
    if name not in CHOSEN:
        return ""
    while folder and roots.below(folder, roots.workspace.path):
        for file in CHOOSERS.get(name, ()):
            if disk.lstat(f"{folder}/{file}") is not None:
                return file
        for file in CHOOSERS_OF_MANY:
            if disk.lstat(f"{folder}/{file}") is not None and _mentions(f"{folder}/{file}", CHOSEN[name], disk):
                return file
        folder = folder.rpartition("/")[0]
    return ""


def _mentions(path: str, word: str, disk: Disk) -> bool:
    try:
        return word in disk.read_text(path, _CHOOSER_BYTES)
    except OSError:
        return True


_ENDS_WITHOUT_REPOSITORY = frozenset({"status", "log", "show", "branch", "tag", "rev-parse", "ls-files", "stash", "remote", "blame", "reflog", "describe"})
"""Where there is no repository these say so and end; ``diff``, ``grep`` and ``config`` do something else there."""


def _judged_git(words: tuple[str, ...], folder: str, roots: Roots, disk: Disk) -> Judged:
    verb, _rest = git_command(words[1:])
    problem = repository_problem(folder, roots, disk)
    if problem and not (problem == NOT_OWN and verb in _ENDS_WITHOUT_REPOSITORY and is_without_repository(roots, disk)):
        raise NotUnderstood(problem)
    if verb not in FORMS:
        return Judged("other", Look(), words)
    return Judged("reader", git_look(words[1:]), words)




def covers(rule: ArgvRule, argv: Sequence[str]) -> bool:
    """Say whether an allowing rule that matches may be believed: for what runs code of its own choice, only words that are spelled out count.

    ``python scripts/gen.py **`` is believed, ``python **`` and ``bash -c **`` are not; a runner with harmless options always is.
    """
    name = argv[0].rpartition("/")[2]
    if is_runner(argv) or (name not in _INTERPRETERS and not is_named_like_one(name)):
        return True
    if name == "git":
        return len(rule.argv) > 1 and rule.argv[1] not in {ONE, REST}
    second = rule.argv[1] if len(rule.argv) > 1 else REST
    spelled_out = not {ONE, REST} & set(rule.argv)
    return spelled_out or (name not in SHELLS | WRAPPERS.keys() and second not in {ONE, REST} and not second.startswith("-"))
