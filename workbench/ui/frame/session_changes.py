"""Which files the calls of a session changed, folded from its facts: marks for the tree, counts for the list of changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from workbench.conversation.calls import FileChange
from workbench.conversation.events import Decided, Entry, ToolFinished

Letter: TypeAlias = Literal["M", "A", "D"]

LETTER_TOKENS: dict[Letter, str] = {"M": "level2", "A": "ok", "D": "fail"}


class FileMark(NamedTuple):
    """What the session did to one file, all its calls together; `added` and `removed` count lines of each call."""

    letter: Letter
    added: int
    removed: int


class LineSums(NamedTuple):
    """Lines added and removed, of all files together."""

    added: int
    removed: int

    def text(self) -> str:
        """Return them as people read them, ``+23 −7``."""
        return f"+{self.added} −{self.removed}"


@dataclass
class _File:
    before: str | None
    after: str | None
    added: int = 0
    removed: int = 0

    def mark(self) -> FileMark | None:
        """Return None for a file that is again what it was."""
        if self.before == self.after:
            return None
        letter: Letter = "A" if self.before is None else "D" if self.after is None else "M"
        return FileMark(letter, self.added, self.removed)


class SessionChanges:
    """The files that calls of one session changed.

    Attributes:
        marks: by path as the facts have it (relative to the workspace with slashes, absolute outside), in the order of first change.
        folders: every folder that holds a marked file, relative with slashes; the workspace folder itself is the empty text.
    """

    def __init__(self) -> None:
        self.marks: dict[str, FileMark] = {}
        self.folders: frozenset[str] = frozenset()
        self._files: dict[str, _File] = {}
        self._may_write: set[str] = set()

    def add(self, entries: Iterable[Entry]) -> bool:
        """Take further facts; return whether something on disk may be other than before."""
        touched = False
        for entry in entries:
            match entry.event:
                case ToolFinished() as finished:
                    touched = self._finish(finished) or touched
                case Decided(danger=danger, call_id=call_id) if danger > 0:
                    self._may_write.add(call_id)
                case _:
                    pass
        if touched:
            self.marks = {path: mark for path, file in self._files.items() if (mark := file.mark()) is not None}
            self.folders = frozenset(folder for path in self.marks for folder in folders_above(path))
        return touched

    @property
    def sums(self) -> LineSums:
        """Lines added and removed in all files that are marked."""
        return LineSums(sum(mark.added for mark in self.marks.values()), sum(mark.removed for mark in self.marks.values()))

    def deleted_in(self, folder: str) -> tuple[str, ...]:
        """Return the names of files that were deleted right in a folder."""
        prefix = f"{folder}/" if folder else ""
        gone = (path.removeprefix(prefix) for path, mark in self.marks.items() if mark.letter == "D" and path.startswith(prefix))
        return tuple(name for name in gone if name and "/" not in name)

    def _finish(self, finished: ToolFinished) -> bool:
        for change in finished.files_changed:
            self._change(change)
        may_write = finished.call_id in self._may_write and finished.status != "denied"
        self._may_write.discard(finished.call_id)
        return bool(finished.files_changed) or may_write

    def _change(self, change: FileChange) -> None:
        if change.renamed_to:
            self._set(change.path, change.before_sha256, None, change)
            self._set(change.renamed_to, None, change.after_sha256 or change.before_sha256, change)
        else:
            self._set(change.path, change.before_sha256, change.after_sha256, change)

    def _set(self, path: str, before: str | None, after: str | None, change: FileChange) -> None:
        file = self._files.setdefault(path, _File(before, after))
        file.after = after
        file.added += change.added
        file.removed += change.removed


def folders_above(path: str) -> tuple[str, ...]:
    """Return the folders a relative path leads through, the nearest first and the workspace folder (empty) last; none of an absolute one."""
    if path.startswith("/") or ":" in path[:2]:
        return ()
    names = path.split("/")[:-1]
    return tuple("/".join(names[:count]) for count in range(len(names), -1, -1))
