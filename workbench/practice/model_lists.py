"""The lists of models as the servers of each dialect give them; the practice server's have its few names."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.conversation.messages import DialectName
from workbench.conversation.values import JsonObject

CONTEXT_TOKENS = 128_000
_LONG_AGO = "2025-01-01T00:00:00Z"


def model_list(dialect: DialectName, names: Sequence[str]) -> JsonObject:
    """Return the list of all models."""
    models = [model_object(dialect, name) for name in names]
    match dialect:
        case "anthropic":
            return {"data": models, "has_more": False, "first_id": names[0], "last_id": names[-1]}
        case "gemini" | "ollama":
            return {"models": models}
        case _:
            return {"object": "list", "data": models}


def model_object(dialect: DialectName, name: str) -> JsonObject:
    """Return what a server says of one model."""
    match dialect:
        case "anthropic":
            return {"type": "model", "id": name, "display_name": "Practice model", "created_at": _LONG_AGO}
        case "gemini":
            limits = {"inputTokenLimit": CONTEXT_TOKENS, "outputTokenLimit": CONTEXT_TOKENS}
            methods = ["generateContent", "streamGenerateContent"]
            return {"name": f"models/{name}", "version": "1", "displayName": "Practice model", **limits, "supportedGenerationMethods": methods}
        case "ollama":
            details = {"format": "script", "family": "practice", "families": ["practice"], "parameter_size": "0", "quantization_level": "none"}
            return {"name": name, "model": name, "modified_at": _LONG_AGO, "size": 0, "digest": "0" * 64, "details": details}
        case _:
            return {"id": name, "object": "model", "created": 0, "owned_by": "workbench"}
