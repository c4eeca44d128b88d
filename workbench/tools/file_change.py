"""A change of one file, worked out to the last byte before anybody is asked: how it is shown, written, recorded and reported."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from workbench.conversation.calls import FileChange, Preview
from workbench.conversation.values import clean_text
from workbench.errors import FileRefused, ToolError
from workbench.redaction.marks import MARK, MARK_BEGINS
from workbench.tools.base import ObjectStore
from workbench.workspace.files import FileBytes, read_file
from workbench.workspace.hard_links import all_names_inside
from workbench.workspace.line_diff import LineCounts, count_changes, split_lines, unified_diff
from workbench.workspace.paths import ResolvedPath
from workbench.workspace.saving import create_file, replace_content
from workbench.workspace.tickets import Ticket

PREVIEW_LIMIT = 2 * 1024 * 1024
"""Longer texts are shown as a diff only, not as two whole texts, in characters."""

STALE_DIFF_LINES = 40
_CONTEXT_LINES = 3
_SHOWN_LINES = 40
_LINE_LIMIT = 2000


class LineSpan(NamedTuple):
    """Lines from `first` to `last`, counted from 1; `last` is before `first` where lines were only removed."""

    first: int
    last: int


@dataclass(frozen=True)
class Change:
    """New content for one file.

    Attributes:
        place: the file.
        before: its bytes and status; None if it is created.
        after: all bytes it is to have.
        old_text: the text as it is, exact line ends, no byte order mark; None if the old content is not text.
        new_text: the text as it is to be.
        spans: the lines of the new text that were replaced, in order.
        notes: sentences a person should read before approving.
    """

    place: ResolvedPath
    before: FileBytes | None
    after: bytes
    old_text: str | None
    new_text: str
    spans: tuple[LineSpan, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse to write the mark of a secret over the secret: who wrote the text was shown the mark, and knows no better.

        Raises:
            ToolError: the new text holds a mark that the old one has not.
        """
        brought = Counter(MARK.findall(self.new_text)) - Counter(MARK.findall(self.old_text or "")) if MARK_BEGINS in self.new_text else ()
        if brought:
            text = f"The new text holds {next(iter(brought))}, which stands where a secret was hidden from you: the secret would be lost."
            raise ToolError("invalid_arguments", text, "Leave such lines as they are: use edit on other lines, and do not quote the mark.")

    @property
    def base_sha256(self) -> str | None:
        """Hash of the bytes the change was made from; None if the file did not exist."""
        return None if self.before is None else self.before.sha256

    @property
    def ticket(self) -> Ticket:
        """Which file the change was made from."""
        return Ticket.of(self.place, self.before)

    def counts(self) -> LineCounts:
        """Return how many lines are added and removed."""
        return count_changes(split_lines(self.old_text or ""), split_lines(self.new_text))


def change_preview(change: Change, name: str) -> Preview:
    """Return what a person is shown: the exact new text, and for an existing file what it replaces."""
    if change.before is None:
        return Preview(kind="new_file", title=name, body=change.new_text, after=change.new_text, notes=change.notes)
    diff = unified_diff(change.old_text or "", change.new_text, name)
    whole = len(change.old_text or "") + len(change.new_text) <= PREVIEW_LIMIT
    return Preview(
        kind="diff",
        title=name,
        body=diff,
        before=change.old_text if whole else None,
        after=change.new_text if whole else None,
        notes=change.notes,
    )


def place_notes(place: ResolvedPath, name: str) -> tuple[str, ...]:
    """Return what is worth knowing of the place itself. Blocking: other names of the file are looked for."""
    notes = []
    if place.linked and place.status is not None:
        notes.append(f"{clean_text(place.request)} is reached through a link; the file that changes is {name}.")
    if place.status is not None and place.status.st_nlink > 1:
        if all_names_inside(place, place.status):
            notes.append(f"The file has {place.status.st_nlink} names (hard links); all of them change.")
        else:
            notes.append(f"The file has {place.status.st_nlink} names (hard links), and some lie elsewhere; only this one changes.")
    return tuple(notes)


def write_change(change: Change, objects: ObjectStore, name: str) -> FileChange:
    """Keep the old bytes for undo, then write the new ones. Blocking; call from a worker thread.

    Raises:
        FileRefused: nothing was written; the kind says why.
    """
    if change.before is not None:
        objects.put(change.before.content)
    after_sha256 = objects.put(change.after)
    if change.before is None:
        _create(change)
    else:
        replace_content(change.place, change.after, ticket=change.ticket)
    counts = change.counts()
    return FileChange(
        path=name,
        operation="create" if change.before is None else "modify",
        before_sha256=change.base_sha256,
        after_sha256=after_sha256,
        added=counts.added,
        removed=counts.removed,
    )


def _create(change: Change) -> None:
    try:
        create_file(change.place, change.after)
    except FileRefused as refused:
        if refused.kind == "file_exists":
            raise changed_meanwhile(change.place) from refused
        raise


def changed_meanwhile(place: ResolvedPath) -> FileRefused:
    """Return the refusal of a file that is no longer what the approved change was made from."""
    text = f"{place.request!r} changed between the plan and the write; nothing was written."
    return FileRefused("changed_during_approval", text, "Read it again, then repeat the change.")


def still_as_planned(change: Change, place: ResolvedPath) -> bool:
    """Whether the place leads where it led, and the very file stands there that stood there, or still none. Blocking."""
    return current_ticket(place) == change.ticket


def current_ticket(place: ResolvedPath) -> Ticket:
    """Return the ticket of what stands at a place now. Blocking."""
    return Ticket.of(place, read_file(place) if place.exists else None)


def outside_change(old: bytes | None, new: str, name: str) -> str:
    """Return a short diff of what changed on disk since the session saw the file; empty if the old bytes are not known."""
    if old is None:
        return ""
    return unified_diff(old.decode("utf-8", "replace"), new, name, limit_lines=STALE_DIFF_LINES)


def numbered_lines(text: str, spans: Sequence[LineSpan]) -> str:
    """Return the changed lines with three around them, numbered as read does; the middle of much is left out."""
    lines = re.sub("\r?\n", "\n", text).removesuffix("\n").split("\n") if text else []
    wanted: list[int] = []
    for span in spans:
        first, last = span.first - _CONTEXT_LINES, max(span.last, span.first - 1) + _CONTEXT_LINES
        wanted += range(max(1, first, wanted[-1] + 1 if wanted else 1), min(len(lines), last) + 1)
        if len(wanted) > _SHOWN_LINES:
            break
    out: list[str] = []
    for index, number in enumerate(wanted[:_SHOWN_LINES]):
        if index and number != wanted[index - 1] + 1:
            out.append("…")
        out.append(f"{number}: {lines[number - 1][:_LINE_LIMIT]}")
    if len(wanted) > _SHOWN_LINES:
        out.append("… more changed lines; use read to see them")
    return "\n".join(out)
