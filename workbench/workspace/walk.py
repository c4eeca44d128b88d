"""Lists the files of a folder as people think of them: without what ignore rules leave out, without ``.git``, never through links.

ripgrep walks; without it git lists, and without git the folders are read here. All of it can be stopped at any time.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from workbench.workspace import ripgrep
from workbench.workspace.beneath import EntryKind, Folder
from workbench.workspace.ignore_rules import IgnoreRules
from workbench.workspace.ripgrep import ChildOutput
from workbench.workspace.worker import Stop, stoppable

FILE_LIMIT = 100_000
LIMIT_S = 20.0

Engine: TypeAlias = Literal["ripgrep", "git", "scan"]


@dataclass(frozen=True)
class Listing:
    """Files below a folder.

    Attributes:
        paths: relative to the folder, with slashes, in no order.
        complete: False when a limit ended it.
        engine: who walked; anything but ripgrep is slow in large folders.
        problems: what could not be read, one line each.
    """

    paths: tuple[str, ...]
    complete: bool
    engine: Engine
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class FolderEntry:
    """One entry of a folder.

    Attributes:
        ignored: an ignore rule leaves it out.
        size_bytes: of a file, else 0.
        target: where a link points, as written in it.
    """

    name: str
    kind: EntryKind
    ignored: bool = False
    size_bytes: int = 0
    target: str = ""


async def list_files(
    folder: Path, *, include_ignored: bool = False, limit: int = FILE_LIMIT, limit_s: float = LIMIT_S, top: Folder | None = None
) -> Listing:
    """List the files below a folder (a real path); may be cancelled at any time.

    Args:
        folder: is listed even if a rule above it leaves it out.
        include_ignored: leave nothing out but ``.git``.
        limit: at most this many files; then the listing is incomplete.
        limit_s: seconds; what was found by then is returned, incomplete.
        top: the folder itself, where the caller holds it: then it does not matter what its name leads to by now.
    """
    return await stoppable(lambda stop: walk(folder, stop, include_ignored=include_ignored, limit=limit, top=top), limit_s=limit_s)


def walk(
    folder: Path, stop: Stop, *, include_ignored: bool = False, limit: int = FILE_LIMIT, engine: Engine | None = None, top: Folder | None = None
) -> Listing:
    """List the files below a folder, as `list_files` does, in this thread; `stop` ends it early with what was found.

    `engine` is the best there is unless told.
    """
    try:
        held = top or Folder.hold(folder)
    except OSError as error:
        return Listing((), complete=True, engine="scan", problems=(f".: {error.strerror}",))
    match engine or _best_engine(folder):
        case "ripgrep":
            try:
                return _by_ripgrep(held, stop, include_ignored=include_ignored, limit=limit)
            except OSError:  # it was there and is not any more, or cannot be started: the other engines list as well
                return walk(folder, stop, include_ignored=include_ignored, limit=limit, engine=_engine_without_ripgrep(folder), top=held)
        case "git" if not include_ignored:
            return _by_git(held, stop, limit)
        case _:
            return _by_scan(held, stop, include_ignored=include_ignored, limit=limit)


def read_folder(folder: Path, rules: IgnoreRules, top: Folder | None = None) -> tuple[FolderEntry, ...]:
    """Return a folder's entries, folders first, in the order people count in (``a2`` before ``a10``). Blocking.

    Args:
        folder: a real path.
        rules: of this very folder.
        top: a folder that holds it, or is it, where the caller has one: nothing is read through a link below that.

    Raises:
        OSError: it cannot be read.
    """
    with Folder.hold(Path(os.path.realpath(folder))) if top is None else contextlib.nullcontext(top) as held:
        found = held.scan("." if top is None else folder.relative_to(top.path).as_posix())
    entries = [FolderEntry(one.name, one.kind, rules.ignores(one.name, is_folder=one.kind == "folder"), one.size_bytes, one.target) for one in found]
    return tuple(sorted(entries, key=lambda entry: (entry.kind != "folder", natural_key(entry.name), entry.name)))


def natural_key(name: str) -> tuple[tuple[int, str], ...]:
    """Return a sort key by which numbers in names count as numbers and upper and lower case are the same."""
    parts = re.split(r"(\d+)", name.casefold())
    return tuple((int(part), "") if part.isdecimal() and len(part) <= 300 else (-1, part) for part in parts)


def _best_engine(folder: Path) -> Engine:
    if ripgrep.find_ripgrep() is not None:
        return "ripgrep"
    return _engine_without_ripgrep(folder)


def _engine_without_ripgrep(folder: Path) -> Engine:
    return "git" if ripgrep.in_repository(folder) else "scan"


def _by_ripgrep(folder: Folder, stop: Stop, *, include_ignored: bool, limit: int) -> Listing:
    program = str(ripgrep.find_ripgrep() or "rg")
    command = [program, *ripgrep.walking(folder.path), "--files", "--null"]
    if include_ignored:
        return _run_ripgrep([*command, "--no-ignore", "./"], folder, stop, limit)
    listing = _run_ripgrep([*command, "./"], folder, stop, limit)
    if not listing.paths and not stop.requested:  # a rule above leaves out all there is, so the folder was meant in spite of it
        listing = _run_ripgrep([*command, "--no-ignore-parent", "./"], folder, stop, limit)
    extra = set(ripgrep.tracked_but_ignored(folder.path, stop, folder)).difference(listing.paths)
    return Listing((*listing.paths, *sorted(extra)), listing.complete, "ripgrep", listing.problems)


def _run_ripgrep(command: list[str], folder: Folder, stop: Stop, limit: int) -> Listing:
    output = ChildOutput()
    with contextlib.closing(ripgrep.records(ripgrep.read(command, folder, stop, output), b"\0")) as names:
        paths, full = _take((os.fsdecode(name).removeprefix("./") for name in names), limit)
    complete = not full and not stop.requested and output.code in {0, 1, 2}
    return Listing(paths, complete, "ripgrep", problem_lines(output.errors))


def _by_git(folder: Folder, stop: Stop, limit: int) -> Listing:
    output = ChildOutput()
    try:
        with contextlib.closing(ripgrep.listed_by_git(folder, stop, output)) as names:
            paths, full = _take(ripgrep.plain_files(folder, names), limit)
    except OSError:
        paths, full = (), False
    if not paths and not stop.requested:
        return _by_scan(folder, stop, include_ignored=False, limit=limit)
    return Listing(paths, not full and not stop.requested and output.code == 0, "git")


def _by_scan(folder: Folder, stop: Stop, *, include_ignored: bool, limit: int) -> Listing:
    problems: list[str] = []
    paths, full = _take(_scanned(folder, IgnoreRules.of(folder.path), stop, problems, include_ignored=include_ignored), limit)
    if not paths and not stop.requested:  # as with ripgrep: the folder was meant in spite of the rules above it
        problems.clear()
        rules = IgnoreRules.of(folder.path, above=False)
        paths, full = _take(_scanned(folder, rules, stop, problems, include_ignored=include_ignored), limit)
    return Listing(paths, not full and not stop.requested, "scan", tuple(problems))


def _scanned(held: Folder, top: IgnoreRules, stop: Stop, problems: list[str], *, include_ignored: bool) -> Iterator[str]:
    """Yield the files below a folder; a stack instead of recursion, because folders may be nested deeper than calls."""
    waiting = [("", top)]
    while waiting and not stop.requested:
        prefix, rules = waiting.pop()
        try:
            entries = read_folder(rules.folder, rules, held)
        except OSError as error:
            problems.append(f"{prefix or '.'}: {error.strerror}")
            continue
        wanted = [entry for entry in entries if entry.name != ".git" and (include_ignored or not entry.ignored)]
        yield from (prefix + entry.name for entry in wanted if entry.kind == "file")
        waiting += [(f"{prefix}{entry.name}/", rules.entering(entry.name)) for entry in wanted if entry.kind == "folder"]


def _take(names: Iterator[str], limit: int) -> tuple[tuple[str, ...], bool]:
    """Return at most `limit` names, and whether there were more."""
    taken: list[str] = []
    for name in names:
        if len(taken) >= limit:
            return tuple(taken), True
        taken.append(name)
    return tuple(taken), False


def problem_lines(errors: str) -> tuple[str, ...]:
    """Return what ripgrep could not read, at most 20 lines, without its own name."""
    return tuple(line.removeprefix("rg: ").removeprefix("./") for line in errors.splitlines()[:20] if line.strip())

