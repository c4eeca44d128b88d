"""Where the files of one session are, how they are made private, and how a new folder becomes durable.

Layout of ``sessions/<id>/``: ``journal.sqlite`` (WAL mode), ``journal.lock``, ``outputs/<call>.txt``, ``objects/<sha256>``. The
database file is opened by SQLite alone: closing it by hand would drop the locks that SQLite holds on it in this process
(https://www.sqlite.org/howtocorrupt.html, section 2.2).
"""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import StoreError

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700

BYTES_ONLY = getattr(os, "O_BINARY", 0)
"""Flag for `os.open` on Windows, which changes line ends otherwise."""


@dataclass(frozen=True)
class SessionFiles:
    """The paths of one session; `folder` is ``sessions/<id>``."""

    folder: Path

    @property
    def name(self) -> str:
        """The folder's name, by which people know the session."""
        return self.folder.name

    @property
    def journal(self) -> Path:
        """The database."""
        return self.folder / "journal.sqlite"

    @property
    def wal(self) -> Path:
        """SQLite's write-ahead log; there while the session is open or after it was killed."""
        return self.folder / "journal.sqlite-wal"

    @property
    def lock(self) -> Path:
        """Held by the process that writes."""
        return self.folder / "journal.lock"

    @property
    def outputs(self) -> Path:
        """Whole outputs of calls that were cut for the model."""
        return self.folder / "outputs"

    @property
    def objects(self) -> Path:
        """File contents by SHA-256."""
        return self.folder / "objects"

    def make(self) -> None:
        """Make the folder with an empty database, readable by its owner alone.

        Raises:
            StoreError: there is a session already, or the folder cannot be written.
        """
        try:
            for folder in (self.folder, self.outputs, self.objects):
                folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
            os.close(os.open(self.journal, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE))
            sync_folder(self.folder)
            sync_folder(self.folder.parent)
        except FileExistsError as error:
            raise StoreError(
                f"There is a session in {self.folder} already; open it instead of making a new one.",
                message_id="store.exists",
                values={"folder": str(self.folder)},
            ) from error
        except OSError as error:
            raise unwritable(self, error.strerror or str(error)) from error

    def discard(self) -> None:
        """Take away what `make` made and SQLite added, as far as it is there; a folder that holds anything else stays."""
        with contextlib.suppress(OSError):
            for path in (*self.folder.glob(self.journal.name + "*"), self.lock):
                path.unlink(missing_ok=True)
            for folder in (self.outputs, self.objects, self.folder):
                folder.rmdir()

    def require(self) -> None:
        """Check that there is a session.

        Raises:
            StoreError: there is none.
        """
        if not self.journal.is_file():
            raise StoreError(
                f"There is no session in {self.folder}; `workbench sessions` lists those that exist.",
                message_id="store.missing",
                values={"folder": str(self.folder)},
            )


def unwritable(files: SessionFiles, reason: str) -> StoreError:
    """Return the error that says why a session's folder cannot be written."""
    return StoreError(
        f"Session {files.name} cannot be written in {files.folder}: {reason}. Check the folder's permissions and free space.",
        message_id="store.unwritable",
        values={"session": files.name, "folder": str(files.folder), "reason": reason},
    )


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` durable (Windows does that by itself)."""
    if sys.platform != "win32":
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
