"""Frames of a response with times, bytes and meaning: on recordings and by hand, in every cut."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import pytest

from tests.dialects.feeding import cut_every
from tests.dialects.recordings import Recorded, exchanges, index
from tests.shared import needs_shared, shared_data
from workbench.conversation.assembler import Assembler
from workbench.conversation.exchange import Chunk
from workbench.conversation.messages import DialectName
from workbench.conversation.stream import CallArgumentsDelta, ResponseEnded, ResponseFailed, TextDelta
from workbench.dialects.registry import dialect
from workbench.inspection.streams import Lane, ResponseStream, Wait, read_stream

CHAT: DialectName = "chat_completions"


def sse(*values: object) -> bytes:
    """Return an event stream of JSON values, with its end."""
    return b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values) + b"data: [DONE]\n\n"


def delta(finish: str | None = None, **members: object) -> dict[str, object]:
    return {"id": "r", "model": "m", "choices": [{"index": 0, "delta": members, "finish_reason": finish}]}


def call(place: int, arguments: str, name: str = "", call_id: str = "") -> dict[str, object]:
    function = {"arguments": arguments} | ({"name": name} if name else {})
    return delta(tool_calls=[{"index": place, "function": function} | ({"id": call_id, "type": "function"} if call_id else {})])


ANSWER = sse(
    delta(reasoning_content="Look"),
    delta(content="Two files."),
    call(0, "", "read", "c0"),
    call(0, '{"path":'),
    call(0, '"a}"}'),
    call(1, '{"path":"b"}', "read", "c1"),
    call(2, "{}", "grep", "c2"),
    delta("tool_calls"),
    {"id": "r", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}},
)


def stream_of(pieces: Iterable[bytes], step_s: float = 0.01) -> ResponseStream:
    return read_stream(CHAT, (), [Chunk(n * step_s, piece) for n, piece in enumerate(pieces, start=1)])


def test_each_frame_says_what_it_is_and_which_bytes_it_took() -> None:
    stream = stream_of(cut_every(ANSWER, 50))
    assert stream.form == "sse"
    kinds = [frame.kind for frame in stream.frames]
    assert kinds == ["reasoning", "text", "call", "arguments", "arguments", "arguments", "arguments", "other", "usage", "end"]
    assert b"".join(ANSWER[frame.start : frame.end] for frame in stream.frames) == ANSWER
    for frame in stream.frames:
        assert ANSWER[frame.start : frame.end] == b"data: " + frame.data.encode() + b"\n\n"
        assert frame.size_bytes == frame.end - frame.start
    assert (stream.size_bytes, stream.unreadable) == (len(ANSWER), "")


def test_blocks_of_the_answer_have_lanes() -> None:
    stream = stream_of([ANSWER])
    assert stream.lanes == [
        Lane(kind="control"),
        Lane(kind="reasoning"),
        Lane(kind="text"),
        Lane(kind="call", key=0, name="read", call=1),
        Lane(kind="call", key=1, name="read", call=2),
        Lane(kind="call", key=2, name="grep", call=1),
    ]
    assert [frame.lane for frame in stream.frames] == [1, 2, 3, 3, 3, 4, 5, 0, 0, 0]


def test_frame_that_completes_the_arguments_is_marked() -> None:
    stream = stream_of([ANSWER])
    assert [frame.number for frame in stream.frames if frame.completes_call] == [4, 5, 6]


def test_what_a_block_had_come_to_is_told_for_each_frame() -> None:
    stream = stream_of([ANSWER])
    assert stream.lane_text(3) == '{"path":'
    assert stream.lane_text(4) == '{"path":"a}"}'
    assert stream.lane_text(1) == "Two files."
    assert [part.call_id for part in stream.message().calls()] == ["c0", "c1", "c2"]


def test_times_and_gaps_are_those_of_the_chunks() -> None:
    first, second = sse(delta(content="a"))[:-14], sse(delta(content="b"))
    stream = read_stream(CHAT, (), [Chunk(0.5, first), Chunk(0.52, second[:10]), Chunk(1.25, second[10:])])
    assert [(frame.at_s, round(frame.gap_s, 3)) for frame in stream.frames] == [(0.5, 0.5), (1.25, 0.75), (1.25, 0.0)]
    assert stream.waits == [Wait(0.0, 0.5, 0), Wait(0.5, 1.25, 1)]
    assert stream.end_s == 1.25


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
@pytest.mark.parametrize(
    "body", [ANSWER, ANSWER.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf: hello\n\n" + ANSWER, b"data: x\n\ndata: {", "data: 你好\n\n".encode(), b""]
)
def test_no_cut_changes_the_frames(body: bytes, size: int) -> None:
    whole, cut = stream_of([body], 0.0), stream_of(cut_every(body, size), 0.0)
    assert [(frame.data, frame.kind, frame.lane, frame.events) for frame in cut.frames] == [
        (frame.data, frame.kind, frame.lane, frame.events) for frame in whole.frames
    ]
    assert b"".join(body[frame.start : frame.end] for frame in cut.frames) == body[: cut.frames[-1].end if cut.frames else 0]
    assert cut.tail == whole.tail
    assert cut.lanes == whole.lanes


@pytest.mark.parametrize("body", [b'{"error": {"message": "Slow down."}}', b"<html>Bad gateway</html>", b"upstream connect error", b'  [1,\n2]\n'])
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_body_that_is_no_stream_is_one_frame(body: bytes, size: int) -> None:
    stream = stream_of(cut_every(body, size))
    (frame,) = stream.frames
    assert (frame.data, frame.start, frame.end, stream.form) == (body.decode(), 0, len(body), "body")
    assert stream.failure is not None
    assert isinstance(stream.tail[-1] if stream.tail else frame.events[-1], ResponseFailed | ResponseEnded)


def test_plain_json_answer_is_read_whole() -> None:
    body = json.dumps({"id": "r", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]}).encode()
    stream = stream_of(cut_every(body, 9))
    assert [(frame.kind, frame.lane) for frame in stream.frames] == [("text", 1)]
    assert stream.message().text() == "Hi"


def test_cut_stream_keeps_what_came() -> None:
    stream = stream_of([ANSWER[: ANSWER.index(b"a}") + 1]])
    assert stream.lane_text(3) == '{"path":'
    assert isinstance(stream.tail[-1], ResponseEnded)
    assert stream.tail[-1].finish_reason == "incomplete"
    assert stream.message().state == "incomplete"


def test_event_that_is_too_large_is_told_and_nothing_more_is_read() -> None:
    stream = ResponseStream(CHAT)
    stream.feed(Chunk(0.1, b"data: "))
    for _ in range(65):
        stream.feed(Chunk(0.2, b"x" * (1 << 20)))
    assert "larger than" in stream.unreadable
    assert stream.size_bytes == 6 + 65 * (1 << 20)
    assert stream.feed(Chunk(0.3, b"\n\ndata: {}\n\n")) == 0


def test_finishing_twice_changes_nothing() -> None:
    stream = stream_of([ANSWER])
    before = len(stream.frames), stream.tail
    assert stream.finish() == 0
    assert (len(stream.frames), stream.tail) == before


def _recorded() -> Iterator[tuple[str, Recorded]]:
    data = shared_data()
    for row in index(data) if data else ():
        if row.dialect.startswith("chat"):
            for number, found in enumerate(exchanges(data / "recordings" / row.file)):  # type: ignore[operator]  # data is there
                yield f"{row.file.rpartition('/')[2]} {number}", found


RECORDED = [pytest.param(found, id=name) for name, found in _recorded()]


@needs_shared
@pytest.mark.parametrize("recorded", RECORDED)
def test_recorded_responses_come_apart_as_the_decoder_counts_them(recorded: Recorded) -> None:
    body = recorded.response
    stream = stream_of(cut_every(body, 97))
    decoder, assembler = dialect(CHAT).stream_decoder(), Assembler()
    for event in (*decoder.feed(body), *decoder.finish()):
        assembler.add(event)
    assert stream.message() == assembler.message("shown")
    assert all(event.frame in (frame.number, -1) for frame in stream.frames for event in frame.events)
    if not decoder.ended or stream.form == "sse":
        assert len(stream.frames) >= decoder.frames
    assert b"".join(body[frame.start : frame.end] for frame in stream.frames) == body[: stream.frames[-1].end if stream.frames else 0]
    texts = "".join(event.text for frame in stream.frames for event in frame.events if isinstance(event, TextDelta | CallArgumentsDelta))
    assert stream.message().text() in texts or not stream.message().text()
