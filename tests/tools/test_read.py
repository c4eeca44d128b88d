"""What read shows of files of any size and kind, and what the session knows afterwards."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tools.images_for_tests import BMP, PNG, SMALL_PNG
from tests.tools.pdfs import make_pdf
from tests.tools.running import Bench
from tests.tools.test_read_cases import shown_lines
from workbench.conversation.messages import ImagePart
from workbench.tools import read_text
from workbench.tools.read import ReadTool
from workbench.workspace.files import hash_bytes


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def test_whole_answer(bench: Bench) -> None:
    (bench.ws / "src").mkdir()
    (bench.ws / "src" / "a.py").write_bytes(b"def f():\r\n\treturn 1\r\n\r\nx")
    result = await bench.run("read", file_path="src/a.py", offset=2, limit=2)
    assert result.text == (
        "<path>src/a.py</path>\n<type>file</type>\n<content>\n2: \treturn 1\n3: \n</content>\n"
        "(lines 2-3 of 4; continue with offset=4)\n"
        "(line endings: CRLF, kept by the edit tools · indentation: tabs · no newline at end of file)"
    )
    assert (result.facts, result.truncated) == ("2 lines", True)


async def test_part_of_a_file_counts_as_read(bench: Bench) -> None:
    (bench.ws / "a").write_bytes(b"1\n2\n3\n")
    await bench.run("read", file_path="a", offset=2, limit=1)
    assert bench.seen.state(bench.ws / "a", hash_bytes(b"1\n2\n3\n")) == "fresh"


@pytest.mark.parametrize(("offset", "first"), [(0, 1), (-2, 2), (-99, 1), (3, 3)])
async def test_offsets(bench: Bench, offset: int, first: int) -> None:
    (bench.ws / "a").write_bytes(b"1\n2\n3")
    result = await bench.run("read", file_path="a", offset=offset)
    assert shown_lines(result.text)[0] == f"{first}: {first}"


async def test_encoding_is_told_and_taken_from_person_or_project(bench: Bench) -> None:
    (bench.ws / "a.txt").write_bytes("# Привет, мир\n".encode("koi8_r"))
    result = await bench.run("read", file_path="a.txt")
    assert "(encoding: koi8_r (guessed), kept by the edit tools)" in result.text
    assert result.ui["notes"] == ["encoding:koi8_r", "guessed"]
    bench.seen.set_encoding(bench.ws / "a.txt", "latin-1")
    assert "encoding: iso8859-1, kept" in (await bench.run("read", file_path="a.txt")).text
    (bench.ws / "b.txt").write_bytes("é".encode("latin-1"))
    (bench.ws / ".editorconfig").write_text("[*]\ncharset = latin1\n")
    assert (await bench.run("read", file_path="b.txt")).ui["notes"] == ["no_final_newline", "encoding:iso8859-1"]


async def test_sparse_file_of_five_gigabytes_is_refused_at_once(bench: Bench) -> None:
    (bench.ws / "big").touch()
    os.truncate(bench.ws / "big", 5 * 1024**3)
    started = time.monotonic()
    assert (await bench.run("read", file_path="big")).kind == "binary_file"
    assert (await bench.run("edit", file_path="big", old_string="a", new_string="b")).kind == "file_too_large"
    assert (await bench.run("write", file_path="big", content="b")).kind == "file_too_large"
    assert time.monotonic() - started < 2


@pytest.fixture
def huge(bench: Bench) -> Path:
    """A text file of 5 GB: text at both ends, a hole between (which reads as NUL)."""
    path = bench.ws / "huge.txt"
    with path.open("wb") as file:
        file.write(b"".join(b"line %d \xc3\xa9\n" % number for number in range(1, 300_001)))
        file.seek(5 * 1024**3)
        file.write(b"\nthe end is near\nthe end\n")
    return path


async def test_text_of_five_gigabytes_is_read_page_by_page(bench: Bench, huge: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.monotonic()
    result = await bench.run("read", file_path="huge.txt", offset=200_000, limit=2)
    assert shown_lines(result.text) == ["200000: line 200000 é", "200001: line 200001 é"]
    assert re.search(r"\(lines 200000-200001 of at least 300000; continue with offset=200002\)", result.text)
    result = await bench.run("read", file_path="huge.txt", offset=-2)
    assert shown_lines(result.text) == ["-2: the end is near", "-1: the end"]
    assert "count from the end" in result.text
    assert (await bench.run("read", file_path="huge.txt", offset=-5_000_000)).kind == "file_too_large"
    assert time.monotonic() - started < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024
    assert bench.seen.hashes() == {}


async def test_large_file_has_exact_numbers_while_it_can_be_counted(bench: Bench) -> None:
    content = b"".join(b"line %d\n" % number for number in range(1, 1_200_001)) + b"caf\xe9\nend"
    (bench.ws / "a").write_bytes(content)
    assert len(content) > 10 * 1024 * 1024
    result = await bench.run("read", file_path="a", offset=-3)
    assert shown_lines(result.text) == ["1200000: line 1200000", "1200001: caf\ufffd", "1200002: end"]
    assert "(lines 1200000-1200002 of 1200002)" in result.text
    assert "bytes that are no text are shown as \ufffd" in result.text
    assert (await bench.run("read", file_path="a", offset=1_200_003)).kind == "offset_out_of_range"


async def test_cancel_stops_the_reading_thread(bench: Bench, huge: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loop, started, ended = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
    decoded = read_text._decoded

    def watching(file: Any, encoding: Any, stopped: Callable[[], bool], damaged: list[bool]) -> Iterator[str]:
        def ask() -> bool:
            told = stopped()
            loop.call_soon_threadsafe((ended if told else started).set)
            return told

        return decoded(file, encoding, ask, damaged)

    monkeypatch.setattr(read_text, "_decoded", watching)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(bench.run("read", file_path="huge.txt", offset=2_000_000_000))
        await started.wait()
        task.cancel()
    assert task.cancelled()
    await ended.wait()


async def test_folder_is_listed_by_name(bench: Bench) -> None:
    (bench.ws / "a").mkdir()
    (bench.ws / "link").symlink_to("a")
    for name in ("b.txt", "z\nz"):
        (bench.ws / name).touch()
    result = await bench.run("read", file_path=".")
    assert result.text == "<path>.</path>\n<type>folder</type>\n<entries>\na/\nb.txt\nlink -> a\nz⏎z\n</entries>\n(entries 1-4 of 4)"
    result = await bench.run("read", file_path=".", offset=2, limit=1)
    assert "(entries 2-2 of 4; continue with offset=3)" in result.text
    assert (await bench.run("read", file_path=".", offset=9)).kind == "offset_out_of_range"
    assert "(the folder is empty)" in (await bench.run("read", file_path="a")).text


async def test_picture_is_attached_as_it_is(bench: Bench) -> None:
    (bench.ws / "a.txt").write_bytes(SMALL_PNG)
    result = await bench.run("read", file_path="a.txt")
    (picture,) = result.attachments
    assert isinstance(picture, ImagePart)
    assert (picture.media_type, base64.b64decode(picture.data)) == ("image/png", SMALL_PNG)
    assert result.text == f"<path>a.txt</path>\n<type>image</type>\n(PNG 20×10, {len(SMALL_PNG)} bytes)"


async def test_picture_for_a_model_without_eyes_is_described(bench: Bench) -> None:
    bench.can_see_images = False
    (bench.ws / "a.png").write_bytes(PNG + b"x" * 317_000)
    result = await bench.run("read", file_path="a.png")
    assert (result.status, result.attachments) == ("ok", ())
    assert "(PNG 2400×900, 310 KB; this model cannot see images)" in result.text


async def test_large_picture_is_scaled_or_refused(bench: Bench) -> None:
    (bench.ws / "a.png").write_bytes(PNG)
    (bench.ws / "a.bmp").write_bytes(BMP)
    for name in ("a.png", "a.bmp"):
        assert (await bench.run("read", file_path=name)).kind == "file_too_large"
    bench.tools["read"] = ReadTool(scaler=lambda content: ("image/jpeg", content[:4]))
    result = await bench.run("read", file_path="a.png")
    (picture,) = result.attachments
    assert isinstance(picture, ImagePart)
    assert (picture.media_type, base64.b64decode(picture.data)) == ("image/jpeg", PNG[:4])
    assert "scaled down" in result.text

    def failing(_content: bytes) -> tuple[str, bytes]:
        raise ValueError("it is damaged")

    bench.tools["read"] = ReadTool(scaler=failing)
    assert (await bench.run("read", file_path="a.png")).kind == "undecodable"


async def test_svg_is_text(bench: Bench) -> None:
    (bench.ws / "a.svg").write_text("<svg/>\n")
    assert shown_lines((await bench.run("read", file_path="a.svg")).text) == ["1: <svg/>"]


async def test_pdf_pages(bench: Bench) -> None:
    (bench.ws / "a.pdf").write_bytes(make_pdf(["Hello", ""]))
    result = await bench.run("read", file_path="a.pdf")
    shown = "--- page 1 of 2 ---\nHello\n--- page 2 of 2 ---\n"
    assert result.text == f"<path>a.pdf</path>\n<type>pdf</type>\n<content>\n{shown}\n</content>\n(2 of 2 pages)"
    assert "no text; they are probably scanned" in (await bench.run("read", file_path="a.pdf", pages="2")).text
    (bench.ws / "a.txt").write_text("x")
    assert (await bench.run("read", file_path="a.txt", pages="1")).kind == "invalid_arguments"
    assert bench.seen.state(bench.ws / "a.pdf", hash_bytes(make_pdf(["Hello", ""]))) == "fresh"


async def test_long_notebook_is_cut_and_kept_whole_where_read_finds_it(bench: Bench) -> None:
    cells = [{"cell_type": "markdown", "source": f"cell {number} " + "x" * 1000} for number in range(100)]
    (bench.ws / "a.ipynb").write_text(json.dumps({"cells": cells}))
    result = await bench.run("read", file_path="a.ipynb")
    assert (result.truncated, result.output_file) == (True, "call.txt")
    assert len(result.text.encode()) < 52_000
    whole = bench.folder / "outputs" / "call.txt"
    assert "cell 99" in whole.read_text()
    plan = await bench.plan("read", file_path=str(whole), offset=-1)
    assert not plan.targets[0].outside
    assert shown_lines((await bench.apply(plan)).text)[0].endswith("x" * 100)
    result = await bench.run("read", file_path="a.ipynb", offset=-2, limit=1)
    assert "[99] markdown" in result.text
    assert "(cells 99-99 of 100; edit works on the raw JSON)" in result.text


async def test_file_that_only_claims_to_be_a_notebook_is_text(bench: Bench) -> None:
    (bench.ws / "a.ipynb").write_text("not json\n")
    assert shown_lines((await bench.run("read", file_path="a.ipynb")).text) == ["1: not json"]


async def test_missing_file_offers_near_names(bench: Bench) -> None:
    for name in ("src/Main.py", "src/mail.py", "docs/main.py", "node_modules/main.py"):
        (bench.ws / name).parent.mkdir(exist_ok=True)
        (bench.ws / name).touch()
    result = await bench.run("read", file_path="src/main.py")
    assert result.kind == "file_not_found"
    assert result.ui["detail"]["suggestions"] == ("src/Main.py", "src/mail.py", "docs/main.py")
    assert (await bench.run("read", file_path="zzz/none.rs")).ui["detail"]["suggestions"] == ()


async def test_nothing_is_said_of_missing_files_outside_before_they_are_allowed(bench: Bench) -> None:
    plan = await bench.plan("read", file_path=str(bench.outside / "none"))
    assert plan.targets[0].outside
    bench.outside_allowed = True
    assert (await bench.run("read", file_path=str(bench.outside / "none"))).kind == "file_not_found"
    (bench.outside / "a").write_text("x\n")
    result = await bench.run("read", file_path=str(bench.outside / "a"))
    assert f"<path>{bench.outside / 'a'}</path>" in result.text


async def test_file_that_becomes_a_link_to_the_outside_is_not_read(bench: Bench) -> None:
    (bench.ws / "a").write_text("x")
    (bench.outside / "secret").write_text("SECRET")

    def swap() -> None:
        (bench.ws / "a").unlink()
        (bench.ws / "a").symlink_to(bench.outside / "secret")

    result = await bench.run("read", between=swap, file_path="a")
    assert (result.kind, "SECRET" in result.text) == ("changed_during_approval", False)


async def test_undecodable_names_reach_the_model_as_text(bench: Bench) -> None:
    (bench.ws / os.fsdecode(b"\xff.txt")).write_text("x")
    result = await bench.run("read", file_path=".")
    assert "\ufffd.txt" in result.text
    result.text.encode()
