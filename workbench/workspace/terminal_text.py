"""From the bytes a command writes to the text people and models read, piece by piece and in bounded memory.

A terminal's semantics without a terminal: characters are decoded over chunk borders, escape sequences go, a carriage return
goes back and overwrites, every other control character becomes visible. Of long output the head and the tail are kept.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

MODEL_CHARACTERS = 30_000
MODEL_LINES = 2_000
HEAD_SHARE = 0.4

_PENDING_LIMIT = 65_536
_HELD_LIMIT = 4_096
_ERASE_REST = "\ufdd0"  # not characters of any text, so they can stand for an act
_ERASE_LINE = "\ufdd1"
_ACTS = str.maketrans({_ERASE_REST: "\ufffd", _ERASE_LINE: "\ufffd"})
_VISIBLE = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code not in b"\t\n\r\b\x1b"} | {0: "\ufffd"}
_CONTROL = re.compile(r"[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
_SEQUENCE = re.compile(
    r"\x1b(?:"
    r"\[(?P<parameters>[0-?]*)[ -/]*(?P<final>[@-~])"  # CSI, private ones too
    r"|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # OSC, DCS, SOS, PM, APC with their text
    r"|[ -/]*[0-OQ-WYZ\\`-~]"  # two characters, or a character set's name
    r")"
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\n]*\x1b?|[ -/]*)\Z")
_MOVES = re.compile(f"[\r\b{_ERASE_REST}{_ERASE_LINE}]")
_BINARY_CONTROL = bytes(code for code in range(0x20) if code not in b"\0\t\n\r\b\x0c\x1b") + b"\x7f"


@dataclass(frozen=True)
class Excerpt:
    """What is shown of an output.

    Attributes:
        text: all of it, or head, a line that says what is missing, and tail.
        total_lines, total_characters: of the whole.
        omitted_lines, omitted_characters: what `text` lacks; both 0 when nothing does.
        size_bytes: what the command wrote.
        binary: it is not text; `text` only says so.
        altered: `text` is not what the bytes spell (escape sequences, carriage returns, undecodable bytes), so the raw output says more.
    """

    text: str
    total_lines: int
    total_characters: int
    omitted_lines: int = 0
    omitted_characters: int = 0
    size_bytes: int = 0
    binary: bool = False
    altered: bool = False

    @property
    def truncated(self) -> bool:
        """Whether anything is missing."""
        return self.omitted_characters > 0


class TerminalText:
    """Takes the bytes of one output in any pieces; gives finished lines at once and an excerpt at any time.

    Not thread-safe; memory stays below half a megabyte whatever comes.
    """

    def __init__(self, *, characters: int = MODEL_CHARACTERS, lines: int = MODEL_LINES) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self._pending = ""
        self._kept = HeadAndTail(characters=characters, lines=lines)
        self._size_bytes = 0
        self._nul_bytes = 0
        self._control_bytes = 0
        self._altered = False

    @property
    def pending(self) -> str:
        """The last line as it looks now, while its end has not come."""
        return _overwritten(self._pending)

    def feed(self, data: bytes) -> str:
        """Take the next bytes and return the lines they finished, each with its newline."""
        self._size_bytes += len(data)
        self._nul_bytes += data.count(0)
        self._control_bytes += len(data) - len(data.translate(None, _BINARY_CONTROL))
        return self._take(self._decoder.decode(data))

    def end(self) -> str:
        """Take the end of the output and return what was left."""
        text = self._take(self._decoder.decode(b"", final=True))
        rest = _overwritten(self._pending + _visible(self._held))
        self._held = self._pending = ""
        self._kept.add(rest)
        return text + rest

    def excerpt(self) -> Excerpt:
        """Return what is shown of the output so far; the unfinished line counts."""
        if self._is_binary():
            text = f"[binary output, {self._size_bytes} bytes]"
            return Excerpt(text, 0, 0, size_bytes=self._size_bytes, binary=True, altered=True)
        return self._kept.excerpt(self.pending, size_bytes=self._size_bytes, altered=self._altered)

    def _take(self, text: str) -> str:
        self._altered = self._altered or "\ufffd" in text or "\x1b" in text
        text = self._without_escapes(text)
        lines, newline, rest = (self._pending + text).rpartition("\n")
        self._pending = self._bounded(rest)
        finished = self._resolve(lines) + newline
        self._kept.add(finished)
        return finished

    def _without_escapes(self, text: str) -> str:
        """Return `text` without escape sequences; one whose end has not come is held back."""
        text = self._held + text.translate(_ACTS) if _ERASE_REST in text or _ERASE_LINE in text else self._held + text
        self._held = ""
        if "\x1b" in text:
            unfinished = _UNFINISHED.search(text)
            if unfinished and len(unfinished.group()) <= _HELD_LIMIT:
                self._held = unfinished.group()
                text = text[: unfinished.start()]
            text = _visible(_SEQUENCE.sub(_replacement, text))
        if _CONTROL.search(text):
            self._altered = True
            text = text.translate(_VISIBLE)
        return text

    def _resolve(self, lines: str) -> str:
        if not _MOVES.search(lines):
            return lines
        self._altered = self._altered or _MOVES.search((lines + "\n").replace("\r\n", "\n")) is not None
        return "\n".join(_overwritten(line) for line in lines.split("\n"))

    def _bounded(self, rest: str) -> str:
        """Keep an endless line short: what it looks like is worked out early, and what is too long leaves as it is."""
        if len(rest) <= _HELD_LIMIT:
            return rest
        head, back, tail = rest.rpartition("\r")
        if back:
            rest = _overwritten(head) + back + tail
        if len(rest) > _PENDING_LIMIT:
            self._kept.add(_overwritten(rest))
            rest = ""
        return rest

    def _is_binary(self) -> bool:
        """Whether NULs (more than one in a hundred) or other control bytes (more than one in twenty) say that this is no text."""
        return (self._nul_bytes >= 8 and self._nul_bytes * 100 > self._size_bytes) or (
            self._control_bytes >= 64 and self._control_bytes * 20 > self._size_bytes
        )


class HeadAndTail:
    """Keeps the beginning and the end of a text of any length, and counts all of it."""

    def __init__(self, *, characters: int, lines: int) -> None:
        self._characters = characters
        self._lines = lines
        self._head = ""
        self._tail = ""
        self._total_characters = 0
        self._total_newlines = 0

    def add(self, text: str) -> None:
        """Take the next piece."""
        self._total_characters += len(text)
        self._total_newlines += text.count("\n")
        if len(self._head) < self._characters:
            self._head += text[: self._characters - len(self._head)]
        self._tail += text
        if len(self._tail) > 4 * self._characters:
            self._tail = self._tail[-self._characters :]

    def excerpt(self, rest: str, *, size_bytes: int = 0, altered: bool = False) -> Excerpt:
        """Return head and tail on line borders (inside a line only if the line itself is too long), `rest` being a last unfinished line."""
        total = self._total_characters + len(rest)
        last = rest or (self._tail[-1:] if self._tail else "")
        total_lines = self._total_newlines + (1 if last and not last.endswith("\n") else 0)
        if total <= self._characters and total_lines <= self._lines:
            return Excerpt((self._head + rest), total_lines, total, size_bytes=size_bytes, altered=altered)
        head = self._shown_head((self._head + rest)[: self._characters])
        tail = self._shown_tail((self._tail + rest)[-self._characters :])
        omitted = total - len(head) - len(tail)
        missing_lines = max(0, self._total_newlines - head.count("\n") - tail.count("\n"))
        gap = "" if not head or head.endswith("\n") else "\n"
        text = f"{head}{gap}[... {missing_lines} lines, {omitted} characters omitted ...]\n{tail}"
        return Excerpt(text, total_lines, total, missing_lines, omitted, size_bytes, altered=altered)

    def _shown_head(self, text: str) -> str:
        limit = int(self._characters * HEAD_SHARE)
        lines = text.split("\n", int(self._lines * HEAD_SHARE))
        if len(lines) > int(self._lines * HEAD_SHARE):
            text = text[: len(text) - len(lines[-1])]
        if len(text) <= limit:
            return text
        border = text.rfind("\n", 0, limit) + 1
        return text[: border if border > limit // 2 else limit]

    def _shown_tail(self, text: str) -> str:
        limit = self._characters - int(self._characters * HEAD_SHARE)
        wanted = self._lines - int(self._lines * HEAD_SHARE)
        borders = wanted + (1 if text.endswith("\n") else 0)
        lines = text.rsplit("\n", borders)
        if len(lines) > borders:
            text = text[len(lines[0]) + 1 :]
        if len(text) <= limit:
            return text
        border = text.find("\n", len(text) - limit - 1) + 1
        return text[border if 0 < border < len(text) - limit // 2 else len(text) - limit :]


def _replacement(sequence: re.Match[str]) -> str:
    """Return what an escape sequence leaves behind: only erasing in the line matters to the text."""
    if sequence["final"] != "K":
        return ""
    return {"": _ERASE_REST, "0": _ERASE_REST, "2": _ERASE_LINE}.get(sequence["parameters"], "")


def _visible(text: str) -> str:
    """Return `text` with escapes that begin no sequence made visible."""
    return text.replace("\x1b", "\\x1b")


def _overwritten(line: str) -> str:
    """Return a line as it looks after its carriage returns, backspaces and erasures."""
    if not _MOVES.search(line):
        return line
    cells: list[str] = []
    at = 0
    for piece in re.split(f"([\r\b{_ERASE_REST}{_ERASE_LINE}])", line):
        match piece:
            case "\r":
                at = 0
            case "\b":
                at = max(0, at - 1)
            case "\ufdd0":
                del cells[at:]
            case "\ufdd1":
                cells = [" "] * at
            case _:
                cells[at : at + len(piece)] = piece
                at += len(piece)
    return "".join(cells)
