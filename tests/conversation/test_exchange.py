"""Tests of exchanges: bodies as runs of piece ids, and the keeper in memory."""

from __future__ import annotations

import hashlib
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.conversation.exchange import Chunk, MemoryKeeper, body_ref, runs_of

PIECES = st.lists(st.sampled_from([b"", b"{", b"a" * 50, b"b", "ü".encode(), b"}"]), max_size=30)


def test_consecutive_ids_are_one_run() -> None:
    assert runs_of([3, 4, 5, 9]) == ((3, 3), (9, 1))
    assert runs_of([]) == ()
    assert runs_of([2, 2, 1]) == ((2, 1), (2, 1), (1, 1))


@settings(deadline=None, database=None)
@given(st.lists(st.integers(0, 20)))
def test_runs_say_exactly_the_ids(ids: list[int]) -> None:
    runs = runs_of(ids)
    assert [first + offset for first, count in runs for offset in range(count)] == ids
    assert all(sum(run) != following[0] for run, following in pairwise(runs)), "runs that could be one"


@settings(deadline=None, database=None)
@given(st.lists(PIECES, max_size=6))
def test_a_kept_body_is_rebuilt_exactly(bodies: list[list[bytes]]) -> None:
    keeper = MemoryKeeper()
    refs = [keeper.keep_body(pieces) for pieces in bodies]
    for ref, pieces in zip(refs, bodies, strict=True):
        whole = b"".join(pieces)
        assert keeper.body(ref) == whole
        assert (ref.size_bytes, ref.sha256, ref.exact) == (len(whole), hashlib.sha256(whole).hexdigest(), True)


def test_a_growing_conversation_stays_a_handful_of_runs() -> None:
    keeper = MemoryKeeper()
    messages: list[bytes] = []
    for number in range(200):
        messages += [b"question %d" % number, b"answer %d" % number]
        ref = keeper.keep_body([b'{"messages":[', *messages, b"]}"])
    assert len(ref.runs) <= 3


def test_chunks_come_back_in_order_by_exchange() -> None:
    keeper = MemoryKeeper()
    keeper.keep_chunk("e1", Chunk(0.1, b"a"))
    keeper.keep_chunk("e2", Chunk(0.2, b"b"))
    keeper.keep_chunk("e1", Chunk(0.3, b"c"))
    assert keeper.chunks("e1") == (Chunk(0.1, b"a"), Chunk(0.3, b"c"))
    assert keeper.chunks("never") == ()


def test_a_reference_can_say_that_a_body_is_not_exact() -> None:
    assert not body_ref([1], [b"x"], exact=False).exact
