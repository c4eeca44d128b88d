"""A file is created or replaced as a whole, never over something the session has not seen."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tests.tools.cases import bug_report
from tests.tools.running import Bench
from tests.tools.test_edit import decoded
from workbench.tools.write import placeholder_line


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def test_new_file_is_shown_whole_and_counted(bench: Bench) -> None:
    plan = await bench.plan("write", file_path="new/a.txt", content="a\nb")
    assert (plan.preview.kind, plan.preview.title, plan.preview.body, plan.preview.before) == ("new_file", "new/a.txt", "a\nb", None)
    assert plan.base_hashes == {str(bench.ws / "new" / "a.txt"): None}
    assert not (bench.ws / "new").exists()
    result = await bench.apply(plan)
    assert (result.text, result.facts) == ("Created new/a.txt (2 lines)", "+2 −0")
    (change,) = result.files_changed
    assert (change.operation, change.before_sha256, bench.objects.get(str(change.after_sha256))) == ("create", None, b"a\nb")


async def test_own_writes_count_as_read(bench: Bench) -> None:
    await bench.run("write", file_path="a", content="1\n")
    result = await bench.run("write", file_path="a", content="2\n3\n")
    assert result.text == "Replaced a (+2 −1 lines)"
    assert (await bench.run("write", file_path="a", content="2\n3\n")).kind == "no_change"
    assert (await bench.run("edit", file_path="a", old_string="2", new_string="x")).status == "ok"


async def test_stale_error_shows_at_most_forty_lines_of_what_changed(bench: Bench) -> None:
    await bench.run("write", file_path="a", content="x\n" * 100)
    (bench.ws / "a").write_text("y\n" * 100)
    result = await bench.run("write", file_path="a", content="z\n")
    assert result.kind == "stale_file"
    assert result.text.count("\n-x") > 10
    assert len(result.text.split("\n")) < 46


async def test_file_made_or_changed_by_somebody_while_waiting_stays(bench: Bench) -> None:
    path = bench.ws / "a"
    result = await bench.run("write", between=lambda: path.write_text("theirs"), file_path="a", content="mine")
    assert (result.kind, path.read_text()) == ("changed_during_approval", "theirs")
    await bench.run("read", file_path="a")
    result = await bench.run("write", between=lambda: path.write_text("again"), file_path="a", content="mine")
    assert (result.kind, path.read_text()) == ("changed_during_approval", "again")
    await bench.run("read", file_path="a")
    result = await bench.run("write", between=path.unlink, file_path="a", content="mine")
    assert (result.kind, path.exists()) == ("changed_during_approval", False)


async def test_touched_file_was_still_seen(bench: Bench) -> None:
    await bench.run("write", file_path="a", content="1\n")
    os.utime(bench.ws / "a", (1, 1))
    assert (await bench.run("write", file_path="a", content="2\n")).status == "ok"


async def test_file_touched_while_waiting_is_not_the_approved_one(bench: Bench) -> None:
    await bench.run("write", file_path="a", content="1\n")
    result = await bench.run("write", between=lambda: os.utime(bench.ws / "a", (1, 1)), file_path="a", content="2\n")
    assert (result.kind, (bench.ws / "a").read_text()) == ("changed_during_approval", "1\n")


async def test_dangling_link_is_written_through(bench: Bench) -> None:
    (bench.ws / "link").symlink_to("sub/real")
    assert (await bench.run("write", file_path="link", content="x")).status == "ok"
    assert ((bench.ws / "sub" / "real").read_text(), (bench.ws / "link").is_symlink()) == ("x", True)


async def test_places_where_no_file_can_be(bench: Bench) -> None:
    os.mkfifo(bench.ws / "pipe")
    (bench.ws / "big").touch()
    os.truncate(bench.ws / "big", 11 * 1024 * 1024)
    names = ("new/", "pipe", "big", "a\0b", "x" * 300, "../y", "~/z", "/proc/x")
    kinds = {name: (await bench.run("write", file_path=name, content="x")).kind for name in names}
    assert kinds == {
        "new/": "is_directory",
        "pipe": "not_regular_file",
        "big": "file_too_large",
        "a\0b": "invalid_arguments",
        "x" * 300: "invalid_arguments",
        "../y": "outside_workspace",
        "~/z": "outside_workspace",
        "/proc/x": "outside_workspace",
    }


async def test_outside_file_is_written_only_when_allowed_and_under_the_same_rules(bench: Bench) -> None:
    bench.outside_allowed = True
    (bench.outside / "old").write_text("theirs")
    assert (await bench.run("write", file_path=str(bench.outside / "old"), content="x")).kind == "not_read"
    assert (await bench.run("write", file_path=str(bench.outside / "new"), content="x")).text == f"Created {bench.outside / 'new'} (1 line)"


async def test_picture_that_was_seen_may_be_replaced_by_text(bench: Bench) -> None:
    (bench.ws / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01")
    await bench.run("read", file_path="a.png")
    plan = await bench.plan("write", file_path="a.png", content="text\n")
    assert plan.preview.notes == ("The old content is binary; it is replaced as a whole.",)
    await bench.apply(plan)
    assert (bench.ws / "a.png").read_bytes() == b"text\n"


async def test_new_file_follows_editorconfig(bench: Bench) -> None:
    (bench.ws / ".editorconfig").write_text("[*]\nend_of_line = crlf\ncharset = utf-16le\n")
    await bench.run("write", file_path="a", content="é\r\nb\n")
    assert (bench.ws / "a").read_bytes() == "\ufeffé\r\nb\r\n".encode("utf-16-le")


async def test_stand_ins_for_old_text_are_warned_of(bench: Bench) -> None:
    await bench.run("write", file_path="a.py", content="def f():\n    return 1\n\n\ndef g():\n    return 2\n")
    plan = await bench.plan("write", file_path="a.py", content="def f():\n    return 3\n\n# ... rest of code unchanged ...\n")
    assert "looks like a stand-in" in plan.preview.notes[0]
    assert "looks like a stand-in" in (await bench.apply(plan)).text


@pytest.mark.parametrize(
    "line",
    [
        "# ... rest of code unchanged ...",
        "// ... existing code ...",
        "/* ... other methods ... */",
        "<!-- ... rest of the file ... -->",
        "    # … (remaining functions here)",
        "-- ... same as before",
        "# ... (rest of the implementation remains the same)",
    ],
)
def test_stand_in_is_recognised(line: str) -> None:
    assert placeholder_line("old\n", f"new\n{line}\nnew\n") == line.strip()


ORDINARY = ["...", "x = [1, 2, ...]", "and the rest of the file follows", "print('...')", "# see the other file", "def f(*rest): ...", "wait..."]


@pytest.mark.parametrize("line", ORDINARY)
def test_ordinary_lines_are_no_stand_in(line: str) -> None:
    assert placeholder_line("old\n", f"new\n{line}\n") is None


def test_line_that_was_there_before_is_no_stand_in() -> None:
    line = "# ... rest of code unchanged ..."
    assert placeholder_line(f"a\n{line}\n", f"b\n    {line}\n") is None


async def test_report_failed_write_keeps_the_old_file(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    case = bug_report("write-failure-keeps-old")
    (bench.ws / "d.txt").write_bytes(decoded(case["input"]["files"]["d.txt"]["b64"]))
    real, room = os.write, [100]

    def failing(descriptor: int, content: memoryview) -> int:
        if room[0] <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        room[0] -= (written := real(descriptor, content[: room[0]]))
        return written

    monkeypatch.setattr(os, "write", failing)
    results = [await bench.run(step["tool"], **step["args"]) for step in case["input"]["steps"]]
    assert [result.status == "ok" for result in results] == case["expect"]["step_ok"]
    assert (results[1].kind, "No space left" in results[1].text) == ("no_space", True)
    assert (bench.ws / "d.txt").read_bytes() == decoded(case["expect"]["files"]["d.txt"])
    assert [path.name for path in bench.ws.iterdir()] == ["d.txt"]
    assert bench.seen.content(bench.ws / "d.txt") == (bench.ws / "d.txt").read_bytes()
