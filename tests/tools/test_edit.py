"""An edit is shown as the bytes it will write, is made only if the file still fits, and can be undone."""

from __future__ import annotations

import asyncio
import base64
import functools
from pathlib import Path
from typing import Any

import pytest

from tests.tools.cases import bug_report
from tests.tools.running import Bench
from workbench.errors import ToolError
from workbench.tools.base import Interrupted
from workbench.workspace import beneath
from workbench.workspace.files import hash_bytes


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def read_file(bench: Bench, name: str, content: bytes) -> Path:
    """Write a file and let the session read it."""
    path = bench.ws / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    assert (await bench.run("read", file_path=name)).status == "ok"
    return path


async def test_preview_is_what_gets_written(bench: Bench) -> None:
    path = await read_file(bench, "a.py", b"x = 1\r\ny = 2\r\n")
    plan = await bench.plan("edit", file_path="a.py", old_string="y = 2", new_string="y = 3\nz = 4")
    assert path.read_bytes() == b"x = 1\r\ny = 2\r\n"
    preview = plan.preview
    assert (preview.kind, preview.title, preview.before, preview.after) == ("diff", "a.py", "x = 1\r\ny = 2\r\n", "x = 1\r\ny = 3\r\nz = 4\r\n")
    assert "-y = 2\r\n+y = 3\r\n+z = 4\r\n" in plan.preview.body
    assert plan.base_hashes == {str(path): hash_bytes(b"x = 1\r\ny = 2\r\n")}
    assert [(target.name, target.access, target.outside) for target in plan.targets] == [(str(path), "write", False)]
    await bench.apply(plan)
    assert path.read_bytes().decode() == plan.preview.after


async def test_result_tells_what_was_done_and_where(bench: Bench) -> None:
    await read_file(bench, "sub/a.py", b"".join(b"line %d\n" % number for number in range(1, 21)))
    result = await bench.run("edit", file_path="sub/a.py", old_string="line 10\nline 11\n", new_string="ten\neleven\ntwelve\n")
    assert result.text.split("\n") == [
        "Edited sub/a.py: 1 replacement, lines 10-12 (+3 −2)",
        *("7: line 7", "8: line 8", "9: line 9", "10: ten", "11: eleven", "12: twelve", "13: line 12", "14: line 13", "15: line 14"),
    ]
    assert result.facts == "+3 −2"


async def test_deletion_and_distant_replacements_are_told(bench: Bench) -> None:
    await read_file(bench, "a", b"x\n" + b"-\n" * 20 + b"x\n")
    result = await bench.run("edit", file_path="a", old_string="x", new_string="y", replace_all=True)
    assert result.text.split("\n")[0] == "Edited a: 2 replacements, lines 1-22 (+2 −2)"
    assert "4: -\n…\n19: -" in result.text
    result = await bench.run("edit", file_path="a", old_string="y\n-\n-\n", new_string="")
    assert result.text.split("\n")[0] == "Edited a: 1 replacement, line 1 (+0 −3)"


async def test_old_and_new_bytes_are_kept_for_undo(bench: Bench) -> None:
    await read_file(bench, "a", b"old\n")
    result = await bench.run("edit", file_path="a", old_string="old", new_string="new")
    (change,) = result.files_changed
    assert (change.path, change.operation, change.added, change.removed) == ("a", "modify", 1, 1)
    assert bench.objects.get(str(change.before_sha256)) == b"old\n"
    assert bench.objects.get(str(change.after_sha256)) == b"new\n"


async def test_tolerant_match_is_said_before_and_after(bench: Bench) -> None:
    await read_file(bench, "a", b"\tx\n")
    plan = await bench.plan("edit", file_path="a", old_string="    x", new_string="    y")
    assert plan.preview.notes == ("The text was matched ignoring indentation, not exactly.",)
    assert (await bench.apply(plan)).text.startswith("Edited a: 1 replacement, line 1 (+1 −1), matched ignoring indentation\n1: \ty")


async def test_unread_file_may_be_edited_where_one_exact_quote_proves_knowledge(bench: Bench) -> None:
    (bench.ws / "a").write_text("unique\nx\nx\n")
    assert (await bench.run("edit", file_path="a", old_string="x", new_string="y")).kind == "not_read"
    assert (await bench.run("edit", file_path="a", old_string="unique", new_string="y", replace_all=True)).kind == "not_read"
    result = await bench.run("edit", file_path="a", old_string="unique", new_string="one")
    assert "was not read in this session" in result.text
    assert (await bench.run("edit", file_path="a", old_string="x", new_string="y", replace_all=True)).status == "ok"


async def test_outside_change_elsewhere_is_told_and_kept(bench: Bench) -> None:
    path = await read_file(bench, "a", b"one\ntwo\n")
    path.write_bytes(b"ONE\ntwo\n")
    result = await bench.run("edit", file_path="a", old_string="two", new_string="2")
    assert path.read_bytes() == b"ONE\n2\n"
    assert "changed on disk since it was read" in result.text
    assert "-one\n+ONE" in result.text


async def test_stale_error_shows_what_changed(bench: Bench) -> None:
    path = await read_file(bench, "a", b"one\ntwo\n")
    path.write_bytes(b"one\nzwei\n")
    result = await bench.run("edit", file_path="a", old_string="two", new_string="2")
    assert result.kind == "stale_file"
    assert "-two\n+zwei" in result.text


async def test_file_that_changed_while_waiting_is_edited_only_at_the_same_text(bench: Bench) -> None:
    path = await read_file(bench, "a", b"a\n\tb\n")
    arguments: dict[str, Any] = {"file_path": "a", "old_string": "    b", "new_string": "    c"}
    result = await bench.run("edit", between=lambda: path.write_bytes(b"new\na\n\tb\n"), **arguments)
    assert path.read_bytes() == b"new\na\n\tc\n"
    assert "changed elsewhere while the edit waited" in result.text
    path.write_bytes(b"a\n\tb\n")
    await bench.run("read", file_path="a")
    result = await bench.run("edit", between=lambda: path.write_bytes(b"a\n    b\n"), **arguments)
    assert (result.kind, path.read_bytes()) == ("changed_during_approval", b"a\n    b\n")


async def test_place_that_leads_elsewhere_after_approval_is_not_written(bench: Bench) -> None:
    path = await read_file(bench, "d/a", b"x\n")
    (bench.outside / "a").write_bytes(b"x\n")

    def swap() -> None:
        path.parent.rename(bench.ws / "old")
        path.parent.symlink_to(bench.outside)

    result = await bench.run("edit", between=swap, file_path="d/a", old_string="x", new_string="y")
    assert result.kind == "changed_during_approval"
    assert ((bench.outside / "a").read_bytes(), (bench.ws / "old" / "a").read_bytes()) == (b"x\n", b"x\n")


async def test_file_removed_while_waiting_is_not_made_again(bench: Bench) -> None:
    path = await read_file(bench, "a", b"x\n")
    result = await bench.run("edit", between=path.unlink, file_path="a", old_string="x", new_string="y")
    assert (result.kind, path.exists()) == ("changed_during_approval", False)


async def test_outside_file_is_not_read_before_it_is_allowed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    (bench.outside / "a").write_bytes(b"secret\nx\n")
    path = str(bench.outside / "a")
    with monkeypatch.context() as patch:
        patch.setattr(beneath, "open_relative", lambda *_args: pytest.fail("it was opened"))
        patch.setattr("builtins.open", lambda *_args: pytest.fail("it was opened"))
        plan = await bench.plan("edit", file_path=path, old_string="x", new_string="y")
    assert plan.targets[0].outside
    assert "secret" not in plan.preview.body
    assert (await bench.run("edit", file_path=path, old_string="x", new_string="y")).kind == "outside_workspace"
    bench.outside_allowed = True
    assert (await bench.run("edit", file_path=path, old_string="x", new_string="y")).status == "ok"
    assert (bench.outside / "a").read_bytes() == b"secret\ny\n"


async def test_folder_granted_for_reading_counts_as_outside_for_an_edit(bench: Bench) -> None:
    (bench.outside / "a").write_bytes(b"x\n")
    bench.workspace = bench.workspace.granting(bench.outside, writable=False)
    path = str(bench.outside / "a")
    assert not (await bench.plan("read", file_path=path)).targets[0].outside
    assert (await bench.plan("edit", file_path=path, old_string="x", new_string="y")).targets[0].outside


async def test_programs_own_data_is_out_of_reach_even_if_allowed(bench: Bench) -> None:
    bench.outside_allowed = True
    (bench.folder / "data" / "rules.toml").write_text("x")
    (bench.ws / "link").symlink_to(bench.folder / "data")
    for name in (str(bench.folder / "data" / "rules.toml"), "link/rules.toml"):
        assert (await bench.run("edit", file_path=name, old_string="x", new_string="y")).kind == "outside_workspace"
        assert (await bench.run("read", file_path=name)).kind == "outside_workspace"


async def test_link_and_other_names_are_told(bench: Bench) -> None:
    path = await read_file(bench, "real", b"x\n")
    (bench.ws / "other").hardlink_to(path)
    (bench.ws / "link").symlink_to("real")
    plan = await bench.plan("edit", file_path="link", old_string="x", new_string="y")
    assert plan.preview.title == "real"
    assert plan.preview.notes == (
        "link is reached through a link; the file that changes is real.",
        "The file has 2 names (hard links); all of them change.",
    )


async def test_name_outside_is_told_and_left_alone(bench: Bench) -> None:
    path = await read_file(bench, "real", b"x\n")
    (bench.outside / "other").hardlink_to(path)
    plan = await bench.plan("edit", file_path="real", old_string="x", new_string="y")
    assert plan.preview.notes == ("The file has 2 names (hard links), and some lie elsewhere; only this one changes.",)
    assert (await bench.apply(plan)).status == "ok"
    assert (path.read_bytes(), (bench.outside / "other").read_bytes()) == (b"y\n", b"x\n")


async def test_same_bytes_in_another_file_are_not_what_was_approved(bench: Bench) -> None:
    """An edit goes on if somebody writes to the file meanwhile, but not in a file that took its name."""
    path = await read_file(bench, "a", b"x\n")

    def taken(content: bytes) -> None:
        (bench.ws / "new").write_bytes(content)
        (bench.ws / "new").rename(path)

    for content in (b"x\n", b"more\nx\n"):
        result = await bench.run("edit", between=functools.partial(taken, content), file_path="a", old_string="x", new_string="y")
        assert (result.kind, path.read_bytes()) == ("changed_during_approval", content)


async def test_new_file_follows_editorconfig(bench: Bench) -> None:
    (bench.ws / ".editorconfig").write_text("[*.bat]\nend_of_line = crlf\ncharset = utf-8-bom\n[*.l1]\ncharset = latin1\n")
    await bench.run("edit", file_path="a.bat", old_string="", new_string="a\nb\n")
    assert (bench.ws / "a.bat").read_bytes() == b"\xef\xbb\xbfa\r\nb\r\n"
    await bench.run("edit", file_path="a.l1", old_string="", new_string="é")
    assert (bench.ws / "a.l1").read_bytes() == b"\xe9"
    assert (await bench.run("edit", file_path="b.l1", old_string="", new_string="中")).kind == "unencodable_text"
    await bench.run("edit", file_path="a.l1", old_string="é", new_string="è")
    assert (bench.ws / "a.l1").read_bytes() == b"\xe8"


async def test_cancel_while_writing_ends_with_the_recorded_change(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    path = await read_file(bench, "a", b"old\n")
    plan = await bench.plan("edit", file_path="a", old_string="old", new_string="new")
    loop, put = asyncio.get_running_loop(), bench.objects.put
    task = asyncio.current_task()
    assert task is not None

    def cancelling(content: bytes) -> str:
        loop.call_soon_threadsafe(task.cancel)
        return put(content)

    monkeypatch.setattr(bench.objects, "put", cancelling)
    with pytest.raises(Interrupted) as caught:
        await bench.apply(plan)
    task.uncancel()
    task.uncancel()
    assert path.read_bytes() == b"new\n"
    assert (caught.value.result.status, caught.value.result.files_changed[0].path) == ("cancelled", "a")
    assert bench.seen.state(path, hash_bytes(b"new\n")) == "fresh"


async def test_multiedit_says_which_edit_fails(bench: Bench) -> None:
    await read_file(bench, "a", b"a\nb\n")
    result = await bench.run("multiedit", file_path="a", edits=[{"old_string": "a", "new_string": "A"}, {"old_string": "z", "new_string": "Z"}])
    assert result.text.startswith("Error (old_string_not_found): Edit 2 of 2: old_string does not occur in the file. None of the edits was made.")
    result = await bench.run("multiedit", file_path="a", edits=[{"old_string": "a", "new_string": "A"}, {"old_string": "b", "new_string": "b"}])
    assert (result.kind, result.ui["detail"]["index"]) == ("no_change", 1)


async def test_large_diff_is_shown_without_the_whole_texts(bench: Bench) -> None:
    await read_file(bench, "a", b"x" * 3_000_000 + b"\nend\n")
    with pytest.raises(ToolError, match="not"):
        await bench.plan("edit", file_path="a", old_string="nothing like it", new_string="y")
    plan = await bench.plan("edit", file_path="a", old_string="end", new_string="END")
    assert (plan.preview.before, plan.preview.after) == (None, None)
    assert "-end\n+END" in plan.preview.body


REPORTS = ["crlf-mixed-untouched", "crlf-multiline-lf-args", "latin1-bytes-elsewhere", "utf8-bom-kept", "mode-kept"]
REPORTS += ["replacement-literal", "fuzzy-keeps-other-lines", "stale-write-refused", "multiedit-all-or-nothing"]


@pytest.mark.parametrize("name", REPORTS)
async def test_report(bench: Bench, name: str) -> None:
    case = bug_report(name)
    for file, given in case["input"]["files"].items():
        put(bench, file, given)
    outcomes = [await step(bench, given) for given in case["input"]["steps"]]
    legal = case["expect"].get("either", [case["expect"]])
    assert any(fits(bench, outcomes, expected) for expected in legal), outcomes


def put(bench: Bench, name: str, given: dict[str, str]) -> None:
    (bench.ws / name).write_bytes(decoded(given["b64"]))
    if "mode" in given:
        (bench.ws / name).chmod(int(given["mode"], 8))


def decoded(text: str) -> bytes:
    return base64.b64decode(text)


async def step(bench: Bench, given: dict[str, Any]) -> bool:
    if "external_write" in given:
        for name, file in given["external_write"].items():
            put(bench, name, file)
        return True
    return (await bench.run(given["tool"], **given["args"])).status == "ok"


def fits(bench: Bench, outcomes: list[bool], expected: dict[str, Any]) -> bool:
    if "step_ok" in expected and outcomes != expected["step_ok"]:
        return False
    if "ok" in expected and all(outcomes) != expected["ok"]:
        return False
    files = all((bench.ws / name).read_bytes() == decoded(content) for name, content in expected.get("files", {}).items())
    modes = all((bench.ws / name).stat().st_mode & 0o7777 == int(mode, 8) for name, mode in expected.get("modes", {}).items())
    return files and modes and not any((bench.ws / name).exists() for name in expected.get("absent", ()))
