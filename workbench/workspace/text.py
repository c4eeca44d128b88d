"""A file as text twice: `raw` is exactly what the bytes say, `view` is what a model sees (LF only), with the map between them.

Edits are found on the view and made on the bytes, so no byte outside an edit can change (workspace.splice).
"""

from __future__ import annotations

import bisect
import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from workbench.errors import FileRefused
from workbench.workspace.encoding import TextEncoding, detect_encoding

LineEndings: TypeAlias = Literal["none", "lf", "crlf", "cr", "mixed"]

_CRLF = re.compile("\r\n")
_UNICODE_CODECS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")


@dataclass(frozen=True)
class Text:
    """The text of a file.

    Attributes:
        content: all bytes of the file.
        encoding: how they are text.
        raw: the decoded text, without the byte order mark.
    """

    content: bytes
    encoding: TextEncoding
    raw: str

    @cached_property
    def view(self) -> str:
        """The text with LF as the only line end. A lone CR is data, unless the file has no LF at all."""
        if self.line_endings == "cr":
            return self.raw.replace("\r", "\n")
        return self.raw.replace("\r\n", "\n")

    @cached_property
    def line_endings(self) -> LineEndings:
        """How lines end; ``none`` if no line does."""
        line_feeds, pairs = self.raw.count("\n"), self.raw.count("\r\n")
        if not line_feeds:
            return "cr" if "\r" in self.raw else "none"
        if not pairs:
            return "lf"
        return "crlf" if pairs == line_feeds else "mixed"

    def raw_index(self, view_index: int) -> int:
        """Return where a place of the view is in `raw`; the place of an LF is that of the whole line end."""
        return view_index + bisect.bisect_left(self._pairs_before, view_index)

    def byte_indexes(self, raw_indexes: Iterable[int]) -> Iterator[int]:
        """Yield where places of `raw`, given in rising order, are in `content`.

        Raises:
            FileRefused: ``undecodable``: a place falls inside what the codec reads as one unit.
        """
        done, place = 0, len(self.encoding.mark)
        single = len(self.raw) == len(self.content) - place
        for index in raw_indexes:
            if single:
                place += index - done
            else:
                place += self._encoded_length(done, index, place)
            done = index
            yield place

    def line_number(self, view_index: int) -> int:
        """Return the number, from 1, of the line that holds a place of the view."""
        return self.view.count("\n", 0, view_index) + 1

    @cached_property
    def _pairs_before(self) -> list[int]:
        """View places of the LFs that are CR LF in `raw`."""
        if self.line_endings not in {"crlf", "mixed"}:
            return []
        return [match.start() - number for number, match in enumerate(_CRLF.finditer(self.raw))]

    def _encoded_length(self, start: int, end: int, place: int) -> int:
        """Return how many bytes, from `place` on, the characters ``start:end`` of `raw` were read from.

        Encoding them tells it, unless the codec reads several byte sequences as one character (cp932); then the bytes are
        decoded again one by one.
        """
        encoded = self.raw[start:end].encode(self.encoding.codec, "ignore")
        if self.encoding.codec in _UNICODE_CODECS or self.content.startswith(encoded, place):
            return len(encoded)
        decoder = codecs.getincrementaldecoder(self.encoding.codec)("strict")
        wanted, length = end - start, 0
        while wanted > 0:
            wanted -= len(decoder.decode(self.content[place + length : place + length + 1]))
            length += 1
        if wanted < 0:
            raise FileRefused("undecodable", f"The place to change lies inside what {self.encoding.codec} reads as one unit.", "Quote more of the text.")
        return length


def read_text(content: bytes, *, setting: str | None = None, hint: str | None = None) -> Text:
    """Decode a whole file.

    Args:
        content: all bytes.
        setting: the encoding a person named for the file; it must fit.
        hint: the encoding ``.editorconfig`` names; taken if it fits.

    Raises:
        FileRefused: ``binary_file`` or ``undecodable``.
    """
    encoding = detect_encoding(content, setting=setting, hint=hint)
    return Text(content, encoding, content[len(encoding.mark) :].decode(encoding.codec))


def model_text(text: str) -> str:
    """Return a model's text as it is compared with a view: CR LF is LF."""
    return text.replace("\r\n", "\n")
