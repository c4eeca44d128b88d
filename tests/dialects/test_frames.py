"""Frames of a response with the bytes each took, whatever the response turns out to be and however it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dialects.feeding import cut_every
from workbench.dialects.frames import FrameForm, FrameSplitter, RawFrame

LINES = [b"data: a\n\n", b"data: b\r\n\r\n", b": ping\n\n", b"event: e\ndata: x\ndata: y\n\n", b"data: \xe4\xbd\xa0\r\r", b"id: 1\n"]
PIECES = st.lists(st.sampled_from(LINES), max_size=6)


def split(body: bytes, size: int, content_type: str = "") -> tuple[list[RawFrame], FrameForm | None]:
    splitter = FrameSplitter(content_type)
    found = [frame for piece in cut_every(body, size) for frame in splitter.feed(piece)]
    return found + splitter.finish(), splitter.form


@given(PIECES.map(b"".join), st.integers(1, 30))
def test_frames_take_all_bytes_in_order(body: bytes, size: int) -> None:
    frames, _form = split(body, size)
    at = 0
    for raw in frames:
        assert raw.start == at
        assert raw.end > raw.start
        at = raw.end
    assert at <= len(body)
    assert [raw.frame for raw in frames] == [raw.frame for raw in split(body, 10_000)[0]]


@pytest.mark.parametrize("size", [1, 4, 100])
def test_json_lines_are_frames_where_the_header_says_so(size: int) -> None:
    body = b'{"a":1}\n\n{"b":2}\n{"c"'
    frames, form = split(body, size, "application/x-ndjson; charset=utf-8")
    assert form == "ndjson"
    assert [(raw.frame.data, body[raw.start : raw.end]) for raw in frames] == [('{"a":1}', b'{"a":1}\n'), ('{"b":2}', b'\n{"b":2}\n'), ('{"c"', b'{"c"')]


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("body", [b'{"a": 1}\n', b"<html>\n</html>", b"  \r\n[1]", b"plain words\nof a proxy", b"\xef\xbb\xbf{}"])
def test_body_is_one_frame(body: bytes, size: int) -> None:
    frames, form = split(body, size)
    assert [(raw.frame.data, raw.start, raw.end) for raw in frames] == [(body.decode(), 0, len(body))]
    assert form == "body"


@pytest.mark.parametrize("body", [b"", b": only signs of life\n\n: more\n\n"])
def test_nothing_gives_no_frame(body: bytes) -> None:
    assert split(body, 3)[0] == []


def test_stream_with_the_header_of_a_body_is_a_stream() -> None:
    assert split(b"data: x\n\n", 100, "application/json")[1] == "sse"
