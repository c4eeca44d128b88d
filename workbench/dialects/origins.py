"""Where a message came from, and whether what only its maker understands may go to a provider."""

from __future__ import annotations

from collections.abc import Collection

from workbench.conversation.messages import DialectName, Message


def made_here(message: Message, dialects: Collection[DialectName], model: str, provider: str) -> bool:
    """Say whether a message's opaque parts may go to this provider and model: they made it, or nobody knows who did.

    Args:
        message: an assistant's message.
        dialects: the dialects whose opaque parts the request's dialect can write.
        model: the model that is asked.
        provider: the provider that is asked (`Quirks.provider`); empty when it is not known.
    """
    origin = message.origin
    if origin is None:
        return True
    elsewhere = bool(provider and origin.provider) and origin.provider != provider
    return origin.dialect in dialects and not elsewhere and same_family(origin.model, model)


def same_family(made_by: str, model: str) -> bool:
    """Whether two models of one provider share a maker, as far as names like ``anthropic/claude-…`` tell."""
    first, slash, _ = made_by.partition("/")
    second, other_slash, _ = model.partition("/")
    return not (slash and other_slash) or first == second
