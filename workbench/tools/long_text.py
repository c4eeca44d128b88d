"""What is too long for the model: cut on a line border, kept whole in the session's outputs folder, and said so."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

from workbench.tools.base import Result

MODEL_BYTES = 50 * 1024
MODEL_LINES = 2_000


def output_name(call_id: str) -> str:
    """Return the name of a call's file in the outputs folder; ids of foreign make may hold anything."""
    if re.fullmatch(r"[A-Za-z0-9_-]{1,80}", call_id):
        return f"{call_id}.txt"
    return f"call_{hashlib.sha256(call_id.encode(errors='surrogatepass')).hexdigest()[:24]}.txt"


def within_limits(result: Result, outputs: Path, call_id: str) -> Result:
    """Return a result whose text fits: 50 KB and 2000 lines. Blocking: may write a file.

    If the file cannot be written, the text is cut all the same and names no file.
    """
    cut = _beginning(result.text)
    if len(cut) == len(result.text):
        return result
    missing = result.text.count("\n") + 1 - cut.count("\n")
    name = output_name(call_id)
    try:
        (outputs / name).write_text(result.text, encoding="utf-8", errors="replace")
    except OSError as error:
        notice = f"[... {missing} lines more; they could not be kept: {error.strerror}]"
        return replace(result, text=cut + notice, truncated=True)
    return replace(result, text=f"{cut}[... {missing} lines more; the whole text: {outputs / name}]", truncated=True, output_file=name)


def _beginning(text: str) -> str:
    """Return as much of `text` as fits, up to the end of a line (or all of it)."""
    lines = text.split("\n", MODEL_LINES)
    if len(lines) > MODEL_LINES:
        text = text[: len(text) - len(lines[-1])]
    encoded = text.encode(errors="replace")
    if len(encoded) <= MODEL_BYTES:
        return text
    border = encoded.rfind(b"\n", 0, MODEL_BYTES - 500) + 1  # room for the notice
    return encoded[: border or MODEL_BYTES - 500].decode(errors="ignore")
