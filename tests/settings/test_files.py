"""Settings survive a save, tell what is wrong in one sentence, and never lose what a person wrote."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from workbench.agent.limits import Limits
from workbench.errors import SettingsError
from workbench.providers.profiles import Profile
from workbench.settings.files import load_settings, save_settings, set_aside, settings_problem
from workbench.settings.tree import AppearanceSettings, ModelSettings, PracticeSettings, Settings


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_no_file_gives_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "settings.toml") == (Settings(), ())


def test_what_is_saved_is_read_again(tmp_path: Path) -> None:
    settings = Settings(
        mode="read_only",
        model=ModelSettings(profile="here", model="m-1", max_output_tokens=2048),
        limits=Limits(steps=7),
        practice=PracticeSettings(tokens_per_s=0),
        appearance=AppearanceSettings(theme="dark", language="zh_CN"),
        profiles=(Profile(name="here", base_url="http://127.0.0.1:8080/v1", headers=(("X-A", "b"),)),),
    )
    save_settings(tmp_path / "settings.toml", settings)
    assert load_settings(tmp_path / "settings.toml").settings == settings


def test_a_save_keeps_comments_and_unknown_entries(tmp_path: Path) -> None:
    path = written(tmp_path, '# mine\nmode = "ask"  # careful\n\n[future]\nx = 1\n')
    save_settings(path, Settings(mode="read_only"))
    text = path.read_text(encoding="utf-8")
    assert "# mine" in text
    assert "# careful" in text
    assert "[future]" in text
    assert load_settings(path).settings.mode == "read_only"


def test_a_value_that_went_back_to_its_default_leaves_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, 'mode = "read_only"\n\n[appearance]\ntheme = "dark"\n')
    settings = load_settings(path).settings
    save_settings(path, replace(settings, mode="ask"))
    assert "mode" not in path.read_text(encoding="utf-8")
    assert load_settings(path).settings.appearance.theme == "dark"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mode = ", "Invalid value"),
        ('mode = "yolo"', "Invalid enum value 'yolo' - at `$.mode`"),
        ("[limits]\nsteps = 'many'", "at `$.limits.steps`"),
        ("[limits]\nsteps = 0", "steps must be at least 1"),
        ("[limits]\nsteps = -1", "steps must be at least 1"),
        ("[limits]\ntokens = 0", "tokens must be at least 1"),
        ("[limits]\ntokens = -5", "at `$.limits`"),
        ("[limits]\ntime_s = 0.0", "time_s must be above 0"),
        ("[limits]\ntime_s = nan", "time_s must be above 0"),
        ("[practice]\ntokens_per_s = -1", "at `$.practice.tokens_per_s`"),
        ('[[profiles]]\nname = "x"\nbase_url = "ftp://x"', "write it as http://"),
        ('[[profiles]]\nname = "x"\nbase_url = "http://u:p@host/v1"', "holds a user name"),
    ],
)
def test_a_bad_file_is_one_sentence_that_names_the_place(tmp_path: Path, text: str, told: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(SettingsError, match=r"^[^\n]*$") as caught:
        load_settings(path)
    assert told in caught.value.text


def test_a_file_that_cannot_be_read_is_not_overwritten(tmp_path: Path) -> None:
    path = written(tmp_path, "mode = ")
    with pytest.raises(SettingsError):
        save_settings(path, Settings(mode="read_only"))
    assert path.read_text(encoding="utf-8") == "mode = "


def test_unknown_entries_are_named(tmp_path: Path) -> None:
    loaded = load_settings(written(tmp_path, "colour = 1\n[limits]\nstepps = 3\n"))
    assert [notice.values["entry"] for notice in loaded.notices] == ["colour", "limits.stepps"]


def test_the_address_may_be_pasted_with_its_end(tmp_path: Path) -> None:
    path = written(tmp_path, '[[profiles]]\nname = "x"\nbase_url = " http://127.0.0.1:1234/v1/chat/completions/ "\n')
    assert load_settings(path).settings.profiles[0].base_url == "http://127.0.0.1:1234/v1"


@pytest.mark.skipif(os.name == "nt", reason="permission bits are POSIX's")
def test_the_file_is_for_its_owner_only_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    save_settings(tmp_path / "new" / "settings.toml", Settings(mode="read_only"))
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["settings.toml"]
    assert stat.S_IMODE((tmp_path / "new" / "settings.toml").stat().st_mode) == 0o600


def test_a_value_that_is_not_allowed_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    path = written(tmp_path, "# mine\n")
    with pytest.raises(SettingsError, match=r"not allowed: .*`\$\.appearance\.zoom_percent`"):
        save_settings(path, Settings(appearance=AppearanceSettings(zoom_percent=9999)))
    with pytest.raises(SettingsError, match="holds a user name"):
        save_settings(path, Settings(profiles=(Profile(name="x", base_url="http://u:p@h/v1"),)))
    assert path.read_text(encoding="utf-8") == "# mine\n"


def test_a_broken_file_is_set_aside_under_a_name_that_was_free(tmp_path: Path) -> None:
    path = written(tmp_path, "mode = ")
    (tmp_path / "settings.kept.toml").write_text("an older one")
    assert settings_problem(path) is not None
    assert set_aside(path) == tmp_path / "settings.kept-2.toml"
    assert settings_problem(path) is None
    assert (tmp_path / "settings.kept-2.toml").read_text() == "mode = "
    assert (tmp_path / "settings.kept.toml").read_text() == "an older one"
    with pytest.raises(SettingsError, match="could not be written"):
        set_aside(path)


def test_a_folder_in_the_files_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").mkdir()
    with pytest.raises(SettingsError, match="Nothing was saved"):
        save_settings(tmp_path / "settings.toml", Settings(mode="read_only"))
