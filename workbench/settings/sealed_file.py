"""Small files that must not be changed behind the program's back: written whole or not at all, and sealed with a key that they do not hold.

The key is in the system's keyring; where there is none, in a file of its own beside them, which is the weaker kind: whoever can write
there can also make a seal.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal, TypeAlias

from workbench.settings.credentials import SERVICE, KeyringBackend, keyring_errors
from workbench.settings.whole_file import write_whole

SealKind: TypeAlias = Literal["", "keyring", "file"]
JsonObject: TypeAlias = dict[str, Any]

SEALED_LIMIT_BYTES = 4 * 1024 * 1024
KEY_NAME = "seal of rules"
"""Under which the key stands in the keyring; no profile can have a name with blanks."""

_PREFIX = "hmac-sha256:"


class SealKey:
    """The key of all seals. Asked for when a sealed file is read or written first, not before: a keyring may ask the person.

    Attributes:
        kind: where the key is; empty while it was not asked for.
    """

    def __init__(self, folder: Path, keyring: Callable[[], Awaitable[KeyringBackend | None]] | None = None) -> None:
        self.kind: SealKind = ""
        self._file = folder / "seal.key"
        self._keyring = keyring
        self._key = b""
        self._asking = asyncio.Lock()

    async def key(self, *, new: bool = False) -> bytes:
        """Return the key; it is made when it was missing.

        Args:
            new: make one although files are sealed with one that a keyring must have which does not answer.

        Raises:
            OSError: there is no keyring, and the key's file cannot be read or made; or what is sealed needs another key than a new one.
        """
        async with self._asking:
            if not self._key:
                backend = await self._keyring() if self._keyring else None
                self.kind, self._key = await asyncio.to_thread(self._found, backend, new)
        return self._key

    def _found(self, backend: KeyringBackend | None, new: bool) -> tuple[SealKind, bytes]:
        if backend is not None:
            with contextlib.suppress(*keyring_errors(), ValueError):
                kept = backend.get_password(SERVICE, KEY_NAME)
                if kept:
                    return "keyring", bytes.fromhex(kept)
                key = self._key_in_file() or secrets.token_bytes(32)
                backend.set_password(SERVICE, KEY_NAME, key.hex())
                self._file.unlink(missing_ok=True)  # from now on the keyring's is the only one
                return "keyring", bytes.fromhex(backend.get_password(SERVICE, KEY_NAME) or "") or key  # another process's, if it came after ours
        key = self._key_in_file()
        if not key and not new and self._seals():
            raise OSError(errno.EAGAIN, "the keyring that has the key of its seal does not answer")
        return "file", key or self._new_key_file()

    def _seals(self) -> bool:
        """Say whether anything was sealed here before."""
        return any(self._file.parent.glob("*.json.last")) or any(next(self._file.parent.glob(f"{name}/*.json"), None) for name in ("projects", "trust"))

    def _key_in_file(self) -> bytes:
        with contextlib.suppress(FileNotFoundError, ValueError):
            return bytes.fromhex(self._file.read_text(encoding="ascii").strip())
        return b""

    def _new_key_file(self) -> bytes:
        draft = self._file.with_name(f".seal-{secrets.token_hex(8)}")
        write_whole(draft, secrets.token_bytes(32).hex().encode())
        try:
            os.link(draft, self._file)
        except OSError:
            if not self._key_in_file():  # the file is damaged, or a disk has no hard links; else another process made it in the same moment
                draft.replace(self._file)
        finally:
            draft.unlink(missing_ok=True)
        return self._key_in_file()


def sealed(body: JsonObject, key: bytes) -> bytes:
    """Return a body with its seal, as a file holds them. Nothing follows the last brace, so that a file cut anywhere is not one."""
    return json.dumps({"body": body, "seal": _PREFIX + _seal(body, key)}, ensure_ascii=False, indent=1).encode()


def body_in(content: bytes) -> tuple[JsonObject, str]:
    """Return the body and the seal that a file holds, the seal unchecked.

    Raises:
        ValueError: it is not such a file.
    """
    try:
        whole: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is damaged ({error})") from error
    match whole:
        case {"body": dict(body), "seal": str(seal)}:
            return body, seal
        case _:
            raise ValueError("it is damaged (body or seal is missing)")


def holds(body: JsonObject, seal: str, key: bytes) -> bool:
    """Say whether a seal is that of a body."""
    return hmac.compare_digest(seal.encode(), (_PREFIX + _seal(body, key)).encode())


def _seal(body: JsonObject, key: bytes) -> str:
    return hmac.new(key, json.dumps(body, sort_keys=True, separators=(",", ":")).encode(), hashlib.sha256).hexdigest()


def read_small(path: Path) -> bytes | None:
    """Return a file's bytes; None if there is no file.

    Raises:
        OSError: it cannot be read.
        ValueError: it is larger than such a file ever is.
    """
    try:
        with path.open("rb") as file:
            content = file.read(SEALED_LIMIT_BYTES + 1)
    except FileNotFoundError:
        return None
    if len(content) > SEALED_LIMIT_BYTES:
        raise ValueError("it is larger than 4 MB")
    return content
