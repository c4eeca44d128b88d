"""Reads a command's options by an allow-list: what is not in the list of its command, or is abbreviated, is not understood.

An option can turn a reader into a program that writes, runs or sends; a list of the bad ones would be out of date with the next
version of the command, a list of the good ones only asks too often.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from workbench.permissions.shell_syntax import NotUnderstood

Operands: TypeAlias = Literal["paths", "texts", "pattern", "none"]
"""``pattern``: the first operand is a text, unless an option says the text or takes its place; the others are paths."""


class Look(NamedTuple):
    """What an understood command reads. `trees` are folders of which it prints the content of any file, `pattern` is what it looks for or runs."""

    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    pattern: str | None = None


class Given(NamedTuple):
    """The options in order, each with its value ("" if it takes none), and the operands."""

    options: tuple[tuple[str, str], ...]
    operands: tuple[str, ...]

    def has(self, *names: str) -> bool:
        """Say whether one of these options is given."""
        return any(name in names for name, _value in self.options)

    def values(self, *names: str) -> tuple[str, ...]:
        """Return the values of these options, in order."""
        return tuple(value for name, value in self.options if name in names)


Check: TypeAlias = Callable[[Given], None]


@dataclass(frozen=True, kw_only=True)
class Form:
    """What a command may be given.

    Attributes:
        flags: options without a value; single letters are short, longer names long.
        texts: options with a value that is no path.
        paths: options with a value that is a path it reads.
        maybe: options whose value, if any, is attached (``--color=always``, ``-U3``).
        digits: ``-5`` is an option.
        operands: what the operands are.
        at_most: how many operands there may be.
        no_pattern: options that say the pattern or make it needless, so that every operand is a path.
        default: the path that is read when none is named.
        check: looks at everything together; raises NotUnderstood.
        alone: it has a way of its own to read options: letters do not join, and what follows the first operand is never an option.
        apart: letters with a value stand alone, because the program takes the next word, whatever follows the letter.
        in_front: options stand before the operands: behind them the program would take one for an operand, perhaps for a value or a file to write.
        strict: a value never begins with ``-``: where the program wants none at this place, it would take it for an option.
    """

    flags: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    maybe: frozenset[str] = frozenset()
    digits: bool = False
    operands: Operands = "paths"
    at_most: int | None = None
    no_pattern: frozenset[str] = frozenset()
    default: str = ""
    check: Check | None = None
    alone: bool = False
    apart: bool = False
    in_front: bool = False
    strict: bool = False

    def with_more(self, *, flags: str = "", texts: str = "", maybe: str = "", check: Check | None = None) -> Form:
        """Return the form with more options; see `options`."""
        return replace(
            self, flags=self.flags | options(flags), texts=self.texts | options(texts), maybe=self.maybe | options(maybe), check=check or self.check
        )


def options(text: str) -> frozenset[str]:
    """Return the options of a list: a word that starts with ``-`` is a cluster of letters, any other a long name."""
    found: set[str] = set()
    for word in text.split():
        found.update(word[1:] if word.startswith("-") else [word])
    return frozenset(found)


def form(
    flags: str = "", texts: str = "", *, paths: str = "", maybe: str = "", digits: bool = False, operands: Operands = "paths", at_most: int | None = None,
    no_pattern: str = "", default: str = "", check: Check | None = None, alone: bool = False, apart: bool = False, in_front: bool = False,
) -> Form:  # fmt: skip
    """Return a form from lists of options as they are written in the tables."""
    return Form(
        flags=options(flags) | {"version", "help"}, texts=options(texts), paths=options(paths), maybe=options(maybe), digits=digits, operands=operands,
        at_most=at_most, no_pattern=options(no_pattern), default=default, check=check, alone=alone, apart=apart, in_front=in_front,
    )  # fmt: skip


def given(arguments: Sequence[str], allowed: Form) -> Given:
    """Sort arguments into options and operands.

    Raises:
        NotUnderstood: an option is not in the form, lacks its value, or has one it may not have.
    """
    found: list[tuple[str, str]] = []
    operands: list[str] = []
    rest = list(reversed(arguments))
    while rest:
        argument = rest.pop()
        if argument == "--" or (allowed.alone and operands):
            operands.extend(reversed(rest) if argument == "--" and not operands else (argument, *reversed(rest)))
            break
        if argument == "-" or not argument.startswith("-"):
            operands.append(argument)
        elif operands and allowed.in_front:
            raise NotUnderstood("an option behind an operand")
        elif argument.startswith("--"):
            found.append(_long(argument, rest, allowed))
        elif allowed.digits and argument[1:].isascii() and argument[1:].isdigit():
            found.append(("digits", argument[1:]))
        else:
            found.extend(_short(argument, rest, allowed))
    if allowed.at_most is not None and len(operands) > allowed.at_most:
        raise NotUnderstood("more operands than it only reads")
    return Given(tuple(found), tuple(operands))


def _long(argument: str, rest: list[str], allowed: Form) -> tuple[str, str]:
    name, equals, value = argument[2:].partition("=")
    if len(name) < 2:
        raise NotUnderstood(f"the option {argument}")
    if name in allowed.maybe or (not equals and name in allowed.flags):
        return name, value
    if name in allowed.texts or name in allowed.paths:
        return name, value if equals else _next(argument, rest, allowed)
    raise NotUnderstood(f"the option --{name}")


def _short(argument: str, rest: list[str], allowed: Form) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if allowed.alone and len(argument) > 2 and not (argument[1] in allowed.texts and argument[2:].isascii() and argument[2:].isdigit()):
        raise NotUnderstood(f"the option {argument}")
    for at, letter in enumerate(argument[1:], start=2):
        if letter in allowed.flags:
            found.append((letter, ""))
        elif letter in allowed.maybe:
            return [*found, (letter, argument[at:])]
        elif letter in allowed.texts or letter in allowed.paths:
            if allowed.apart and argument[at:] and not (argument[at:].isascii() and argument[at:].isdigit()):
                raise NotUnderstood(f"the option {argument}")
            return [*found, (letter, argument[at:] or _next(f"-{letter}", rest, allowed))]
        else:
            raise NotUnderstood(f"the option -{letter}")
    return found


def _next(option: str, rest: list[str], allowed: Form) -> str:
    if not rest or (allowed.strict and rest[-1].startswith("-")):
        raise NotUnderstood(f"the option {option} without its value")
    return rest.pop()


def look(arguments: Sequence[str], allowed: Form) -> tuple[Given, Look]:
    """Return what arguments say and what is read.

    Raises:
        NotUnderstood: they are outside the form.
    """
    said = given(arguments, allowed)
    if allowed.check:
        allowed.check(said)
    paths = list(said.operands) if allowed.operands in {"paths", "pattern"} else []
    pattern = None
    if allowed.operands == "none" and said.operands:
        raise NotUnderstood("an operand")
    if allowed.operands == "pattern" and not said.has(*allowed.no_pattern):
        pattern, paths = (paths[0], paths[1:]) if paths else (None, [])
    if not paths and allowed.default:
        paths = [allowed.default]
    paths += said.values(*allowed.paths)
    return said, Look(paths=tuple(path for path in paths if path != "-"), pattern=pattern)
