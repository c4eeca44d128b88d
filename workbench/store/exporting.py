"""One file out of a session: its database, complete in itself, with outputs and old contents, as a ZIP archive."""

from __future__ import annotations

import os
import secrets
import tempfile
import zipfile
from pathlib import Path
from typing import IO

from workbench.errors import StoreError
from workbench.store.checking import Damage
from workbench.store.reader import Reader
from workbench.store.session_files import BYTES_ONLY, PRIVATE_FILE, SessionFiles

DAMAGE_NOTE = "DAMAGE.txt"


def export_session(files: SessionFiles, reader: Reader, target: Path, *, damage: Damage | None) -> None:
    """Write the archive; `target` is replaced only when it is complete.

    Raises:
        StoreError: the session cannot be read, or the archive not be written.
    """
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with tempfile.TemporaryDirectory(prefix="workbench-export-") as folder:
            copy = Path(folder) / files.journal.name
            reader.copy_to(copy)
            with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR | BYTES_ONLY, PRIVATE_FILE), "w+b") as file:
                _fill(file, files, copy, damage)
                os.fsync(file.fileno())
        draft.replace(target)
    except OSError as error:
        reason = error.strerror or str(error)
        text = f"The export cannot be written to {target}: {reason}. Choose another place."
        raise StoreError(text, message_id="store.export_failed", values={"target": str(target), "reason": reason}) from error
    finally:
        draft.unlink(missing_ok=True)


def _fill(file: IO[bytes], files: SessionFiles, copy: Path, damage: Damage | None) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        archive.write(copy, files.journal.name)
        for folder in (files.outputs, files.objects):
            for path in sorted(folder.iterdir()) if folder.is_dir() else ():
                if path.is_file() and not path.is_symlink() and not path.name.startswith("."):
                    archive.write(path, f"{folder.name}/{path.name}")
        if damage:
            archive.writestr(DAMAGE_NOTE, damage.text + "\n")
