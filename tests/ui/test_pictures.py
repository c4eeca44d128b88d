"""Large pictures are made to fit, whatever they are made of, and nothing else is decoded."""

from __future__ import annotations

import struct
import zlib

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
from PySide6.QtGui import QColor, QImage, QImageWriter

from workbench.tools.images import EDGE_LIMIT_PX, SIZE_LIMIT_BYTES, fits, picture_of
from workbench.ui.pictures import EDGE_PX, SIZE_BYTES, scaled_down


def encoded(image: QImage, kind: bytes) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert QImageWriter(buffer, QByteArray(kind)).write(image)
    return bytes(buffer.data().data())


def plain(width: int, height: int, *, alpha: bool = False) -> QImage:
    image = QImage(width, height, QImage.Format.Format_ARGB32 if alpha else QImage.Format.Format_RGB32)
    image.fill(QColor(255, 0, 0, 128) if alpha else Qt.GlobalColor.red)
    return image


def noise(edge: int) -> QImage:
    """A picture that nothing makes small: every point is another."""
    data = bytearray()
    seed = 1
    while len(data) < edge * edge * 4:
        seed = seed * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        data += struct.pack("<Q", seed)
    return QImage(bytes(data), edge, edge, QImage.Format.Format_ARGB32).copy()


def test_limits_are_those_of_the_read_tool() -> None:
    assert (EDGE_PX, SIZE_BYTES) == (EDGE_LIMIT_PX, SIZE_LIMIT_BYTES)


@pytest.mark.parametrize("kind", [b"PNG", b"JPEG", b"BMP", b"WEBP", b"TIFF"])
@pytest.mark.parametrize("size", [(3000, 1000), (1000, 3000), (10_000, 2), (200, 100)])
def test_large_picture_is_scaled_and_its_shape_stays(kind: bytes, size: tuple[int, int]) -> None:
    media_type, data = scaled_down(encoded(plain(*size), kind))
    picture = picture_of(data)
    assert picture is not None
    assert picture.media_type == media_type
    assert fits(picture, len(data))
    scale = min(1, EDGE_PX / max(size))
    assert picture.width_px == pytest.approx(max(1, size[0] * scale), abs=1)
    assert picture.height_px == pytest.approx(max(1, size[1] * scale), abs=1)


def test_transparent_picture_stays_transparent() -> None:
    media_type, data = scaled_down(encoded(plain(2000, 2000, alpha=True), b"PNG"))
    assert media_type == "image/png"
    image = QImage.fromData(data)
    assert image.pixelColor(5, 5).alpha() == 128


def test_transparent_picture_that_is_too_large_is_put_on_white() -> None:
    image = noise(1500)
    media_type, data = scaled_down(encoded(image, b"PNG"))
    assert media_type == "image/jpeg"
    assert len(data) <= SIZE_BYTES


@pytest.mark.parametrize(
    "content",
    [b"", b"no picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 50, b'<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>', b"GIF89a\xff\xff\xff\xff"],
)
def test_what_cannot_be_decoded_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        scaled_down(content)


@pytest.mark.qt_log_ignore("Rejecting image", extend=True)
def test_picture_that_would_fill_the_memory_is_refused() -> None:
    width, height = 60_000, 60_000
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")]
    content = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    )
    with pytest.raises(ValueError, match=r"\w"):
        scaled_down(content)
