"""Profiles: where a provider is, which dialect it speaks, and how it differs from that dialect's norm.

A profile holds no key. It names the environment variable that may hold one; the key itself comes from the credentials at the
moment a request leaves.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from msgspec import field
from msgspec.structs import replace

from workbench.conversation.messages import DialectName
from workbench.conversation.values import Value
from workbench.dialects import registry
from workbench.dialects.base import Quirks
from workbench.errors import ProviderError, SettingsError, UsageError
from workbench.providers.doors import DOORS, Door
from workbench.wire.address import is_loopback, parse_address
from workbench.wire.outgoing import Headers

PRACTICE = "practice"
_PRACTICE: dict[str, DialectName] = {
    PRACTICE: "chat_completions",
    "practice-functions": "functions",
    "practice-responses": "responses",
    "practice-anthropic": "anthropic",
    "practice-gemini": "gemini",
    "practice-react": "react",
    "practice-ollama": "ollama",
}
_PRACTICE_QUIRKS: dict[DialectName, Quirks] = {
    "chat_completions": Quirks(reasoning_replay="with_calls"),
    "anthropic": Quirks(thinking="budget"),
    "gemini": Quirks(thinking="budget"),
}


class Profile(Value, kw_only=True):
    """A provider's address and quirks.

    Attributes:
        name: short and unique, used in settings and facts.
        title: what people read.
        base_url: everything before the dialect's own path, without a slash at the end, e.g. ``https://api.example.com/v1``.
        dialect: the wire shape it speaks; how it is reached besides is in `doors`.
        models: ids known beforehand, the first is the default; may be empty.
        key_variable: environment variable that may hold the key; empty when no key is needed.
        headers: extra headers, name and value, e.g. ``anthropic-beta``; they replace those of the dialect.
        can_see_images: whether its models take pictures.
        context_tokens: the largest prompt, if known.
    """

    name: str
    base_url: str
    title: str = ""
    dialect: DialectName = "chat_completions"
    models: tuple[str, ...] = ()
    key_variable: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    quirks: Quirks = field(default_factory=Quirks)
    can_see_images: bool = False
    context_tokens: int | None = None

    @property
    def host(self) -> str:
        """Host and port of the address."""
        return urlsplit(self.base_url).netloc

    @property
    def is_local(self) -> bool:
        """Whether the address is on this machine."""
        return is_loopback(urlsplit(self.base_url).hostname or "")

    @property
    def is_readable_on_the_way(self) -> bool:
        """Whether the key and the conversation leave this machine without encryption."""
        return urlsplit(self.base_url).scheme == "http" and not self.is_local

    @property
    def door(self) -> Door:
        """How servers of its dialect are reached."""
        return DOORS[self.dialect]

    def headers_with(self, key: str | None, *, streamed: bool = False) -> Headers:
        """Return the headers of a request to this provider, with the key where its dialect wants it; its own come last and count."""
        door = self.door
        usual = (("Accept", door.stream_type if streamed else "application/json"), *((door.key_pair(key),) if key else ()), *door.version)
        own = {name.lower() for name, _value in self.headers}
        return (*(pair for pair in usual if pair[0].lower() not in own), *self.headers)


def checked(profile: Profile) -> Profile:
    """Return the profile with its address in normal form.

    Raises:
        SettingsError: the address is not an absolute http or https URL, or carries a user name, query or fragment.
    """
    url = profile.base_url.strip()
    if "@" in url:
        raise _has_extra(profile)
    try:
        parse_address(url)
    except ProviderError as error:
        raise SettingsError(
            f"The address of provider “{profile.name}” is “{url}”: write it as http:// or https:// and a host, e.g. http://127.0.0.1:8080/v1.",
            message_id="profile.address",
            values={"name": profile.name, "url": url},
        ) from error
    parts = urlsplit(url)
    if parts.query or parts.fragment:
        raise _has_extra(profile)
    return replace(profile, base_url=profile.door.base_of(url))


def _has_extra(profile: Profile) -> SettingsError:
    """Return the error for an address that may hold a key; the address itself is not repeated."""
    return SettingsError(
        f"The address of provider “{profile.name}” holds a user name, a query or a fragment: leave these out; a key goes into the key field.",
        message_id="profile.address_extra",
        values={"name": profile.name},
    )


def dialects() -> tuple[DialectName, ...]:
    """Return the dialects that a profile can speak today."""
    return registry.names()


def named_model(profile: Profile, model: str) -> str:
    """Return the model that is meant: the one named, else the profile's first.

    Raises:
        UsageError: none is named, and the profile knows none.
    """
    if model or profile.models:
        return model or profile.models[0]
    raise UsageError(
        f"Which model of {profile.title or profile.name}? Name it as {profile.name}/MODEL.",
        message_id="app.no_model",
        values={"title": profile.title or profile.name, "name": profile.name},
    )


def no_profile(name: str, known: Iterable[str]) -> UsageError:
    """Return the error for a name that no profile has."""
    names = ", ".join(known)
    text = f"There is no provider profile “{name}”. Known are: {names}."
    return UsageError(text, message_id="app.no_profile", values={"name": name, "known": names})


def practice_names() -> tuple[str, ...]:
    """Return the names of the practice model's profiles, one for each dialect that is there; plain `PRACTICE` first."""
    return tuple(name for name, dialect in _PRACTICE.items() if dialect in registry.names())


def is_practice(name: str) -> bool:
    """Say whether a profile is the built-in practice model, in whichever dialect."""
    return name in _PRACTICE


def practice_dialect(name: str) -> DialectName:
    """Return the dialect of one of `practice_names`."""
    return _PRACTICE[name]


def practice_profile(base_url: str, models: tuple[str, ...], name: str = PRACTICE) -> Profile:
    """Return a profile of the built-in practice model at the address where it runs now."""
    dialect = _PRACTICE[name]
    return Profile(
        name=name,
        title="Practice model (a script, not an AI)" if name == PRACTICE else f"Practice model · {DOORS[dialect].title}",
        base_url=base_url,
        dialect=dialect,
        models=models,
        quirks=_PRACTICE_QUIRKS.get(dialect, Quirks()),
        context_tokens=128_000,
    )
