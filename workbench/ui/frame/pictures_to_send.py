"""Pictures that go along with a message: read, made small enough for every provider, or refused in one sentence. Blocking; for a thread."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader

from workbench.conversation.messages import ImagePart
from workbench.words import _, tell_text

EDGE_LIMIT_PX = 1568
SIZE_LIMIT_BYTES = 3_750_000
"""Base64 makes it 5 MB, the largest picture that providers take; a larger one in the history would block every later request."""

FILE_LIMIT_BYTES = 50_000_000
PICTURES_AT_MOST = 10
SENT_AS_THEY_ARE = {b"png": "image/png", b"jpeg": "image/jpeg", b"gif": "image/gif", b"webp": "image/webp"}
READ = frozenset({*SENT_AS_THEY_ARE, b"bmp", b"tiff", b"ico"})
"""No other kinds are even measured: Qt's reader of SVG opens the files that a picture names."""

JPEG_QUALITIES = (90, 75, 50)


class Picture(NamedTuple):
    """A picture that can be sent; `width` and `height` in pixels, as it is sent."""

    name: str
    part: ImagePart
    width: int
    height: int


class Refused(NamedTuple):
    """Why a picture cannot be sent: one sentence."""

    sentence: str


def read_picture(path: Path) -> Picture | Refused:
    """Read a picture from a file; what it is, its bytes say, not its name."""
    try:
        if not path.is_file():
            return Refused(_("{name} is not a file.").format(name=path.name))
        size_bytes = path.stat().st_size
        if size_bytes > FILE_LIMIT_BYTES:
            return Refused(_("{name} is {size} MB; pictures up to {limit} MB can be attached.").format(
                name=path.name, size=size_bytes // 1_000_000, limit=FILE_LIMIT_BYTES // 1_000_000))
        content = path.read_bytes()
    except OSError as error:
        return Refused(_("{name} cannot be read: {reason}.").format(name=path.name, reason=tell_text(error.strerror or str(error))))
    return picture_from(content, path.name)


def picture_from(content: bytes, name: str) -> Picture | Refused:
    """Take a picture from the bytes of a file: as they are if every provider takes them, else drawn anew, smaller."""
    buffer = QBuffer()
    buffer.setData(QByteArray(content))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    kind = bytes(reader.format().data())
    if kind not in READ:
        return Refused(_("{name} is not a picture that can be sent.").format(name=name))
    size = reader.size()
    if kind in SENT_AS_THEY_ARE and len(content) <= SIZE_LIMIT_BYTES and 0 < max(size.width(), size.height()) <= EDGE_LIMIT_PX:
        return _picture(name, content, SENT_AS_THEY_ARE[kind], size)
    if max(size.width(), size.height()) > EDGE_LIMIT_PX:
        reader.setScaledSize(size.scaled(EDGE_LIMIT_PX, EDGE_LIMIT_PX, Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    if image.isNull():
        return Refused(_("{name} cannot be read: {reason}.").format(name=name, reason=reader.errorString()))
    return picture_of(image, name)


def picture_of(image: QImage, name: str) -> Picture | Refused:
    """Take a picture that was pasted, made smaller if need be."""
    if max(image.width(), image.height()) > EDGE_LIMIT_PX:
        smooth = Qt.TransformationMode.SmoothTransformation
        image = image.scaled(EDGE_LIMIT_PX, EDGE_LIMIT_PX, Qt.AspectRatioMode.KeepAspectRatio, smooth)
    for kind, quality in (("PNG", -1), *(("JPEG", quality) for quality in JPEG_QUALITIES)):
        content = _encoded(image, kind, quality)
        if 0 < len(content) <= SIZE_LIMIT_BYTES:
            return _picture(name, content, f"image/{kind.lower()}", image.size())
    return Refused(_("{name} is too large to be sent.").format(name=name))


def _encoded(image: QImage, kind: str, quality: int) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, kind, quality)  # type: ignore[call-overload]  # the stubs want the format as bytes
    return bytes(buffer.data().data())


def _picture(name: str, content: bytes, media_type: str, size: QSize) -> Picture:
    part = ImagePart(media_type=media_type, data=base64.b64encode(content).decode("ascii"))
    return Picture(name, part, size.width(), size.height())
