"""Runs as a process of its own: reads a PDF from stdin and writes the text of its pages to stdout as JSON.

A hostile PDF can make the parser run for ever or eat all memory; here it dies alone. Imports nothing of ours, so it starts by its
path: ``python -I pdf_worker.py 1,2,3``.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import sys
from typing import Any

MEMORY_LIMIT_BYTES = 1024 * 1024 * 1024
CPU_LIMIT_S = 20
PAGE_LIMIT_CHARACTERS = 200_000


def main() -> None:
    """Answer ``{"pages": count, "texts": {number: text}}`` or ``{"error": sentence}``; without numbers only the count."""
    logging.disable()
    _limit_resources()
    wanted = [int(number) for number in sys.argv[1].split(",") if number] if len(sys.argv) > 1 else []
    sys.stdout.write(json.dumps(_answer(sys.stdin.buffer.read(), wanted)))


def _limit_resources() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S))


def _answer(content: bytes, wanted: list[int]) -> dict[str, Any]:
    try:
        import pypdf
        import pypdf.errors
    except ImportError:
        return {"error": "the library that reads PDF files is not installed"}
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            return {"error": "it is encrypted with a password"}
        count = len(reader.pages)
        texts = {number: reader.pages[number - 1].extract_text()[:PAGE_LIMIT_CHARACTERS] for number in wanted if 0 < number <= count}
    except (MemoryError, RecursionError):
        return {"error": "it is too complex to be read"}
    except (pypdf.errors.PyPdfError, ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
        return {"error": f"it is damaged or of an unknown kind ({type(error).__name__})"}
    return {"pages": count, "texts": texts}


if __name__ == "__main__":
    main()
