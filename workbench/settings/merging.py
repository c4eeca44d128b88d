"""Brings together what was changed here and what somebody else wrote meanwhile: as settings, and in the text of the file.

Nothing that a person wrote by hand is lost: comments, order and unknown entries stay, in the tables of profiles too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, MutableMapping, MutableSequence
from typing import Any, TypeAlias, TypeVar

import msgspec

from workbench.providers.profiles import Profile
from workbench.settings.tree import Settings

T = TypeVar("T")
_Place: TypeAlias = tuple[str, int]
"""A profile's name, and the how-manyth of that name it is: two may bear one, and the first counts."""


def merged(base: Settings, mine: Settings, theirs: Settings) -> Settings:
    """Return `theirs` with every single entry that `mine` changed since `base`; profiles are told apart by their names.

    A profile that was changed on one side and removed on the other stays as it was changed, unless it was removed by `mine`.
    """
    profiles = _merged_profiles(base.profiles, mine.profiles, theirs.profiles)
    return msgspec.structs.replace(_merged(base, mine, theirs), profiles=profiles)


def full(settings: Settings | Profile) -> dict[str, Any]:
    """Return the tree as plain values with every field, defaults too."""
    result: dict[str, Any] = _plain(settings)
    return result


def edit_document(document: MutableMapping[str, Any], settings: Settings) -> None:
    """Bring a parsed settings file to `settings`: an entry that went back to its default is removed, for a default needs no line."""
    usual = full(Settings())
    values = _sparse(full(settings), usual)
    values.pop("profiles", None)
    usual.pop("profiles")
    _edit(document, values, usual)
    _edit_profiles(document, settings.profiles)


# As settings


def _merged(base: T, mine: T, theirs: T) -> T:
    names = _names(mine)
    if not names:
        return theirs if mine == base else mine
    chosen = {name: _merged(getattr(base, name), getattr(mine, name), getattr(theirs, name)) for name in names if name != "profiles"}
    return msgspec.structs.replace(theirs, **chosen) if isinstance(theirs, msgspec.Struct) else dataclasses.replace(theirs, **chosen)  # type: ignore[type-var]  # the only other kind with names


def _names(value: object) -> tuple[str, ...]:
    """Return the names of a value's fields; none if it has no fields and is one entry of the file."""
    if isinstance(value, msgspec.Struct):
        return value.__struct_fields__
    return tuple(field.name for field in dataclasses.fields(value)) if dataclasses.is_dataclass(value) and not isinstance(value, type) else ()


def _merged_profiles(base: Iterable[Profile], mine: Iterable[Profile], theirs: Iterable[Profile]) -> tuple[Profile, ...]:
    was, wanted, there = _placed(base), _placed(mine), _placed(theirs)
    kept = []
    for place, profile in wanted.items():
        if place in was and place in there:
            kept.append(_merged(was[place], profile, there[place]))
        elif place not in was or profile != was[place]:
            kept.append(profile)
    return (*kept, *(profile for place, profile in there.items() if place not in was and place not in wanted))


def _placed(profiles: Iterable[Profile]) -> dict[_Place, Profile]:
    return dict(zip(_places([profile.name for profile in profiles]), profiles, strict=True))


def _places(names: Iterable[str]) -> list[_Place]:
    found: list[_Place] = []
    for name in names:
        found.append((name, sum(1 for other, _ in found if other == name)))
    return found


# In the file


def _plain(value: Any) -> Any:
    if names := _names(value):
        return {name: _plain(getattr(value, name)) for name in names}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _sparse(values: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, value in values.items():
        if value == usual[name] or value is None:
            continue
        kept[name] = _sparse(value, usual[name]) if isinstance(value, Mapping) else value
    return kept


def _edit(document: MutableMapping[str, Any], values: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
    for name in usual:
        if name not in values:
            _reset(document, name, usual[name])
        elif isinstance(values[name], Mapping) and isinstance(document.get(name), MutableMapping):
            _edit(document[name], values[name], usual[name])
        elif document.get(name) != values[name]:
            document[name] = values[name]


def _reset(document: MutableMapping[str, Any], name: str, usual: object) -> None:
    """Let an entry be as usual: it goes, unless the file says the usual in so many words; a table goes when nothing is left in it."""
    entry = document.get(name)
    if isinstance(usual, Mapping) and isinstance(entry, MutableMapping):
        _edit(entry, {}, usual)
        if not entry:
            document.pop(name)
    elif entry != usual:
        document.pop(name, None)


def _edit_profiles(document: MutableMapping[str, Any], profiles: tuple[Profile, ...]) -> None:
    tables = document.get("profiles")
    if not profiles:
        document.pop("profiles", None)
        return
    usual = full(Profile(name="", base_url=""))
    wanted = {place: _sparse(full(profile), usual) for place, profile in _placed(profiles).items()}
    if not isinstance(tables, MutableSequence):
        document["profiles"] = list(wanted.values())
        return
    places = _places([str(table.get("name", "")) for table in tables])
    for at, place in reversed(list(enumerate(places))):
        if place in wanted:
            _edit(tables[at], wanted[place], usual)
        else:
            del tables[at]
    for place, values in wanted.items():
        if place not in places:
            tables.append(values)
