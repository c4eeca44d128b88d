"""In which encoding a file's bytes are text: byte order mark, a person's setting, UTF-8, UTF-16 without a mark, a checked guess.

A guess counts only if decoding and encoding again gives the same bytes; the last resort, Latin-1, can hold any byte unchanged.
The name of a file never decides.
"""

from __future__ import annotations

import codecs
import importlib
import locale
from dataclasses import dataclass

from workbench.errors import FileRefused

# The longest first: the UTF-32 LE mark begins with the UTF-16 LE mark.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_GUESSES = ("gb18030", "big5", "cp932", "euc_jp", "cp949", "cp1251", "cp1252", "koi8_r", "iso8859_2", "cp1250")
_BY_LANGUAGE = {"zh": "gb18030", "zh_TW": "big5", "zh_HK": "big5", "ja": "cp932", "ko": "cp949", "ru": "cp1251", "cs": "cp1250", "pl": "cp1250"}
_GUESS_SAMPLE_BYTES = 64 * 1024
_NUL_SHARE = 0.8


@dataclass(frozen=True)
class TextEncoding:
    """How a file's bytes are text.

    Attributes:
        codec: Python's name of the codec, in lower case with ``-`` (``utf-16-le`` without its mark).
        mark: the byte order mark the file begins with; empty if none.
        guessed: nothing but statistics speaks for the codec.
    """

    codec: str = "utf-8"
    mark: bytes = b""
    guessed: bool = False


def detect_encoding(content: bytes, *, setting: str | None = None, hint: str | None = None, whole: bool = True) -> TextEncoding:
    """Find out in which encoding `content` is text.

    Args:
        content: the file's bytes from its beginning.
        setting: the encoding a person named for this very file; it must fit.
        hint: the encoding ``.editorconfig`` names for files of that name; taken if it fits.
        whole: False if the file goes on after `content`; then a character cut at the end is no error.

    Raises:
        FileRefused: ``binary_file``; ``undecodable`` if the setting does not fit the bytes or is no encoding.
    """
    for mark, codec in _MARKS:
        if content.startswith(mark) and _decodes(content[len(mark) :], codec, whole=whole):
            return TextEncoding(codec, mark)
    if setting is not None:
        return TextEncoding(_fitting(content, setting, whole=whole))
    if b"\0" in content:
        return _wide_without_mark(content, whole=whole)
    if hint is not None and (codec := _hinted(hint)) and _decodes(content, codec, whole=whole):
        return TextEncoding(codec)
    if _decodes(content, "utf-8", whole=whole):
        return TextEncoding()
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    return TextEncoding(_guess(content[len(mark) :]), mark, guessed=True)


def canonical_codec(name: str) -> str:
    """Return Python's name of a text encoding.

    Raises:
        FileRefused: ``undecodable``: there is no such encoding.
    """
    wanted = {"latin1": "latin-1", "utf-8-bom": "utf-8", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}.get(name.strip().lower(), name)
    try:
        info = codecs.lookup(wanted.strip())
        "".encode(info.name)  # refuses codecs that do not make text, such as base64 and rot13
    except (LookupError, TypeError, ValueError):
        raise FileRefused("undecodable", f"There is no text encoding named {name!r}.", "Set the file's encoding to one that exists.") from None
    return info.name.replace("_", "-") if info.name.startswith("utf") else info.name


def _fitting(content: bytes, setting: str, *, whole: bool) -> str:
    codec = canonical_codec(setting)
    if not _decodes(content, codec, whole=whole):
        raise FileRefused(
            "undecodable",
            f"The file's bytes are not valid {codec}, although that encoding is set.",
            "Ask the user to set the file's encoding, or treat the file as binary.",
        )
    return codec


def _hinted(hint: str) -> str:
    try:
        return canonical_codec(hint)
    except FileRefused:
        return ""


def _decodes(content: bytes, codec: str, *, whole: bool) -> bool:
    try:
        codecs.getincrementaldecoder(codec)("strict").decode(content, final=whole)
    except UnicodeError:
        return False
    return True


def _wide_without_mark(content: bytes, *, whole: bool) -> TextEncoding:
    """Recognise UTF-16 by its empty high bytes; any other NUL means binary."""
    for codec, high, low in (("utf-16-le", content[1::2], content[::2]), ("utf-16-be", content[::2], content[1::2])):
        if high and high.count(0) > _NUL_SHARE * len(high) and 0 not in low and (len(content) % 2 == 0 or not whole):
            text = codecs.getincrementaldecoder(codec)("replace").decode(content, final=False)
            if "\ufffd" not in text and all(character.isprintable() or character in "\t\n\r\f\v" for character in text):
                return TextEncoding(codec)
    raise FileRefused("binary_file", "The file is binary (it holds NUL bytes), not text.", "Use a command that understands its format.")


def _guess(content: bytes) -> str:
    """Return the most plausible codec that gives back the same bytes, Latin-1 if none does."""
    normalizer = importlib.import_module("charset_normalizer")
    sample = content[:_GUESS_SAMPLE_BYTES]
    if len(sample) < len(content):
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    found = [str(match.encoding) for match in normalizer.from_bytes(sample, cp_isolation=list(_GUESSES))]
    preferred = _locale_codec()
    if preferred in found:
        found.insert(0, preferred)
    return next((codec for codec in found if _gives_back(content, codec)), "latin-1")


def _gives_back(content: bytes, codec: str) -> bool:
    try:
        return content.decode(codec).encode(codec) == content
    except UnicodeError:
        return False


def _locale_codec() -> str:
    language = locale.getlocale()[0] or ""
    return _BY_LANGUAGE.get(language) or _BY_LANGUAGE.get(language.partition("_")[0], "")
