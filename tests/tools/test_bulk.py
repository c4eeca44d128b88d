"""A workspace that is mostly foreign code and has links in a circle: walking ends, and what was asked for is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.searching import run_tool, search_context
from workbench.tools.glob_files import GlobTool
from workbench.tools.list_folder import ListTool
from workbench.workspace import ripgrep

FOLDERS, FILES_EACH = 500, 100


@pytest.mark.parametrize("has_ripgrep", [True, False])
async def test_walk_ends_among_very_many_files_and_a_circle_of_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_ripgrep: bool) -> None:
    """The reported fault glob-loops-and-bulk."""
    if not has_ripgrep:
        monkeypatch.setattr(ripgrep, "find_ripgrep", lambda: None)
    context = search_context(tmp_path)
    here = context.workspace.path
    for n in range(FOLDERS):
        folder = here / "node_modules" / f"package{n}"
        folder.mkdir(parents=True)
        for number in range(FILES_EACH):
            (folder / f"{number}.js").touch()
    (here / "loop").symlink_to("..", target_is_directory=True)
    (here / "src").mkdir()
    (here / "src/a.ts").touch()
    found = await run_tool(GlobTool(), context, pattern="**/*.ts")
    assert [line for line in found.text.splitlines() if line.endswith("s")] == ["src/a.ts"], found.text
    listing = await ListTool().prepare({"path": "/"}, context)
    assert [target.outside for target in listing.targets] == [True], "listing the whole disk asks"
