"""Contents of files by their SHA-256, one file each, for undo: exact copies of what stood in the workspace."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from pathlib import Path

from workbench.errors import StoreError
from workbench.store.session_files import BYTES_ONLY, PRIVATE_FILE, sync_folder

_NAME = re.compile(r"[0-9a-f]{64}")


class Objects:
    """Keeps contents in a folder. Blocking: called from worker threads, several at once if need be."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, content: bytes) -> str:
        """Keep `content`, return its SHA-256 in hex; durable when it returns.

        Raises:
            StoreError: it cannot be written.
        """
        digest = hashlib.sha256(content).hexdigest()
        try:
            if not self._is_there(digest, content):
                self._write(digest, content)
        except OSError as error:
            reason = error.strerror or str(error)
            text = f"The old content of a file cannot be kept in {self._folder}: {reason}. Nothing was changed; make space and try again."
            raise StoreError(text, message_id="store.object_unwritable", values={"folder": str(self._folder), "reason": reason}) from error
        return digest

    def get(self, sha256: str) -> bytes:
        """Return a kept content.

        Raises:
            KeyError: nothing is kept under that hash.
            StoreError: what is kept is damaged or cannot be read.
        """
        if not _NAME.fullmatch(sha256):
            raise KeyError(sha256)
        try:
            content = (self._folder / sha256).read_bytes()
        except FileNotFoundError:
            raise KeyError(sha256) from None
        except OSError as error:
            raise self._unreadable(sha256, error.strerror or str(error)) from error
        if hashlib.sha256(content).hexdigest() != sha256:
            raise self._unreadable(sha256, "its bytes have changed")
        return content

    def _is_there(self, digest: str, content: bytes) -> bool:
        """Say whether the content is kept; a file of another length or bytes is what a crash or a bad disk left, and is replaced."""
        path = self._folder / digest
        return path.is_file() and path.read_bytes() == content

    def _write(self, digest: str, content: bytes) -> None:
        self._folder.mkdir(exist_ok=True)
        draft = self._folder / f".{digest[:16]}.{secrets.token_hex(4)}"
        try:
            with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY | BYTES_ONLY, PRIVATE_FILE), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._folder / digest)
            sync_folder(self._folder)
        finally:
            draft.unlink(missing_ok=True)

    def _unreadable(self, sha256: str, reason: str) -> StoreError:
        return StoreError(
            f"The old content {sha256[:12]}… in {self._folder} cannot be read: {reason}. The change it belongs to cannot be undone.",
            message_id="store.object_damaged",
            values={"folder": str(self._folder), "reason": reason},
        )
