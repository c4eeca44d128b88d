"""Searches file contents with ripgrep and counts everything exactly, while keeping only as much as can be shown.

What is kept does not depend on the order in which ripgrep's threads finish: the matches that stand first by path.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from workbench.errors import ToolError
from workbench.workspace import ripgrep
from workbench.workspace.beneath import Folder
from workbench.workspace.ripgrep import ChildOutput
from workbench.workspace.walk import problem_lines
from workbench.workspace.worker import Stop

KEEP_MATCHES = 2_000
KEEP_A_FILE = 1_000
KEEP_OF_SEVERAL = 50
MAX_PATTERN_CHARACTERS = 20_000
_FILES_A_CALL = 500
_RUST_MAGIC = re.compile(r"[\\.+*?()|\[\]{}^$#&\-~]")
_FAILED = 2
_AGAINST_THE_PATTERN = re.compile(r"rg: (regex parse error|compiled regex|the literal )")
_NOT_IN_THE_DIALECT = re.compile(r"look-around, .* not supported|backreferences are not supported")


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """What to look for, and where.

    Attributes:
        pattern: Rust regular expression, or plain text if `literal`.
        folder: real path; paths in the answer are relative to it.
        file: name of the only file to search in `folder`; empty = everything below.
        context: lines shown around each match.
        multiline: a match may span lines (also when the pattern itself names a line end).
        include_ignored: leave nothing out but ``.git``.
        wanted: tells by its relative path whether a file counts.
        top: `folder` itself, where the caller holds it: then it does not matter what its name leads to by now.
    """

    pattern: str
    folder: Path
    file: str = ""
    literal: bool = False
    ignore_case: bool = False
    context: int = 0
    multiline: bool = False
    include_ignored: bool = False
    wanted: Callable[[str], bool] = lambda _path: True
    top: Folder | None = None

    @property
    def place(self) -> Folder | Path:
        """Where programs run."""
        return self.folder if self.top is None else self.top


@dataclass(frozen=True)
class FoundLine:
    """A line that matches, or stands near one.

    Attributes:
        number: from 1.
        text: without its line end; of a match that spans lines all of them; bytes that are not UTF-8 are U+FFFD.
        matches: whether it matches.
        spans: beginning and end of each hit in `text`, in characters.
    """

    number: int
    text: str
    matches: bool
    spans: tuple[tuple[int, int], ...] = ()


@dataclass
class FoundFile:
    """The matches of one file: `count` is exact, `lines` holds the first `kept` of them and what stands around them."""

    path: str
    count: int = 0
    kept: int = 0
    binary: bool = False
    lines: list[FoundLine] = field(default_factory=list)

    def keep_only(self, most: int) -> None:
        """Drop all but the first matches."""
        if self.kept <= most:
            return
        numbers = [number for number, line in enumerate(self.lines) if line.matches]
        del self.lines[numbers[most] :]
        self.kept = most


@dataclass
class Found:
    """What a search found.

    Attributes:
        files: with at least one match, by path; binary ones too.
        taken_literally: the pattern was no regular expression and was searched as plain text.
        complete: False when it was stopped early; counts are then lower bounds.
        searched: how many files were looked into.
        kept: how many matches are kept.
        problems: what could not be read, one line each.
    """

    files: list[FoundFile] = field(default_factory=list)
    taken_literally: bool = False
    complete: bool = True
    searched: int = 0
    kept: int = 0
    problems: tuple[str, ...] = ()

    @property
    def text_files(self) -> list[FoundFile]:
        """The files whose lines can be shown."""
        return [file for file in self.files if not file.binary]

    @property
    def total(self) -> int:
        """How many lines match."""
        return sum(file.count for file in self.text_files)


def search(request: SearchRequest, stop: Stop) -> Found:
    """Search. Blocking; `stop` ends it early with what was found.

    Raises:
        ToolError: ``invalid_regex`` for what the dialect does not have, ``invalid_arguments``, ``not_configured`` without ripgrep.
    """
    if ripgrep.find_ripgrep() is None:
        raise ToolError("not_configured", "The program ripgrep (rg), which searches in files, is not installed.", "Use bash with grep, or read.")
    if len(request.pattern) > MAX_PATTERN_CHARACTERS or "\0" in request.pattern:
        raise ToolError("invalid_arguments", f"The pattern is longer than {MAX_PATTERN_CHARACTERS} characters or holds a NUL.", "Search for a part of it.")
    found = Found()
    _run(request, stop, found)
    if not request.file and not request.include_ignored and not stop.requested:
        _add_tracked(request, stop, found)
    found.complete = found.complete and not stop.requested
    if request.top is not None:
        found.files = [file for file in found.files if request.top.file_status(file.path) is not None]
    found.files.sort(key=lambda file: file.path)
    return found


def _run(request: SearchRequest, stop: Stop, found: Found) -> None:
    """Search once; again across lines or as plain text if the pattern wants it, and in spite of outer rules if they leave out everything."""
    targets = (f"./{request.file}",) if request.file else ("./",)
    problem = _call(request, targets, stop, found)
    if "is not allowed in a regex" in problem:  # a line end the pattern spells in another way
        request = replace(request, multiline=True)
        problem = _call(request, targets, stop, found)
    if "regex parse error" in problem:
        _refuse_dialect(problem)
        found.taken_literally = True
        _call(request, targets, stop, found)
    elif problem:
        _refuse_dialect(problem)
    if not found.searched and not request.file and not stop.requested:
        _call(request, targets, stop, found, above=False)


def _refuse_dialect(problem: str) -> None:
    if _NOT_IN_THE_DIALECT.search(problem):
        sentence = "Look-around and backreferences are not in this dialect (Rust regular expressions)."
        raise ToolError("invalid_regex", sentence, "Search for a simpler pattern and look at the lines, or set literal to search plain text.")
    if "size limit" in problem:
        raise ToolError("invalid_regex", "The regular expression is too large when compiled.", "Use smaller repetition counts.")


def _add_tracked(request: SearchRequest, stop: Stop, found: Found) -> None:
    """Search what git tracks although a rule ignores it; nobody thinks of such a file as ignored."""
    seen = {file.path for file in found.files}
    extra = [name for name in ripgrep.tracked_but_ignored(request.folder, stop, request.top) if name not in seen]
    for start in range(0, len(extra), _FILES_A_CALL):
        _call(request, tuple(f"./{name}" for name in extra[start : start + _FILES_A_CALL]), stop, found)


def _call(request: SearchRequest, targets: Sequence[str], stop: Stop, found: Found, *, above: bool = True) -> str:
    """Call ripgrep once and add what it finds; return what it says against the pattern, if it does."""
    output = ChildOutput()
    command = _command(request, targets, literal=request.literal or found.taken_literally, above=above)
    try:
        _Collector(request, found).collect(ripgrep.records(ripgrep.read(command, request.place, stop, output), b"\n"))
    except OSError as error:
        raise ToolError("spawn_failed", f"ripgrep could not be started: {error.strerror}.", "Shorten the pattern, or try again.") from error
    if output.code == _FAILED and _AGAINST_THE_PATTERN.match(output.errors):
        return output.errors
    found.problems = (*found.problems, *problem_lines(output.errors))[:20]
    found.complete = found.complete and output.code in {0, 1, _FAILED}
    return ""


def _command(request: SearchRequest, targets: Sequence[str], *, literal: bool, above: bool) -> list[str]:
    pattern, multiline = request.pattern, request.multiline
    if literal and "\n" in pattern:
        pattern, literal = _RUST_MAGIC.sub(r"\\\g<0>", pattern), False  # -F would take each line as a pattern of its own
    multiline = multiline or "\n" in pattern or (not literal and re.search(r"(?<!\\)(?:\\\\)*\\n", pattern) is not None)
    options = {
        "--fixed-strings": literal,
        "--ignore-case": request.ignore_case,
        "--case-sensitive": not request.ignore_case,
        "--multiline": multiline,
        "--no-ignore": request.include_ignored,
        "--no-ignore-parent": not above,
    }
    chosen = [name for name, wanted in options.items() if wanted]
    context = ["--context", str(request.context)] if request.context else []
    program = str(ripgrep.find_ripgrep() or "rg")
    return [program, *ripgrep.walking(request.folder), "--json", "--crlf", *chosen, *context, "-e", pattern, "--", *targets]


class _Collector:
    """Turns ripgrep's messages into found files."""

    def __init__(self, request: SearchRequest, found: Found) -> None:
        self._request = request
        self._found = found
        self._file: FoundFile | None = None

    def collect(self, messages: Iterator[bytes]) -> None:
        """Take all messages of one call; a file's messages come in one piece."""
        for message in messages:
            is_match = message.startswith(b'{"type":"match"')
            if not is_match and not message.startswith(b'{"type":"context"'):
                self._take(msgspec.json.decode(message))
            elif self._file is not None:
                self._file.count += is_match
                if self._file.kept < KEEP_A_FILE:  # the others are only counted: there is no need to read them
                    self._file.kept += is_match
                    self._file.lines.append(_line(msgspec.json.decode(message)["data"], matches=is_match))

    def _take(self, message: dict[str, Any]) -> None:
        data = message["data"]
        if message["type"] == "begin":
            path = _text(data["path"]).removeprefix("./")
            self._file = FoundFile(path) if self._request.wanted(path) else None
        elif message["type"] == "end":
            self._end(binary=data["binary_offset"] is not None)
        elif message["type"] == "summary":
            self._found.searched += data["stats"]["searches"]

    def _end(self, *, binary: bool) -> None:
        file, self._file = self._file, None
        if file is None or not file.count:
            return
        file.binary = binary
        if binary:
            file.keep_only(0)
        files = self._found.files
        files.append(file)
        if len(files) > 1:
            files[0].keep_only(KEEP_OF_SEVERAL)
            file.keep_only(KEEP_OF_SEVERAL)
        self._found.kept += file.kept
        if self._found.kept > 2 * KEEP_MATCHES:
            self._forget()

    def _forget(self) -> None:
        """Drop the lines of the files that stand last, as long as enough is left to show."""
        kept = 0
        for file in sorted(self._found.files, key=lambda file: file.path):
            if kept >= KEEP_MATCHES:
                file.keep_only(0)
            kept += file.kept
        self._found.kept = kept


def _line(data: dict[str, Any], *, matches: bool) -> FoundLine:
    raw = _bytes(data["lines"])
    shown = raw.removesuffix(b"\n").removesuffix(b"\r")
    spans = tuple(_span(shown, hit["start"], hit["end"]) for hit in data["submatches"][:100])
    return FoundLine(data["line_number"] or 1, shown.decode(errors="replace").replace("\r\n", "\n"), matches, spans)


def _span(line: bytes, start: int, end: int) -> tuple[int, int]:
    """Return a hit's place in characters, as counted in the decoded line."""
    first = len(line[:start].decode(errors="replace").replace("\r\n", "\n"))
    return first, first + len(line[start:end].decode(errors="replace").replace("\r\n", "\n"))


def _bytes(value: dict[str, str]) -> bytes:
    """Return what ripgrep says: text, or base64 where it is not UTF-8."""
    return value["text"].encode() if "text" in value else base64.b64decode(value["bytes"])


def _text(value: dict[str, str]) -> str:
    return _bytes(value).decode(errors="surrogateescape")
