"""Reads and writes `settings.toml`. What a person wrote by hand (comments, order, unknown entries) survives a save."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
import tomllib
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from workbench.errors import SettingsError, WorkbenchError
from workbench.providers.profiles import Profile, checked
from workbench.settings.tree import Settings


class Loaded(NamedTuple):
    """Settings from a file, and what should be told about it: one sentence each."""

    settings: Settings
    notices: tuple[WorkbenchError, ...] = ()


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
        settings = msgspec.convert(data, Settings)
        settings = msgspec.structs.replace(settings, profiles=tuple(checked(profile) for profile in settings.profiles))
    except msgspec.ValidationError as error:
        raise _unusable(path, str(error)) from error
    return Loaded(settings, tuple(_unknown(path, data, _full(settings))))


def save_settings(path: Path, settings: Settings) -> None:
    """Write `settings` into `path`, keeping the comments and unknown entries that are there; all or nothing, mode 0600.

    Raises:
        SettingsError: the file there cannot be read (it is left as it is), or writing failed.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(path.read_text(encoding="utf-8")) if path.exists() else tomlkit.document()
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        raise _unusable(path, str(error)) from error
    _merge(document, _changed(settings), _full(Settings()))
    try:
        _replace_file(path, tomlkit.dumps(document))
    except OSError as error:
        raise SettingsError(
            f"The settings could not be written to {path}: {error.strerror or error}. Nothing was changed there.",
            message_id="settings.not_written",
            values={"path": str(path), "reason": error.strerror or str(error)},
        ) from error


def _unusable(path: Path, reason: str) -> SettingsError:
    return SettingsError(
        f"The settings in {path} cannot be used: {reason}. Mend or move the file; until then the program runs on its defaults.",
        message_id="settings.unusable",
        values={"path": str(path), "reason": reason},
    )


def _changed(settings: Settings) -> dict[str, Any]:
    """Return the entries that differ from the defaults; TOML has no null, and a default needs no line."""
    values = _sparse(_full(settings), _full(Settings()))
    if settings.profiles:
        usual = _full(Profile(name="", base_url=""))
        values["profiles"] = [_sparse(_full(profile), usual) for profile in settings.profiles]
    return values


def _sparse(values: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, value in values.items():
        if value == usual[name] or value is None:
            continue
        kept[name] = _sparse(value, usual[name]) if isinstance(value, Mapping) else value
    return kept


def _full(settings: Settings | Profile) -> dict[str, Any]:
    """Return the tree as plain values with every field, defaults too."""

    def plain(value: Any) -> Any:
        if isinstance(value, msgspec.Struct):
            return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
        if dataclasses.is_dataclass(value):
            return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        if isinstance(value, tuple):
            return [plain(item) for item in value]
        return value

    result: dict[str, Any] = plain(settings)
    return result


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


def _merge(document: MutableMapping[str, Any], values: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Bring `document` to `values`; an entry that went back to its default is removed, unknown entries stay."""
    for name in defaults:
        if name not in values:
            document.pop(name, None)
        elif isinstance(values[name], Mapping) and isinstance(document.get(name), MutableMapping):
            _merge(document[name], values[name], defaults[name])
        elif document.get(name) != values[name]:
            document[name] = values[name]


def _replace_file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".settings-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
