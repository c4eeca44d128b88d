"""Undoes the content coding of a response body as it comes; a server may compress although it was asked not to."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from workbench.errors import ResponseUnreadable

_PIECE_BYTES = 1 << 20  # a small chunk can unpack to a thousand times its size: it is handed on in pieces
_GZIP, _WRAPPED, _BARE = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"


class Decoder:
    """Undoes one response's ``Content-Encoding``: gzip, deflate, or none."""

    def __init__(self, coding: str) -> None:
        """Prepare for a coding.

        Raises:
            ResponseUnreadable: the coding is none of those.
        """
        self._coding = coding.strip().lower().removeprefix("x-")
        if self._coding not in ("", "identity", "gzip", "deflate"):
            raise _unreadable(f"The answer is packed as {coding.strip()!r}, although nothing of the kind was asked for.")
        self._inflate: zlib._Decompress | None = None
        self._start = b""
        self._members = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what `chunk` unpacks to, in pieces of at most 1 MiB.

        Raises:
            ResponseUnreadable: the bytes are not what the coding says.
        """
        if self._coding in ("", "identity"):
            yield chunk
            return
        chunk, self._start = self._start + chunk, b""
        while chunk:
            if self._inflate is None:
                if len(chunk) < len(_GZIP_MAGIC):
                    self._start = chunk
                    return
                if self._members and not chunk.startswith(_GZIP_MAGIC):
                    return  # padding after the end
                self._inflate = zlib.decompressobj(self._window(chunk))
                self._members += 1
            piece, chunk = self._unpack(self._inflate, chunk)
            yield piece

    def finish(self) -> bytes:
        """Return what the end of the body releases, at most a few hundred bytes."""
        return b"" if self._inflate is None else self._inflate.flush()

    def _window(self, start: bytes) -> int:
        """Return zlib's word for what begins here; some servers send deflate without the wrapper that HTTP prescribes."""
        if self._coding == "gzip":
            return _GZIP
        return _WRAPPED if start[0] & 0x0F == zlib.DEFLATED and int.from_bytes(start[:2], "big") % 31 == 0 else _BARE

    def _unpack(self, inflate: zlib._Decompress, chunk: bytes) -> tuple[bytes, bytes]:
        """Return the next piece and the input that is left; at the end of a gzip member another may follow."""
        try:
            piece = inflate.decompress(chunk, _PIECE_BYTES)
        except zlib.error as error:
            raise _unreadable("The answer is marked as packed, but it cannot be unpacked.") from error
        if inflate.eof:
            self._inflate = None
            return piece, inflate.unused_data
        return piece, inflate.unconsumed_tail


def _unreadable(text: str) -> ResponseUnreadable:
    return ResponseUnreadable(text, message_id="wire.bad_coding")
