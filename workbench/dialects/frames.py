"""Which raw frames the bytes of a response are made of: an event stream, JSON lines, or one body. Frames count as decoders count them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from workbench.wire.framing import Frame, FrameReader, NdjsonReader, SseReader

FrameForm: TypeAlias = Literal["sse", "ndjson", "body"]

_BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n"
_BODY_STARTS = b'{["<'
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_JSON_LINES = ("application/x-ndjson", "application/jsonl", "application/jsonlines")


class RawFrame(NamedTuple):
    """A frame and the bytes it took: from the end of the frame before (`start`) up to its own (`end`), counted from the response's first byte."""

    frame: Frame
    start: int
    end: int


class FrameSplitter:
    """Takes the bytes of one response in order, cut anywhere, and gives its frames with the bytes that each of them took.

    Args:
        content_type: what the response's header says; empty if it is not known. Without it, and where servers put another type on a
            stream, the first byte tells a stream from a body.
    """

    def __init__(self, content_type: str = "") -> None:
        self._content_type = content_type.partition(";")[0].strip().lower()
        self._reader: FrameReader | None = None
        self._kept: list[bytes] = []
        self._seen = False
        self._start = self._at = 0
        self.form: FrameForm | None = None
        """What the response is; None until enough of it came."""

    def feed(self, data: bytes) -> list[RawFrame]:
        """Return the frames that `data` completes.

        Raises:
            ResponseUnreadable: one frame grew over the reader's limit.
        """
        if self.form is not None:
            return list(self._frames(data))
        self._kept = [b"".join([*self._kept, data])]
        self.form = self._form_of(self._kept[0])
        if self.form is None:
            return []
        self._reader = SseReader() if self.form == "sse" else NdjsonReader() if self.form == "ndjson" else None
        return list(self._frames(self._kept.pop()))

    def finish(self) -> list[RawFrame]:
        """Return what the end of the response completes; a body, or text that is no stream at all, is one frame."""
        last = [self._completed(frame) for frame in self._reader.finish()] if self._reader else []
        if last or self._seen or (self._reader and self._reader.comments):
            return last
        self.form = "body"
        body = b"".join(self._kept)
        self._at = len(body)
        return [self._completed(Frame("", body.decode("utf-8", "replace")))] if body else []

    def _frames(self, data: bytes) -> Iterator[RawFrame]:
        if not self._seen:
            self._kept.append(data)
        if self._reader is None:
            return
        for line in data.splitlines(keepends=True) if self.form == "sse" else _LINE.findall(data):
            self._at += len(line)
            yield from map(self._completed, self._reader.feed(line))

    def _completed(self, frame: Frame) -> RawFrame:
        found = RawFrame(frame, self._start, self._at)
        self._start = self._at
        self._seen = True
        self._kept = []
        return found

    def _form_of(self, data: bytes) -> FrameForm | None:
        begun = data.removeprefix(_BOM).lstrip(_BLANKS)
        if not begun or (len(begun) < len(_BOM) and _BOM.startswith(begun)):
            return None
        if begun[0] not in _BODY_STARTS:
            return "sse"
        return "ndjson" if self._content_type in _JSON_LINES else "body"
