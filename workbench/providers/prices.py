"""What an exchange cost, and how much a model can take: the price list that comes with `genai-prices`, read offline.

The list is large, so it is loaded in a thread when the first answer of a paid provider has come. Providers are found by their address: what
another one takes for the same model is not what was paid. A price that is not in the list is unknown, never nothing; servers of this
machine and the practice model have no price at all.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.conversation.exchange import Cost
from workbench.conversation.messages import Usage
from workbench.providers.profiles import Profile, is_practice

if TYPE_CHECKING:
    from types import ModuleType

class Tokens(NamedTuple):
    """Counts in the list's own normal form: `input` includes what was read from and written to a cache."""

    input: int
    output: int
    cached: int
    written: int


def has_price(profile: Profile) -> bool:
    """Say whether a provider could want money: not the practice model, and no server of this machine."""
    return not is_practice(profile.name) and not profile.is_local


async def cost_of(profile: Profile, model: str, usage: Usage | None, *, at: float) -> Cost | None:
    """Return what an answer cost; None where nothing has a price, a Cost without an amount where it is not known.

    Args:
        profile: who answered.
        model: the model's id.
        usage: what the provider counted; None if it did not say.
        at: when, in seconds since 1970: some prices change with the hour.
    """
    if not has_price(profile):
        return None
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return Cost()
    module = await _price_list()
    return _cost(module, profile, model, _tokens(usage), datetime.fromtimestamp(at, UTC))


async def context_tokens_of(profile: Profile, model: str) -> int | None:
    """Return the largest prompt of a model: as its profile says, else as the price list does; None if neither knows it."""
    if profile.context_tokens is None and has_price(profile) and model:
        await _price_list()
    return window_of(profile, model)


def window_of(profile: Profile, model: str) -> int | None:
    """Return what `context_tokens_of` does as far as it is known already: before the list was loaded, what the profile says."""
    module = sys.modules.get("genai_prices")
    if profile.context_tokens is not None or module is None or "genai_prices.data" not in sys.modules or not has_price(profile) or not model:
        return profile.context_tokens
    found = _model(module, profile, model)
    return None if found is None else found.context_window


async def _price_list() -> ModuleType:
    return await asyncio.to_thread(_loaded)


def _loaded() -> ModuleType:
    importlib.import_module("genai_prices.data")  # the snapshot loads it at the first question, which would be in the loop's thread
    return importlib.import_module("genai_prices")


def _tokens(usage: Usage) -> Tokens:
    """Return the counts as the list wants them; a cache that holds more than the whole is put right instead of refused."""
    whole = usage.input_tokens or 0
    cached = min(usage.cached_tokens or 0, whole)
    return Tokens(whole, usage.output_tokens or 0, cached, min(usage.cache_write_tokens or 0, whole - cached))


def _cost(module: ModuleType, profile: Profile, model: str, tokens: Tokens, at: datetime) -> Cost:
    counted = {"input_tokens": tokens.input, "output_tokens": tokens.output, "cache_read_tokens": tokens.cached, "cache_write_tokens": tokens.written}
    usage = module.Usage(**{name: count for name, count in counted.items() if count})
    try:
        price = module.calc_price(usage, _listed(model), provider_api_url=profile.base_url, genai_request_timestamp=at)
    except (LookupError, ValueError):
        return Cost()
    listed = price.model_price
    if (tokens.input and listed.input_mtok is None) or (tokens.output and listed.output_mtok is None):
        return Cost()  # the list has the model and no price of its tokens, and would say that it costs nothing
    return Cost(
        total_usd=float(price.total_price),
        input_usd=float(price.input_price),
        output_usd=float(price.output_price),
        priced_as=f"{price.provider.id}/{price.model.id}",
        price_list=module.__version__,
    )


def _model(module: ModuleType, profile: Profile, model: str) -> Any:
    try:
        _provider, found = module.data_snapshot.get_snapshot().find_provider_model(_listed(model), None, None, profile.base_url)
    except LookupError:
        return None
    return found


def _listed(model: str) -> str:
    return model.removeprefix("models/")
