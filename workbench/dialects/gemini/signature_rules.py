"""Gemini 3 and later want the signature of each step's first call back, in the current turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.dialects.findings import error
from workbench.dialects.gemini.content_rules import signature_of
from workbench.dialects.gemini.parts import STAND_IN
from workbench.dialects.gemini.request_view import calls_of, is_model, parts_of, says_something


def check_signatures(contents: list[Any]) -> Iterator[Finding]:
    """Yield the steps of the current turn (behind the last words of a user) whose first call has no signature."""
    begun = [place for place, content in enumerate(contents) if not is_model(content) and says_something(content) and not calls_of(contents, place)]
    for place in range(begun[-1] + 1 if begun else 0, len(contents)):
        calls = calls_of(contents, place)
        if not calls or signature_of(parts_of(contents[place])[calls[0].number]):
            continue
        pointer = f"/contents/{place}/parts/{calls[0].number}"
        yield error(
            "gemini.signature-missing",
            pointer,
            f"The call of {calls[0].name or 'a tool'} has no thought signature; Gemini 3 and later want the one that came with it.",
            "Send the signature back; for a call that another model made, send the documented stand-in.",
            Edit(op="add", pointer=f"{pointer}/thoughtSignature", value=STAND_IN),
        )
