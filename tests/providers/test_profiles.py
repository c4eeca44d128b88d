"""A profile's address is put into one form, and a wrong one is told before anything is sent."""

from __future__ import annotations

import pytest

from workbench.errors import SettingsError
from workbench.providers.known_profiles import KNOWN_PROFILES
from workbench.providers.profiles import Profile, checked


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        (" https://api.example.com/v1/ ", "https://api.example.com/v1"),
        ("https://api.example.com/v1/chat/completions", "https://api.example.com/v1"),
        ("https://api.example.com/v1/chat/completions/", "https://api.example.com/v1"),
    ],
)
def test_an_address_is_kept_in_one_form(typed: str, kept: str) -> None:
    assert checked(Profile(name="x", base_url=typed)).base_url == kept


@pytest.mark.parametrize(
    "typed",
    [
        *("", "api.example.com/v1", "file:///etc/passwd", "http://", "http://[::1", "http://h:port/v1", "http://h:99999/v1", "http://a b/v1"),
        *("https://u:p@h/v1", "https://h/v1?key=1", "https://h/v1#x"),
    ],
)
def test_a_wrong_address_is_refused_with_a_sentence(typed: str) -> None:
    with pytest.raises(SettingsError, match=r"^[^\n]+\.$"):
        checked(Profile(name="x", base_url=typed))


def test_the_known_profiles_are_in_normal_form_and_have_names_of_their_own() -> None:
    assert [checked(profile) for profile in KNOWN_PROFILES] == list(KNOWN_PROFILES)
    assert len({profile.name for profile in KNOWN_PROFILES}) == len(KNOWN_PROFILES)


def test_loopback_is_recognised() -> None:
    assert Profile(name="x", base_url="http://127.0.0.1:1/v1").is_local
    assert not Profile(name="x", base_url="http://127.0.0.1.evil.example/v1").is_local


@pytest.mark.parametrize("typed", ["http://me:sk-canary/1@example.test/v1", "http://me:sk-canary@example.test/v1", "https://sk-canary/1@example.test"])
def test_a_key_typed_into_the_address_is_not_repeated(typed: str) -> None:
    with pytest.raises(SettingsError) as caught:
        checked(Profile(name="x", base_url=typed))
    assert "canary" not in f"{caught.value.text} {caught.value.values}"
