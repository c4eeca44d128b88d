"""A provider's refusal, read: which rule it means, and which message of the request.

The words come from the provider, so they are only looked for, never believed: a place that they name is a place only if the body has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from workbench.conversation.checks import Finding
from workbench.conversation.messages import DialectName
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.findings import error
from workbench.dialects.json_document import pointer_names, pointer_to
from workbench.dialects.json_text import read_json
from workbench.dialects.refusal_texts import MEANINGS, Meaning
from workbench.dialects.registry import dialect

NEVER_THE_BODY = frozenset({401, 402, 403, 408, 429})
_PLACE = re.compile(r"\b(?:messages|input|tools|contents|functions)(?:\.?\[\d+\]|\.\d+)(?:\.?\[\w+\]|\.\w+)*")
_STEP = re.compile(r"[A-Za-z_]\w*|\d+")
_WORD = re.compile(r"[\w.:|-]+")
_ID_MEMBERS = ("id", "call_id", "tool_call_id", "tool_use_id")
_LISTS = ("messages", "input", "contents")
_LONGEST_TEXT = 4_000
_DEEPEST = 12


def explain(dialect_name: DialectName, request_body: bytes, error_text: str, status: int, quirks: Quirks = NORM) -> tuple[Finding, ...]:
    """Return what a refusal (4xx) means in the request that was refused; empty where its words are not known and name no place.

    Where a rule of the dialect finds the same fault by itself, its own findings are returned, with their repairs, as errors.

    Args:
        dialect_name: the request's dialect.
        request_body: the bytes that were sent.
        error_text: the provider's words, or the whole error body.
        status: HTTP status.
        quirks: as they were when it was encoded.
    """
    if not 400 <= status < 500 or status in NEVER_THE_BODY:
        return ()
    try:
        body = read_json(request_body)
    except ValueError:
        return ()
    text = error_text[:_LONGEST_TEXT].replace('\\"', '"').replace("\\'", "'")
    pointers = tuple(dict.fromkeys((*_ids_in(text, body), *_places_in(text, body))))
    meaning = next((one for one in MEANINGS if dialect_name in one.dialects and one.words.search(text)), None)
    found = dialect(dialect_name).check(request_body, quirks)
    if meaning is None:
        return _unknown(dialect_name, found, pointers)
    return _own(found, meaning, pointers) or (_told(dialect_name, meaning, pointers, body),)


def _own(found: tuple[Finding, ...], meaning: Meaning, pointers: tuple[str, ...]) -> tuple[Finding, ...]:
    """Return the findings of the rules that are meant: those at a place that is named, if there are any, of the likeliest rule."""
    for rule in meaning.rules:
        mine = [replace(finding, severity="error") for finding in found if _fault(finding.rule) == rule]
        if mine:
            here = [finding for finding in mine if any(_near(finding.pointer, pointer) for pointer in pointers)]
            return tuple(here or mine)
    return ()


def _told(name: DialectName, meaning: Meaning, pointers: tuple[str, ...], body: Any) -> Finding:
    place = pointers[0] if pointers else meaning.place if _exists(body, meaning.place) else ""
    return error(f"{_word_of(name)}.{meaning.rules[0]}", place, meaning.message, meaning.fix)


def _unknown(name: DialectName, found: tuple[Finding, ...], pointers: tuple[str, ...]) -> tuple[Finding, ...]:
    here = [replace(finding, severity="error") for finding in found if finding.pointer in pointers]
    if here or not pointers:
        return tuple(here)
    return (error(f"{_word_of(name)}.refused", pointers[0], "The provider refused what stands here.", "Read its words, and change this part."),)


def _word_of(name: DialectName) -> str:
    return "chat" if name == "chat_completions" else name


def _fault(rule: str) -> str:
    return rule.partition(".")[2]


def _near(one: str, other: str) -> bool:
    """Say whether two places are in the same element of a list of the request, or one holds the other."""
    first, second = one.split("/"), other.split("/")
    return first[:3] == second[:3]


def _places_in(text: str, body: Any) -> Iterator[str]:
    """Yield the places that a text names, as far as the body has them: ``messages.[6].role`` gives ``/messages/6/role``."""
    for match in _PLACE.finditer(text):
        pointer = _walked(body, _STEP.findall(match[0]))
        if pointer:
            yield pointer


def _walked(body: Any, names: list[str]) -> str:
    """Return the pointer along these names; words that a provider adds (``custom``, ``tool_use``) are passed over."""
    value, taken = body, []
    for name in names:
        match value:
            case dict():
                key = next((key for key in (name, _camel(name)) if key in value), None)
                if key is None:
                    if name.isdecimal():
                        break
                    continue
                taken.append(key)
                value = value[key]
            case list() if name.isdecimal() and int(name) < len(value):
                taken.append(name)
                value = value[int(name)]
            case _:
                if name.isdecimal():
                    break
    return pointer_to(*taken) if len(taken) > 1 else ""


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def _ids_in(text: str, body: Any) -> Iterator[str]:
    """Yield where the body has the ids that a text names, in the order of the body."""
    words = {word for found in _WORD.findall(text) for word in (found, found.rstrip(".:,"))}
    if not isinstance(body, dict):
        return
    for name in _LISTS:
        yield from _named(body.get(name), words, f"/{name}", 0)


def _named(value: Any, words: set[str], pointer: str, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    match value:
        case dict():
            for name, inner in value.items():
                if name in _ID_MEMBERS and isinstance(inner, str) and len(inner) > 2 and inner in words:
                    yield f"{pointer}{pointer_to(name)}"
                elif isinstance(inner, dict | list):
                    yield from _named(inner, words, f"{pointer}{pointer_to(name)}", depth + 1)
        case list():
            for place, inner in enumerate(value):
                yield from _named(inner, words, f"{pointer}/{place}", depth + 1)
        case _:
            return


def _exists(body: Any, pointer: str) -> bool:
    return isinstance(body, dict) and bool(pointer) and pointer_names(pointer)[0] in body
