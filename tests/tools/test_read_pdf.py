"""Pages of a PDF are read in a process of their own, which may die without harm."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.left_behind import NewChildren
from tests.tools.pdfs import make_pdf
from workbench.errors import ToolError
from workbench.tools import read_pdf as subject
from workbench.tools.read_pdf import read_pdf


async def refused(content: bytes, pages: str | None = None) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await read_pdf(content, pages)
    return caught.value


async def test_pages_are_chosen() -> None:
    content = make_pdf([f"text of page {number}" for number in range(1, 13)])
    found = await read_pdf(content, "2-3, 12")
    assert found.page_count == 12
    assert {number: text.strip() for number, text in found.texts.items()} == {number: f"text of page {number}" for number in (2, 3, 12)}
    for pages in ("0", "13", "3-1", "x", "1-", "", "1-25", "1-12,1-12"):
        assert (await refused(content, pages)).kind == "invalid_arguments"
    assert "12 pages" in (await refused(content)).text
    assert (await read_pdf(make_pdf(["only"]), None)).texts.keys() == {1}


@pytest.mark.parametrize("content", [b"%PDF-1.4\nnothing", b"%PDF-1.7", make_pdf(["x"])[:200], b"%PDF-" + bytes(range(256)) * 50])
async def test_damaged_file_is_told_in_a_sentence(content: bytes) -> None:
    error = await refused(content)
    assert error.kind == "undecodable"
    assert error.text.startswith("The PDF could not be read: ")


async def test_worker_that_hangs_is_killed_when_the_time_is_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new_children: NewChildren) -> None:
    (tmp_path / "hang.py").write_text("import time; time.sleep(60)")
    monkeypatch.setattr(subject, "WORKER", tmp_path / "hang.py")
    monkeypatch.setattr(subject, "TIME_LIMIT_S", 0.5)
    assert (await refused(make_pdf(["x"]))).kind == "timed_out"
    assert new_children() == []


async def test_worker_that_dies_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "die.py").write_text("import os; os.abort()")
    monkeypatch.setattr(subject, "WORKER", tmp_path / "die.py")
    assert "gave up" in (await refused(make_pdf(["x"]))).text


async def test_cancel_ends_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new_children: NewChildren) -> None:
    (tmp_path / "hang.py").write_text("import sys, time; sys.stdin.buffer.read(); sys.stdout.close(); time.sleep(60)")
    monkeypatch.setattr(subject, "WORKER", tmp_path / "hang.py")

    started, start = asyncio.Event(), asyncio.create_subprocess_exec

    async def starting(*command: str, **options: Any) -> asyncio.subprocess.Process:
        process = await start(*command, **options)
        started.set()
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", starting)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(read_pdf(make_pdf(["x"]), None))
        await started.wait()
        task.cancel()
    assert task.cancelled()
    assert new_children() == []
