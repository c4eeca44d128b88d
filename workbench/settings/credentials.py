"""Keys: in the system's keyring, else in the environment, else in this process's memory. Never in a file.

A key leaves this module as a `Secret`, which shows nothing when printed, and is opened only where the HTTP header is written.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
from collections.abc import Mapping
from typing import Any, Literal, NoReturn, Protocol, TypeAlias

from typing_extensions import override

from workbench.errors import SettingsError

SERVICE = "agent-workbench"
LONGEST_KEY = 10_000
Place: TypeAlias = Literal["keyring", "environment", "memory"]


class Secret:
    """A value that must not be seen. `reveal` is the only way to it; printing, formatting and pickling show nothing."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the value; call only where it is sent."""
        return self._value

    @override
    def __repr__(self) -> str:
        return f"Secret({len(self._value)} characters)"

    __str__ = __repr__

    @override
    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not pickled")

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    @override
    def __hash__(self) -> int:
        return hash(self._value)


def typed_key(text: str) -> Secret:
    """Return the key that a person typed or pasted, without blanks around it.

    Raises:
        SettingsError: no header can carry it; the sentence does not repeat it.
    """
    key = text.strip()
    if not key or len(key) > LONGEST_KEY or any(not "!" <= character <= "~" for character in key):
        sentence = "This is not a key: it is one word of letters, digits and signs, without blanks and without “Bearer” before it."
        raise SettingsError(sentence, message_id="key.malformed")
    return Secret(key)


class KeyringBackend(Protocol):
    """What is used of the keyring library's backend."""

    priority: float

    def get_password(self, service: str, username: str) -> str | None:
        """Return a kept password."""
        ...

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a password."""
        ...

    def delete_password(self, service: str, username: str) -> None:
        """Forget a password."""
        ...


class Credentials:
    """Finds and keeps keys by profile name.

    `load` asks the keyring once, in a thread, because some backends take a second or ask for a password. Afterwards `find` is cheap.
    """

    def __init__(self, environment: Mapping[str, str] | None = None, *, backend: KeyringBackend | None = None, use_keyring: bool = True) -> None:
        self._environment = os.environ if environment is None else environment
        self._memory: dict[str, Secret] = {}
        self._kept: dict[str, Secret] = {}
        self._lent: set[str] = set()
        self._backend = backend
        self._use_keyring = use_keyring
        self._looked = backend is not None

    async def find(self, profile: str, variable: str = "", *, ask_keyring: bool = True) -> Secret | None:
        """Return the key of a profile: what was typed this session, else the keyring's, else the environment variable's; None if none."""
        if secret := self._memory.get(profile) or self._kept.get(profile):
            return secret
        if ask_keyring and (secret := await self._from_keyring(profile)):
            return secret
        value = self._environment.get(variable, "") if variable else ""
        if not value:
            return None
        self._lent.add(value)
        return Secret(value)

    async def place(self, profile: str, variable: str = "", *, ask_keyring: bool = True) -> Place | None:
        """Return where `find` takes a profile's key from; None if it has none, as far as that is known without asking the keyring."""
        if profile in self._memory:
            return "memory"
        if profile in self._kept or (ask_keyring and await self._from_keyring(profile) is not None):
            return "keyring"
        return "environment" if self.is_set(variable) else None

    def is_set(self, variable: str) -> bool:
        """Say whether an environment variable holds anything."""
        return bool(variable and self._environment.get(variable))

    async def keep(self, profile: str, secret: Secret) -> Place:
        """Keep a key and say where it is now; ``memory`` means that it is gone when the program ends, which must be told."""
        backend = await self._keyring()
        if backend is not None:
            with contextlib.suppress(*keyring_errors()):
                await asyncio.to_thread(backend.set_password, SERVICE, profile, secret.reveal())
                self._kept[profile] = secret
                self._memory.pop(profile, None)
                return "keyring"
        self._memory[profile] = secret
        return "memory"

    async def forget(self, profile: str) -> None:
        """Remove a key from memory and keyring; one that is not there is no error."""
        self._memory.pop(profile, None)
        known = self._kept.pop(profile, None) or await self._from_keyring(profile)
        backend = await self._keyring()
        if known is not None and backend is not None:
            with contextlib.suppress(*keyring_errors()):
                await asyncio.to_thread(backend.delete_password, SERVICE, profile)
            self._kept.pop(profile, None)

    def known(self) -> tuple[str, ...]:
        """Return every key value seen so far, for replacing them wherever they might show."""
        return tuple({secret.reveal() for secret in (*self._memory.values(), *self._kept.values())} | self._lent)

    async def keyring_available(self) -> bool:
        """Say whether keys outlive the program here."""
        return await self._keyring() is not None

    async def keyring(self) -> KeyringBackend | None:
        """Return the keyring, for another secret of the program's own; None where there is none that can be trusted. Its calls block."""
        return await self._keyring()

    async def _from_keyring(self, profile: str) -> Secret | None:
        if profile in self._kept:
            return self._kept[profile]
        backend = await self._keyring()
        if backend is None:
            return None
        value = None
        with contextlib.suppress(*keyring_errors()):  # a locked keyring counts as empty; the front end tells that no key was found
            value = await asyncio.to_thread(backend.get_password, SERVICE, profile)
        if value:
            self._kept[profile] = Secret(value)
        return self._kept.get(profile)

    async def _keyring(self) -> KeyringBackend | None:
        if not self._looked:
            self._looked = True
            self._backend = await asyncio.to_thread(_safe_backend) if self._use_keyring else None
        return self._backend


def keyring_errors() -> tuple[type[Exception], ...]:
    """Return what a keyring backend may raise; imported here because the library is heavy and only needed when keys are asked for."""
    errors = importlib.import_module("keyring.errors")
    return (errors.KeyringError, OSError, RuntimeError)


def _safe_backend() -> KeyringBackend | None:
    """Return the system's keyring; None if it is missing, disabled, or one that writes plain text.

    Of a chain the first safe member is taken: the chain itself would write into a plain one when the safe one does not answer.
    """
    with contextlib.suppress(*keyring_errors()):
        backend: Any = importlib.import_module("keyring").get_keyring()
        members = backend.backends if type(backend).__module__.startswith("keyring.backends.chainer") else (backend,)
        return next(filter(_is_safe, members), None)
    return None


def _is_safe(backend: Any) -> bool:
    unsafe = ("keyring.backends.fail", "keyring.backends.null", "keyring.backends.chainer", "keyrings.alt")
    with contextlib.suppress(*keyring_errors()):  # a backend that cannot be used here raises when it is asked for its priority
        return not type(backend).__module__.startswith(unsafe) and getattr(backend, "priority", 0) >= 1
    return False
