"""Runs file tools the way the harness does: arguments, plan, gate (here: inside is allowed, outside only if the test says so), apply."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.errors import ToolError
from workbench.tools.arguments import fit_arguments
from workbench.tools.base import MemoryObjects, Plan, Result, Tool, ToolContext
from workbench.tools.edit import EditTool
from workbench.tools.multiedit import MultieditTool
from workbench.tools.read import ReadTool
from workbench.tools.write import WriteTool
from workbench.workspace.files import SeenFiles
from workbench.workspace.paths import Workspace, open_workspace


@dataclass
class Bench:
    """A workspace with tools, an outside folder, and what the session knows."""

    folder: Path
    tools: dict[str, Tool] = field(default_factory=dict)
    outside_allowed: bool = False
    can_see_images: bool = True

    def __post_init__(self) -> None:
        for name in ("ws", "outside", "outputs", "data"):
            (self.folder / name).mkdir(exist_ok=True)
        self.workspace: Workspace = open_workspace(self.folder / "ws")
        self.seen = SeenFiles()
        self.objects = MemoryObjects()
        made: list[Tool] = [ReadTool(), WriteTool(), EditTool(), MultieditTool()]
        self.tools = {tool.name: tool for tool in made} | self.tools

    @property
    def ws(self) -> Path:
        return self.workspace.path

    @property
    def outside(self) -> Path:
        return self.folder / "outside"

    def context(self) -> ToolContext:
        return ToolContext(
            workspace=self.workspace,
            seen=self.seen,
            outputs=self.folder / "outputs",
            objects=self.objects,
            can_see_images=self.can_see_images,
            data_folder=self.folder / "data",
        )

    def _judge(self, plan: Plan) -> None:
        if any(target.outside for target in plan.targets) and not self.outside_allowed:
            raise ToolError("outside_workspace", "nobody allowed it")

    async def plan(self, tool: str, **arguments: Any) -> Plan:
        fitted = fit_arguments(arguments, self.tools[tool].definition.input_schema)
        return await self.tools[tool].prepare(fitted.values, self.context())

    async def apply(self, plan: Plan) -> Result:
        return await self.tools[plan.tool].apply(plan, self.context())

    async def run(self, tool: str, *, between: Callable[[], object] | None = None, **arguments: Any) -> Result:
        """Run a call to its result; `between` happens while the approval is open."""
        try:
            plan = await self.plan(tool, **arguments)
            self._judge(plan)
            if between is not None:
                between()
            return await self.apply(plan)
        except ToolError as error:
            failed = Result.failed(error)
            return Result(status=failed.status, text=failed.text, kind=failed.kind, ui={"detail": error.detail})



def set_up(bench: Bench, step: dict[str, Any], file: str) -> None:
    """Do one set-up step of a case."""
    path = bench.ws / step.get("path", file)
    match step["op"]:
        case "mkdir":
            path.mkdir(parents=True)
        case "symlink":
            path.symlink_to(step["target"].replace("$OUTSIDE", str(bench.outside)))
        case "hardlink":
            path.hardlink_to(bench.ws / step["target"])
        case "chmod":
            path.chmod(int(step["mode"], 8))
        case "mkfifo":
            os.mkfifo(path)
        case "fill":
            path.write_bytes(step["byte"].encode() * step["size"])
        case "unlink":
            path.unlink()
        case "outside_file":
            (bench.outside / step["name"]).write_text(step["content"])
        case "file":
            path.write_text(step["content"])
        case "tree":
            for name, content in step["tree"].items():
                (bench.ws / name).parent.mkdir(parents=True, exist_ok=True)
                (bench.ws / name).write_text(content)
        case _:
            raise ValueError(step["op"])


def bytes_of(values: dict[str, Any], name: str = "content") -> bytes | None:
    """Return a case's bytes: text, or base64 where it is not plain UTF-8; None if it says nothing."""
    if f"{name}_b64" in values:
        return base64.b64decode(values[f"{name}_b64"])
    text = values.get(name)
    return None if text is None else text.encode()


async def stage(bench: Bench, case: dict[str, Any]) -> None:
    """Make the case's file, let the session see it as the case says, and do its set-up steps."""
    path = bench.ws / case["file"]
    content = bytes_of(case)
    if content is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    if encoding := case.get("options", {}).get("encoding"):
        bench.seen.set_encoding(path, encoding)
    if content is not None and case.get("seen", "never") != "never":
        seen = await bench.run("read", file_path=case["file"])
        if seen.status != "ok":
            bench.seen.record(path, content)
    for step in case.get("setup", []):
        if step["op"] != "change_after_plan":
            set_up(bench, step, case["file"])
    if "disk_now" in case:
        path.write_text(case["disk_now"])
    if case.get("seen") == "touched":
        os.utime(path, (1, 1))


def check(bench: Bench, expected: dict[str, Any]) -> None:
    """Check modes, links and left-over files."""
    for claim in expected.get("checks", []):
        if "is_symlink" in claim:
            assert os.readlink(bench.ws / claim["is_symlink"]) == claim["target"]  # noqa: PTH115
        if "outside_unchanged" in claim:
            assert (bench.outside / claim["outside_unchanged"]).read_text() == "a\n"
        if "same_inode" in claim:
            one, other = claim["same_inode"]
            assert (bench.ws / one).samefile(bench.ws / other)
        if "content_of" in claim:
            assert (bench.ws / claim["content_of"]).read_bytes() == claim["content"].encode()
        if "mode" in claim:
            assert (bench.ws / claim["path"]).stat().st_mode & 0o7777 == int(claim["mode"], 8)
        if "only_files" in claim:
            assert sorted(str(path.relative_to(bench.ws)) for path in bench.ws.rglob("*")) == claim["only_files"]
