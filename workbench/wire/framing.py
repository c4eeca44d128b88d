"""Server-sent events and JSON lines as bytes: two readers that take any cut of a stream, and the matching writers.

Pure: no socket, no clock, no JSON. The rules are those of the wire specification, section 0; each of them is broken by some
client or server in use.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from workbench.errors import ResponseUnreadable

LIMIT_BYTES = 64 << 20
"""The most that one line or one event may hold before the stream is given up."""

_BOM = b"\xef\xbb\xbf"
_LINE_ENDS = (b"\n", b"\r")
_CR, _LF = 0x0D, 0x0A
_LINE_COST_BYTES = 64  # what a stored line takes beside its text, so that many tiny lines cannot fill the memory either


class Frame(NamedTuple):
    """One event of a stream.

    Attributes:
        event: the name, empty when the event has none. A bare ``error: …`` field, as servers of the llama.cpp family send it, is
            a frame of its own named ``error``.
        data: the text; several ``data:`` lines are joined with a line feed. It may be empty: some servers send ``data:`` as
            a sign of life. Bytes that are not UTF-8 became U+FFFD.
        id: what an ``id:`` line of this very event said.
    """

    event: str
    data: str
    id: str = ""


class FrameReader(Protocol):
    """Takes the bytes of one response in order and gives its frames.

    Attributes:
        comments: how many signs of life without content came so far: comment lines, or blank lines between JSON lines.
    """

    comments: int

    def feed(self, chunk: bytes) -> list[Frame]:
        """Return the frames that `chunk` completes, in order.

        Raises:
            ResponseUnreadable: a line or an event grew over the limit.
        """
        ...

    def finish(self) -> list[Frame]:
        """Return what the end of the stream completes: at most one frame, which may have been cut off in the middle."""
        ...


class SseReader:
    """Reads server-sent events, one reader for one response.

    Lines end with LF, CRLF or CR and with nothing else; U+2028, U+0085 and the like are text. At the end of the stream an event
    without its closing blank line is delivered too, because losing a finish or usage event is worse than seeing a broken one:
    whoever parses the data finds out.

    Attributes:
        comments: how many comment lines came so far.
    """

    def __init__(self, limit_bytes: int = LIMIT_BYTES) -> None:
        self.comments = 0
        self._limit_bytes = limit_bytes
        self._line = _Partial(limit_bytes)
        self._first = True
        self._after_cr = False
        self._event = self._id = b""
        self._data: list[bytes] = []
        self._data_bytes = 0

    def feed(self, chunk: bytes) -> list[Frame]:
        """Return the frames that `chunk` completes, in order.

        Raises:
            ResponseUnreadable: a line or an event grew over the limit.
        """
        if self._after_cr and chunk:
            self._after_cr = False
            if chunk[0] == _LF:
                chunk = chunk[1:]
        if b"\n" not in chunk and b"\r" not in chunk:
            self._line.append(chunk)
            return []
        lines = self._line.take(chunk).splitlines()
        if chunk.endswith(_LINE_ENDS):
            self._after_cr = chunk[-1] == _CR
        else:
            self._line.append(lines.pop())
        return self._read(lines)

    def finish(self) -> list[Frame]:
        """Return the event that the end of the stream leaves open, if it has data."""
        frames = self._read([self._line.take(b""), b""])
        self._event = self._id = b""
        return frames

    def _read(self, lines: list[bytes]) -> list[Frame]:
        if self._first:
            self._first = False
            lines[0] = lines[0].removeprefix(_BOM)
        frames: list[Frame] = []
        for line in lines:
            if line.startswith(b"data:"):
                self._add_data(line[6:] if line.startswith(b" ", 5) else line[5:])
            elif not line:
                if self._data:
                    frames.append(self._frame())
                self._event = self._id = b""
            elif line[0] == 0x3A:  # a colon: a comment
                self.comments += 1
            else:
                self._read_field(line, frames)
        return frames

    def _read_field(self, line: bytes, frames: list[Frame]) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"event":
                self._event = value
            case b"id":
                self._id = value
            case b"error":
                frames.append(Frame("error", _text(value)))
            case _ if name.strip(b" \t") == b"data":  # a blank before the name was seen in a recorded stream
                self._add_data(value)

    def _add_data(self, value: bytes) -> None:
        self._data_bytes += len(value) + _LINE_COST_BYTES
        if self._data_bytes > self._limit_bytes:
            raise _too_large(self._limit_bytes)
        self._data.append(value)

    def _frame(self) -> Frame:
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data = []
        self._data_bytes = 0
        return Frame(_text(self._event), _text(data), _text(self._id))


class NdjsonReader:
    """Reads JSON lines, one reader for one response. Only the byte 0x0A ends a line; blank lines are no frames.

    Attributes:
        comments: how many blank lines came so far.
    """

    def __init__(self, limit_bytes: int = LIMIT_BYTES) -> None:
        self.comments = 0
        self._line = _Partial(limit_bytes)
        self._first = True

    def feed(self, chunk: bytes) -> list[Frame]:
        """Return the frames that `chunk` completes, in order.

        Raises:
            ResponseUnreadable: a line grew over the limit.
        """
        if b"\n" not in chunk:
            self._line.append(chunk)
            return []
        *lines, rest = self._line.take(chunk).split(b"\n")
        self._line.append(rest)
        return self._read(lines)

    def finish(self) -> list[Frame]:
        """Return the line that the end of the stream leaves open, if there is one."""
        rest = self._line.take(b"")
        return self._read([rest]) if rest else []

    def _read(self, lines: list[bytes]) -> list[Frame]:
        if self._first:
            self._first = False
            lines[0] = lines[0].removeprefix(_BOM)
        texts = [text for line in lines if (text := line.strip())]
        self.comments += len(lines) - len(texts)
        return [Frame("", _text(text)) for text in texts]


def encode_sse(data: str, event: str = "", newline: str = "\n") -> bytes:
    r"""Return one server-sent event, closed by its blank line.

    Args:
        data: the text. Each of its lines becomes a ``data:`` line; CR and CRLF come out at the other end as LF, the format
            knows no other way.
        event: the name; empty for none.
        newline: ``"\n"``, ``"\r\n"`` or ``"\r"``.

    Raises:
        ValueError: a line end in `event`, or another `newline`.
    """
    if newline not in ("\n", "\r\n", "\r"):
        raise ValueError(f"not a line end of server-sent events: {newline!r}")
    if "\n" in event or "\r" in event:
        raise ValueError(f"an event name is one line: {event!r}")
    lines = data.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    named = [f"event: {event}"] if event else []
    text = newline.join([*named, *(f"data: {line}" for line in lines), "", ""])
    return text.encode("utf-8", "replace")


def encode_ndjson(data: str) -> bytes:
    """Return one JSON text as a line.

    Raises:
        ValueError: there is a line feed in `data`; JSON needs none.
    """
    if "\n" in data:
        raise ValueError("a JSON line must not hold a line feed")
    return data.encode("utf-8", "replace") + b"\n"


class _Partial:
    """The beginning of a line whose end has not come. Pieces are joined once, so that ten-byte chunks of a huge line stay cheap."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._text = bytearray()

    def append(self, piece: bytes) -> None:
        self._text += piece
        if len(self._text) > self._limit_bytes:
            raise _too_large(self._limit_bytes)

    def take(self, rest: bytes) -> bytes:
        """Return what was kept, followed by `rest`, and keep nothing."""
        if not self._text:
            return rest
        whole = bytes(self._text) + rest
        self._text.clear()
        return whole


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _too_large(limit_bytes: int) -> ResponseUnreadable:
    return ResponseUnreadable(
        f"One event of the stream is larger than {limit_bytes:,} bytes; the rest was not read.",
        message_id="wire.event_too_large",
        values={"limit_bytes": limit_bytes},
    )
