"""Where a message came from, and whether what only its maker understands may go to a provider."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Final

from workbench.conversation.messages import DialectName, Message

_FAMILIES: Final = re.compile(
    r"(?<![a-z])(claude|gpt-oss|gpt|chatgpt|codex|o[134](?![a-z0-9])|gemini|gemma|grok|deepseek|qwen|qwq|kimi|moonshot|glm|"
    r"mi(?:s|x|nis)tral|magistral|codestral|devstral|pixtral|llama|minimax|nova|nemotron|granite|command|phi)"
)
_SAME: Final[Mapping[str, str]] = {
    **dict.fromkeys(("chatgpt", "codex", "o1", "o3", "o4"), "gpt"),
    **dict.fromkeys(("mixtral", "ministral", "magistral", "codestral", "devstral", "pixtral"), "mistral"),
    "qwq": "qwen",
    "moonshot": "kimi",
}
_GEMINI: Final = re.compile(r"gemini-(\d{1,3})(?!\d)")
_FOLDERS: Final = frozenset({"models", "tunedModels"})


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
    """Whether two models of one provider are of one family, as far as their names tell; a name that tells nothing is of any.

    The family is that of the model (``claude``, ``gpt``), whatever stands before it: a proxy has models of many makers under one
    roof. Gemini 3 takes no signatures of earlier models, so its generations are families of their own.
    """
    first, slash, _ = made_by.partition("/")
    second, other_slash, _ = model.partition("/")
    if slash and other_slash and first != second and not {first, second} <= _FOLDERS:
        return False
    return all(not one or not other or one == other for one, other in zip(_family(made_by), _family(model), strict=True))


@lru_cache(maxsize=256)
def _family(model: str) -> tuple[str, str]:
    """Return a model's family and its generation, where that matters; empty for what its name does not tell."""
    name = model.rpartition("/")[2].lower()
    found = _FAMILIES.search(name)
    if found is None:
        return "", ""
    family = _SAME.get(found[1], found[1])
    generation = _GEMINI.match(name, found.start()) if family == "gemini" else None
    return family, ("before 3" if int(generation[1]) < 3 else generation[1]) if generation else ""
