"""What a command really runs: reserved words dropped, wrappers looked through, texts handed to another shell taken apart as well.

For deny rules and danger marks more is better: behind a wrapper every possible beginning of the inner command is reported.
"""

from __future__ import annotations

import functools
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from workbench.permissions.effort import Effort
from workbench.permissions.shell_reader import take_apart
from workbench.permissions.shell_text import SimpleCommand

NESTING_LIMIT = 6
_COMMAND_COSTS = 10  # beside its words, in words
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh", "pwsh", "powershell"})
_RESERVED = frozenset({
    "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!", "time", "coproc", "{", "}", "esac", "function", "case", "select",
})  # fmt: skip
_EXECUTING_OPTIONS = {
    "find": frozenset({"-exec", "-execdir", "-ok", "-okdir"}),
    "fd": frozenset({"-x", "-X", "--exec", "--exec-batch"}),
    "fdfind": frozenset({"-x", "-X", "--exec", "--exec-batch"}),
}


class Wrapper(NamedTuple):
    """A program that runs another: its options that take a value, and how many operands stand before the inner command."""

    value_options: frozenset[str] = frozenset()
    operands: int = 0


def _wrapper(options: str = "", operands: int = 0) -> Wrapper:
    return Wrapper(frozenset(options.split()), operands)


WRAPPERS: Mapping[str, Wrapper] = {
    "sudo": _wrapper("-u -g -h -p -C -T -U -D -R -r -t --user --group --host --prompt --chdir"),
    "doas": _wrapper("-u -C"),
    "pkexec": _wrapper("--user"),
    "run0": _wrapper("--user -u"),
    "env": _wrapper("-u -C --unset --chdir"),
    "timeout": _wrapper("-s -k --signal --kill-after", operands=1),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c -n -p --class --classdata"),
    "chrt": _wrapper("", operands=1),
    "taskset": _wrapper("", operands=1),
    "stdbuf": _wrapper("-i -o -e --input --output --error"),
    "time": _wrapper("-f -o --format --output"),
    "xargs": _wrapper("-I -i -n -P -L -d -E -a -s --max-args --max-procs --delimiter --arg-file --replace"),
    "parallel": _wrapper("-j -n -a --jobs"),
    "exec": _wrapper("-a"),
    "chroot": _wrapper("--userspec --groups", operands=1),
    "strace": _wrapper("-e -o -p -s -u"),
    "ltrace": _wrapper("-e -o -p -s -u"),
    "flock": _wrapper("-w -E --timeout", operands=1),
    "watch": _wrapper("-n --interval"),
    "systemd-run": _wrapper("-p --property --unit --slice"),
    **dict.fromkeys(("nohup", "setsid", "command", "builtin", "busybox", "toybox", "unbuffer", "chronic", "caffeinate", "catchsegv", "fakeroot"), _wrapper()),
    **dict.fromkeys(
        ("prlimit", "setarch", "linux32", "linux64", "choom", "numactl", "eatmydata", "xvfb-run", "dbus-run-session", "dbus-launch", "setpriv", "unshare",
         "nsenter", "runcon", "systemd-inhibit", "ssh-agent", "valgrind", "perf", "gtime", "rlwrap", "start-stop-daemon", "firejail", "bwrap", "proot",
         "direnv", "dotenv", "cpulimit", "trickle", "torsocks", "proxychains", "proxychains4", "faketime", "entr", "sem"),
        _wrapper(),
    ),
}


@functools.lru_cache(maxsize=4096)
def program(word: str) -> str:
    """Return the program a command word names: without folders, in lower case, because some disks do not tell case apart."""
    return posixpath.basename(word.rstrip("/")).lower()


def stripped(command: SimpleCommand) -> SimpleCommand:
    """Return a command without the reserved words in front of its command word."""
    words, at = command.words, 0
    while at < len(words) and words[at].bare and words[at].text in _RESERVED:
        timed = words[at].text == "time" and at + 1 < len(words) and words[at + 1].raw == "-p"
        at += 2 if timed or words[at].text in {"case", "select", "function"} else 1
    return replace(command, words=words[at:]) if at else command


def inner(command: SimpleCommand) -> SimpleCommand | None:
    """Return the command that a wrapper runs, as far as its options are known; None if `command` is no wrapper."""
    if not command.words or _asks_only(command):
        return None
    wrapper = WRAPPERS.get(program(command.words[0].text))
    if wrapper is None:
        return None
    words, at, operands = command.words, 1, wrapper.operands
    while at < len(words) and (words[at].text.startswith("-") or "=" in words[at].text.partition("/")[0] or operands > 0):
        word = words[at].text
        at += 2 if word in wrapper.value_options else 1
        if word not in wrapper.value_options and not word.startswith("-") and "=" not in word:
            operands -= 1
    return replace(command, words=words[at:], redirects=(), inside=()) if at < len(words) else None


def _asks_only(command: SimpleCommand) -> bool:
    """Say whether this is ``command -v NAME``, which looks up and runs nothing."""
    texts = command.texts()
    return texts[0] == "command" and any(text.startswith("-") and "v" in text.lower() for text in texts[1:2])


def beginnings(command: SimpleCommand, effort: Effort) -> Iterator[tuple[str, ...]]:
    """Yield every argument list that may run: the command's own, and behind a wrapper each word that could begin the inner one.

    Raises:
        TooTangled: there are too many.
    """
    texts = tuple(command.texts())
    if not texts:
        return
    starts = [0]
    if not _asks_only(command) and program(texts[0]) in WRAPPERS:
        starts += [start for start in range(1, len(texts)) if not texts[start].startswith("-")]
    if options := _EXECUTING_OPTIONS.get(program(texts[0])):
        starts += [at + 1 for at, text in enumerate(texts[:-1]) if text in options]
    for start in starts:
        effort.spend(len(texts) - start)
        yield texts[start:]


def texts_run(command: SimpleCommand, effort: Effort) -> Iterator[str]:
    """Yield the texts that a command hands to a shell of this machine: ``sh -c TEXT``, ``eval``, ``env -S``, ``trap``, a here-document into a shell."""
    for argv in beginnings(command, effort):
        name, arguments = program(argv[0]), argv[1:]
        if name in SHELLS:
            yield from _after_c_option(arguments)
            if command.body:
                yield command.body
        elif name == "eval":
            yield " ".join(arguments)
        elif name in {"trap", "watch", "parallel"} and arguments:
            yield arguments[0] if name == "trap" else " ".join(arguments)
        elif name == "env":
            yield from _values_of(arguments, "-S", "--split-string")
        elif name in {"su", "runuser", "script", "flock"}:
            yield from _values_of(arguments, "-c", "--command")


def texts_sent(command: SimpleCommand, effort: Effort) -> Iterator[str]:
    """Yield the texts that a command hands to a shell of another machine."""
    for argv in beginnings(command, effort):
        if program(argv[0]) == "ssh" and len(argv) > 2:
            yield " ".join(argv[2:])


def _after_c_option(arguments: Sequence[str]) -> Iterator[str]:
    for at, argument in enumerate(arguments[:-1]):
        if argument.startswith("-") and not argument.startswith("--") and "c" in argument:
            yield arguments[at + 1]


def _values_of(arguments: Sequence[str], short: str, long: str) -> Iterator[str]:
    for at, argument in enumerate(arguments):
        if argument in {short, long}:
            yield from arguments[at + 1 : at + 2]
        elif argument.startswith(long + "="):
            yield argument[len(long) + 1 :]
        elif argument.startswith(short) and len(argument) > len(short) and not argument.startswith("--"):
            yield argument[len(short) :]


def everything_run(commands: Sequence[SimpleCommand], variables: dict[str, str], effort: Effort) -> Iterator[SimpleCommand]:
    """Yield every command of `commands`, of their substitutions and of the texts they hand to shells, reserved words stripped.

    Raises:
        TooTangled: it takes too much work.
    """
    yield from _Unwrapping(variables, effort).run(commands, 0)


class _Unwrapping:
    """One look through all wrappers. The same text is taken apart once: ``watch watch watch x`` holds it in every way of reading it."""

    def __init__(self, variables: dict[str, str], effort: Effort) -> None:
        self._variables = variables
        self._effort = effort
        self._seen: set[tuple[str, bool]] = set()

    def run(self, commands: Sequence[SimpleCommand], nesting: int, *, elsewhere: bool = False) -> Iterator[SimpleCommand]:
        for written in commands:
            command = replace(stripped(written), elsewhere=True) if elsewhere else stripped(written)
            self._effort.spend(_COMMAND_COSTS + len(command.words))
            yield command
            yield from self.run(command.inside, nesting, elsewhere=elsewhere)
            if nesting < NESTING_LIMIT:
                for text in texts_run(command, self._effort):
                    yield from self._text(text, nesting + 1, elsewhere=elsewhere)
                for text in texts_sent(command, self._effort):
                    yield from self._text(text, nesting + 1, elsewhere=True)

    def _text(self, text: str, nesting: int, *, elsewhere: bool) -> Iterator[SimpleCommand]:
        if (text, elsewhere) not in self._seen:
            self._seen.add((text, elsewhere))
            self._effort.spend(len(text))
            yield from self.run(take_apart(text, variables=self._variables).commands, nesting, elsewhere=elsewhere)
