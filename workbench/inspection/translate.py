"""A request body in another dialect: read, told what is lost, written, and mended until that dialect's linter finds nothing it refuses."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from msgspec.structs import replace

from workbench.conversation.checks import Finding
from workbench.conversation.messages import DialectName, Message, ModelRequest, Origin
from workbench.dialects.base import NORM, Loss, Quirks
from workbench.dialects.loss_rules import RULES
from workbench.dialects.losses import knows_settings, lost
from workbench.dialects.origins import same_family
from workbench.dialects.registry import detect, dialect
from workbench.dialects.repairs import is_error, mended
from workbench.errors import RequestUnreadable

_MODEL_IN_PATH = re.compile(r"/models/([^/:?]+)")


class Translated(NamedTuple):
    """A request in another dialect.

    Attributes:
        path: below the provider's base address.
        repairs: what had to be mended because the loss rules alone would have left a body that is refused.
        left: what the provider may still find wrong.
    """

    source: DialectName
    target: DialectName
    path: str
    body: bytes
    losses: tuple[Loss, ...]
    repairs: tuple[Finding, ...]
    left: tuple[Finding, ...]


def translated(
    body: bytes, target: DialectName, *, source: DialectName | None = None, path: str = "", model: str = "", quirks: Quirks = NORM
) -> Translated:
    """Return a request body in another dialect.

    Args:
        body: a request.
        target: the dialect it is written in.
        source: the dialect it is in; None tells it from path and members.
        path: where it was sent, as far as that is known: it may say which dialect and model it is.
        model: who is asked instead; empty leaves the model.
        quirks: of the provider that is to get it.

    Raises:
        RequestUnreadable: it is no request of that dialect, or of none that is known.
    """
    source = source or detect(path, body)
    if source is None:
        raise RequestUnreadable("This is no request of a dialect that is known here; name its dialect if it is one.", message_id="request.no_dialect")
    parsed = _asked(dialect(source).parse_request(body), path, "")
    request = _asked(parsed, path, model)
    if source != target or not same_family(parsed.options.model, request.options.model):
        request = _from(request, source, parsed.options.model)
    losses = lost(request, target, quirks, source=source)
    if not knows_settings(target, source):
        request = _without_settings(request)
    encoded = dialect(target).encode_request(request, quirks)
    repaired = mended(lambda changed: dialect(target).check(changed, quirks), encoded.body) if source != target else None
    if repaired is None:
        return Translated(source, target, encoded.path, encoded.body, losses, (), dialect(target).check(encoded.body, quirks))
    return Translated(source, target, encoded.path, repaired.body, losses, repaired.applied, repaired.left)


def sentence(loss: Loss, request_path: str = "messages") -> str:
    """Return a loss on one line: its rule, its place, and why."""
    place = "" if loss.message < 0 else f" {request_path}[{loss.message}]" + (f".parts[{loss.part}]" if loss.part >= 0 else "")
    return f"{loss.rule}{place}: {RULES[loss.rule].text}"


def refused(translation: Translated) -> bool:
    """Say whether the body would still be refused."""
    return any(map(is_error, translation.left))


def _asked(request: ModelRequest, path: str, model: str) -> ModelRequest:
    """Return the request with who is asked: as told, else as it was, else as the address said."""
    named = _MODEL_IN_PATH.search(path)
    wanted = model or request.options.model or (unquote(named[1]) if named else "")
    return replace(request, options=replace(request.options, model=wanted))


def _from(request: ModelRequest, source: DialectName, model: str) -> ModelRequest:
    """Return the request whose answers say which dialect and model they were made in, so that what only these understand stays behind."""
    return replace(request, messages=tuple(_made_in(message, source, model) for message in request.messages))


def _made_in(message: Message, source: DialectName, model: str) -> Message:
    if message.role != "assistant" or message.origin is not None:
        return message
    return replace(message, origin=Origin(dialect=source, provider="", model=model))


def _without_settings(request: ModelRequest) -> ModelRequest:
    """Return the request without the settings that only its own dialect knows."""
    return replace(request, options=replace(request.options, extra={}))
