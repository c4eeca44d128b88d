"""Packed bodies: whatever way they are cut, and what is none."""

from __future__ import annotations

import contextlib
import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import ResponseUnreadable
from workbench.wire.decoding import Decoder


def unpack(coding: str, chunks: list[bytes]) -> bytes:
    decoder = Decoder(coding)
    return b"".join(piece for chunk in chunks for piece in decoder.feed(chunk)) + decoder.finish()


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=3), st.data())
def test_no_cut_changes_what_comes_out(parts: list[bytes], draw: st.DataObject) -> None:
    whole = b"".join(parts)
    forms = {
        "gzip": b"".join(map(gzip.compress, parts)),
        " X-GZIP": b"".join(map(gzip.compress, parts)) + b"\0" * 7,
        "deflate": zlib.compress(whole),
        "Deflate ": zlib.compress(whole, wbits=-15),
        "identity": whole,
        "": whole,
    }
    for coding, packed in forms.items():
        places = sorted(draw.draw(st.sets(st.integers(0, len(packed)), max_size=5)))
        cuts = [packed[start:end] for start, end in zip([0, *places], [*places, len(packed)], strict=True)]
        assert unpack(coding, cuts) == unpack(coding, [packed]) == whole


def test_pieces_stay_small_however_much_comes_out() -> None:
    decoder = Decoder("gzip")
    sizes = [len(piece) for piece in decoder.feed(gzip.compress(b"0" * 30_000_000))]
    assert sum(sizes) == 30_000_000
    assert max(sizes) <= 1 << 20


@given(st.binary())
def test_what_is_not_packed_never_breaks_in_another_way(data: bytes) -> None:
    for coding in ("gzip", "deflate"):
        with contextlib.suppress(ResponseUnreadable):
            unpack(coding, [data])


def test_unknown_coding_is_refused() -> None:
    with pytest.raises(ResponseUnreadable, match="packed as 'zstd'"):
        Decoder("zstd")
