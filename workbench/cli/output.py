"""How commands talk: answers on stdout, everything else on stderr, foreign text without anything that could steer a terminal."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Callable, Collection, Mapping
from typing import IO, Any, TextIO

from workbench.cli.columns import folded
from workbench.conversation.events import Entry
from workbench.conversation.values import json_bytes
from workbench.permissions.visible import visible
from workbench.redaction.logs import RedactingFormatter
from workbench.store.masking import MaskSource, masked

FINE, NO, USAGE = 0, 1, 2
USUAL_COLUMNS = 80

_STEERING = re.compile("[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
"""What JSON leaves as it is although a terminal obeys or hides it: control characters of the second block, directions, what has no width."""

_CODES = {"bold": "1", "faint": "2", "red": "31", "green": "32", "amber": "33", "blue": "34", "accent": "35", "reverse": "7"}


_secrets: Callable[[], Collection[str]] = tuple
_masks = MaskSource(_secrets)


def hide(secrets: Callable[[], Collection[str]]) -> None:
    """Replace these in everything that is written from now on; a secret that comes in pieces is not found in running text."""
    global _masks, _secrets
    _masks, _secrets = MaskSource(secrets), secrets


def log_to_terminal() -> None:
    """Write what is logged on stderr, without secrets."""
    handler = logging.StreamHandler()
    handler.setFormatter(RedactingFormatter("%(levelname)s %(name)s: %(message)s", lambda: _secrets()))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def print_json(value: Any) -> None:
    """Write one JSON object as one line on stdout: what could steer a terminal is escaped, known keys are replaced."""
    line = _masks.current().json(json_bytes(value)).decode("utf-8", "replace")
    answer_bytes(_STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", line).encode() + b"\n")


def flat(entry: Entry) -> dict[str, Any]:
    """Return a fact as one flat object: ``seq``, ``at`` (seconds since 1970), ``type`` and the fact's members."""
    members: dict[str, Any] = json.loads(json_bytes(entry.event))
    return {"seq": entry.seq, "at": entry.at} | members


def say(text: str, *, end: str = "\n", fold: bool = True) -> None:
    """Write a message for people on stderr; at a terminal its words are wrapped, unless it is a piece of something longer."""
    if fold and (columns := columns_of(sys.stderr)):
        text = folded(text, columns)
    _write(text + end, sys.stderr)


def answer(text: str, *, end: str = "\n") -> None:
    """Write what was asked for on stdout."""
    _write(text + end, sys.stdout)


def answer_bytes(data: bytes) -> None:
    """Write what was asked for on stdout, byte for byte."""
    if sys.stdout is None:
        return
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def columns_of(stream: TextIO | None) -> int:
    """Return the width of the terminal that a stream writes to; 0 if it is none."""
    if stream is None or not stream.isatty():
        return 0
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL_COLUMNS
    except (OSError, ValueError):
        return USUAL_COLUMNS


def plain(text: str) -> str:
    """Return foreign text with hidden and steering characters made visible; newlines and tabs stay."""
    return visible(text, keep="\n\t")


def prose(text: str) -> str:
    """Return a model's words for reading: like `plain`, but the joiners and selectors of emoji stay."""
    return visible(text, keep="\n\t\u200d\ufe0e\ufe0f")


def one_line(text: str, width: int = 100) -> str:
    """Return foreign text on one line, cut in the middle to `width` characters."""
    shown = visible(text)
    if len(shown) <= width:
        return shown
    head = (width - 1) // 2
    return f"{shown[:head]}…{shown[-(width - 1 - head) :]}"


def colour(text: str, *names: str, stream: IO[str] | None = None, environment: Mapping[str, str] = os.environ) -> str:
    """Return `text` in a terminal's colours; unchanged when `stream` (default stderr) is no terminal or NO_COLOR is set."""
    target = stream or sys.stderr
    if not text or target is None or not target.isatty() or environment.get("NO_COLOR") or environment.get("TERM") == "dumb":
        return text
    return f"\x1b[{';'.join(_CODES[name] for name in names)}m{text}\x1b[0m"


def _write(text: str, stream: TextIO | None) -> None:
    if stream is None:  # closed by whoever started this process: nobody is to be told
        return
    masks, raw = _masks.current(), text.encode("utf-8", "surrogatepass")
    if spans := masks.spans(raw):
        text = masked(raw, spans).decode("utf-8", "surrogatepass")
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()
