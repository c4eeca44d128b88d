"""Pictures are sent as they are, made smaller, or refused in a sentence; nothing is believed of a file's name."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QColor, QImage

from tests.ui.gui import Gui
from workbench.ui.frame.pictures_to_send import EDGE_LIMIT_PX, SIZE_LIMIT_BYTES, Picture, Refused, picture_from, picture_of, read_picture


def image(width: int, height: int) -> QImage:
    made = QImage(width, height, QImage.Format.Format_RGB32)
    made.fill(QColor("teal"))
    return made


def encoded(picture: QImage, kind: str) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert picture.save(buffer, kind)  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def taken(result: Picture | Refused) -> Picture:
    assert isinstance(result, Picture), result
    return result


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
async def test_small_picture_goes_out_byte_for_byte(gui: Gui, kind: str) -> None:
    try:
        content = encoded(image(40, 30), kind)
    except AssertionError:
        pytest.skip(f"Qt here writes no {kind}")
    picture = taken(picture_from(content, "x.dat"))
    assert base64.b64decode(picture.part.data) == content
    assert picture.part.media_type == f"image/{kind.lower()}"
    assert (picture.width, picture.height) == (40, 30)


async def test_other_kinds_are_written_anew(gui: Gui) -> None:
    picture = taken(picture_from(encoded(image(40, 30), "BMP"), "x.bmp"))
    assert picture.part.media_type == "image/png"
    again = QImage.fromData(base64.b64decode(picture.part.data))
    assert (again.width(), again.height()) == (40, 30)


async def test_large_picture_is_made_smaller(gui: Gui) -> None:
    picture = taken(picture_from(encoded(image(3200, 1600), "PNG"), "x.png"))
    assert (picture.width, picture.height) == (EDGE_LIMIT_PX, EDGE_LIMIT_PX // 2)
    assert len(base64.b64decode(picture.part.data)) <= SIZE_LIMIT_BYTES
    pasted = taken(picture_of(image(1000, 4000), "pasted"))
    assert (pasted.width, pasted.height) == (EDGE_LIMIT_PX // 4, EDGE_LIMIT_PX)


async def test_picture_of_noise_is_kept_under_the_limit_by_jpeg(gui: Gui) -> None:
    import os

    noise = QImage(os.urandom(1500 * 1500 * 4), 1500, 1500, QImage.Format.Format_RGB32)
    picture = taken(picture_of(noise, "noise"))
    assert picture.part.media_type == "image/jpeg"
    assert len(base64.b64decode(picture.part.data)) <= SIZE_LIMIT_BYTES


@pytest.mark.parametrize(
    "content",
    [b"", b"not a picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 40, b"<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>"],
)
async def test_what_is_no_picture_is_refused(gui: Gui, content: bytes) -> None:
    refused = picture_from(content, "x.png")
    assert isinstance(refused, Refused)
    assert refused.sentence.startswith("x.png")


async def test_cut_picture_is_refused_or_read_without_harm(gui: Gui) -> None:
    content = encoded(image(400, 300), "PNG")
    for length in (20, len(content) // 2):
        result = picture_from(content[:length], "x.png")
        assert isinstance(result, Refused | Picture)


async def test_files_that_cannot_be_read_are_refused(gui: Gui, tmp_path: Path) -> None:
    assert read_picture(tmp_path / "gone.png") == Refused("gone.png is not a file.")
    assert read_picture(tmp_path) == Refused(f"{tmp_path.name} is not a file.")
    (tmp_path / "huge.png").touch()
    with (tmp_path / "huge.png").open("r+b") as file:
        file.truncate(60_000_000)
    assert read_picture(tmp_path / "huge.png") == Refused("huge.png is 60 MB; pictures up to 50 MB can be attached.")
