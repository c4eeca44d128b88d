"""Reads and writes `settings.toml`. What a person wrote by hand (comments, order, unknown entries) survives a save."""

from __future__ import annotations

import itertools
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from workbench.errors import SettingsError, UsageError, WorkbenchError
from workbench.providers.profiles import checked
from workbench.settings.merging import edit_document, full, merged
from workbench.settings.tree import Settings
from workbench.settings.whole_file import write_whole


class Loaded(NamedTuple):
    """Settings from a file, and what should be told about it: one sentence each."""

    settings: Settings
    notices: tuple[WorkbenchError, ...] = ()


def open_data_folder(folder: Path) -> None:
    """Make the program's data folder if it is missing, for its owner alone.

    Raises:
        UsageError: it cannot be made or used.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"The data folder {folder} cannot be used: {reason}. Set WORKBENCH_DATA to a folder that you may write.",
            message_id="app.data_folder",
            values={"path": str(folder), "reason": reason},
        ) from error


def load_settings(path: Path) -> Loaded:
    """Return the settings in `path`; the defaults if there is no such file.

    Raises:
        SettingsError: the file cannot be read, is not TOML, or a value is not allowed; the sentence names file, place and remedy.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Loaded(Settings())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _unusable(path, str(error)) from error
    try:
        settings = _of(data)
    except msgspec.ValidationError as error:
        raise _unusable(path, str(error)) from error
    return Loaded(settings, tuple(_unknown(path, data, full(settings))))


def load_or_default(path: Path) -> Loaded:
    """Return the settings in `path`; if they cannot be used, the defaults and why."""
    try:
        return load_settings(path)
    except SettingsError as error:
        return Loaded(Settings(), (error,))


def save_settings(path: Path, settings: Settings, *, base: Settings | None = None) -> Settings:
    """Write into `path` what `settings` changed since `base`; all or nothing, mode 0600. Comments and unknown entries stay.

    Args:
        path: the file; made if it is missing. What a link leads to is written, the link stays.
        settings: as they are wanted.
        base: as they were when they were read; what another process wrote since then stays. None: nothing of the file counts.

    Returns:
        What the file says now.

    Raises:
        SettingsError: a value is not allowed, the file there cannot be used (it is left as it is), or writing failed.
    """
    import tomlkit

    wanted = validated(settings)
    path = path.resolve()
    text = _read(path)
    there = _parsed(path, text)
    document = tomlkit.parse(text)
    edit_document(document, wanted if base is None else merged(base, wanted, there))
    changed = tomlkit.dumps(document)
    result = _parsed(path, changed)
    if changed != text:
        _write(path, changed)
    return result


def validated(settings: Settings) -> Settings:
    """Return settings with every value checked and addresses in normal form.

    Raises:
        SettingsError: a value is not allowed; the sentence names its place.
    """
    try:
        return _of(full(settings))
    except msgspec.ValidationError as error:
        text = f"This setting is not allowed: {error}."
        raise SettingsError(text, message_id="settings.refused", values={"reason": str(error)}) from error


def settings_problem(path: Path) -> SettingsError | None:
    """Return why the file cannot be used as it is now; None if it can, or if there is none."""
    try:
        load_settings(path)
    except SettingsError as error:
        return error
    return None


def set_aside(path: Path) -> Path:
    """Rename a file that cannot be used, so that a new one can be begun; return where it is now, beside its old place.

    Raises:
        SettingsError: it cannot be renamed.
    """
    names = (path.with_name(f"{path.stem}.kept{'' if number == 1 else f'-{number}'}{path.suffix}") for number in itertools.count(1))
    kept = next(name for name in names if not os.path.lexists(name))
    try:
        path.rename(kept)
    except OSError as error:
        raise _not_written(path, error) from error
    return kept


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise _not_saved(path, str(error)) from error


def _parsed(path: Path, text: str) -> Settings:
    try:
        return _of(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, SettingsError) as error:
        raise _not_saved(path, str(error)) from error


def _of(data: Mapping[str, Any]) -> Settings:
    settings = msgspec.convert(data, Settings)
    return msgspec.structs.replace(settings, profiles=tuple(checked(profile) for profile in settings.profiles))


def _write(path: Path, text: str) -> None:
    try:
        write_whole(path, text.encode())
    except (OSError, UnicodeEncodeError) as error:
        raise _not_written(path, error) from error


def _unusable(path: Path, reason: str) -> SettingsError:
    return SettingsError(
        f"The settings in {path} cannot be used: {reason}. Mend or move the file; until then the program runs on its defaults.",
        message_id="settings.unusable",
        values={"path": str(path), "reason": reason},
    )


def _not_saved(path: Path, reason: str) -> SettingsError:
    return SettingsError(
        f"Nothing was saved, because the settings in {path} cannot be used: {reason}. Mend the file, or set it aside and begin a new one.",
        message_id="settings.not_saved",
        values={"path": str(path), "reason": reason},
    )


def _not_written(path: Path, error: OSError | UnicodeEncodeError) -> SettingsError:
    reason = getattr(error, "strerror", None) or str(error)
    return SettingsError(
        f"The settings could not be written to {path}: {reason}. Nothing was changed there.",
        message_id="settings.not_written",
        values={"path": str(path), "reason": reason},
    )


def _unknown(path: Path, data: Mapping[str, Any], known: Mapping[str, Any], prefix: str = "") -> list[WorkbenchError]:
    found: list[WorkbenchError] = []
    for name, value in data.items():
        place = f"{prefix}{name}"
        if name not in known:
            found.append(
                SettingsError(
                    f"{path} has an entry “{place}” that this program does not know; it is ignored.",
                    message_id="settings.unknown_entry",
                    values={"path": str(path), "entry": place},
                )
            )
        elif isinstance(value, dict) and isinstance(known[name], Mapping):
            found += _unknown(path, value, known[name], f"{place}.")
    return found
