"""Makes pictures small enough for providers. Qt's decoders are strict, and run here in worker threads."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QImageWriter, QPainter

EDGE_PX = 1568
"""Longest side: the largest that all providers look at whole."""
SIZE_BYTES = 3_750_000
"""As base64 it is 5 MB, the largest that providers take."""
FORMATS = frozenset({b"png", b"jpeg", b"gif", b"webp", b"bmp", b"tiff"})
"""Pictures made of points; others (SVG) can name further files."""
QUALITIES = (90, 75, 60, 40)


def scaled_down(content: bytes) -> tuple[str, bytes]:
    """Return a picture's media type and bytes, made to fit `EDGE_PX` and `SIZE_BYTES`; of an animation the first frame.

    Raises:
        ValueError: it cannot be decoded; the words say why.
    """
    image = _decoded(content)
    if image.hasAlphaChannel():
        data = _encoded(image, b"PNG", -1)
        if len(data) <= SIZE_BYTES:
            return "image/png", data
        image = _on_white(image)
    for quality in QUALITIES:
        data = _encoded(image, b"JPEG", quality)
        if len(data) <= SIZE_BYTES:
            return "image/jpeg", data
    raise ValueError("it stays too large however it is packed")


def _decoded(content: bytes) -> QImage:
    """Decode, upright and not larger than needed; Qt itself refuses what would take more than 256 MB of memory."""
    buffer = QBuffer()
    buffer.setData(QByteArray(content))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    try:
        image = _read(reader)
    finally:
        reader.setDevice(None)  # type: ignore[arg-type]  # it may be none; the decoder of TIFF reads on when it ends, and the buffer may be gone by then
    if max(image.width(), image.height()) <= EDGE_PX:
        return image
    return image.scaled(_within(image.size()), Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)


def _read(reader: QImageReader) -> QImage:
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    if reader.format().data() not in FORMATS:
        raise ValueError("it is none of the kinds known")
    size = reader.size()
    if size.isValid() and max(size.width(), size.height()) > EDGE_PX:
        reader.setScaledSize(_within(size))
    image = reader.read()
    if image.isNull():
        raise ValueError(reader.errorString() or "it is damaged")
    return image


def _within(size: QSize) -> QSize:
    return size.scaled(EDGE_PX, EDGE_PX, Qt.AspectRatioMode.KeepAspectRatio).expandedTo(QSize(1, 1))


def _on_white(image: QImage) -> QImage:
    ground = QImage(image.size(), QImage.Format.Format_RGB32)
    ground.fill(Qt.GlobalColor.white)
    with QPainter(ground) as p:
        p.drawImage(0, 0, image)
    return ground


def _encoded(image: QImage, kind: bytes, quality: int) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(kind))
    writer.setQuality(quality)
    if not writer.write(image):
        raise ValueError(writer.errorString())
    return bytes(buffer.data().data())
