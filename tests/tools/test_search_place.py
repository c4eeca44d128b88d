"""Where a search starts, by its real place for the gate and by the name people used."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.searching import search_context
from workbench.errors import ToolError
from workbench.tools.search_place import search_place, unchanged_place


async def test_places_and_their_names(tmp_path: Path) -> None:
    context = search_context(tmp_path)
    root = context.workspace.path
    (root / "d" / "e").mkdir(parents=True)
    (root / "d" / "f.txt").touch()
    (root / "link").symlink_to("d")
    for request, folder, shown in [
        ("", root, ""),
        (".", root, ""),
        ("d", root / "d", "d"),
        ("./d/", root / "d", "d"),
        ("d/e/..", root / "d", "d"),
        ("link", root / "d", "link"),
        ("link/e", root / "d" / "e", "link/e"),
        (f"{root}/link", root / "d", "link"),
        ("link/..", root, ""),
    ]:
        place = await search_place({"path": request}, context, may_be_file=False)
        assert (place.folder, place.shown, place.target.outside) == (folder, shown, False), request
        assert place.target.name == str(folder)
    file = await search_place({"path": "link/f.txt"}, context, may_be_file=True)
    assert (file.folder, file.file, file.path("f.txt"), file.target.name) == (root / "d", "f.txt", "link/f.txt", str(root / "d" / "f.txt"))


async def test_outside_is_named_in_full_and_left_to_the_gate(tmp_path: Path) -> None:
    context = search_context(tmp_path)
    (tmp_path / "other").mkdir()
    (context.workspace.path / "out").symlink_to(tmp_path / "other")
    for request in ("../other", str(tmp_path / "other"), "out"):
        place = await search_place({"path": request}, context, may_be_file=False)
        assert (place.target.outside, place.target.name) == (True, str(tmp_path / "other"))


async def test_own_outputs_are_inside(tmp_path: Path) -> None:
    context = search_context(tmp_path)
    (context.outputs / "call_1.txt").touch()
    place = await search_place({"path": str(context.outputs / "call_1.txt")}, context, may_be_file=True)
    assert not place.target.outside


async def test_place_that_changed_is_refused(tmp_path: Path) -> None:
    context = search_context(tmp_path)
    (context.workspace.path / "d").mkdir()
    place = await search_place({"path": "d"}, context, may_be_file=False)
    await unchanged_place(place, {"path": "d"}, context)
    (context.workspace.path / "d").rmdir()
    (context.workspace.path / "d").symlink_to("/")
    with pytest.raises(ToolError) as refused:
        await unchanged_place(place, {"path": "d"}, context)
    assert refused.value.kind == "changed_during_approval"
