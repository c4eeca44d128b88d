"""One raw HTTP request and its response, as values: what the wire saw, and where its bytes are kept.

Bodies are not part of an event. A request body is handed over in pieces (one a message); the keeper stores each different
piece once and gives back a reference made of runs of piece ids, from which the exact bytes can be rebuilt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias

from workbench.conversation.values import Value

Headers: TypeAlias = tuple[tuple[str, str], ...]


class BodyRef(Value, kw_only=True):
    """Where a body is: runs of consecutive piece ids (first, count), its length and its SHA-256 in hex.

    `exact` is False when a known secret inside was replaced before keeping.
    """

    runs: tuple[tuple[int, int], ...]
    size_bytes: int
    sha256: str
    exact: bool = True


class Cost(Value, kw_only=True):
    """What an exchange cost, in US dollars, by the price list that was there when it ended.

    Attributes:
        total_usd, input_usd, output_usd: None when the price is not known, which is not the same as nothing.
        priced_as: the list's entry, ``provider/model``.
        price_list: version of the list.
    """

    total_usd: float | None = None
    input_usd: float | None = None
    output_usd: float | None = None
    priced_as: str = ""
    price_list: str = ""


class Chunk(NamedTuple):
    """Bytes of a response as one network read gave them; `at_s` in seconds after the request was sent."""

    at_s: float
    data: bytes


class ExchangeKeeper(Protocol):
    """Keeps the bytes of exchanges. All methods return at once; durability follows the journal's order."""

    def keep_body(self, pieces: Sequence[bytes]) -> BodyRef:
        """Keep a request body given in pieces, of which equal ones are stored once."""
        ...

    def body(self, ref: BodyRef) -> bytes:
        """Return the exact bytes of a kept body.

        Raises:
            StoreError: a piece is missing or damaged.
        """
        ...

    def keep_chunk(self, exchange_id: str, chunk: Chunk) -> None:
        """Keep the next bytes of a response."""
        ...

    def chunks(self, exchange_id: str) -> Sequence[Chunk]:
        """Return the response's bytes in order; empty if there are none."""
        ...


class MemoryKeeper:
    """An ExchangeKeeper without a disk, for sessions that are not stored and for tests."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._ids: dict[bytes, int] = {}
        self._chunks: dict[str, list[Chunk]] = {}

    def keep_body(self, pieces: Sequence[bytes]) -> BodyRef:
        """Keep a request body given in pieces."""
        return body_ref([self._id_of(piece) for piece in pieces], pieces)

    def body(self, ref: BodyRef) -> bytes:
        """Return the exact bytes of a kept body."""
        return b"".join(self._pieces[piece_id] for first, count in ref.runs for piece_id in range(first, first + count))

    def keep_chunk(self, exchange_id: str, chunk: Chunk) -> None:
        """Keep the next bytes of a response."""
        self._chunks.setdefault(exchange_id, []).append(chunk)

    def chunks(self, exchange_id: str) -> Sequence[Chunk]:
        """Return the response's bytes in order."""
        return tuple(self._chunks.get(exchange_id, ()))

    def _id_of(self, piece: bytes) -> int:
        piece_id = self._ids.setdefault(piece, len(self._pieces))
        if piece_id == len(self._pieces):
            self._pieces.append(piece)
        return piece_id


def body_ref(piece_ids: Sequence[int], pieces: Sequence[bytes], *, exact: bool = True) -> BodyRef:
    """Return the reference of a body from the ids of its pieces, in order, and the pieces themselves."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return BodyRef(runs=runs_of(piece_ids), size_bytes=sum(map(len, pieces)), sha256=digest.hexdigest(), exact=exact)


def runs_of(piece_ids: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return ids as runs: ``[3, 4, 5, 9]`` gives ``((3, 3), (9, 1))``."""
    runs: list[tuple[int, int]] = []
    for piece_id in piece_ids:
        if runs and sum(runs[-1]) == piece_id:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((piece_id, 1))
    return tuple(runs)
