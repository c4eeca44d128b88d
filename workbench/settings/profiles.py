"""The person's own profiles in the settings: adding, changing, removing; and the front ends' way to what a profile is.

An own profile replaces a known one of the same name, and removing it brings the known one back.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from msgspec.structs import replace

from workbench.errors import SettingsError
from workbench.providers.discovery import LOCAL_KINDS, LocalKind
from workbench.providers.doors import DOORS, dialect_title
from workbench.providers.known_profiles import KNOWN_PROFILES
from workbench.providers.profiles import PRACTICE, Profile, checked, dialects
from workbench.settings.tree import Settings

__all__ = [
    "KNOWN_PROFILES",
    "LOCAL_KINDS",
    "PRACTICE",
    "LocalKind",
    "Profile",
    "checked",
    "checked_title",
    "dialect_title",
    "dialects",
    "example_of",
    "free_name",
    "model_ids",
    "own_profile",
    "variable_name",
    "with_profile",
    "without_profile",
]

LONGEST_TITLE = 80
LONGEST_NAME = 40
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


def example_of(dialect: str) -> str:
    """Return how an address of a server of a dialect looks."""
    return next((door.example for name, door in DOORS.items() if name == dialect), "")


def own_profile(settings: Settings, name: str) -> Profile | None:
    """Return the person's own profile of a name; the first if there are two."""
    return next((profile for profile in settings.profiles if profile.name == name), None)


def with_profile(settings: Settings, profile: Profile) -> Settings:
    """Return settings with a profile, in the place of the own one of that name, else behind the others.

    Raises:
        SettingsError: it has no name, or its address is not one; one sentence.
    """
    kept = checked(replace(profile, title=checked_title(profile.title)))
    own = own_profile(settings, kept.name)
    if own is None:
        return replace(settings, profiles=(*settings.profiles, kept))
    return replace(settings, profiles=tuple(kept if known is own else known for known in settings.profiles))


def without_profile(settings: Settings, name: str) -> Settings:
    """Return settings without the own profiles of a name."""
    return replace(settings, profiles=tuple(profile for profile in settings.profiles if profile.name != name))


def free_name(title: str, taken: Collection[str]) -> str:
    """Return a short name made of what people call a provider, which no other one has: ``Lab server`` gives ``lab-server``."""
    plain = _NOT_IN_NAMES.sub("-", title.lower()).strip("-")[:LONGEST_NAME].rstrip("-") or "provider"
    number = 1
    while (name := plain if number == 1 else f"{plain}-{number}") in taken:
        number += 1
    return name


def model_ids(text: str) -> tuple[str, ...]:
    """Return the model ids that a person typed, parted by commas, narrow or wide; each once, in order.

    Raises:
        SettingsError: one holds characters that cannot be seen.
    """
    ids = _unique(piece.strip() for piece in re.split("[,，]", text))
    for model in ids:
        if not model.isprintable():
            raise SettingsError("A model's id holds a character that cannot be seen: type it anew.", message_id="profile.model_hidden")
    return ids


def variable_name(text: str) -> str:
    """Return the name of an environment variable that a person typed; empty for none.

    Only capitals are taken, so that a key put into the wrong field is not written to disk as a name.

    Raises:
        SettingsError: it is not such a name; the sentence does not repeat it.
    """
    name = text.strip().removeprefix("$")
    if name and not _VARIABLE.fullmatch(name):
        sentence = "Write a variable's name in capitals, such as LAB_API_KEY; a key itself goes into the field for keys."
        raise SettingsError(sentence, message_id="profile.variable")
    return name


def checked_title(text: str) -> str:
    """Return what a person calls a provider, on one line.

    Raises:
        SettingsError: there is nothing, or too much.
    """
    title = " ".join(text.split())
    if not title or len(title) > LONGEST_TITLE:
        sentence = f"A provider needs a name of 1 to {LONGEST_TITLE} characters."
        raise SettingsError(sentence, message_id="profile.title", values={"longest": LONGEST_TITLE})
    return title


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))
