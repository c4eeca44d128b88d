"""What stands in the form of a provider, and what it means: a profile, a key, or what is wrong with each field. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from msgspec.structs import replace

from workbench.errors import SettingsError
from workbench.settings.credentials import Secret, typed_key
from workbench.settings.profiles import LOCAL_KINDS, PRACTICE, Profile, checked, checked_title, dialects, free_name, model_ids, variable_name
from workbench.settings.tree import Settings
from workbench.ui.settings.result_lines import ResultLine
from workbench.words import _, tell

Kind: TypeAlias = Literal["practice", "own", "local", "known", "new"]
FieldName: TypeAlias = Literal["title", "address", "models", "variable", "key"]
T = TypeVar("T")

MODELS_SHOWN = 8
"""A provider that lists more models than this has only its first one in the field; the others are in the list to choose from."""


class Provider(NamedTuple):
    """A provider of the list; `key` tells it apart, and is its profile's name once it has one."""

    key: str
    kind: Kind
    profile: Profile


class FormValues(NamedTuple):
    """What stands in the fields. `key` is what was typed, never what is kept."""

    title: str
    address: str
    dialect: str
    models: str
    variable: str
    key: str = ""


class Reading(NamedTuple):
    """A form read: the profile it describes, the key that was typed, and a sentence for each field that is refused."""

    profile: Profile
    secret: Secret | None
    problems: Mapping[FieldName, str]


@dataclass
class ProvidersState:
    """What the page knows and the settings do not; outlives the widgets, which are built anew for another language.

    Attributes:
        chosen: key of the provider that is shown.
        new: providers that were begun and not saved yet.
        drafts: forms that differ from what is saved, by key.
        results: lines of the last test, by key.
        listed: models that the last test found, by key.
        deleted: the profile deleted last, and the place it had.
        made: how many were begun so far.
    """

    chosen: str = PRACTICE
    new: dict[str, Provider] = field(default_factory=dict)
    drafts: dict[str, FormValues] = field(default_factory=dict)
    results: dict[str, tuple[ResultLine, ...]] = field(default_factory=dict)
    listed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    deleted: tuple[Profile, int] | None = None
    made: int = 0

    def begin(self, preset: Profile | None) -> Provider:
        """Begin a new provider, like a known one or empty, and choose it."""
        self.made += 1
        base = preset or Profile(name="", base_url="")
        provider = Provider(f"new {self.made}", "new", replace(base, name="", models=()))
        self.new[provider.key] = provider
        self.chosen = provider.key
        return provider

    def drop(self, key: str) -> None:
        """Forget what was typed for a provider; one that was not saved is gone."""
        self.drafts.pop(key, None)
        self.new.pop(key, None)

    def saved(self, key: str, name: str, values: FormValues) -> None:
        """Note that a form was saved under a name; what was typed meanwhile stays, and what a test found goes with it."""
        newer = self.drafts.get(key, values)
        self.drop(key)
        if newer != values:
            self.drafts[name] = newer
        if key in self.results:
            self.results[name] = self.results.pop(key)
        if key in self.listed:
            self.listed[name] = self.listed.pop(key)
        if self.chosen == key:
            self.chosen = name


def providers_of(settings: Settings, profiles: Collection[Profile], practice: Profile, state: ProvidersState) -> tuple[Provider, ...]:
    """Return the list: practice model, the person's own, those begun, local servers found, known ones."""
    own = {profile.name for profile in settings.profiles}
    local = {kind.name for kind in LOCAL_KINDS}
    kinds: dict[str, Kind] = {profile.name: "own" if profile.name in own else "local" if profile.name in local else "known" for profile in profiles}
    order: tuple[Kind, ...] = ("own", "local", "known")
    named = sorted((Provider(profile.name, kinds[profile.name], profile) for profile in profiles), key=lambda provider: order.index(provider.kind))
    mine = [provider for provider in named if provider.kind == "own"]
    return (Provider(PRACTICE, "practice", practice), *mine, *state.new.values(), *(provider for provider in named if provider.kind != "own"))


def values_of(provider: Provider) -> FormValues:
    """Return the form of a provider as it is saved."""
    profile = provider.profile
    models = profile.models if len(profile.models) <= MODELS_SHOWN else profile.models[:1]
    title = _(profile.title) if provider.kind == "practice" else profile.title or profile.name
    return FormValues(title, profile.base_url, profile.dialect, ", ".join(models), profile.key_variable)


def read_form(provider: Provider, values: FormValues, taken: Collection[str]) -> Reading:
    """Return what a form says.

    Args:
        provider: whose form it is; what the form does not show stays as it is there.
        values: the form.
        taken: names that a new provider may not get.
    """
    profile, problems = provider.profile, dict[FieldName, str]()

    def take(name: FieldName, read: Callable[[], T], otherwise: T) -> T:
        try:
            return read()
        except SettingsError as error:
            problems[name] = tell(error)
            return otherwise

    title = take("title", lambda: checked_title(values.title), profile.title)
    dialect = next((name for name in dialects() if name == values.dialect), profile.dialect)
    address = take("address", lambda: checked(Profile(name=title or "?", base_url=values.address, dialect=dialect)).base_url, profile.base_url)
    models = take("models", lambda: _models(profile, values), profile.models)
    typed = values.variable.strip()
    variable = typed if typed == profile.key_variable else take("variable", lambda: variable_name(typed), profile.key_variable)
    secret = take("key", lambda: typed_key(values.key), None) if values.key else None
    name = profile.name or free_name(title, taken)
    read = replace(profile, name=name, title=title, base_url=address, models=models, key_variable=variable, dialect=dialect)
    return Reading(read, secret, problems)


def _models(profile: Profile, values: FormValues) -> tuple[str, ...]:
    """Return the models of a form; a long list of which only the first one was shown and which was not touched stays whole."""
    ids = model_ids(values.models)
    return profile.models if len(profile.models) > MODELS_SHOWN and ids == profile.models[:1] else ids
