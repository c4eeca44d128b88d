"""What “Always allow” may offer for a command or an edit: patterns from a table of how many words name an action, and examples of what they let pass.

Nothing is offered for programs that run other programs or code they are given, nor with an option that does so: for those a person can
allow the exact text at most. A pattern is narrow enough when the words before its ``**`` say what is done.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from workbench.permissions.danger import Danger
from workbench.permissions.modes import Rung
from workbench.permissions.rules import ONE, REST, PathRule, Scope, matches_argv
from workbench.permissions.running_options import runs_more

SAMPLES = 3
WORDS_AT_MOST = 40
"""A longer command is offered no pattern: nobody reads it to its end in a tick box."""


class Samples(NamedTuple):
    """What a pattern would let pass besides the command it was made from.

    Attributes:
        also: up to three commands it allows too; empty for a pattern without a wildcard, which allows nothing else.
        not_: a similar command that it does not allow.
    """

    also: tuple[str, ...]
    not_: str


class _Action(NamedTuple):
    """How a program's actions are named.

    Attributes:
        words: how many words name the action, the program's own name among them.
        open: further words may follow freely; if not, only the exact words are offered.
        first: what may stand as the second word; empty for anything.
    """

    words: int
    open: bool = True
    first: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SCRIPTS = _Action(3, first=_words("run run-script"))
_ACTIONS: Mapping[tuple[str, ...], _Action] = {
    **{(name,): _Action(1) for name in (
        "pytest", "mypy", "pyright", "flake8", "pylint", "black", "isort", "bandit", "vulture", "codespell", "yamllint", "djlint", "tsc", "eslint", "prettier",
        "stylelint", "jest", "vitest", "rustfmt", "gofmt", "golangci-lint", "staticcheck", "clang-format", "shellcheck", "shfmt", "hadolint", "markdownlint",
        "ctest", "phpunit", "rspec", "rubocop", "swiftlint", "ktlint",
    )},
    ("ruff",): _Action(2, first=_words("check format rule")),
    ("coverage",): _Action(2, first=_words("report html xml json lcov combine")),
    ("biome",): _Action(2, first=_words("check lint format ci")),
    ("deno",): _Action(2, first=_words("check fmt lint")),
    ("npm",): _SCRIPTS,
    ("npm", "test"): _Action(2),
    ("npm", "t"): _Action(2),
    ("npm", "ls"): _Action(2),
    ("npm", "outdated"): _Action(2),
    ("pnpm",): _SCRIPTS,
    ("pnpm", "test"): _Action(2),
    ("yarn",): _SCRIPTS,
    ("yarn", "test"): _Action(2),
    ("bun",): _Action(2, first=_words("test")),
    ("cargo",): _Action(2, first=_words("test check build clippy fmt doc bench tree metadata nextest")),
    ("go",): _Action(2, first=_words("test vet build fmt list doc")),
    ("dotnet",): _Action(2, first=_words("test build format")),
    ("swift",): _Action(2, first=_words("test build")),
    ("zig",): _Action(2, first=_words("test fmt")),
    ("mix",): _Action(2, first=_words("test format compile")),
    ("rake",): _Action(2, open=False),
    ("make",): _Action(2, open=False),  # a further word may set a variable, such as the shell it runs
    ("gmake",): _Action(2, open=False),
    ("ninja",): _Action(2, open=False),
    ("just",): _Action(2, open=False),
    ("task",): _Action(2, open=False),
    ("gradle",): _Action(2, open=False),
    ("mvn",): _Action(2, open=False),
    ("tox",): _Action(1, open=False),
    ("nox",): _Action(1, open=False),
}  # fmt: skip

_RUNS_OTHERS = _words("""
    sh bash dash zsh fish ksh mksh ash csh tcsh elvish nu pwsh powershell cmd busybox toybox
    node nodejs deno bun ts-node tsx ruby irb perl raku php lua luajit tclsh wish expect Rscript R julia octave ghci runghc scala groovy clojure jshell java
    kotlin
    osascript gawk awk mawk nawk sed m4 bc dc ed ex vi vim nvim emacs gdb lldb
    env sudo su doas runuser pkexec setpriv setsid nohup timeout nice ionice chrt taskset stdbuf unbuffer time watch xargs parallel find fd chroot
    unshare nsenter bwrap firejail flatpak snap strace ltrace perf valgrind script screen tmux flock at batch cron crontab systemd-run systemctl
    dbus-run-session ssh scp sftp rsync rclone mosh telnet nc ncat socat curl wget http aria2c ftp
    docker podman nerdctl kubectl helm oc minikube vagrant terraform tofu pulumi ansible ansible-playbook aws gcloud az gh glab heroku flyctl
    git hg svn jj npx pnpx bunx uvx pipx corepack pip pip3 uv poetry pdm hatch conda mamba pixi gem bundle composer brew apt apt-get dnf yum pacman apk nix
    psql mysql sqlite3 mongosh redis-cli tee dd eval exec source . command builtin trap alias export declare typeset local readonly read mapfile printf
    man less more most view xdg-open open start
""")  # fmt: skip
"""Interpreters, wrappers, and tools that hold many tools: no pattern says what such a command does."""
_VERSIONED = ("python", "pypy", "ipython", "perl", "ruby", "lua", "node", "php", "bash", "tclsh", "guile", "gdb")

_EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "pytest": ("-x", "tests/test_other.py", "-k name"),
    "mypy": ("src", "--strict src"),
    "ruff": (".", "src", "--select E src"),
    "npm": ("-- src", "-- --verbose", "-- --quiet"),
    "pnpm": ("-- src", "-- --verbose"),
    "cargo": ("--release", "--workspace", "-- --nocapture"),
    "go": ("./...", "-v ./...", "-run TestOther ./pkg"),
}
_ANY_EXAMPLES = ("--verbose", "src", "--help", "another.file", "--quiet src")


def suggest(argv: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return patterns that would let a command pass the next time, narrowest first; none if no pattern says what such commands do.

    Args:
        argv: the command's words as the program gets them.
    """
    words = tuple(argv)
    if not words or len(words) > WORDS_AT_MOST or not _plain_name(words[0]) or _runs_others(words[0]) or runs_more(words):
        return ()
    action = _action_of(words)
    if action is None:
        known = (words[0],) in _ACTIONS
        return () if known or not _literal(words) else (words,)
    exact = (words,) if _literal(words) else ()
    head = words[: action.words]
    wide = ((*head, REST),) if action.open and _literal(head) else ()
    return exact + wide


def samples(pattern: Sequence[str], argv: Sequence[str]) -> Samples:
    """Return commands that a pattern made from `argv` would let pass too, and one that it would not; each of them was tried."""
    words = tuple(argv)
    also: dict[str, None] = {}
    for candidate in _like(pattern):
        if candidate != words and matches_argv(pattern, candidate):
            also.setdefault(shlex.join(candidate))
        if len(also) == SAMPLES:
            break
    not_ = next((candidate for candidate in _unlike(pattern, words) if not matches_argv(pattern, candidate)), ())
    return Samples(tuple(also), shlex.join(not_))


def suggest_paths(tool: str, relative: str) -> tuple[PathRule, ...]:
    """Return the rules that would let an edit of a file pass the next time: for the file, and for its folder.

    Args:
        tool: the tool's name.
        relative: the file's path below its root; one that would be read as a pattern is offered no rule.
    """
    if not relative or any(character in relative for character in "*?"):
        return ()
    exact = PathRule(effect="allow", tool=tool, path=relative)
    folder = relative.rpartition("/")[0]
    return (exact, PathRule(effect="allow", tool=tool, path=f"{folder}/**")) if folder else (exact,)


def scopes_for(danger: int, *, rung: Rung, command: bool, grant: bool = False) -> tuple[Scope, ...]:
    """Return how far a rule for a call of this level may hold, narrowest first; empty if no rule may be made.

    Args:
        danger: the level of the call, or of the part of a command that the rule is for.
        rung: what holds commands here.
        command: the rule is for a command; without a sandbox such a rule ends with the session.
        grant: the rule grants a folder, which it does for a session at most.
    """
    if danger >= Danger.DESTROY or (command and danger > Danger.RUN):
        return ()
    if grant or (command and rung == "none"):
        return ("session",)
    return ("session", "project") if danger >= Danger.RUN else ("session", "project", "user")


def _plain_name(word: str) -> bool:
    return bool(word) and "/" not in word and "\\" not in word and word not in {ONE, REST} and not word.startswith(("-", "."))


def _runs_others(name: str) -> bool:
    if (name,) in _ACTIONS:
        return False
    bare = name.rstrip("0123456789.").removesuffix("-")
    return name in _RUNS_OTHERS or bare in _RUNS_OTHERS or bare in _VERSIONED


def _action_of(words: tuple[str, ...]) -> _Action | None:
    """Return how the action that a command carries out is named; None if the program is not known or the action is not one of those."""
    for length in (2, 1):
        action = _ACTIONS.get(words[:length])
        if action is None or len(words) < action.words or (action.first and words[1] not in action.first):
            continue
        if all(not word.startswith("-") for word in words[1 : action.words]):
            return action
    return None


def _literal(words: Sequence[str]) -> bool:
    """Say whether a pattern of these words stands for just these words."""
    return not {ONE, REST}.intersection(words)


def _like(pattern: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield commands that a pattern may allow, the most telling ones first."""
    if not set(pattern) & {ONE, REST}:
        return
    head = tuple(pattern[: next((at for at, word in enumerate(pattern) if word == REST), len(pattern))])
    head = tuple("other" if word == ONE else word for word in head)
    tail = tuple(word for word in pattern[len(head) :] if word not in {ONE, REST})
    if REST not in pattern:
        for name in ("other", "another", "third"):
            yield tuple(name if word == ONE else word for word in pattern)
        return
    for example in (*_EXAMPLES.get(pattern[0], ()), *_ANY_EXAMPLES):
        yield (*head, *shlex.split(example), *tail)
    yield (*head, *tail)


def _unlike(pattern: Sequence[str], words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield commands that look like what a pattern allows, the most similar ones first."""
    if REST not in pattern:
        yield (*words, "--all")
        yield (*words, "other")
    fixed = [at for at, word in enumerate(pattern) if word not in {ONE, REST}]
    for at in reversed(fixed):
        changed = f"{pattern[at]}:other" if at > 1 else "publish" if at == 1 else f"{pattern[at]}-other"
        yield (*words[:at], changed, *words[at + 1 :])
    yield ("other", *words[1:])
