"""Reads what the tools' results show: lines of a file, paths of a listing, matches of a search, the end of a command.

Everything here takes any text and gives back what it could make out: results may be cut, edited, or come from tools of other programs.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LINES_AT_MOST = 5000
"""Lines of one result that are looked at; tools send fewer."""

_NUMBERED = re.compile(r"\s*(-?\d+)[:\t→|] ?(.*)")
_OF_TOTAL = re.compile(r"\(lines? (\d+)(?:[-–](\d+))? of (?:at least )?(\d+)")
_EXIT = re.compile(r"\[exit code (-?\d+)\b[^\]\n]*\]")
_MATCHES = re.compile(r"(?:Found )?(?:at least )?([\d,]+) match(?:es)? in ([\d,]+) files?")
_FOUND_FILES = re.compile(r"Found ([\d,]+) files?")
_NOTHING = re.compile(r"\s*No (?:files?|match\w*)\b", re.IGNORECASE)
_TREE = re.compile(r"^[\s│├└─┬|`]*(?:[-*] )?")
_SIZE = re.compile(r"(?:\s+\(?(?:[\d.,]+\s?(?:B|KB|MB|GB|kB|KiB|MiB|GiB|bytes)|ignored|empty|symlink|link)\)?)+$", re.IGNORECASE)
_REMARK = re.compile(r"(?:…|\.\.\.)\s.*|\(.*\)|\[.*\]|<.*>|.*:|No (?:files|entries)\b.*|Found \d.*")
_SAYS_MORE = re.compile(r"(?:…|\.\.\.)\s|.*\b(?:more|not everything)\b", re.IGNORECASE)
_NOTE_BEHIND = re.compile(r"(?<=/)\s+(?:\(.*\)|…)$")


class Shown(NamedTuple):
    """What a read showed.

    Attributes:
        lines: the file's own lines, without numbers.
        first: number of the first line.
        total: lines of the whole file as far as known.
        folder: it is a listing of a folder.
        plain: the result had another form; `lines` are the result itself.
    """

    lines: list[str]
    first: int = 1
    total: int = 0
    folder: bool = False
    plain: bool = False

    @property
    def text(self) -> str:
        """The lines joined."""
        return "\n".join(self.lines)

    @property
    def whole(self) -> bool:
        """Whether the file was shown from its first to its last line."""
        return self.first == 1 and self.total <= len(self.lines)


def read_shown(result: str) -> Shown:
    """Return what a result of `read` shows."""
    lines = split_lines(result)
    folder = any(line.strip() in ("<type>folder</type>", "<type>directory</type>") for line in lines[:5])
    if any(line.strip() in ("(the file is empty)", "(the folder is empty)") for line in lines[:6]):
        return Shown([], folder=folder)
    start = next((index + 1 for index, line in enumerate(lines) if line.strip() in ("<content>", "<entries>")), None)
    if start is None:
        return Shown(lines, total=len(lines), plain=True)
    end = next((index for index in range(start, len(lines)) if lines[index].strip() in ("</content>", "</entries>")), len(lines))
    body = lines[start:end]
    if folder:
        return Shown([line.strip() for line in body if line.strip()], total=end - start, folder=True)
    found = [_NUMBERED.fullmatch(line) for line in body]
    numbered = [(int(match[1][:12]), match[2]) for match in found if match]
    total = _OF_TOTAL.search("\n".join(lines[end:]))
    first = numbered[0][0] if numbered else 1
    last = numbered[-1][0] if numbered else 0
    return Shown([text for _, text in numbered], first=first, total=int(total[3][:12]) if total else last)


def split_lines(text: str) -> list[str]:
    """Return the lines of a text, at most LINES_AT_MOST, split where editors do."""
    return [line.removesuffix("\r") for line in text.split("\n", LINES_AT_MOST)[:LINES_AT_MOST]]


class Entry(NamedTuple):
    """A file or folder of a listing, by its path from the listed folder."""

    path: str
    is_folder: bool = False

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rsplit("/", 1)[-1]


class Listing(NamedTuple):
    """What a listing shows; `cut` when it says that there is more."""

    entries: list[Entry]
    cut: bool = False

    @property
    def files(self) -> list[Entry]:
        """The entries that are not folders."""
        return [entry for entry in self.entries if not entry.is_folder]

    @property
    def folders(self) -> list[Entry]:
        """The folders."""
        return [entry for entry in self.entries if entry.is_folder]


def read_listing(result: str) -> Listing:
    """Return the entries of an indented tree, or of a plain list of paths."""
    entries: list[Entry] = []
    stack: list[tuple[int, str]] = []
    cut = False
    for line in split_lines(result):
        indent = _TREE.match(line)
        depth = len(indent[0]) if indent else 0
        name = line[depth:].rstrip()
        if not name or _REMARK.fullmatch(name):
            cut = cut or bool(_SAYS_MORE.match(name))
            continue
        is_folder, path = _entry(name, depth, stack)
        entries.append(Entry(path, is_folder))
        cut = cut or name.endswith("/ …")
        if is_folder:
            stack.append((depth, path))
    return Listing(entries, cut)


def _entry(name: str, depth: int, stack: list[tuple[int, str]]) -> tuple[bool, str]:
    """Return whether a line is a folder, and its path under the folder it is indented below."""
    name = _SIZE.sub("", _NOTE_BEHIND.sub("", name).split(" -> ", 1)[0])
    while stack and stack[-1][0] >= depth:
        stack.pop()
    is_folder = name.endswith(("/", "\\"))
    name = name.rstrip("/\\").removeprefix("./")
    return is_folder, f"{stack[-1][1]}/{name}" if stack else name


class Matches(NamedTuple):
    """What a search found, each file with its number of shown matches."""

    total: int
    files: dict[str, int]
    file_total: int


def read_matches(result: str) -> Matches:
    """Return the matches that a result of `grep` shows."""
    files: dict[str, int] = {}
    current = ""
    for line in split_lines(result):
        if re.match(r"\s+\d+[:\t]", line) and current:
            files[current] += 1
        elif (path := line.strip()) and not re.match(r"Found |No |\(|\[|…|\.\.\. |--|\d+-|binary file matches|could not read", path):
            current = path.removesuffix(":")
            files.setdefault(current, 0)
    if _NOTHING.match(result):
        files = {}
    said = _MATCHES.search(result[:2000])
    if said:
        return Matches(_number(said[1]), files, _number(said[2]))
    return Matches(sum(files.values()), files, len(files))


class FoundFiles(NamedTuple):
    """Paths that `glob` found, and how many there are in all."""

    paths: list[str]
    total: int


def read_found(result: str) -> FoundFiles:
    """Return the paths that a result of `glob` shows."""
    if _NOTHING.match(result):
        return FoundFiles([], 0)
    paths = [line.strip() for line in split_lines(result) if line.strip() and not re.match(r"\s*(?:Found \d|\(|\[|…|\.\.\. )", line)]
    said = _FOUND_FILES.search(result[:2000])
    return FoundFiles(paths, _number(said[1]) if said else len(paths))


class Ended(NamedTuple):
    """How a command ended; None when the result does not say."""

    code: int | None
    last_line: str


def read_ended(result: str) -> Ended:
    """Return exit code and last printed line of a result of `bash`."""
    codes = _EXIT.findall(result)
    lines = [line.strip() for line in result[-20_000:].split("\n")]
    said = [line for line in lines if line and line != "(no output)" and not re.match(r"\[.*\]$|\(the command ended in|\(.*lines? .*omitted", line)]
    return Ended(int(codes[-1][:12]) if codes else None, said[-1] if said else "")


def first_line(result: str) -> str:
    """Return the first line of a result that holds something."""
    return next((line.strip() for line in split_lines(result) if line.strip()), "")


def _number(digits: str) -> int:
    return int(digits.replace(",", "")[:12] or 0)
