"""Reading a page of a text file of any size: small files as a whole, large ones as a stream, the end of a huge one from behind."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from workbench.errors import FileRefused, ToolError
from workbench.tools.read_page import COUNT_LIMIT_CHARACTERS, Page, read_page
from workbench.workspace.encoding import TextEncoding, detect_encoding
from workbench.workspace.files import size_text
from workbench.workspace.text import Text, read_text

_CHUNK = 256 * 1024
_HEAD_BYTES = 1024 * 1024
_TAIL_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class TextPage:
    """A page and how the file was decoded.

    Attributes:
        page: the lines.
        encoding: how bytes became text.
        from_end: line numbers are negative, counted from the end.
        damaged: some bytes did not fit the encoding and are shown as U+FFFD.
    """

    page: Page
    encoding: TextEncoding
    from_end: bool = False
    damaged: bool = False


def page_of_content(content: bytes, offset: int, limit: int, *, setting: str | None, hint: str | None) -> TextPage:
    """Take a page of a file whose bytes are at hand.

    Args:
        content: all bytes of the file.
        offset: first line from 1; 0 counts as 1; negative counts from the end.
        limit: how many lines at most.
        setting: the encoding a person set.
        hint: the encoding .editorconfig names.

    Raises:
        FileRefused: ``binary_file``, ``undecodable``.
        ToolError: ``offset_out_of_range``.
    """
    text = read_text(content, setting=setting, hint=hint)
    first = offset or 1
    if first < 0:
        first = max(1, _count_lines(text) + first + 1)
    page = read_page(_pieces(text.raw), first=first, limit=limit, cr_ends_lines=text.line_endings == "cr")
    return TextPage(_within(page, first), text.encoding)


def page_of_stream(file: BinaryIO, size_bytes: int, offset: int, limit: int, *, setting: str | None, stopped: Callable[[], bool]) -> TextPage:
    """Take a page of a file that is too large to hold.

    Args:
        file: open for reading, at its beginning.
        size_bytes: its length.
        offset: first line from 1; 0 counts as 1; negative counts from the end.
        limit: how many lines at most.
        setting: the encoding a person set.
        stopped: asked between pieces; True ends the reading.

    Raises:
        FileRefused: ``binary_file``, ``undecodable``.
        ToolError: ``offset_out_of_range``; ``cancelled`` when stopped.
    """
    head = file.read(_HEAD_BYTES)
    encoding = detect_encoding(head, setting=setting, whole=False)
    if offset < 0:
        if size_bytes > COUNT_LIMIT_CHARACTERS:
            return _tail(file, size_bytes, offset, limit, encoding)
        file.seek(0)
        total = read_page(_decoded(file, encoding, stopped, []), first=1, limit=0).total_lines
        offset = max(1, total + offset + 1)
    file.seek(0)
    damaged: list[bool] = []
    page = read_page(_decoded(file, encoding, stopped, damaged), first=offset or 1, limit=limit)
    return TextPage(_within(page, offset or 1), encoding, damaged=bool(damaged))


def _within(page: Page, first: int) -> Page:
    if not page.lines and page.total_lines and first > page.total_lines:
        lines = "1 line" if page.total_lines == 1 else f"{page.total_lines} lines"
        raise ToolError(
            "offset_out_of_range",
            f"The file has {lines}; line {first} does not exist.",
            f"Use an offset from 1 to {page.total_lines}.",
            detail={"total_lines": page.total_lines},
        )
    return page


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), _CHUNK):
        yield text[start : start + _CHUNK]


def _count_lines(text: Text) -> int:
    return text.view.count("\n") + (not text.view.endswith("\n") and bool(text.view))


def _decoded(file: BinaryIO, encoding: TextEncoding, stopped: Callable[[], bool], damaged: list[bool]) -> Iterator[str]:
    """Yield the file's text in pieces; bytes that do not fit become U+FFFD, and `damaged` gets an entry."""
    file.seek(len(encoding.mark))
    decoder = codecs.getincrementaldecoder(encoding.codec)("strict")
    while True:
        if stopped():
            raise ToolError("cancelled", "Reading was stopped.")
        chunk = file.read(_CHUNK)
        try:
            yield decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError:
            state = decoder.getstate()
            damaged.append(True)
            decoder = codecs.getincrementaldecoder(encoding.codec)("replace")
            decoder.setstate(state)
            yield decoder.decode(chunk, final=not chunk)
        if not chunk:
            return


def _tail(file: BinaryIO, size_bytes: int, offset: int, limit: int, encoding: TextEncoding) -> TextPage:
    """Take the last lines of a huge file without counting all of it; they are numbered from the end."""
    start = (size_bytes - _TAIL_BYTES) // 4 * 4
    file.seek(start)
    raw = file.read(_TAIL_BYTES + 4).decode(encoding.codec, "replace")
    lines = raw.replace("\r\n", "\n").removesuffix("\n").split("\n")[1:]
    wanted = lines[offset:][:limit]
    if len(lines) < -offset:
        text = f"{-offset} lines from the end lie further back than {size_text(_TAIL_BYTES)}."
        raise FileRefused("file_too_large", text, "Use a smaller number, or a command.")
    page = read_page(["\n".join(wanted) + "\n"], first=1, limit=limit)
    numbered = tuple(f"{offset + index}:{line.partition(':')[2]}" for index, line in enumerate(page.lines))
    tail = Page(numbered, offset, -1, counted_all=False, notes=page.notes)
    return TextPage(tail, encoding, from_end=True, damaged="\ufffd" in raw)
