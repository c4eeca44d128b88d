"""Reads the bytes of requests and responses in threads, so that the window goes on whatever their size; only the newest wish is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import msgspec
from PySide6.QtCore import QObject
from shiboken6 import isValid

from workbench.conversation.exchange import BodyRef
from workbench.errors import StoreError
from workbench.inspection.bodies import CallLinks, JsonBody, NotJson, call_links
from workbench.store.session_store import SessionStore
from workbench.ui.desk import Desk
from workbench.ui.inspector.text_lines import TextLines
from workbench.words import _, tell

T = TypeVar("T")
NO_LINKS = CallLinks({}, {})


class Recorded:
    """Reads for one view what was recorded.

    Args:
        desk: runs the reading; its session is the one that is read.
        view: who asks; nothing is told any more once it is gone.
    """

    def __init__(self, desk: Desk, view: QObject) -> None:
        self._desk, self._view = desk, view
        self._wish = 0

    @property
    def store(self) -> SessionStore | None:
        """The files of the session that is shown; None if there is none."""
        return self._desk.bridge.opened.store if self._desk.bridge.opened else None

    def read(self, job: Callable[[SessionStore], T], done: Callable[[T], None], failed: Callable[[str], None]) -> None:
        """Run `job` in a thread and give its value to `done`, or a sentence to `failed`; an earlier wish of this view is forgotten."""
        self._wish += 1
        store = self.store
        if store is not None:
            self._desk.spawn(self._run(self._wish, store, job, done, failed), name="read an exchange")

    def forget(self) -> None:
        """Do not answer the last wish."""
        self._wish += 1

    async def _run(self, wish: int, store: SessionStore, job: Callable[[SessionStore], T], done: Callable[[T], None], failed: Callable[[str], None]) -> None:
        try:
            found = await asyncio.to_thread(job, store)
        except StoreError as error:
            if wish == self._wish and isValid(self._view):
                failed(tell(error))
            return
        if wish == self._wish and isValid(self._view):
            done(found)


@dataclass(frozen=True, kw_only=True)
class ReadBody:
    """A body, read for showing.

    Attributes:
        data: its exact bytes (with placeholders where secrets were).
        lines: the same as lines.
        json: its values; None if it is no JSON.
        fault_at: the byte where it is no JSON.
        links: which calls and results in it belong together.
        masks: where secrets were: first byte, and byte behind the last.
    """

    data: bytes
    lines: TextLines
    json: JsonBody | None
    fault_at: int = 0
    links: CallLinks = NO_LINKS
    masks: tuple[tuple[int, int], ...] = ()


def read_body(store: SessionStore, ref: BodyRef) -> ReadBody:
    """Return a request body. Blocking, for a thread.

    Raises:
        StoreError: it cannot be rebuilt.
    """
    data = store.body(ref)
    masks = tuple((span.start, span.start + span.length) for span in store.body_spans(ref))
    lines = TextLines(data)
    try:
        body = JsonBody(data)
    except NotJson as error:
        return ReadBody(data=data, lines=lines, json=None, fault_at=error.at, masks=masks)
    return ReadBody(data=data, lines=lines, json=body, links=call_links(body), masks=masks)


def laid_out(data: bytes) -> bytes:
    """Return JSON with line breaks for reading, no value changed; anything else as it is."""
    try:
        return msgspec.json.format(data, indent=2)
    except msgspec.DecodeError:
        return data


def exactness(*, exact: bool) -> str:
    """Return whether bytes are those of the wire, as a sentence."""
    return _("exact") if exact else _("not exact: a secret was replaced when it was kept")
