"""Framing: the rules of the readers one by one, and that no cut of a stream changes what is read."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shared import needs_shared, shared_data
from tests.wire.cases import sse_chunks, transport_case
from workbench.errors import ResponseUnreadable
from workbench.wire.framing import Frame, FrameReader, NdjsonReader, SseReader, encode_ndjson, encode_sse


def read(chunks: Sequence[bytes], reader: FrameReader | None = None) -> list[Frame]:
    reader = SseReader() if reader is None else reader
    frames = [frame for chunk in chunks for frame in reader.feed(chunk)]
    return frames + reader.finish()


def one_by_one(data: bytes) -> list[bytes]:
    return [data[place : place + 1] for place in range(len(data))]


SEPARATORS = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\x1dh\x1ei"

READ = {
    "plain": (b"data: a\n\ndata: b\n\n", [Frame("", "a"), Frame("", "b")]),
    "crlf": (b"data: a\r\n\r\ndata: b\r\n\r\n", [Frame("", "a"), Frame("", "b")]),
    "cr alone": (b"data: a\r\rdata: b\r\r", [Frame("", "a"), Frame("", "b")]),
    "line ends mixed": (b"data: a\r\n\ndata: b\n\r", [Frame("", "a"), Frame("", "b")]),
    "no blank after the colon": (b"event:error\ndata:{}\n\ndata:[DONE]\n\n", [Frame("error", "{}"), Frame("", "[DONE]")]),
    "only one blank is taken": (b"data:  a \n\n", [Frame("", " a ")]),
    "several data lines": (b"data: a\ndata:\ndata: b\n\n", [Frame("", "a\n\nb")]),
    "a data line without a colon": (b"data\n\n", [Frame("", "")]),
    "event and id belong to one event": (b"event: x\nid: 7\ndata: a\n\ndata: b\n\n", [Frame("x", "a", "7"), Frame("", "b")]),
    "an event without data is nothing": (b"event: x\n\ndata: b\n\n", [Frame("", "b")]),
    "empty data is a frame": (b"data:\n\n", [Frame("", "")]),
    "byte order mark": (b"\xef\xbb\xbfdata: a\n\n", [Frame("", "a")]),
    "byte order mark inside is text": (b"data: \xef\xbb\xbfa\n\n", [Frame("", "\ufeffa")]),
    "a blank before data": (b" data: {}\n\n", [Frame("", "{}")]),
    "comments": (b": OPENROUTER PROCESSING\n\n:\n\ndata: a\n: in the middle\ndata: b\n\n", [Frame("", "a\nb")]),
    "unknown fields": (b"retry: 3000\nnonsense\n  x: y\ndatum: z\ndata: a\n\n", [Frame("", "a")]),
    "separators that JSON may hold": (f"data: {SEPARATORS}\n\n".encode(), [Frame("", SEPARATORS)]),
    "last event not closed": (b"data: a\n\ndata: b", [Frame("", "a"), Frame("", "b")]),
    "last event closed by half": (b"data: a\n\ndata: b\n", [Frame("", "a"), Frame("", "b")]),
    "nothing at all": (b"", []),
    "only line ends": (b"\n\r\n\r\r\n\n", []),
    "not UTF-8": (b"data: a\xffb\xe4\xb8\n\n", [Frame("", "a\ufffdb\ufffd")]),
    "a bare error field": (b'error: {"detail":"failed"}\n', [Frame("error", '{"detail":"failed"}')]),
    "a bare error field between events": (b"data: a\n\nerror:{}\n\ndata: b\n\n", [Frame("", "a"), Frame("error", "{}"), Frame("", "b")]),
    "emoji": ("data: 天气 🌍\n\n".encode(), [Frame("", "天气 🌍")]),
}


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("cut", [lambda data: [data], one_by_one, lambda data: [data[:7], b"", data[7:]]], ids=["whole", "bytes", "two"])
def test_events_are_read_by_the_rules(name: str, cut: Callable[[bytes], list[bytes]]) -> None:
    data, expected = READ[name]
    assert read(cut(data)) == expected


def test_event_is_delivered_before_the_line_feed_of_its_last_line_end_arrives() -> None:
    reader = SseReader()
    assert reader.feed(b"data: a\r\n\r") == [Frame("", "a")]
    assert reader.feed(b"\ndata: b\r\n\r\n") == [Frame("", "b")]


def test_comments_are_counted() -> None:
    reader = SseReader()
    reader.feed(b": one\n\n: tw")
    assert reader.comments == 1
    reader.feed(b"o\n\ndata: a\n\n")
    assert reader.comments == 2


def test_reader_can_be_finished_twice() -> None:
    reader = SseReader()
    reader.feed(b"event: x\ndata: a")
    assert reader.finish() == [Frame("x", "a")]
    assert reader.finish() == []


SYNTAX = [b"data", b":", b" ", b"\n", b"\r", b"\r\n", b"\n\n", b"data: ", b"event: x", b"id:1", b"error:", b": c", b"{}"]
PIECES = st.sampled_from([*SYNTAX, b"\xef\xbb\xbf", b"\xff", b"\xe4\xb8\x8a", b"\xe2\x80\xa8"])
STREAMS = st.lists(PIECES | st.binary(max_size=8), max_size=40).map(b"".join)


@given(STREAMS, st.data())
def test_no_cut_changes_what_is_read(stream: bytes, draw: st.DataObject) -> None:
    places = sorted(draw.draw(st.sets(st.integers(0, len(stream)), max_size=8)))
    cuts = [stream[start:end] for start, end in zip([0, *places], [*places, len(stream)], strict=True)]
    for new in (SseReader, NdjsonReader):
        whole, bytewise, cut = new(), new(), new()
        expected = read([stream], whole)
        assert read(one_by_one(stream), bytewise) == expected
        assert read(cuts, cut) == expected
        assert whole.comments == bytewise.comments == cut.comments


@given(STREAMS)
def test_events_equal_those_of_a_plain_reading(stream: bytes) -> None:
    """A second reader, written for clearness: the whole text at once, lines by the three ends."""
    lines = stream.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removeprefix(b"\xef\xbb\xbf").split(b"\n")
    expected: list[Frame] = []
    fields: dict[bytes, bytes] = {}
    data: list[bytes] = []
    for line in [*lines, b""]:
        name, _, value = line.partition(b":")
        value = value[1:] if value[:1] == b" " else value
        if line == b"":
            if data:
                values = fields.get(b"event", b""), b"\n".join(data), fields.get(b"id", b"")
                expected.append(Frame(*(value.decode(errors="replace") for value in values)))
            fields, data = {}, []
        elif name == b"error":
            expected.append(Frame("error", value.decode(errors="replace")))
        elif name and name.strip(b" \t") == b"data":
            data.append(value)
        elif name in (b"event", b"id"):
            fields[name] = value
    assert read([stream]) == expected


@given(
    st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"])),
    st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])).filter(lambda name: not name.startswith(" ")),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_what_is_written_as_an_event_is_read_back(data: str, event: str, newline: str) -> None:
    written = encode_sse(data, event, newline)
    assert read([written]) == read(one_by_one(written)) == [Frame(event, data)]


@given(st.text(st.characters(exclude_characters="\n\ufeff", exclude_categories=["Cs"])).filter(lambda text: text.strip(" \t\r\v\f") == text != ""))
def test_what_is_written_as_a_line_is_read_back(data: str) -> None:
    assert read(one_by_one(encode_ndjson(data)), NdjsonReader()) == [Frame("", data)]


def test_bad_arguments_of_writers_are_refused() -> None:
    with pytest.raises(ValueError, match="event name"):
        encode_sse("a", "b\nc")
    with pytest.raises(ValueError, match="line end"):
        encode_sse("a", newline="\u2028")
    with pytest.raises(ValueError, match="line feed"):
        encode_ndjson("{\n}")


def test_carriage_returns_become_line_feeds() -> None:
    assert read([encode_sse("a\r\nb\rc")]) == [Frame("", "a\nb\nc")]


def test_lone_surrogate_does_not_break_a_writer() -> None:
    assert encode_sse("a\ud800") == b"data: a?\n\n"
    assert encode_ndjson("\udfff") == b"?\n"


def test_json_lines_split_on_line_feed_only() -> None:
    text = '{"a":"\u2028\u0085\x0b"}'
    reader = NdjsonReader()
    assert read([f"{text}\r\n\n{text}\n{{}}".encode()], reader) == [Frame("", text), Frame("", text), Frame("", "{}")]
    assert reader.comments == 1


@pytest.mark.parametrize(
    ("reader", "chunk"),
    [(SseReader(1000), b"data: " + b"x" * 100), (SseReader(1000), b"data: x\n"), (SseReader(1000), b"x" * 100), (NdjsonReader(1000), b"x" * 100)],
    ids=["line", "many lines", "no field", "json"],
)
def test_endless_event_is_given_up(reader: FrameReader, chunk: bytes) -> None:
    with pytest.raises(ResponseUnreadable, match="larger than 1,000 bytes"):
        read([chunk] * 200, reader)


@pytest.mark.parametrize("new", [SseReader, NdjsonReader])
def test_huge_event_in_tiny_pieces_takes_linear_time(new: Callable[[], FrameReader]) -> None:
    """Ten times the size may take about ten times as long, not a hundred."""

    def seconds(size: int) -> float:
        stream = b"data: " + b"x" * size + b"\n\n"
        pieces = [stream[place : place + 10] for place in range(0, len(stream), 10)]
        start = time.process_time()
        (frame,) = read(pieces, new())
        assert len(frame.data) >= size
        return time.process_time() - start

    small = min(seconds(1_000_000) for _ in range(3))
    assert seconds(10_000_000) < 30 * small + 0.1


@pytest.mark.parametrize("name", ["sse-utf8-split", "sse-unicode-newlines"])
def test_reported_cut_and_separator_lose_nothing(name: str) -> None:
    case = transport_case(name)
    chunks = sse_chunks(case["input"])
    frames = read(chunks)
    assert frames == read(one_by_one(b"".join(chunks))) == read([b"".join(chunks)])
    assert case["expect"]["text"] in frames[0].data
    assert [frame.data for frame in frames].count("[DONE]") == 1
    assert not any("\ufffd" in frame.data for frame in frames)


@needs_shared
def test_recorded_streams_read_alike_however_they_are_cut() -> None:
    folder = shared_data()
    assert folder is not None
    streams = [path.read_bytes() for path in sorted((folder / "weather").rglob("*.sse"))]
    assert streams
    for stream in streams:
        assert read(one_by_one(stream)) == read([stream]) != []
