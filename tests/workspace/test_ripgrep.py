"""Children for searching: found, read piece by piece, stopped at once."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from workbench.workspace import ripgrep
from workbench.workspace.content_search import SearchRequest, search
from workbench.workspace.ripgrep import ChildOutput, find_ripgrep, read, records, tracked_but_ignored
from workbench.workspace.walk import walk
from workbench.workspace.worker import Stop


def test_ripgrep_is_the_one_beside_this_python() -> None:
    found = find_ripgrep()
    assert found is not None
    assert found.parent == Path(sys.executable).parent


def test_records_are_cut_whatever_the_pieces(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nprintf 'a\\nbc'; sleep 0.05; printf '\\n\\nd'\nprintf oops >&2; exit 3\n")
    program.chmod(0o755)
    output = ChildOutput()
    assert list(records(read([str(program)], tmp_path, Stop(), output), b"\n")) == [b"a", b"bc", b"", b"d"]
    assert (output.code, output.errors) == (3, "oops")


def test_stop_ends_a_silent_child(tmp_path: Path) -> None:
    stop, output = Stop(), ChildOutput()
    threading.Timer(0.1, stop.request).start()
    started = time.monotonic()
    assert list(read(["/bin/sleep", "30"], tmp_path, stop, output)) == []
    assert time.monotonic() - started < 2
    assert output.code < 0


def test_child_of_a_reader_that_goes_away_is_ended(tmp_path: Path) -> None:
    output = ChildOutput()
    pieces = records(read(["/usr/bin/yes"], tmp_path, Stop(), output), b"\n")
    assert next(pieces) == b"y"
    pieces.close()
    assert output.code < 0


def test_missing_program_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(read([str(tmp_path / "nothing")], tmp_path, Stop(), ChildOutput()))


def test_tracked_files_that_a_rule_ignores(tmp_path: Path) -> None:
    assert tracked_but_ignored(tmp_path, Stop()) == ()
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "sub").mkdir()
    for name in ("sub/a.gen", "sub/b.gen", "gone.gen", "link.gen"):
        (tmp_path / name).touch()
    (tmp_path / "link.gen").unlink()
    (tmp_path / "link.gen").symlink_to("sub/a.gen")
    subprocess.run(["git", "add", "sub/a.gen", "gone.gen", "link.gen"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text("*.gen\n")
    (tmp_path / "gone.gen").unlink()
    assert tracked_but_ignored(tmp_path, Stop()) == ("sub/a.gen",)
    assert tracked_but_ignored(tmp_path / "sub", Stop()) == ("a.gen",)


def test_repository_cannot_run_its_own_program_through_us(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    hook = tmp_path / "hook"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/pwned\n")
    hook.chmod(0o755)
    subprocess.run(["git", "config", "core.fsmonitor", str(hook)], cwd=tmp_path, check=True)
    tracked_but_ignored(tmp_path, Stop())
    list(ripgrep.listed_by_git(tmp_path, Stop(), ChildOutput()))
    assert not (tmp_path / "pwned").exists()


def test_repository_cannot_make_git_fetch_a_missing_object(tmp_path: Path) -> None:
    """A partial clone fetches what is missing when files are only listed, and its remote may be a program."""
    repository = tmp_path / "repository"
    for name in ("in/a", "out/deep/b"):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text(name)
    _git(repository, "init", "-q")
    _git(repository, "add", ".")
    _git(repository, "-c", "user.name=a", "-c", "user.email=a@example.test", "commit", "-qm", "first")
    _git(repository, "sparse-checkout", "init", "--cone", "--sparse-index")
    _git(repository, "sparse-checkout", "set", "in")
    missing = _git(repository, "rev-parse", "HEAD:out")
    (repository / ".git/objects" / missing[:2] / missing[2:]).unlink()
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::/usr/bin/touch {tmp_path}/pwned",
        "protocol.ext.allow": "always",
    }.items():
        _git(repository, "config", key, value)
    tracked_but_ignored(repository, Stop())
    list(ripgrep.listed_by_git(repository, Stop(), ChildOutput()))
    assert not (tmp_path / "pwned").exists()


def test_index_cannot_name_what_lies_behind_a_link(tmp_path: Path) -> None:
    """A tracked, ignored file whose folder was replaced by a link leads out of the workspace, where nobody allowed to read."""
    repository, outside = tmp_path / "repository", tmp_path / "outside"
    for folder in (repository / "data", outside):
        folder.mkdir(parents=True)
        (folder / "secret.gen").write_text("secret\n")
    (repository / ".gitignore").write_text("*.gen\n")
    _git(repository, "init", "-q")
    _git(repository, "add", "-f", ".")
    shutil.rmtree(repository / "data")
    (repository / "data").symlink_to(outside)
    assert tracked_but_ignored(repository, Stop()) == ()
    assert walk(repository, Stop(), engine="git").paths == (".gitignore",)
    assert search(SearchRequest(pattern="secret", folder=repository), Stop()).files == []


def test_index_cannot_name_what_lies_above_the_folder(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    (repository / "xx").mkdir(parents=True)
    (repository / ".gitignore").write_text("*.gen\n")
    for place in (repository / "xx/secret.gen", tmp_path / "secret.gen"):
        place.write_text("secret\n")
    _git(repository, "init", "-q")
    _git(repository, "add", "-f", "xx")
    shutil.rmtree(repository / "xx")
    index = repository / ".git/index"
    changed = index.read_bytes()[:-20].replace(b"xx/secret.gen", b"../secret.gen")
    index.write_bytes(changed + hashlib.sha1(changed, usedforsecurity=False).digest())
    assert "../secret.gen" in _git(repository, "ls-files")
    assert tracked_but_ignored(repository, Stop()) == ()
    assert walk(repository, Stop(), engine="git").paths == (".gitignore",)


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()
