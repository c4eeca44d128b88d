"""A key is found in keyring, environment or memory, is never shown, and never reaches a file."""

from __future__ import annotations

import copy
import json
import pickle

import msgspec
import pytest

from workbench.errors import SettingsError
from workbench.settings.credentials import SERVICE, Credentials, Secret, typed_key


class Ring:
    """A keyring in memory; `locked` makes it refuse."""

    priority = 5.0

    def __init__(self, *, locked: bool = False) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.locked = locked

    def _check(self) -> None:
        if self.locked:
            from keyring.errors import KeyringLocked

            raise KeyringLocked("locked")

    def get_password(self, service: str, username: str) -> str | None:
        self._check()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._check()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._check()
        del self.kept[service, username]


def test_a_secret_shows_nothing() -> None:
    secret = Secret("sk-canary-1234")
    assert "canary" not in f"{secret!r} {secret} {[secret]}"
    for leak in (pickle.dumps, copy.copy, copy.deepcopy, json.dumps, msgspec.json.encode, vars):
        with pytest.raises(TypeError):
            leak(secret)
    assert "canary" not in f"{secret:}" + "{0} {0!r} {0!s}".format(secret) + "%s %r" % (secret, secret)  # noqa: UP031, UP032 - each way
    assert secret.reveal() == "sk-canary-1234"


async def test_the_keyring_goes_before_the_environment() -> None:
    ring = Ring()
    ring.kept[SERVICE, "p"] = "from-ring"
    credentials = Credentials({"P_KEY": "from-environment"}, backend=ring)
    assert await credentials.find("p", "P_KEY") == Secret("from-ring")
    assert await credentials.find("q", "P_KEY") == Secret("from-environment")
    assert await credentials.find("q") is None


async def test_the_keyring_is_left_alone_if_it_shall_not_be_asked() -> None:
    ring = Ring()
    ring.kept[SERVICE, "p"] = "from-ring"
    credentials = Credentials({}, backend=ring)
    assert await credentials.find("p", ask_keyring=False) is None
    assert await credentials.find("p") == Secret("from-ring")
    assert await credentials.find("p", ask_keyring=False) == Secret("from-ring")


async def test_a_key_that_was_typed_is_kept_in_the_keyring_and_can_be_forgotten() -> None:
    ring = Ring()
    credentials = Credentials({}, backend=ring)
    assert await credentials.keep("p", Secret("k1")) == "keyring"
    assert ring.kept == {(SERVICE, "p"): "k1"}
    assert credentials.known() == ("k1",)
    await credentials.forget("p")
    assert ring.kept == {}
    assert await credentials.find("p") is None


@pytest.mark.parametrize("ring", [None, Ring(locked=True)], ids=["no keyring", "locked keyring"])
async def test_without_a_usable_keyring_the_key_lives_in_memory_and_that_is_told(ring: Ring | None) -> None:
    credentials = Credentials({}, backend=ring, use_keyring=ring is not None)
    assert await credentials.keep("p", Secret("k1")) == "memory"
    assert await credentials.find("p") == Secret("k1")
    await credentials.forget("p")
    assert await credentials.find("p") is None


async def test_a_keyring_that_writes_plain_text_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring
    from keyring.backends import fail

    monkeypatch.setattr(keyring, "get_keyring", fail.Keyring)
    assert not await Credentials({}).keyring_available()


def _kind(module: str, priority: object) -> type:
    return type("Keyring", (), {"__module__": module, "priority": priority, "get_password": lambda *_: None})


def _broken(_self: object) -> float:
    raise RuntimeError("no such service here")


PLAIN, WEAK, BROKEN = _kind("keyrings.alt.file", 0.5), _kind("somewhere", 0.9), _kind("somewhere", property(_broken))
SAFE = _kind("keyring.backends.SecretService", 5)


@pytest.mark.parametrize(
    ("members", "safe"), [([PLAIN, WEAK], False), ([], False), ([PLAIN, SAFE], True), ([BROKEN, SAFE], True), ([_kind("keyrings.alt.file", 9)], False)]
)
async def test_a_chain_is_as_safe_as_its_safe_member(monkeypatch: pytest.MonkeyPatch, members: list[type], safe: bool) -> None:
    import keyring

    chain = type("ChainerBackend", (), {"__module__": "keyring.backends.chainer", "priority": 10, "backends": [kind() for kind in members]})
    monkeypatch.setattr(keyring, "get_keyring", chain)
    found = await Credentials({}).keyring()
    assert (type(found) is SAFE) if safe else (found is None)


@pytest.mark.parametrize("kind", [PLAIN, WEAK, BROKEN, _kind("keyring.backends.null", -1)])
async def test_unsafe_or_broken_keyrings_are_not_used(monkeypatch: pytest.MonkeyPatch, kind: type) -> None:
    import keyring

    monkeypatch.setattr(keyring, "get_keyring", kind)
    assert await Credentials({}).keyring() is None


async def test_where_a_key_is_can_be_told_without_telling_the_key() -> None:
    ring = Ring()
    credentials = Credentials({"P_KEY": "from-environment"}, backend=ring)
    assert await credentials.place("p") is None
    assert await credentials.place("p", "P_KEY") == "environment"
    assert await credentials.place("p", "Q_KEY") is None
    await credentials.keep("p", Secret("k1"))
    assert await credentials.place("p", "P_KEY") == "keyring"
    unasked = Credentials({}, backend=ring)
    assert await unasked.place("p", ask_keyring=False) is None
    assert await unasked.place("p") == "keyring"
    assert await unasked.place("p", ask_keyring=False) == "keyring", "it was asked before"
    without = Credentials({}, use_keyring=False)
    await without.keep("p", Secret("k1"))
    assert await without.place("p") == "memory"


@pytest.mark.parametrize("typed", ["", "  ", "Bearer sk-canary", "sk-ca\nnary", "sk-\u202ecanary", "schlüssel-canary", "k" * 10_001, "sk-canary\0"])
def test_what_no_header_can_carry_is_no_key_and_is_not_repeated(typed: str) -> None:
    with pytest.raises(SettingsError) as caught:
        typed_key(typed)
    assert "canary" not in caught.value.text


def test_a_pasted_key_loses_the_blanks_around_it() -> None:
    assert typed_key("\t sk-canary+/=_- \n") == Secret("sk-canary+/=_-")
