"""Pictures are known by their first bytes, with their size, and nothing else is taken for one."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.images_for_tests import BMP, PNG
from workbench.tools.images import Picture, fits, picture_of

GIF = b"GIF89a" + struct.pack("<HH", 20, 10) + b"\0\0\0"
JPEG = b"\xff\xd8\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0" + b"\0" * 9 + b"\xff\xff\xc2" + struct.pack(">HBHH", 17, 8, 480, 640)
WEBP_X = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + (1023).to_bytes(3, "little") + (767).to_bytes(3, "little")
WEBP_L = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + struct.pack("<I", 99 | (49 << 14))
WEBP = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 550, 368)
TIFF = b"II*\0" + struct.pack("<IHHHIIHHIHH", 8, 2, 256, 3, 1, 77, 257, 4, 1, 55, 0)


@pytest.mark.parametrize(
    ("content", "picture"),
    [
        (PNG, Picture("PNG", "image/png", 2400, 900)),
        (GIF, Picture("GIF", "image/gif", 20, 10)),
        (BMP, Picture("BMP", "image/bmp", 30, 20)),
        (JPEG, Picture("JPEG", "image/jpeg", 640, 480)),
        (WEBP_X, Picture("WebP", "image/webp", 1024, 768)),
        (WEBP_L, Picture("WebP", "image/webp", 100, 50)),
        (WEBP, Picture("WebP", "image/webp", 550, 368)),
        (TIFF, Picture("TIFF", "image/tiff", 77, 55)),
        (PNG[:12], Picture("PNG", "image/png", 0, 0)),
        (JPEG[:10], Picture("JPEG", "image/jpeg", 0, 0)),
        (TIFF[:9], Picture("TIFF", "image/tiff", 0, 0)),
    ],
)
def test_kind_and_size(content: bytes, picture: Picture) -> None:
    assert picture_of(content) == picture


@pytest.mark.parametrize("content", [b"", b"BMW is a car\n", b"GIF8", b"II*", b"RIFF\0\0\0\0WAVE", b"<svg/>", b"\x89PN"])
def test_other_bytes_are_no_picture(content: bytes) -> None:
    assert picture_of(content) is None


@given(st.sampled_from([PNG[:8], GIF[:6], b"\xff\xd8\xff", b"II*\0", b"MM\0*", BMP[:18], WEBP[:16]]), st.binary(max_size=80))
def test_damaged_heads_do_not_raise(head: bytes, rest: bytes) -> None:
    picture = picture_of(head + rest)
    assert picture is None or picture.width_px >= 0 or picture.kind == "BMP"


def test_what_providers_take_as_it_is() -> None:
    assert fits(Picture("PNG", "image/png", 1568, 10), 3_750_000)
    assert not fits(Picture("PNG", "image/png", 1569, 10), 10)
    assert not fits(Picture("PNG", "image/png", 10, 10), 3_750_001)
    assert not fits(Picture("BMP", "image/bmp", 10, 10), 10)
    assert not fits(Picture("PNG", "image/png", 0, 0), 10)
