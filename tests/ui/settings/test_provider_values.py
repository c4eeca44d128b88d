"""A form read: every field is judged by itself, a new provider gets a name of its own, and nothing that the form does not show is lost."""

from __future__ import annotations

from msgspec.structs import replace

from workbench.dialects.base import Quirks
from workbench.settings.credentials import Secret
from workbench.settings.profiles import KNOWN_PROFILES, PRACTICE, Profile
from workbench.settings.tree import Settings
from workbench.ui.settings.provider_values import FormValues, Provider, ProvidersState, providers_of, read_form, values_of
from workbench.ui.settings.result_lines import ResultLine

LAB = Profile(
    name="lab", title="Lab", base_url="http://127.0.0.1:8000/v1", models=("a", "b"), key_variable="lab_key", headers=(("X", "y"),), quirks=Quirks(max_tools=3)
)
OWN = Provider("lab", "own", LAB)
PRACTISE = Profile(name=PRACTICE, title="Practice", base_url="http://127.0.0.1:1/v1", models=("practice",))


def test_a_form_that_nobody_touched_is_the_profile_itself() -> None:
    assert read_form(OWN, values_of(OWN), set()) == (LAB, None, {})


def test_what_was_typed_is_read_and_the_rest_stays() -> None:
    values = FormValues("  My  lab ", " https://lab.example/v1/ ", "chat_completions", "b, c ,b", "$LAB_API_KEY", " sk-1 ")
    reading = read_form(OWN, values, set())
    assert reading.profile == replace(LAB, title="My lab", base_url="https://lab.example/v1", models=("b", "c"), key_variable="LAB_API_KEY")
    assert (reading.secret, reading.problems) == (Secret("sk-1"), {})


def test_every_field_that_is_wrong_says_so_at_once() -> None:
    reading = read_form(OWN, FormValues("", "http://u:p@h", "chat_completions", "a\u202eb", "sk-canary", "Bearer canary"), set())
    assert set(reading.problems) == {"title", "address", "models", "variable", "key"}
    assert "canary" not in repr(reading.problems)
    assert reading.profile == LAB, "what was refused is as it was"


def test_a_variable_that_was_written_by_hand_stays_allowed() -> None:
    assert read_form(OWN, values_of(OWN)._replace(title="x"), set()).profile.key_variable == "lab_key"


def test_a_new_provider_gets_a_free_name() -> None:
    state = ProvidersState()
    new = state.begin(None)
    assert (new.kind, state.chosen) == ("new", new.key)
    assert read_form(new, FormValues("Lab", "http://h/v1", "chat_completions", "", ""), {"lab"}).profile.name == "lab-2"


def test_a_copied_address_is_read_as_the_dialect_that_was_chosen_writes_it() -> None:
    new = ProvidersState().begin(None)
    read = read_form(new, FormValues("Lab", "https://lab.example/v1/messages", "anthropic", "", ""), set()).profile
    assert (read.base_url, read.dialect) == ("https://lab.example", "anthropic")


def test_a_new_provider_like_a_known_one_has_its_quirks_and_not_its_name() -> None:
    known = next(profile for profile in KNOWN_PROFILES if profile.name == "mistral")
    new = ProvidersState().begin(known)
    read = read_form(new, values_of(new), {profile.name for profile in KNOWN_PROFILES}).profile
    assert (read.name, read.quirks, read.base_url) == ("mistral-2", known.quirks, known.base_url)


def test_a_long_list_of_models_is_shown_by_its_first_and_kept_whole() -> None:
    many = tuple(f"m{number}" for number in range(2000))
    provider = Provider("lab", "local", replace(LAB, models=many))
    values = values_of(provider)
    assert values.models == "m0"
    assert read_form(provider, values, set()).profile.models == many
    assert read_form(provider, values._replace(models="m7"), set()).profile.models == ("m7",)


def test_the_list_is_practice_own_new_local_known() -> None:
    state = ProvidersState()
    new = state.begin(None)
    local = Profile(name="ollama", title="Ollama", base_url="http://127.0.0.1:11434/v1")
    settings = Settings(profiles=(LAB, replace(KNOWN_PROFILES[0], title="Mine")))
    found = providers_of(settings, (*settings.profiles, local, *KNOWN_PROFILES[1:]), PRACTISE, state)
    expected = [("practice", "practice"), ("lab", "own"), ("openai", "own"), (new.key, "new"), ("ollama", "local")]
    assert [(provider.key, provider.kind) for provider in found][:5] == expected
    assert {provider.kind for provider in found[5:]} == {"known"}


def test_what_was_typed_while_a_form_was_saved_is_kept() -> None:
    state = ProvidersState()
    new = state.begin(None)
    saved = FormValues("Lab", "http://h/v1", "chat_completions", "", "")
    state.drafts[new.key] = saved._replace(title="Lab, later")
    state.results[new.key] = (ResultLine("ok", "It answers"),)
    state.listed[new.key] = ("m",)
    state.saved(new.key, "lab", saved)
    assert state.drafts == {"lab": saved._replace(title="Lab, later")}
    assert (state.chosen, state.results, state.listed, state.new) == ("lab", {"lab": (ResultLine("ok", "It answers"),)}, {"lab": ("m",)}, {})
