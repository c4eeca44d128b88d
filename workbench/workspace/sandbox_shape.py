"""What a sandbox is and what a held command may reach, as plain values; how each kind works stands in files of their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

Rung: TypeAlias = Literal["bwrap", "seatbelt", "landlock", "none"]
"""``bwrap`` and ``seatbelt`` keep a command to the workspace and off the network; ``landlock`` does so in part; ``none`` nothing does."""


@dataclass(frozen=True)
class SelfCheck:
    """One thing that was tried from inside.

    Attributes:
        name: stable name, e.g. ``write_outside``.
        passed: the sandbox did what it must.
        sentence: what was found, for people.
    """

    name: str
    passed: bool
    sentence: str


@dataclass(frozen=True)
class SelfTestReport:
    """What the self-test found.

    Attributes:
        rung: what holds commands from now on.
        checks: everything that was tried with that sandbox, or with the best one that failed.
        problem: one sentence on why there is no better one; empty if all is well.
    """

    rung: Rung = "none"
    checks: tuple[SelfCheck, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class GuardedNames:
    """Which names in a workspace are special; the rules for them live with the permissions.

    Attributes:
        protected: says of a path below the workspace that it steers what runs later.
        secret: says of a path that it usually holds keys.
    """

    protected: Callable[[str], bool]
    secret: Callable[[str], bool]


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What a held command may reach; all paths are real paths.

    Attributes:
        workspace: the folder it works in; writable.
        writable: further folders it may change.
        readable: folders that may be read although they lie in a hidden place.
        hidden: folders that must not be seen, the program's own data among them.
        names: what is special in folders that may be changed.
        revealed: secret files that may be read all the same: a person saw them named in the call.
        network: whether it has the whole network, or none.
    """

    workspace: Path
    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    names: GuardedNames = field(default_factory=lambda: GuardedNames(lambda _path: False, lambda _path: False))
    revealed: frozenset[str] = frozenset()
    network: bool = False


@dataclass(frozen=True, kw_only=True)
class Sandbox:
    """What holds commands on this machine.

    Attributes:
        rung: its kind.
        report: what its self-test found.
        program: the program that makes it, for ``bwrap`` and ``seatbelt``.
        homes: folders of people, which are hidden but for the toolchains in them.
        prefix: words before the command line that put it under limits of processes and memory; empty where there are none.
        options: what newer versions of the program can and older ones cannot.
        abi: version of Landlock.
    """

    rung: Rung = "none"
    report: SelfTestReport = field(default_factory=SelfTestReport)
    program: Path | None = None
    homes: tuple[Path, ...] = ()
    prefix: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    abi: int = 0


def people_homes(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the folders of people that exist: the home of the environment, the account's own, and those of others."""
    named = [environment.get("HOME", ""), _account_home()]
    if os.name == "posix" and os.geteuid() == 0:
        named += ["/root", "/home"]
    real = [Path(os.path.realpath(name)) for name in named if name and Path(name).is_absolute()]
    return tuple(dict.fromkeys(home for home in real if home.is_dir() and home != Path("/")))


def _account_home() -> str:
    if os.name == "nt":
        return ""
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:
        return ""
