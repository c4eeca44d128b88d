"""The model that a person chose, and what it cannot be given of a conversation that was held with another one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from workbench.conversation.events import ModelChosen, Notice
from workbench.conversation.messages import DialectName, ModelRequest
from workbench.dialects.base import NORM, Loss, Quirks
from workbench.dialects.loss_rules import RULES
from workbench.dialects.losses import lost
from workbench.errors import UsageError
from workbench.providers.model_quirks import quirks_for
from workbench.providers.prices import window_of
from workbench.providers.profiles import Profile, checked

CUSTOM = "custom"
"""Name of the profile that an address typed by hand stands under."""


class ModelChoice(NamedTuple):
    """Which model answers: a profile and the provider's model id."""

    profile: Profile
    model: str

    @property
    def chosen(self) -> ModelChosen:
        """The choice as it is written down."""
        return ModelChosen(profile=self.profile.name, model=self.model, dialect=self.profile.dialect)

    @property
    def quirks(self) -> Quirks:
        """How this model differs from its dialect's norm."""
        return quirks_for(self.profile, self.model)

    @property
    def context_tokens(self) -> int | None:
        """The largest prompt it takes, as far as that is known."""
        return window_of(self.profile, self.model)


def choice_at(base_url: str, model: str, *, dialect: DialectName = "chat_completions", key_variable: str = "") -> ModelChoice:
    """Return a model at an address that no profile describes.

    Raises:
        SettingsError: the address is not one.
        UsageError: no model is named.
    """
    profile = checked(Profile(name=CUSTOM, title=base_url, base_url=base_url, dialect=dialect, key_variable=key_variable))
    if not model:
        text = f"Which model answers at {base_url}? An address needs the name of a model beside it."
        raise UsageError(text, message_id="app.no_model_at", values={"url": base_url})
    return ModelChoice(profile, model)


def quirks_in(name: DialectName, choice: ModelChoice, profiles: Iterable[Profile]) -> Quirks:
    """Return whose quirks a translation into a dialect follows: those of the chosen model if it speaks it, else of the first profile that does."""
    if choice.profile.dialect == name:
        return choice.quirks
    other = next((profile for profile in profiles if profile.dialect == name), None)
    return quirks_for(other, other.models[0] if other.models else "") if other is not None else NORM


def switch_notice(request: ModelRequest, before: ModelChoice, after: ModelChoice) -> Notice | None:
    """Return what people are told when another model goes on with a conversation: what it cannot be given that the one before was given.

    None if nothing is lost that was not lost before, or nothing was said yet. Takes as long as writing the request; a long one belongs in a thread.
    """
    if not request.messages:
        return None
    known = {_place(loss) for loss in _losses(request, before)}
    rules = dict.fromkeys(loss.rule for loss in _losses(request, after) if _place(loss) not in known)
    if not rules:
        return None
    told = sorted(rules, key=lambda rule: not RULES[rule].matters)
    losses = "\n".join(RULES[rule].text for rule in told)
    name = after.profile.title if after.model == before.model and after.profile.title else after.model  # one model at two providers
    text = f"{name} goes on with this conversation, but not everything that was said can be given to it:\n{losses}"
    matters = RULES[told[0]].matters
    return Notice(message_id="provider.switched", text=text, level="warning" if matters else "info", values={"model": name, "losses": losses})


def _losses(request: ModelRequest, choice: ModelChoice) -> tuple[Loss, ...]:
    return lost(request, choice.profile.dialect, choice.quirks)


def _place(loss: Loss) -> tuple[str, int, int]:
    return (loss.rule, loss.message, loss.part)
