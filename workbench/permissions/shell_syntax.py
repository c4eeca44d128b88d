"""The parts of bash that may be understood, as a tree: what `shell_grammar` reads and `shell_walk` walks. What is not here only asks.

It stands apart from `shell_text`: that one describes any text so that dangers are found, this one only texts of which every
character is accounted for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias


class NotUnderstood(Exception):
    """A text, or a part of it, is outside the subset that is understood; the message is a short English phrase that says what."""


class Text(NamedTuple):
    """Characters of a word; quoted ones have no special meaning."""

    text: str
    quoted: bool


class Variable(NamedTuple):
    """A variable, or a special parameter such as ``?``, by name."""

    name: str
    quoted: bool


class Substitution(NamedTuple):
    """Commands whose output becomes text (``$(…)``), or a file to read (``<(…)``, with `as_file`)."""

    commands: List
    as_file: bool
    quoted: bool


class Number(NamedTuple):
    """The result of ``$((…))`` over plain numbers."""

    text: str


Piece: TypeAlias = Text | Variable | Substitution | Number


class Word(NamedTuple):
    """A word before bash expands it; `raw` is its text as typed."""

    pieces: tuple[Piece, ...]
    raw: str


@dataclass
class Redirect:
    """A redirect. `body` is the text of a here-document, filled in when its lines are reached; `target` then only names its end."""

    descriptor: str
    operator: str
    target: Word
    body: str | None = None


@dataclass(frozen=True, eq=False)
class Simple:
    """A simple command: ``NAME=value`` pairs, words, redirects. `source` is its text as typed."""

    source: str
    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, eq=False)
class FileTest:
    """``[[ -f WORD ]]`` with one of the harmless tests."""

    source: str
    test: str
    word: Word
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, eq=False)
class Group:
    """``( … )`` in a sub-shell of its own, or ``{ …; }``."""

    source: str
    subshell: bool
    body: List
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, eq=False)
class Loop:
    """``for NAME in WORDS; do …; done``. `source` is its first line."""

    source: str
    name: str
    words: tuple[Word, ...]
    body: List
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, eq=False)
class Branch:
    """``if … then … elif … else … fi``: pairs of condition and body; `otherwise` may be missing."""

    source: str
    choices: tuple[tuple[List, List], ...]
    otherwise: List | None
    redirects: tuple[Redirect, ...]


Command: TypeAlias = Simple | FileTest | Group | Loop | Branch


@dataclass(frozen=True, eq=False)
class Pipeline:
    """Commands joined by ``|``, perhaps with ``!`` in front."""

    negated: bool
    commands: tuple[Command, ...]


@dataclass(frozen=True, eq=False)
class Chain:
    """Pipelines joined by ``&&`` and ``||``; `joins` has one operator less than there are pipelines."""

    pipelines: tuple[Pipeline, ...]
    joins: tuple[Literal["&&", "||"], ...]


@dataclass(frozen=True, eq=False)
class List:
    """Chains that run one after the other."""

    chains: tuple[Chain, ...]
