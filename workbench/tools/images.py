"""What kind of picture bytes are, by their first bytes and never by a name, and how large it is, without decoding it."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from workbench.conversation.messages import ImagePart
from workbench.errors import ToolError
from workbench.tools.file_targets import in_thread

ImageScaler: TypeAlias = Callable[[bytes], tuple[str, bytes]]
"""Makes a picture small enough for providers: returns media type and bytes; blocking; raises ValueError if it cannot."""

EDGE_LIMIT_PX = 1568
SIZE_LIMIT_BYTES = 3_750_000
"""Base64 makes it 5 MB, the largest picture that providers take; a larger one in the history would block every later request."""

SENT_AS_THEY_ARE = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class Picture(NamedTuple):
    """A picture's kind, its media type, and its size in pixels (0 × 0 if its head does not tell)."""

    kind: str
    media_type: str
    width_px: int
    height_px: int


def picture_of(content: bytes) -> Picture | None:
    """Return what picture `content` is; None if it is none."""
    for begins, kind, media_type, measure in _KINDS:
        if begins(content):
            try:
                width, height = measure(content)
            except (struct.error, IndexError):
                width, height = 0, 0
            return Picture(kind, media_type, width, height)
    return None


def fits(picture: Picture, size_bytes: int) -> bool:
    """Whether providers take the picture as it is, now and later in the history."""
    edge = max(picture.width_px, picture.height_px)
    return picture.media_type in SENT_AS_THEY_ARE and 0 < edge <= EDGE_LIMIT_PX and size_bytes <= SIZE_LIMIT_BYTES


async def attachment_of(picture: Picture, content: bytes, facts: str, scaler: ImageScaler | None) -> tuple[ImagePart, bool]:
    """Return a picture as it is sent to a model, and whether it had to be made smaller.

    Args:
        picture: what `content` is.
        content: its bytes.
        facts: kind and size, for the sentence.
        scaler: makes it small enough; without it a large one is refused.

    Raises:
        ToolError: ``undecodable`` or ``file_too_large``.
    """
    media_type, data = picture.media_type, content
    if not fits(picture, len(content)):
        if scaler is None:
            reason = f"The picture ({facts}) is too large to be sent, or of a kind that providers do not take."
            raise ToolError("file_too_large", reason, "Convert or scale it with a command.")
        try:
            media_type, data = await in_thread(scaler, content)
        except ValueError as error:
            raise ToolError("undecodable", f"The picture ({facts}) cannot be decoded: {error}.") from error
    return ImagePart(media_type=media_type, data=base64.b64encode(data).decode("ascii")), data != content


def _png(content: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from(">II", content, 16)
    return width, height


def _gif(content: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from("<HH", content, 6)
    return width, height


def _bmp(content: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from("<ii", content, 18)
    return width, abs(height)


def _jpeg(content: bytes) -> tuple[int, int]:
    """Walk over the segments to the frame header."""
    place = 2
    while content[place] == 0xFF:
        marker = content[place + 1]
        if marker == 0xFF:
            place += 1
        elif 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            height, width = struct.unpack_from(">HH", content, place + 5)
            return width, height
        else:
            place += 2 + struct.unpack_from(">H", content, place + 2)[0]
    return 0, 0


def _webp(content: bytes) -> tuple[int, int]:
    match content[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(content[24:27], "little"), 1 + int.from_bytes(content[27:30], "little")
        case b"VP8L":
            bits = struct.unpack_from("<I", content, 21)[0]
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case _:
            width, height = struct.unpack_from("<HH", content, 26)
            return width & 0x3FFF, height & 0x3FFF


def _tiff(content: bytes) -> tuple[int, int]:
    order = "<" if content.startswith(b"II") else ">"
    place = struct.unpack_from(f"{order}I", content, 4)[0]
    found = {256: 0, 257: 0}
    for number in range(struct.unpack_from(f"{order}H", content, place)[0]):
        tag, kind = struct.unpack_from(f"{order}HH", content, place + 2 + 12 * number)
        if tag in found:
            found[tag] = struct.unpack_from(f"{order}{'H' if kind == 3 else 'I'}", content, place + 10 + 12 * number)[0]
    return found[256], found[257]


_BMP_HEADS = {bytes([size, 0, 0, 0]) for size in (40, 52, 56, 108, 124)}
_KINDS: tuple[tuple[Callable[[bytes], bool], str, str, Callable[[bytes], tuple[int, int]]], ...] = (
    (lambda content: content.startswith(b"\x89PNG\r\n\x1a\n"), "PNG", "image/png", _png),
    (lambda content: content.startswith(b"\xff\xd8\xff"), "JPEG", "image/jpeg", _jpeg),
    (lambda content: content.startswith((b"GIF87a", b"GIF89a")), "GIF", "image/gif", _gif),
    (lambda content: content.startswith(b"RIFF") and content[8:12] == b"WEBP", "WebP", "image/webp", _webp),
    (lambda content: content.startswith(b"BM") and content[6:10] == b"\0\0\0\0" and content[14:18] in _BMP_HEADS, "BMP", "image/bmp", _bmp),
    (lambda content: content.startswith((b"II*\0", b"MM\0*")), "TIFF", "image/tiff", _tiff),
)
