"""The parts of a bash text: words, redirects, simple commands. Values only; shell_reader makes them, others judge them.

What cannot be seen without running (expansions of unknown value, text that does not parse) is marked, so that whoever judges can
treat it as unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

QUOTED = "\x01"
"""In a word's shape this stands before a character that was quoted and so has no special meaning."""
UNKNOWN = "\x02"
"""In a word's shape this stands for text that is known only when the command runs."""

_SPECIAL = frozenset("*?[]{},~!^-")


@dataclass(frozen=True)
class Word:
    """One word as bash would see it before it expands globs and braces.

    Attributes:
        shape: the text with QUOTED and UNKNOWN marks.
        raw: the text as typed.
    """

    shape: str
    raw: str

    @property
    def text(self) -> str:
        """The text without marks; unknown pieces are left out."""
        return plain(self.shape)

    @property
    def known(self) -> bool:
        """Whether the whole text is known."""
        return UNKNOWN not in self.shape

    @property
    def bare(self) -> bool:
        """Whether nothing in it was quoted or expanded."""
        return self.shape == self.raw


@dataclass(frozen=True)
class Redirect:
    """A redirect: the operator (``>``, ``>>``, ``<``, ``&>``, …) and its target. Here-documents and copies of descriptors are not reported."""

    operator: str
    target: Word

    @property
    def writes(self) -> bool:
        """Whether the target is written."""
        return self.operator not in {"<", "<&"}


@dataclass(frozen=True)
class SimpleCommand:
    """A simple command of a script.

    Attributes:
        words: command word and operands; may be empty when there are only redirects or assignments.
        assignments: ``NAME=value`` before the command word.
        redirects: in order.
        body: text of its here-documents and here-strings, joined.
        source: its text as typed, blanks trimmed.
        before: the operator in front of it (``""`` for the first).
        after: the operator behind it.
        group: ids of the sub-shells it stands in, outermost first.
        piped_from: text of the command whose output is piped into it, else empty.
        inside: the commands of its substitutions.
        elsewhere: it runs on another machine, so the paths it names are not those of this one.
    """

    words: tuple[Word, ...] = ()
    assignments: tuple[Word, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    body: str = ""
    source: str = ""
    before: str = ""
    after: str = ""
    group: tuple[int, ...] = ()
    piped_from: str = ""
    inside: tuple[SimpleCommand, ...] = ()
    elsewhere: bool = False

    def texts(self) -> list[str]:
        """Return the words' texts."""
        return [word.text for word in self.words]


@dataclass(frozen=True)
class Script:
    """A whole command text.

    Attributes:
        commands: its simple commands in order, without those inside substitutions.
        problems: why it is not fully understood, one short English phrase each; empty if it is plain.
    """

    commands: tuple[SimpleCommand, ...]
    problems: tuple[str, ...] = ()

    def everything(self) -> Iterator[SimpleCommand]:
        """Yield every command, those inside substitutions after the one that holds them."""
        yield from _everything(self.commands)


def _everything(commands: tuple[SimpleCommand, ...]) -> Iterator[SimpleCommand]:
    for command in commands:
        yield command
        yield from _everything(command.inside)


def plain(shape: str) -> str:
    """Return a shape's text without marks."""
    return shape.replace(QUOTED, "").replace(UNKNOWN, "")


def quoted(text: str) -> str:
    """Return the shape of text that was quoted."""
    return "".join(QUOTED + character if character in _SPECIAL else character for character in text)


@dataclass
class Draft:
    """A command while it is being read; the body of its here-documents may come after its end."""

    start: int
    before: str = ""
    after: str = ""
    source: str = ""
    group: tuple[int, ...] = ()
    words: list[Word] = field(default_factory=list)
    assignments: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    inside: list[Draft] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    upstream: Draft | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing was read yet."""
        return not (self.words or self.assignments or self.redirects or self.inside)

    def command(self) -> SimpleCommand:
        """Return what was read; its here-documents have been read by then."""
        return SimpleCommand(
            words=tuple(self.words),
            assignments=tuple(self.assignments),
            redirects=tuple(self.redirects),
            body="".join(self.body),
            source=self.source,
            before=self.before,
            after=self.after,
            group=self.group,
            piped_from=self.upstream.source if self.upstream else "",
            inside=tuple(draft.command() for draft in self.inside),
        )
