"""The log of the window: a program that was started from a desktop has nowhere else to say what went wrong."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from typing_extensions import override

from workbench.redaction.logs import RedactingFormatter, known_to_logs

LARGEST_BYTES = 1 << 20
KEPT = 2
MASK = "***"


class PrivateFileHandler(RotatingFileHandler):
    """Writes files that only their owner can read."""

    @override
    def _open(self) -> TextIOWrapper:
        return TextIOWrapper(open(self.baseFilename, "ab", opener=_private), encoding=self.encoding, errors="replace")


def _private(path: str, flags: int) -> int:
    descriptor = os.open(path, flags, 0o600)
    if os.name == "posix":
        os.fchmod(descriptor, 0o600)  # a file of before may have been readable by others
    return descriptor


@contextmanager
def log_to(data_folder: Path, secrets: Callable[[], Collection[str]]) -> Iterator[None]:
    """Write what is logged to ``logs/workbench.log`` too, as long as the context lasts; at most two older files of 1 MB stay."""
    folder = data_folder / "logs"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        handler = PrivateFileHandler(folder / "workbench.log", maxBytes=LARGEST_BYTES, backupCount=KEPT, encoding="utf-8", delay=True)
    except OSError:
        yield  # a log that cannot be written must not keep anybody from working
        return
    handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s", secrets))
    handler.setLevel(logging.WARNING)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        with known_to_logs(secrets):  # a window that was started from a terminal logs there too
            yield
    finally:
        root.removeHandler(handler)
        with contextlib.suppress(OSError):
            handler.close()
