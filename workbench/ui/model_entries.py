"""The models that can be chosen: the practice model, what local servers and the user's own profiles offer, and the providers known by name."""

from __future__ import annotations

from typing import NamedTuple

from workbench.app import App, practice_names
from workbench.words import _

PRACTICE = "practice"


class ModelEntry(NamedTuple):
    """A model that can be chosen; `why_not` says in a sentence why it cannot just now, `lacks` in two words if its key is missing."""

    profile: str
    title: str
    model: str
    dialect: str
    local: bool
    why_not: str = ""
    lacks: str = ""


async def model_entries(app: App) -> tuple[ModelEntry, ...]:
    """Return what can be chosen, the practice model first. The keyring, which may ask a person, is asked for profiles in use only."""
    used = {profile.name for profile in app.settings.profiles} | {app.settings.model.profile}
    practice = [(await app.choice(name, "")).profile for name in practice_names()]
    found: list[ModelEntry] = []
    for profile in (*practice, *app.profiles()):
        title, variable = _(profile.title) or profile.name, profile.key_variable
        has_key = not variable or await app.credentials.find(profile.name, variable, ask_keyring=profile.name in used) is not None
        found += [
            ModelEntry(profile.name, title, model, profile.dialect, profile.is_local, _why_not(title, model, has_key=has_key), "" if has_key else _("no key"))
            for model in profile.models or (_chosen_model(app, profile.name),)
        ]
    return tuple(found)


def _chosen_model(app: App, profile: str) -> str:
    """Return the model that the settings name for a profile that lists none."""
    return app.settings.model.model if app.settings.model.profile == profile else ""


def _why_not(title: str, model: str, *, has_key: bool) -> str:
    if not has_key:
        return _("{title} needs a key: enter it in the settings.").format(title=title)
    return "" if model else _("No model of {title} is known yet: choose one in the settings.").format(title=title)
