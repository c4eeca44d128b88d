"""What bash makes of a word when a command runs: braces, ``~``, known variables, and globs against the disk. All of it or nothing.

The order is bash's: braces first, then ``~`` and variables, then names on the disk. A pattern that could match ``..`` is not
expanded, because shells before 5.2 do match it.
"""

from __future__ import annotations

import fnmatch
import functools
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workbench.permissions.disk import Disk
from workbench.permissions.places import Roots, locate
from workbench.permissions.shell_syntax import List, NotUnderstood, Number, Simple, Substitution, Text, Variable, Word

FIELDS_AT_MOST = 400
_PRINTED_ONLY = frozenset({"?", "#", "PATH", "SHELL", "LANG", "VIRTUAL_ENV"})
_RANGE = re.compile(r"(0|[1-9][0-9]{0,5})\.\.(0|[1-9][0-9]{0,5})|([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z])")
_PLAIN_PRINTERS = frozenset({"date", "pwd", "whoami", "hostname", "uname", "id", "nproc", "wc", "seq", "du", "sha256sum", "md5sum"})
_PLAIN_GIT = frozenset({"rev-parse", "branch", "describe", "merge-base", "rev-list"})
_MAKES_NO_PATTERN = {"date": re.compile(r"[^*?\[\\$]*"), "seq": re.compile(r"[^*?\[\\$]*"), "git": re.compile(r"[^*?\[\\$%]*")}
"""What these print may be words of the command itself; ``%x2a`` in a format of git is a ``*``."""
_GLOB = frozenset("*?[")
_BRACKET = re.compile(r"\[[!^]?[A-Za-z0-9_.]*(?:0-9)?[A-Za-z0-9_.]*\]")
_BLANK_OR_GLOB = re.compile(r"[\s*?\[\\]")


class Field(NamedTuple):
    """One argument as the program gets it. The text of an `opaque` one is known only when the command runs.

    One of `several` names that a pattern stands for has no certain place among them: each language sorts in its own way.
    """

    text: str
    opaque: bool = False
    several: bool = False


class Scope(NamedTuple):
    """What words are expanded with: the real folder and its name in PWD, the loop variables, the roots (for HOME) and the disk."""

    folder: str
    pwd: str
    variables: Mapping[str, str]
    roots: Roots
    disk: Disk


class _Flat(NamedTuple):
    """A word with its variables put in: its characters, and for each ``q`` if it is quoted, else ``u``."""

    text: str
    marks: str


def fields(word: Word, scope: Scope, *, printed: bool = False) -> list[Field]:
    """Return what a word becomes: one field, none, or one for each brace choice and each name that matches.

    Args:
        word: the word.
        scope: where it is expanded.
        printed: it is an operand of ``echo`` or ``printf``, where values that are only known later do no harm.

    Raises:
        NotUnderstood: its value cannot be known.
    """
    if any(isinstance(piece, Substitution) or (isinstance(piece, Variable) and piece.name in _PRINTED_ONLY) for piece in word.pieces):
        return [_opaque(word, printed)]
    found: list[Field] = []
    for choice in _braces(_flat(word, scope, printed)):
        names = _names(_home(choice, scope), scope)
        found.extend(Field(text, several=len(names) > 1) for text in names)
        if len(found) > FIELDS_AT_MOST:
            raise NotUnderstood("a word that stands for very many")
    return found


def literal(word: Word, scope: Scope) -> str:
    """Return the value of a word where bash expands no globs and no braces (redirects of text, ``[[ ]]``).

    Raises:
        NotUnderstood: its value cannot be known.
    """
    if any(isinstance(piece, Substitution) for piece in word.pieces):
        raise NotUnderstood("a value known only when it runs")
    return _home(_flat(word, scope, printed=False), scope).text


def _opaque(word: Word, printed: bool) -> Field:
    if not printed or any(isinstance(piece, Substitution) and piece.as_file for piece in word.pieces):
        raise NotUnderstood("a value known only when it runs")
    if any(isinstance(piece, Text) and not piece.quoted and (_GLOB | set("{~")).intersection(piece.text) for piece in word.pieces):
        raise NotUnderstood("a pattern beside a value known only when it runs")
    if not _splits_plainly(word):
        raise NotUnderstood("an unquoted value known only when it runs")
    return Field("", opaque=True)


def _splits_plainly(word: Word) -> bool:
    """Say whether no unquoted piece can hold a pattern: what a file says could be one, and then names from anywhere would be printed."""
    return all(piece.quoted or _prints_no_pattern(piece.commands) for piece in word.pieces if isinstance(piece, Substitution))


def _prints_no_pattern(commands: List) -> bool:
    last = [pipeline.commands[-1] for chain in commands.chains for pipeline in chain.pipelines]
    return all(isinstance(command, Simple) and _is_plain_printer([word.raw for word in command.words]) for command in last)


def _is_plain_printer(words: Sequence[str]) -> bool:
    prints_back = _MAKES_NO_PATTERN.get(words[0]) if words else None
    if prints_back and not all(map(prints_back.fullmatch, words)):
        return False
    return bool(words) and (words[0] in _PLAIN_PRINTERS or (words[0] == "git" and " ".join(words[1:2]) in _PLAIN_GIT))


def _flat(word: Word, scope: Scope, printed: bool) -> _Flat:
    text, marks = "", ""
    if "~" in word.raw and any(isinstance(piece, Text) and piece.quoted and not piece.text for piece in word.pieces):
        raise NotUnderstood("a ~ beside empty quotes")
    if any(isinstance(piece, Variable) and not piece.quoted for piece in word.pieces) and any(
        isinstance(piece, Text) and not piece.quoted and "{" in piece.text for piece in word.pieces
    ):
        raise NotUnderstood("braces beside a variable, which bash expands first")
    for piece in word.pieces:
        match piece:
            case Text(value, quoted):
                pass
            case Number(value):
                quoted = True
            case Variable(name, quoted):
                value = _value(name, quoted, word, scope, printed)
                quoted = True
            case _:
                raise NotUnderstood("a value known only when it runs")
        text += value
        marks += ("q" if quoted else "u") * len(value)
    return _Flat(text, marks)


def _value(name: str, quoted: bool, word: Word, scope: Scope, printed: bool) -> str:
    if name in scope.variables:
        if not quoted:
            raise NotUnderstood("a loop variable without quotes")
        return scope.variables[name]
    if name == "PWD":
        value: str | None = scope.pwd
    elif name in {"HOME", "USER"}:
        value = scope.roots.home
    else:
        value = None
    if not value or (not quoted and _BLANK_OR_GLOB.search(value)):
        raise NotUnderstood(f"the value of ${name}")
    if name == "USER":
        if not printed and (len(word.pieces) > 2 or not quoted):
            raise NotUnderstood("the value of $USER inside a word")
        return value.rstrip("/").rpartition("/")[2]
    return value


# Braces


def _braces(flat: _Flat) -> list[_Flat]:
    """Expand ``{a,b}`` and ``{1..9}``, leftmost group first; nested groups are not understood."""
    start, end = _group(flat)
    if start < 0:
        return [flat]
    choices = _choices(_Flat(flat.text[start + 1 : end], flat.marks[start + 1 : end]))
    rest = _braces(_Flat(flat.text[end + 1 :], flat.marks[end + 1 :]))
    if len(choices) * len(rest) > FIELDS_AT_MOST:
        raise NotUnderstood("a word that stands for very many")
    head, head_marks = flat.text[:start], flat.marks[:start]
    found = [
        _Flat(head + choice.text + tail.text, head_marks + choice.marks + tail.marks)
        for choice, tail in itertools.product(choices, rest)
    ]
    if not all(flat.text for flat in found):
        raise NotUnderstood("an empty choice in braces")
    return found


def _group(flat: _Flat) -> tuple[int, int]:
    """Return where the first group of choices begins and ends; -1 if there is none. ``{}`` and ``{x}`` are plain text."""
    start = -1
    for at, (character, mark) in enumerate(zip(flat.text, flat.marks, strict=True)):
        if mark == "q" or character not in "{}":
            continue
        if character == "{":
            if start >= 0:
                raise NotUnderstood("nested braces")
            start = at
        elif start < 0:
            raise NotUnderstood("a } without {")
        elif _has_choices(flat, start, at):
            return start, at
        else:
            start = -1
    if start >= 0:
        raise NotUnderstood("a { without }")
    return -1, -1


def _has_choices(flat: _Flat, start: int, end: int) -> bool:
    inside = range(start + 1, end)
    return any(flat.marks[at] == "u" and flat.text[at] == "," for at in inside) or ".." in flat.text[start:end]


def _choices(inside: _Flat) -> list[_Flat]:
    commas = [at for at, character in enumerate(inside.text) if character == "," and inside.marks[at] == "u"]
    if commas:
        bounds = [-1, *commas, len(inside.text)]
        return [_Flat(inside.text[low + 1 : high], inside.marks[low + 1 : high]) for low, high in itertools.pairwise(bounds)]
    match = _RANGE.fullmatch(inside.text)
    if match is None or "q" in inside.marks:
        raise NotUnderstood("a range in braces")
    first, last = [group for group in match.groups() if group is not None]
    numbers = first.isdigit()
    low, high = (int(first), int(last)) if numbers else (ord(first), ord(last))
    step = 1 if high >= low else -1
    if abs(high - low) > FIELDS_AT_MOST:
        raise NotUnderstood("a long range in braces")
    return [_Flat(text, "q" * len(text)) for number in range(low, high + step, step) for text in [str(number) if numbers else chr(number)]]


# Home


def _home(flat: _Flat, scope: Scope) -> _Flat:
    """Put HOME in for a leading ``~``; where bash might expand another ``~``, give up."""
    if flat.text[:1] == "~" and flat.marks[0] == "u":
        name_end = flat.text.find("/")
        name_end = len(flat.text) if name_end < 0 else name_end
        if name_end != 1 or not scope.roots.home or "q" in flat.marks[1:2]:
            raise NotUnderstood("a ~ with a name")
        home = scope.roots.home
        flat = _Flat(home + flat.text[1:], "q" * len(home) + flat.marks[1:])
    elif "~" in flat.text and any(
        character == "~" and mark == "u" and flat.text[at] in "=:" for at, (character, mark) in enumerate(zip(flat.text[1:], flat.marks[1:], strict=True))
    ):
        raise NotUnderstood("a ~ inside a word")
    return flat


# Globs


def _names(flat: _Flat, scope: Scope) -> Sequence[str]:
    """Return the names that a pattern stands for, spelled as the pattern is; the text itself if nothing matches."""
    if flat.text == "[" or not any(mark == "u" and character in _GLOB for character, mark in zip(flat.text, flat.marks, strict=True)):
        return [flat.text]
    if "//" in flat.text:
        raise NotUnderstood("a pattern with two slashes")
    found, at, listed = [""], 0, False
    for part in flat.text.split("/"):
        marks = flat.marks[at : at + len(part)]
        at += len(part) + 1
        if not any(mark == "u" and character in _GLOB for character, mark in zip(part, marks, strict=True)):
            found = [path + part + "/" for path in found if not listed or _stands(path + part, scope)]
            continue
        matches, listed = _Matcher(part, marks), True
        found = [path + name + "/" for path in found for name in _listed(path, scope) if matches(name)]
        if len(found) > FIELDS_AT_MOST:
            raise NotUnderstood("a pattern that matches very many names")
    return sorted(path[:-1] for path in found) or [flat.text]


class _Matcher:
    """Says which names one part of a pattern matches, as bash does with its default options."""

    def __init__(self, part: str, marks: str) -> None:
        self._pattern = _compiled(part, marks)
        self._dots = part[0] == "."
        self._counts = any(mark == "u" and character in "?[" for character, mark in zip(part, marks, strict=True))
        if self._dots and self._pattern.fullmatch(".."):
            raise NotUnderstood("a pattern that may match the folder above")

    def __call__(self, name: str) -> bool:
        matches = (self._dots or name[0] != ".") and self._pattern.fullmatch(name) is not None
        if self._counts and not name.isascii() and (self._pattern.fullmatch(_in_bytes(name)) is not None) != matches:
            raise NotUnderstood("a pattern whose matches depend on the language of the shell")
        return matches


def _in_bytes(name: str) -> str:
    """Return a name as a shell sees it whose language is not there: each byte is a character."""
    return name.encode("utf-8", "surrogateescape").decode("latin-1")


@functools.lru_cache(maxsize=256)
def _compiled(part: str, marks: str) -> re.Pattern[str]:
    pattern, at = "", 0
    while at < len(part):
        character = part[at]
        if marks[at] == "q" or character not in _GLOB:
            pattern += f"[{character}]" if character in "*?[" else character
            at += 1
        elif character == "[":
            bracket = _BRACKET.match(part, at)
            if bracket is None or "q" in marks[at : bracket.end()] or len(bracket[0]) < 3:
                raise NotUnderstood("a pattern with brackets")
            pattern += bracket[0].replace("[^", "[!")
            at = bracket.end()
        else:
            pattern += character
            at += 1
    if pattern.count("*") > 6:
        raise NotUnderstood("a pattern that is slow to match")
    return re.compile(fnmatch.translate(pattern))


def _listed(path: str, scope: Scope) -> Sequence[str]:
    place = locate(path or ".", folder=scope.folder, roots=scope.roots, disk=scope.disk)
    if not place.inside:
        raise NotUnderstood("a pattern for names outside")
    try:
        return scope.disk.listdir(place.real)
    except OSError:
        return ()


def _stands(path: str, scope: Scope) -> bool:
    """Say whether a spelled-out match is there, be it a link that leads nowhere; with a slash at its end it must be a folder."""
    head, _slash, name = path.rpartition("/")
    folder = path if name in {".", ".."} else head + "/" if head or path.startswith("/") else "."
    place = locate(folder, folder=scope.folder, roots=scope.roots, disk=scope.disk)
    if place.problem or place.kind != "folder":
        return False
    return name in {"", ".", ".."} or scope.disk.lstat(f"{place.real}/{name}") is not None
