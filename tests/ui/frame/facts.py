"""Facts of a journal that change files, for tests that need no session."""

from __future__ import annotations

import itertools
from typing import Literal

from workbench.conversation.calls import FileChange
from workbench.conversation.events import Decided, Entry, Event, ToolFinished
from workbench.conversation.messages import ToolResultPart

_numbers = itertools.count(1)


def entry(event: Event) -> Entry:
    return Entry(next(_numbers), 0.0, event)


def finished(*changes: FileChange, call_id: str = "call_1") -> Entry:
    result = ToolResultPart(call_id=call_id, name="edit", content=())
    return entry(ToolFinished(turn_id="t", step=1, call_id=call_id, tool="edit", status="ok", result=result, files_changed=changes))


def decided(call_id: str, danger: int) -> Entry:
    return entry(Decided(turn_id="t", step=1, call_id=call_id, tool="bash", outcome="allow", danger=danger, outside=False))


def change(path: str, before: str | None, after: str | None, added: int = 0, removed: int = 0, *, renamed_to: str = "") -> FileChange:
    operation: Literal["create", "modify", "delete", "rename"] = "modify"
    operation = "rename" if renamed_to else "create" if before is None else "delete" if after is None else operation
    return FileChange(
        path=path, operation=operation, before_sha256=before, after_sha256=after, added=added, removed=removed, renamed_to=renamed_to
    )
