"""Rules about the tools that a request offers, and about the choice among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.base import Quirks
from workbench.dialects.findings import error, warning
from workbench.dialects.gemini.parts import NAME_PATTERN, key_of, member, plain_name
from workbench.dialects.gemini.request_view import calls_of, results_of
from workbench.dialects.gemini.subset_rules import check_schema
from workbench.dialects.gemini.tools import DECLARATIONS, as_entries

_MANY_TOOLS = 20
_LONGEST_NAME = 64
_MODES = ("MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED")
_RESTRICTED = ("ANY", "VALIDATED")


class _Declared(NamedTuple):
    """A declaration, where it stands, and its place in its list."""

    value: JsonObject
    pointer: str


def check_tools(body: JsonObject, quirks: Quirks) -> Iterator[Finding]:
    """Yield what is wrong with the tools."""
    tools = body.get("tools")
    entries, alone = as_entries(tools), isinstance(tools, dict)
    if alone:
        edit = Edit(op="replace", pointer="/tools", value=[tools])
        yield warning("gemini.tools-shape", "/tools", "`tools` is one entry and no list; some routes want a list.", "Put it into a list.", edit)
    elif tools is not None and not isinstance(tools, list):
        yield error("gemini.tools-shape", "/tools", "`tools` is a list.")
    declared: list[_Declared] = []
    for place, entry in enumerate(entries):
        pointer = "/tools" if alone else f"/tools/{place}"
        found = list(_declared(entry, pointer))
        if isinstance(entry, dict) and not entry:
            yield error("gemini.empty-tools", pointer, "A tool entry is empty.", "Leave it out.", Edit(op="remove", pointer=pointer))
        yield from (
            error("gemini.tool-shape", each.pointer, "A declaration is an object with a name.")
            for each in found
            if not isinstance(each.value, dict) or not isinstance(each.value.get("name"), str)
        )
        declared += [each for each in found if isinstance(each.value, dict) and isinstance(each.value.get("name"), str)]
    yield from _arrangement(entries)
    yield from _count(len(declared), quirks)
    yield from _names(body, declared)
    for each in declared:
        yield from check_schema(each.value, each.pointer)
    yield from _choice(body, {each.value["name"] for each in declared})


def declared_names(body: JsonObject) -> frozenset[str]:
    """Return the names of the tools that a request offers."""
    found = [each.value.get("name") for entry in as_entries(body.get("tools")) for each in _declared(entry, "") if isinstance(each.value, dict)]
    return frozenset(name for name in found if isinstance(name, str))


def _declared(entry: Any, pointer: str) -> Iterator[_Declared]:
    if not isinstance(entry, dict):
        return
    key = key_of(entry, DECLARATIONS)
    found = entry.get(key)
    for number, value in enumerate(found if isinstance(found, list) else ()):
        yield _Declared(value, f"{pointer}/{key}/{number}")


def _arrangement(entries: list[Any]) -> Iterator[Finding]:
    with_declarations = [place for place, entry in enumerate(entries) if any(_declared(entry, ""))]
    for place in with_declarations[1:2]:
        key = key_of(entries[place], DECLARATIONS)
        first = f"/tools/{with_declarations[0]}/{key_of(entries[with_declarations[0]], DECLARATIONS)}/-"
        alone = len(entries[place]) == 1
        moves = [Edit(op="move", source=f"/tools/{place}/{key}/0", pointer=first) for _ in entries[place][key]]
        yield warning(
            "gemini.several-tool-entries",
            f"/tools/{place}",
            "Declarations stand in several entries of `tools`; some routes take only the first.",
            "Put all declarations into one entry.",
            *moves,
            Edit(op="remove", pointer=f"/tools/{place}" if alone else f"/tools/{place}/{key}"),
        )


def _count(count: int, quirks: Quirks) -> Iterator[Finding]:
    if count > quirks.max_tools:
        yield error("gemini.too-many-tools", "/tools", f"{count} tools are offered, the server takes at most {quirks.max_tools}.", "Offer fewer tools.")
    elif count > _MANY_TOOLS:
        yield warning("gemini.many-tools", "/tools", f"{count} tools are offered; models choose worse among more than {_MANY_TOOLS}.", "Offer fewer tools.")


def _names(body: JsonObject, declared: list[_Declared]) -> Iterator[Finding]:
    seen: set[str] = set()
    every = {each.value["name"] for each in declared}
    for each in declared:
        name = each.value["name"]
        if not NAME_PATTERN.fullmatch(name):
            yield error(
                "gemini.tool-name-length" if len(name) > _LONGEST_NAME else "gemini.tool-name",
                f"{each.pointer}/name",
                f"The tool name {name!r} is not made of 1 to {_LONGEST_NAME} letters, digits and _ . : -, beginning with a letter or an underscore.",
                "Replace the other characters, on the tool, its calls and results.",
                *_renamed(body, name, _free(plain_name(name), every), each.pointer),
            )
        elif name in seen:
            edit = Edit(op="remove", pointer=each.pointer)
            yield error("gemini.duplicate-tool", f"{each.pointer}/name", f"Two tools are called {name!r}.", "Leave one out.", edit)
        seen.add(name)


def _free(name: str, taken: set[str]) -> str:
    """Return a name that no tool has."""
    count, free = 1, name
    while free in taken:
        count += 1
        free = f"{name[: _LONGEST_NAME - 6]}_{count}"
    return free


def _renamed(body: JsonObject, name: str, new: str, pointer: str) -> Iterator[Edit]:
    yield Edit(op="replace", pointer=f"{pointer}/name", value=new)
    contents = body["contents"]
    for place in range(len(contents)):
        for item in (*calls_of(contents, place), *results_of(contents, place)):
            if item.name == name:
                yield Edit(op="replace", pointer=f"{item.pointer}/name", value=new)
    calling, where = _calling(body)
    names = member(calling, "allowedFunctionNames")
    for number, allowed in enumerate(names if isinstance(names, list) else ()):
        if allowed == name:
            yield Edit(op="replace", pointer=f"{where}/{key_of(calling, 'allowedFunctionNames')}/{number}", value=new)


def _calling(body: JsonObject) -> tuple[JsonObject, str]:
    config = member(body, "toolConfig")
    calling = member(config, "functionCallingConfig") if isinstance(config, dict) else None
    where = f"/{key_of(body, 'toolConfig')}/{key_of(config, 'functionCallingConfig')}" if isinstance(config, dict) else ""
    return (calling, where) if isinstance(calling, dict) else ({}, where)


def _choice(body: JsonObject, known: set[str]) -> Iterator[Finding]:
    calling, where = _calling(body)
    if not calling:
        return
    mode, key = calling.get("mode"), key_of(calling, "allowedFunctionNames")
    names = calling.get(key)
    if mode is not None and mode not in _MODES and not isinstance(mode, int):
        yield error(
            "gemini.mode", f"{where}/mode", f"The mode {mode!r} is not AUTO, ANY, NONE or VALIDATED.", "Write AUTO.",
            Edit(op="replace", pointer=f"{where}/mode", value="AUTO"),
        )
    if mode == "ANY" and not known:
        edit = Edit(op="remove", pointer=where)
        yield error("gemini.choice-without-tools", where, "A tool must be called, but none is declared.", "Leave the choice out.", edit)
    elif names is not None and mode not in _RESTRICTED:
        edit = Edit(op="remove", pointer=f"{where}/{key}")
        yield error("gemini.allowed-names-mode", f"{where}/{key}", "Allowed names are only taken in the mode ANY or VALIDATED.", "Leave them out.", edit)
    elif isinstance(names, list):
        yield from _allowed(names, known, where, key)


def _allowed(names: list[Any], known: set[str], where: str, key: str) -> Iterator[Finding]:
    strangers = [number for number, name in enumerate(names) if not isinstance(name, str) or name not in known]
    for number in strangers:
        alone = len(names) == 1
        yield error(
            "gemini.unknown-allowed-name",
            f"{where}/{key}/{number}",
            f"The allowed name {names[number]!r} is not among the tools.",
            "Leave it out, or offer the tool.",
            Edit(op="remove", pointer=f"{where}/{key}" if alone else f"{where}/{key}/{number}"),
        )
