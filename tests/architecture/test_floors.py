"""Rooms import downwards only, as the table says, and no circle exists between modules."""

from __future__ import annotations

import graphlib

import pytest

from tests.architecture.floors import HOUSE, QT
from tests.architecture.sources import Import, imports_of, program, relative, room_of

MODULES = sorted(program())


def complaint(module: str, found: Import) -> str | None:
    """Return what is wrong with one import of ours, in a sentence; None if nothing is."""
    here, there = room_of(module), room_of(found.module)
    if here == there or found.module == "workbench":
        return None
    room, target = HOUSE.get(here), HOUSE.get(there)
    if room is None or target is None:
        return f"{here if room is None else there} is not a room of the table"
    if there in room.only_inside_functions and not found.inside_function:
        return f"{here} may import {there} only inside a function"
    if there in room.may_import or ".".join(found.module.split(".")[1:3]) in room.may_import:
        return None
    return f"{here} (floor {room.floor}) may not import {found.module.removeprefix('workbench.')} (floor {target.floor})"


def test_table_itself_leads_only_downwards() -> None:
    for name, room in HOUSE.items():
        for target in room.may_import:
            assert HOUSE[target.split(".")[0]].floor < room.floor, f"{name} may import {target}, which is not below it"


def test_every_room_is_in_the_table() -> None:
    assert {room_of(module) for module in MODULES} - {""} <= set(HOUSE)


ALL_IMPORTS = [(module, found) for module in MODULES for found in imports_of(module)]


def where(module: str, found: Import) -> str:
    return f"{relative(program()[module])}:{found.line}"


def test_rooms_import_only_what_they_may() -> None:
    ours = [(module, found) for module, found in ALL_IMPORTS if found.module.split(".")[0] == "workbench"]
    complaints = [f"{where(module, found)}: {text}" for module, found in ours if (text := complaint(module, found))]
    assert not complaints, "\n".join(complaints)


def test_only_ui_knows_qt() -> None:
    complaints = [f"{where(module, found)}: {found.module}" for module, found in ALL_IMPORTS if room_of(module) != "ui" and found.module.split(".")[0] in QT]
    assert not complaints, "\n".join(complaints)


def test_package_itself_imports_nothing_of_ours() -> None:
    assert imports_of("workbench") == []


def test_no_circle_between_modules() -> None:
    graph = {module: {found.module for found in imports_of(module) if found.module in program()} for module in MODULES}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail("these modules import each other: " + " <- ".join(error.args[1]))


@pytest.mark.parametrize(
    ("module", "imported", "inside_function", "expected"),
    [
        ("workbench.wire.client", "workbench.store.journal", False, "wire (floor 2) may not import store.journal (floor 3)"),
        ("workbench.wire.client", "workbench.workspace.paths", True, "wire (floor 2) may not import workspace.paths (floor 2)"),
        ("workbench.dialects.rules", "workbench.wire.framing", False, None),
        ("workbench.dialects.rules", "workbench.wire", False, "dialects (floor 3) may not import wire (floor 2)"),
        ("workbench.dialects.rules", "workbench.wire.client", False, "dialects (floor 3) may not import wire.client (floor 2)"),
        ("workbench.cli", "workbench.ui.window", False, "cli may import ui only inside a function"),
        ("workbench.cli", "workbench.ui.window", True, None),
        ("workbench.cli.run", "workbench.cli.output", False, None),
        ("workbench.agent.loop", "workbench.providers.client", True, "agent (floor 5) may not import providers.client (floor 5)"),
        ("workbench.agent.loop", "workbench.plugins", True, "plugins is not a room of the table"),
        ("workbench.agent.loop", "workbench", False, None),
    ],
)
def test_check_of_floors_tells_right_from_wrong(module: str, imported: str, inside_function: bool, expected: str | None) -> None:
    assert complaint(module, Import(imported, 1, inside_function)) == expected
