"""The person's own profiles: they replace known ones, keep their place, and have names of their own."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from workbench.errors import SettingsError
from workbench.settings.profiles import KNOWN_PROFILES, Profile, free_name, model_ids, own_profile, variable_name, with_profile, without_profile
from workbench.settings.tree import Settings

LAB = Profile(name="lab", title="Lab", base_url="http://127.0.0.1:8000/v1")
OTHER = Profile(name="other", title="Other", base_url="https://other.example/v1")


def test_a_profile_is_added_changed_in_its_place_and_removed() -> None:
    settings = with_profile(with_profile(Settings(), LAB), OTHER)
    settings = with_profile(settings, replace(LAB, models=("m",)))
    assert [(profile.name, profile.models) for profile in settings.profiles] == [("lab", ("m",)), ("other", ())]
    assert own_profile(settings, "lab") == replace(LAB, models=("m",))
    settings = without_profile(settings, "lab")
    assert settings.profiles == (OTHER,)
    assert own_profile(settings, "lab") is None


def test_what_was_typed_is_brought_into_form() -> None:
    settings = with_profile(Settings(), replace(LAB, title="  Lab \n server ", base_url=" http://127.0.0.1:8000/v1/chat/completions/ "))
    assert (settings.profiles[0].title, settings.profiles[0].base_url) == ("Lab server", "http://127.0.0.1:8000/v1")


@pytest.mark.parametrize(("title", "told"), [("", "needs a name"), (" \n", "needs a name"), ("x" * 81, "1 to 80 characters")])
def test_a_name_is_needed(title: str, told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        with_profile(Settings(), replace(LAB, title=title))


@pytest.mark.parametrize(
    ("title", "name"),
    [
        *(("Lab server", "lab-server"), ("  ÄÖ!! ", "provider"), ("实验室", "provider"), ("OpenAI", "openai-2")),
        *(("a/b", "a-b"), ("x" * 90, "x" * 40), ("", "provider")),
    ],
)
def test_short_names_are_plain_and_free(title: str, name: str) -> None:
    assert free_name(title, {profile.name for profile in KNOWN_PROFILES}) == name


def test_models_are_parted_by_commas() -> None:
    assert model_ids(" a, b/c:1 ,,a,  ") == ("a", "b/c:1")
    assert model_ids("a，b, c") == ("a", "b", "c")
    assert model_ids("") == ()
    with pytest.raises(SettingsError, match="cannot be seen"):
        model_ids("a\u202eb")


@pytest.mark.parametrize(("typed", "name"), [("", ""), (" $LAB_API_KEY ", "LAB_API_KEY"), ("_X1", "_X1")])
def test_a_variables_name_is_taken(typed: str, name: str) -> None:
    assert variable_name(typed) == name


@pytest.mark.parametrize("typed", ["sk-canary-123", "gsk_canary123", "AB CANARY", "1CANARY", "CANARY=", "C" * 65 + "canary"])
def test_a_key_in_the_field_of_a_variables_name_is_refused_and_not_repeated(typed: str) -> None:
    with pytest.raises(SettingsError) as caught:
        variable_name(typed)
    assert "canary" not in caught.value.text.lower()
