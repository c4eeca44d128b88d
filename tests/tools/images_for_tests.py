"""Heads of pictures, enough to be known as such."""

from __future__ import annotations

import struct

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 2400, 900) + b"\x08\x02\0\0\0"
SMALL_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 20, 10) + b"\x08\x02\0\0\0"
BMP = b"BM" + struct.pack("<IHHI", 70, 0, 0, 54) + struct.pack("<Iii", 40, 30, -20)
