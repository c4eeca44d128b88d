"""What Gemini refuses in a request, told before it is sent; the wire specification's sections 5 and 11.

Errors are refused; warnings work on some models and routes (the Gemini API, Vertex, gateways) and fail on others. Nearly every
finding brings the edits that mend it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.findings import error
from workbench.dialects.gemini.content_rules import check_contents
from workbench.dialects.gemini.parts import key_of, member
from workbench.dialects.gemini.result_rules import check_turns
from workbench.dialects.gemini.signature_rules import check_signatures
from workbench.dialects.gemini.tool_rules import check_tools, declared_names
from workbench.dialects.json_text import read_json

_SIGNS = re.compile(r"gemini-(?:[3-9]|[1-9]\d)")


def check(body: bytes, quirks: Quirks = NORM, *, model: str = "") -> tuple[Finding, ...]:
    """Return what a server with these quirks would refuse, and what only some take; in the order of the rules.

    Args:
        body: the request.
        quirks: those of the server; `signature_stand_in` says that it wants signatures.
        model: the model of the path, where it is known; Gemini 3 and later want signatures.
    """
    try:
        value = read_json(body)
    except ValueError as reason:
        return (error("gemini.not-json", "", f"The request is not JSON: {reason}."),)
    if not isinstance(value, dict) or not isinstance(value.get("contents"), list):
        return (error("gemini.shape", "/contents", "A request is an object with a list of contents."),)
    contents = value["contents"]
    named = value.get("model")
    signs = quirks.signature_stand_in or bool(_SIGNS.search(model or (named if isinstance(named, str) else "")))
    return (
        *check_contents(contents),
        *check_turns(contents, declared_names(value)),
        *(check_signatures(contents) if signs else ()),
        *check_tools(value, quirks),
        *_thinking(value),
    )


def _thinking(body: JsonObject) -> Iterator[Finding]:
    config = member(body, "generationConfig")
    thinking = member(config, "thinkingConfig") if isinstance(config, dict) else None
    if not isinstance(config, dict) or not isinstance(thinking, dict):
        return
    if member(thinking, "thinkingBudget") is not None and member(thinking, "thinkingLevel") is not None:
        place = f"/{key_of(body, 'generationConfig')}/{key_of(config, 'thinkingConfig')}/{key_of(thinking, 'thinkingBudget')}"
        yield error(
            "gemini.thinking-twice",
            place,
            "Thinking is asked for by a budget and by a level; only one is allowed.",
            "Leave the budget out.",
            Edit(op="remove", pointer=place),
        )
