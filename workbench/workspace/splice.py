"""Put new text in place of spans of a file's view and return the file's new bytes: no byte outside the spans changes.

Never decode, replace and encode a whole file: bytes outside the spans are copied, only the new text is encoded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from workbench.errors import FileRefused
from workbench.workspace.line_diff import line_opcodes, split_lines
from workbench.workspace.text import Text


class Replacement(NamedTuple):
    """New text (LF only) for the span ``start:end`` of a view."""

    start: int
    end: int
    new: str


class Spliced(NamedTuple):
    """A file after replacements.

    Attributes:
        text: the whole file; its bytes are ``text.content``.
        hunks: the exact old and new text of every replacement, in order.
    """

    text: Text
    hunks: tuple[tuple[str, str], ...]


def splice(text: Text, replacements: Sequence[Replacement]) -> Spliced:
    """Return the file with the replacements made.

    Lines that stay equal keep their own line end, a changed line that of the line it replaces; an added line takes the commonest
    end inside the span, else that of the line holding the span's end, else of the line before, else LF.

    Args:
        text: the file.
        replacements: in rising order, not overlapping.

    Raises:
        FileRefused: ``unencodable_text``: the file's encoding cannot hold the new text; ``encoding_uncertain``: the encoding is
            a guess and the new text has characters beyond ASCII that the old one did not have.
    """
    raw_spans = [(text.raw_index(start), text.raw_index(end)) for start, end, _ in replacements]
    byte_places = list(text.byte_indexes(place for span in raw_spans for place in span))
    new_bytes: list[bytes] = []
    new_raw: list[str] = []
    hunks: list[tuple[str, str]] = []
    done_bytes = done_raw = 0
    for number, replacement in enumerate(replacements):
        start, end = raw_spans[number]
        new = _with_line_ends(text, replacement, text.raw[start:end])
        new_bytes += (text.content[done_bytes : byte_places[2 * number]], _encode(text, new, old=text.raw[start:end]))
        new_raw += (text.raw[done_raw:start], new)
        hunks.append((text.raw[start:end], new))
        done_bytes, done_raw = byte_places[2 * number + 1], end
    spliced = Text(b"".join((*new_bytes, text.content[done_bytes:])), text.encoding, "".join((*new_raw, text.raw[done_raw:])))
    _check_reads_back(spliced)
    return Spliced(spliced, tuple(hunks))


def replace_whole(text: Text, new: str) -> bytes:
    """Return bytes for a whole new content (as given by a model) in the file's encoding, with its mark and uniform line ends.

    Raises:
        FileRefused: as `splice`.
    """
    if text.line_endings == "crlf":
        new = new.replace("\r\n", "\n").replace("\n", "\r\n")
    elif text.line_endings == "cr":
        new = new.replace("\r\n", "\n").replace("\n", "\r")
    new = new.removeprefix("\ufeff") if text.encoding.mark else new
    return text.encoding.mark + _encode(text, new, old=text.raw)


def _with_line_ends(text: Text, replacement: Replacement, old_raw: str) -> str:
    new = replacement.new
    if "\n" not in new or text.line_endings == "lf":
        return new
    match text.line_endings:
        case "crlf":
            return new.replace("\n", "\r\n")
        case "cr":
            return new.replace("\n", "\r")
        case "none":
            return new
        case "mixed":
            return _with_mixed_ends(text, replacement, old_raw)


def _with_mixed_ends(text: Text, replacement: Replacement, old_raw: str) -> str:
    old_lines = split_lines(old_raw)
    new_lines = split_lines(replacement.new)
    added_end = _end_for_added(text, replacement, old_lines)
    out: list[str] = []
    for step in line_opcodes([_viewed(line) for line in old_lines], new_lines):
        if step.tag == "equal":
            out += old_lines[step.a1 : step.a2]
            continue
        for number, line in enumerate(new_lines[step.b1 : step.b2], start=step.a1):
            end = _end_of(old_lines[number]) if number < step.a2 else ""
            out.append(line.removesuffix("\n") + (end or added_end) if line.endswith("\n") else line)
    return "".join(out)


def _end_for_added(text: Text, replacement: Replacement, old_lines: list[str]) -> str:
    inside = Counter(end for line in old_lines if (end := _end_of(line)))
    if inside:
        return inside.most_common(1)[0][0]
    raw_end = text.raw_index(replacement.end)
    next_end = text.raw.find("\n", raw_end)
    if next_end >= 0:
        return "\r\n" if text.raw[next_end - 1 : next_end] == "\r" else "\n"
    last_end = text.raw.rfind("\n", 0, raw_end)
    return "\r\n" if last_end > 0 and text.raw[last_end - 1] == "\r" else "\n"


def _viewed(line: str) -> str:
    return line[:-2] + "\n" if line.endswith("\r\n") else line


def _end_of(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else "\n" if line.endswith("\n") else ""


def _encode(text: Text, new: str, *, old: str) -> bytes:
    if text.encoding.guessed and not new.isascii():
        unknown = sorted({character for character in new if not character.isascii()} - set(old))
        if unknown:
            raise FileRefused(
                "encoding_uncertain",
                f"The file's encoding is only guessed ({text.encoding.codec}), and the new text has characters beyond ASCII: {''.join(unknown[:10])}",
                "Ask the user to set the file's encoding in its header chip, or write ASCII.",
            )
    try:
        return new.encode(text.encoding.codec)
    except UnicodeEncodeError as error:
        character = new[error.start]
        raise FileRefused(
            "unencodable_text",
            f"The file is {text.encoding.codec}, which cannot hold {character!r} (U+{ord(character):04X}); nothing was written.",
            "Write it with characters that the encoding has.",
        ) from None


def _check_reads_back(text: Text) -> None:
    """Refuse a result that would read as something else (a codec with shift states, a unit torn apart)."""
    try:
        same = text.content[len(text.encoding.mark) :].decode(text.encoding.codec) == text.raw
    except UnicodeDecodeError:
        same = False
    if not same:
        raise FileRefused("unencodable_text", f"The change cannot be made safely in {text.encoding.codec}; nothing was written.", "Quote whole lines.")
