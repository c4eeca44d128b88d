"""What is found out about each command of an understood text, and about the folders it may run in: values that `shell_walk` fills."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from workbench.permissions.places import Place


class State(NamedTuple):
    """A folder that commands may run in: the real one, and its name in PWD."""

    real: str
    pwd: str


class Ends(NamedTuple):
    """The folders after a command, if it succeeded and if it failed."""

    good: tuple[State, ...]
    bad: tuple[State, ...]

    @property
    def both(self) -> tuple[State, ...]:
        """Every folder the next command may run in."""
        return tuple(dict.fromkeys(self.good + self.bad))


class Spot(NamedTuple):
    """A path that a command reads, or that its redirect writes, and where it leads; an uncertain one may be another kind of word."""

    path: str
    place: Place
    certain: bool = True
    written: bool = False


@dataclass
class Step:
    """What was found about one command of the text, over all ways in which it may run.

    Attributes:
        source: its text as typed.
        name: its command word as typed; empty for the head of a loop and for a lone redirect.
        problem: why its text is not understood; empty if it is.
        options: why it is not known to be harmless although its words are known.
        spots: the paths it reads.
        needs_rule: the words of each program in it that only a rule allows.
        argvs: its words in each way it may run; empty where they are not all known.
        folders: the real folders it may run in.
        writes: a redirect of it writes to a file.
    """

    source: str
    name: str = ""
    problem: str = ""
    options: str = ""
    spots: dict[Spot, None] = field(default_factory=dict)
    needs_rule: dict[tuple[str, ...], None] = field(default_factory=dict)
    argvs: dict[tuple[str, ...], None] = field(default_factory=dict)
    folders: dict[str, None] = field(default_factory=dict)
    writes: bool = False
