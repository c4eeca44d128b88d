"""What two processes change in the settings at the same time comes together; what a person wrote by hand is not touched."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from workbench.agent.limits import Limits
from workbench.dialects.base import Quirks
from workbench.errors import SettingsError
from workbench.providers.profiles import Profile
from workbench.settings.files import load_settings, save_settings
from workbench.settings.merging import merged
from workbench.settings.tree import AppearanceSettings, ModelSettings, PracticeSettings, Settings, ToolSettings

HERE = Profile(name="here", base_url="http://127.0.0.1:8080/v1")
LAB = Profile(name="lab", base_url="https://lab.example/v1", title="Lab")

BY_HAND = """\
# mine
mode = "ask"  # careful

[limits]
steps = 9
stepps = 3  # a slip, kept all the same

# the first one
[[profiles]]
name = "here"  # short
base_url = "http://127.0.0.1:8080/v1"
colour = "red"

[profiles.quirks]
result_name = true

# the second one
[[profiles]]
name = "lab"
base_url = "https://lab.example/v1"
title = "Lab"

[future]
x = 1
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "settings.toml").write_text(BY_HAND, encoding="utf-8")
    return tmp_path / "settings.toml"


def changed(path: Path, text: str, other: str) -> None:
    """Do what another process does."""
    assert text in path.read_text(encoding="utf-8")
    path.write_text(path.read_text(encoding="utf-8").replace(text, other), encoding="utf-8")


def test_only_what_was_changed_here_is_written(path: Path) -> None:
    base = load_settings(path).settings
    changed(path, 'mode = "ask"', 'mode = "read_only"')
    changed(path, 'title = "Lab"', 'title = "Laboratory"')
    result = save_settings(path, replace(base, appearance=AppearanceSettings(theme="dark")), base=base)
    assert (result.mode, result.appearance.theme, result.profiles[1].title) == ("read_only", "dark", "Laboratory")
    assert load_settings(path).settings == result


def test_both_sides_may_change_one_profile(path: Path) -> None:
    base = load_settings(path).settings
    changed(path, 'title = "Lab"', 'title = "Laboratory"')
    mine = replace(base.profiles[1], models=("m-1",))
    result = save_settings(path, replace(base, profiles=(base.profiles[0], mine)), base=base)
    assert (result.profiles[1].title, result.profiles[1].models) == ("Laboratory", ("m-1",))


def test_a_profile_that_somebody_added_stays_and_one_removed_here_goes(path: Path) -> None:
    base = load_settings(path).settings
    path.write_text(path.read_text(encoding="utf-8") + '\n[[profiles]]\nname = "new"\nbase_url = "http://127.0.0.1:9/v1"\n', encoding="utf-8")
    result = save_settings(path, replace(base, profiles=base.profiles[1:]), base=base)
    assert [profile.name for profile in result.profiles] == ["lab", "new"]


def test_a_profile_removed_elsewhere_comes_back_only_if_it_was_changed_here() -> None:
    base, theirs = Settings(profiles=(HERE, LAB)), Settings()
    assert merged(base, Settings(profiles=(HERE, replace(LAB, title="L"))), theirs).profiles == (replace(LAB, title="L"),)


def test_comments_and_unknown_entries_stay_in_every_table(path: Path) -> None:
    base = load_settings(path).settings
    wanted = replace(base, mode="read_only", limits=Limits(), profiles=(replace(base.profiles[0], title="Here"), base.profiles[1], HERE_TOO))
    save_settings(path, wanted, base=base)
    text = path.read_text(encoding="utf-8")
    for kept in ("# mine", "# careful", "# a slip", "# the first one", "# short", 'colour = "red"', "# the second one", "[future]"):
        assert kept in text
    assert "steps = 9" not in text
    assert load_settings(path).settings == wanted


HERE_TOO = Profile(name="third", base_url="http://127.0.0.1:1/v1", headers=(("X-A", "b"),), quirks=Quirks(result_name=True))


def test_removing_a_profile_leaves_the_others_as_they_stand(path: Path) -> None:
    base = load_settings(path).settings
    save_settings(path, replace(base, profiles=base.profiles[:1]), base=base)
    text = path.read_text(encoding="utf-8")
    assert 'colour = "red"' in text
    assert "lab.example" not in text
    save_settings(path, replace(base, profiles=()), base=replace(base, profiles=base.profiles[:1]))
    assert "profiles" not in tomllib.loads(path.read_text(encoding="utf-8"))


def test_profiles_written_in_one_line_are_edited_there(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('profiles = [{name = "here", base_url = "http://127.0.0.1:8080/v1", colour = 1}]  # short\n', encoding="utf-8")
    save_settings(path, Settings(profiles=(replace(HERE, models=("a",)), LAB)), base=load_settings(path).settings)
    assert "colour = 1" in path.read_text(encoding="utf-8")
    assert "# short" in path.read_text(encoding="utf-8")
    assert load_settings(path).settings.profiles == (replace(HERE, models=("a",)), LAB)


def test_two_profiles_of_one_name_both_stay(path: Path) -> None:
    changed(path, 'name = "lab"', 'name = "here"')
    base = load_settings(path).settings
    result = save_settings(path, replace(base, mode="read_only"), base=base)
    assert [(profile.name, profile.title) for profile in result.profiles] == [("here", ""), ("here", "Lab")]


def test_a_file_written_with_windows_line_ends_keeps_them(path: Path) -> None:
    path.write_bytes(BY_HAND.replace("\n", "\r\n").encode())
    base = load_settings(path).settings
    save_settings(path, replace(base, mode="read_only"), base=base)
    assert path.read_bytes() == BY_HAND.replace("\n", "\r\n").replace('"ask"', '"read_only"').encode()


def test_what_a_link_leads_to_is_written_and_the_link_stays(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.toml"
    link.symlink_to(path)
    base = load_settings(link).settings
    save_settings(link, replace(base, mode="read_only"), base=base)
    assert link.is_symlink()
    assert load_settings(path).settings.mode == "read_only"


def test_a_save_that_changes_nothing_leaves_the_file_alone(path: Path) -> None:
    before = path.stat()
    base = load_settings(path).settings
    assert save_settings(path, base, base=base) == base
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert path.read_text(encoding="utf-8") == BY_HAND


def test_text_that_no_file_can_hold_is_refused(path: Path) -> None:
    with pytest.raises(SettingsError, match="could not be written"):
        save_settings(path, Settings(profiles=(replace(LAB, title="half \ud800"),)))
    assert path.read_text(encoding="utf-8") == BY_HAND


# Laws

_WORDS = st.text(st.characters(codec="utf-8"), max_size=8)
_NAMES = st.sampled_from(["a", "b", "c"])
_PROFILES = st.lists(
    st.builds(
        Profile,
        name=_NAMES,
        base_url=st.sampled_from(["http://127.0.0.1:1/v1", "https://lab.example"]),
        title=_WORDS,
        models=st.lists(_WORDS, max_size=2).map(tuple),
        headers=st.lists(st.tuples(_WORDS, _WORDS), max_size=2).map(tuple),
        quirks=st.builds(Quirks, result_name=st.booleans(), max_tools=st.integers(1, 9)),
        context_tokens=st.none() | st.integers(1, 9),
    ),
    max_size=3,
    unique_by=lambda profile: profile.name,
).map(tuple)
_SETTINGS = st.builds(
    Settings,
    mode=st.sampled_from(["read_only", "ask"]),
    model=st.builds(ModelSettings, model=_WORDS, max_output_tokens=st.none() | st.integers(1, 9), reasoning_effort=st.none() | _WORDS),
    limits=st.builds(Limits, steps=st.integers(1, 9), time_s=st.none() | st.floats(0.5, 9), ask=st.booleans()),
    practice=st.builds(PracticeSettings, tokens_per_s=st.floats(0, 9)),
    tools=st.builds(ToolSettings, demo=st.none() | st.booleans()),
    appearance=st.builds(AppearanceSettings, theme=st.sampled_from(["light", "dark"]), zoom_percent=st.integers(50, 300)),
    profiles=_PROFILES,
)


@given(first=_SETTINGS, second=_SETTINGS)
def test_whatever_is_saved_over_whatever_is_read_again(tmp_path_factory: pytest.TempPathFactory, first: Settings, second: Settings) -> None:
    path = tmp_path_factory.mktemp("law") / "settings.toml"
    assert save_settings(path, first) == first
    path.write_text("# by hand\n" + path.read_text(encoding="utf-8") + "\n[future]\nx = 1\n", encoding="utf-8")
    result = save_settings(path, second)
    assert replace(result, profiles=()) == replace(second, profiles=())
    assert {profile.name: profile for profile in result.profiles} == {profile.name: profile for profile in second.profiles}
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# by hand\n")
    assert "[future]\nx = 1\n" in text


@given(base=_SETTINGS, mine=_SETTINGS, theirs=_SETTINGS)
def test_a_side_that_changed_nothing_gives_way(base: Settings, mine: Settings, theirs: Settings) -> None:
    def comparable(settings: Settings) -> tuple[Settings, list[Profile]]:
        return replace(settings, profiles=()), sorted(settings.profiles, key=lambda profile: profile.name)

    assert comparable(merged(base, base, theirs)) == comparable(theirs)
    assert comparable(merged(base, mine, base)) == comparable(mine)
    assert comparable(merged(base, mine, mine)) == comparable(mine)
