"""What a person does with providers: save, use, delete, take back, forget a key. Works on settings and keyring; touches no widget."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from workbench.settings.profiles import PRACTICE, Profile, own_profile, with_profile, without_profile
from workbench.settings.tree import Settings
from workbench.ui.desk import Desk
from workbench.ui.settings.provider_values import FieldName, FormValues, Provider, ProvidersState, Reading, read_form, values_of
from workbench.ui.settings.saving import Saving
from workbench.words import _

Problems = Mapping[FieldName, str]
"""A sentence for each field that is refused; empty when all is well."""


class ProviderActions:
    """Each action ends with the desk knowing the models anew."""

    def __init__(self, desk: Desk, saving: Saving, state: ProvidersState) -> None:
        self._desk, self._saving, self._state = desk, saving, state

    def values(self, provider: Provider) -> FormValues:
        """Return what stands in the form of a provider."""
        return self._state.drafts.get(provider.key) or values_of(provider)

    def read(self, provider: Provider) -> Reading:
        """Return what the form of a provider says."""
        return read_form(provider, self.values(provider), {PRACTICE, *(profile.name for profile in self._desk.app.profiles())})

    async def save(self, provider: Provider) -> Problems:
        """Save a form, and the key in it."""
        reading, values = self.read(provider), self.values(provider)
        if reading.problems:
            return reading.problems
        if refused := await self._saving.change(partial(_with, profile=reading.profile)):
            return {"title": refused}
        if reading.secret is not None:
            await self._desk.app.credentials.keep(reading.profile.name, reading.secret)
        self._state.saved(provider.key, reading.profile.name, values)
        await self._desk.refresh_models()
        return {}

    async def use(self, provider: Provider) -> Problems:
        """Let the shown session's next request go to the first model of a provider, and remember it; what was typed is saved before."""
        profile = provider.profile
        if provider.key in self._state.drafts:
            profile = self.read(provider).profile
            if problems := await self.save(provider):
                return problems
        if not profile.models:
            return {"models": _("Name a model first; a test shows which there are.")}
        await self._desk.choose_model(profile.name, profile.models[0])
        return {}

    async def forget_key(self, provider: Provider) -> Problems:
        """Remove the kept key; tell if the keyring did not let it go."""
        credentials, name = self._desk.app.credentials, provider.profile.name
        await credentials.forget(name)
        await self._desk.refresh_models()
        return {"key": _("The keyring did not let the key go: remove it there.")} if await credentials.place(name) is not None else {}

    async def delete(self, provider: Provider) -> Problems:
        """Delete an own provider; `undo` brings it back."""
        self.forget_deleted()
        names = [profile.name for profile in self._desk.app.settings.profiles]
        if refused := await self._saving.change(partial(without_profile, name=provider.key)):
            return {"title": refused}
        self._state.drop(provider.key)
        self._state.deleted = (provider.profile, names.index(provider.key))
        return {}

    async def undo(self) -> None:
        """Bring back what was deleted last, at its old place, and choose it."""
        deleted, self._state.deleted = self._state.deleted, None
        if deleted is None:
            return
        if await self._saving.change(partial(_put, profile=deleted[0], place=deleted[1])):
            self._state.deleted = deleted
        else:
            self._state.chosen = deleted[0].name

    def forget_deleted(self) -> None:
        """Let a provider that was deleted be gone for good; its key goes with it unless another profile bears its name."""
        deleted, self._state.deleted = self._state.deleted, None
        if deleted is not None and not any(profile.name == deleted[0].name for profile in self._desk.app.profiles()):
            self._desk.spawn(self._desk.app.credentials.forget(deleted[0].name), name="forget a key")


def _with(settings: Settings, *, profile: Profile) -> Settings:
    return with_profile(settings, profile)


def _put(settings: Settings, *, profile: Profile, place: int) -> Settings:
    """Return settings with a profile at its old place, unless there is one of its name again."""
    if own_profile(settings, profile.name) is not None:
        return settings
    return replace(settings, profiles=(*settings.profiles[:place], profile, *settings.profiles[place:]))
