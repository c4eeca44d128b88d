"""Request bodies: each different piece kept once, each body a reference made of runs of piece ids.

A conversation's request repeats almost all of the one before it. The pieces of the last body are remembered with the state of the hash
behind each of them, so that keeping the next body costs what is new in it.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from workbench.conversation.exchange import BodyRef, runs_of
from workbench.errors import StoreError
from workbench.store.masking import Masks, Span, cut_spans, masked
from workbench.store.reader import Reader
from workbench.store.schema import PieceRow, deflate, inflate, insert, pack_spans, sound_row, unpack_spans
from workbench.store.writer import Job

if TYPE_CHECKING:
    from hashlib import _Hash


class _Stored(NamedTuple):
    """A piece as it is kept: its bytes, and what is masked in them."""

    data: bytes
    spans: tuple[Span, ...]


class _Kept(NamedTuple):
    """A piece of the last body, as it was given, and the body up to and with it."""

    piece: bytes
    piece_id: int
    body_hash: _Hash
    body_bytes: int
    masked: bool


@dataclass
class _Last:
    masks: Masks = field(default_factory=Masks)
    kept: list[_Kept] = field(default_factory=list)


class Bodies:
    """Keeps and rebuilds request bodies. Both may be called from any thread.

    Args:
        submit: takes a job for the writer.
        reader: reads what is committed.
    """

    def __init__(self, submit: Callable[[Job], None], reader: Reader, *, name: str) -> None:
        self._submit = submit
        self._reader = reader
        self._name = name
        self._lock = threading.Lock()
        self._ids: dict[bytes, int] = {}
        self._masked_ids: set[int] = set()
        self._next_id = 1
        self._pending: dict[int, _Stored] = {}
        self._last = _Last()

    def load_known(self) -> None:
        """Learn the pieces that are on the disk already.

        Raises:
            StoreError: the table cannot be read.
        """
        for piece_id, sha256, is_masked in self._reader.rows("SELECT id, sha256, length(spans) > 0 FROM piece ORDER BY id"):
            self._ids[sha256] = piece_id
            self._next_id = piece_id + 1
            if is_masked:
                self._masked_ids.add(piece_id)

    def keep(self, pieces: Sequence[bytes], masks: Masks) -> BodyRef:
        """Keep a body. Length and SHA-256 of the reference are those of the bytes as kept, with secrets masked.

        Raises:
            StoreFailed: an earlier commit failed.
        """
        with self._lock:
            same = self._common(pieces, masks)
            new = list(pieces[same:])
            spans = self._new_spans(new, same, masks)
            if spans is None:
                same, new = 0, list(pieces)
                spans = masks.spans(b"".join(new))
            kept = self._last.kept[:same]
            for piece, stored in zip(new, _stored(new, spans), strict=True):
                kept.append(self._keep_piece(kept[-1] if kept else None, piece, stored))
            self._last = _Last(masks, [] if _crosses_a_border(new, spans) else kept)
            return _reference(kept)

    def body(self, ref: BodyRef) -> bytes:
        """Return the bytes of a kept body, checked against the reference.

        Raises:
            StoreError: a piece is missing or damaged.
        """
        data = b"".join(stored.data for first, count in ref.runs for stored in self._pieces(first, count))
        if hashlib.sha256(data).hexdigest() != ref.sha256:
            raise self._damaged("its bytes are not those that were kept")
        return data

    def spans(self, ref: BodyRef) -> tuple[Span, ...]:
        """Return where secrets were masked in a body; empty when the body is exact.

        Raises:
            StoreError: the pieces cannot be read.
        """
        if ref.exact:
            return ()
        start = 0
        found: list[Span] = []
        for first, count in ref.runs:
            for stored in self._pieces(first, count):
                found += [Span(start + span.start, span.length) for span in stored.spans]
                start += len(stored.data)
        return tuple(found)

    def _common(self, pieces: Sequence[bytes], masks: Masks) -> int:
        """Return how many pieces at the beginning are those of the last body, kept under the same masks."""
        if self._last.masks is not masks:
            return 0
        count = 0
        for kept, piece in zip(self._last.kept, pieces, strict=False):
            if kept.piece is not piece and kept.piece != piece:
                break
            count += 1
        return count

    def _new_spans(self, new: Sequence[bytes], same: int, masks: Masks) -> tuple[Span, ...] | None:
        """Return where secrets stand in the new pieces; None if one begins in a piece before them."""
        if not masks.longest:
            return ()
        before = b""
        for kept in reversed(self._last.kept[:same]):
            if len(before) >= masks.longest - 1:
                break
            before = kept.piece + before
        before = before[max(0, len(before) - masks.longest + 1) :]
        spans = masks.spans(before + b"".join(new))
        border = len(before)
        if any(span.start < border < sum(span) for span in spans):
            return None
        return tuple(Span(span.start - border, span.length) for span in spans if span.start >= border)

    def _keep_piece(self, before: _Kept | None, piece: bytes, stored: _Stored) -> _Kept:
        piece_id = self._id_of(stored)
        body_hash = before.body_hash.copy() if before else hashlib.sha256()
        body_hash.update(stored.data)
        is_masked = piece_id in self._masked_ids or bool(before and before.masked)
        return _Kept(piece, piece_id, body_hash, (before.body_bytes if before else 0) + len(stored.data), is_masked)

    def _id_of(self, stored: _Stored) -> int:
        sha256 = hashlib.sha256(stored.data).digest()
        known = self._ids.get(sha256)
        if known is not None:
            return known
        piece_id = self._next_id
        self._pending[piece_id] = stored
        self._submit(Job(partial(_insert, piece_id, sha256, stored), partial(self._forget, piece_id)))
        self._ids[sha256] = piece_id
        self._next_id += 1
        if stored.spans:
            self._masked_ids.add(piece_id)
        return piece_id

    def _forget(self, piece_id: int) -> None:
        """Drop a piece from memory: it can be read from the disk now."""
        self._pending.pop(piece_id, None)

    def _pieces(self, first: int, count: int) -> Iterator[_Stored]:
        pending = dict(self._pending)  # before the look at the database: what is committed in between is in both
        pending.update(self._committed(first, count))
        for piece_id in range(first, first + count):
            if piece_id not in pending:
                raise self._damaged("a piece of it is missing or damaged")
            yield pending[piece_id]

    def _committed(self, first: int, count: int) -> Iterator[tuple[int, _Stored]]:
        for values in self._reader.rows("SELECT * FROM piece WHERE id >= ? AND id < ?", (first, first + count)):
            row = sound_row(values)
            if isinstance(row, PieceRow):
                yield row.id, _Stored(inflate(row.form, row.data), unpack_spans(row.spans))

    def _damaged(self, what: str) -> StoreError:
        return StoreError(
            f"A request body of session {self._name} cannot be rebuilt: {what}. The rest of the session is not concerned.",
            message_id="store.body_damaged",
            values={"session": self._name},
        )


def _insert(piece_id: int, sha256: bytes, stored: _Stored, connection: sqlite3.Connection) -> None:
    form, data = deflate(stored.data)
    insert(connection, PieceRow(piece_id, sha256, pack_spans(stored.spans), form, data))


def _stored(pieces: Sequence[bytes], spans: Sequence[Span]) -> Iterator[_Stored]:
    """Yield the pieces as they are to be kept; `spans` count in the joined pieces."""
    if not spans:
        yield from (_Stored(piece, ()) for piece in pieces)
        return
    clean = masked(b"".join(pieces), spans)
    start = 0
    for size in map(len, pieces):
        yield _Stored(clean[start : start + size], cut_spans(spans, start, size))
        start += size


def _crosses_a_border(pieces: Sequence[bytes], spans: Sequence[Span]) -> bool:
    """Say whether a secret is spread over pieces: then what is masked in one depends on its neighbours, and cannot be used again."""
    borders = accumulate(map(len, pieces))
    return bool(spans) and any(span.start < border < sum(span) for border in borders for span in spans)


def _reference(kept: Sequence[_Kept]) -> BodyRef:
    runs = runs_of([item.piece_id for item in kept])
    if not kept:
        return BodyRef(runs=runs, size_bytes=0, sha256=hashlib.sha256().hexdigest())
    last = kept[-1]
    return BodyRef(runs=runs, size_bytes=last.body_bytes, sha256=last.body_hash.hexdigest(), exact=not last.masked)
