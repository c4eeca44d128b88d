"""Finds and calls ripgrep, and git for the one thing ripgrep does not know: which files are tracked although a rule ignores them.

Everything here blocks and is called from a worker thread; a `Stop` ends the child at once.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.workspace.beneath import Folder
from workbench.workspace.environment import child_environment
from workbench.workspace.worker import Stop

_GIT = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks")
_GIT_STAYS_HERE = {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1"}
"""Set for git, which else would fetch what a partial clone misses from wherever, and however, the repository's settings say."""
_CHUNK_BYTES = 65_536
_ERROR_BYTES = 8_192


@dataclass
class ChildOutput:
    """What a child wrote, filled in as it is read.

    Attributes:
        code: exit code, once `read` has ended; negative when it was stopped.
        errors: the beginning of its standard error.
    """

    code: int = 0
    errors: str = ""


@functools.cache
def find_ripgrep() -> Path | None:
    """Return the rg program: beside this Python (the wheel puts it there), else on PATH; None if there is none."""
    name = "rg.exe" if os.name == "nt" else "rg"
    for folder in (Path(sys.executable).parent, Path(sys.prefix, "Scripts" if os.name == "nt" else "bin")):
        if (folder / name).is_file() and os.access(folder / name, os.X_OK):
            return folder / name
    return _on_path("rg")


def walking(folder: Path) -> tuple[str, ...]:
    """Return the arguments that every call of ripgrep in `folder` needs.

    ``--no-config``: the settings file could name a program to run. No other ``--glob``: it would un-ignore files. Outside a
    repository ``.gitignore`` counts too; inside one that option would also bring in the rules of folders above the repository.
    """
    own_rules = () if in_repository(folder) else ("--no-require-git",)
    return ("--no-config", "--hidden", "--glob", "!.git", *own_rules)


def read(arguments: Sequence[str], folder: Path | Folder, stop: Stop, output: ChildOutput) -> Generator[bytes]:
    """Run a program and yield what it writes, in pieces as they come.

    Args:
        arguments: program and arguments.
        folder: where it runs; a held one is that very folder, whatever its name leads to by now.
        stop: ends it at once; the iterator then ends early.
        output: gets exit code and errors.

    Raises:
        OSError: it cannot be started.
        ValueError: an argument holds a NUL character.
    """
    where = folder.place_for_child if isinstance(folder, Folder) else folder
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            arguments, cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, bufsize=0, env=_environment(), shell=False
        )
        stop.on_request(child.kill)
        try:
            if child.stdout is not None:
                with child.stdout:
                    while piece := child.stdout.read(_CHUNK_BYTES):
                        yield piece
        except GeneratorExit:
            child.kill()
            raise
        finally:
            output.code = child.wait()
            errors.seek(0)
            output.errors = errors.read(_ERROR_BYTES).decode(errors="replace")


def records(pieces: Generator[bytes], separator: bytes) -> Generator[bytes]:
    """Cut pieces at a separator; what follows the last one is yielded too, if it is not empty. Closing it closes `pieces`."""
    rest: list[bytes] = []  # joined only at a separator: one record may be many pieces long
    with contextlib.closing(pieces):
        for piece in pieces:
            first, *others = piece.split(separator)
            rest.append(first)
            if others:
                yield b"".join(rest)
                yield from others[:-1]
                rest = [others[-1]]
        if last := b"".join(rest):
            yield last


def tracked_but_ignored(folder: Path, stop: Stop, top: Folder | None = None) -> tuple[str, ...]:
    """Return files that git tracks although a rule ignores them, relative to `folder`; empty outside a repository or without git.

    `top` is the folder itself, where the caller holds it.
    """
    git = _on_path("git")
    if git is None or not in_repository(folder):
        return ()
    found = ChildOutput()
    try:
        with Folder.hold(folder) if top is None else contextlib.nullcontext(top) as held:
            listed = list(records(read((str(git), *_GIT, "ls-files", "-z", "-c", "-i", "--exclude-standard"), held, stop, found), b"\0"))
            return tuple(plain_files(held, listed)) if found.code == 0 else ()
    except OSError:
        return ()


def listed_by_git(folder: Path | Folder, stop: Stop, output: ChildOutput) -> Generator[bytes]:
    """Yield all files of a repository that no rule ignores, relative to `folder`, as git's raw names.

    Raises:
        OSError: there is no git.
    """
    command = (str(_on_path("git") or "git"), *_GIT, "ls-files", "-z", "-c", "-o", "--exclude-standard", "--deduplicate")
    return records(read(command, folder, stop, output), b"\0")


def in_repository(folder: Path) -> bool:
    """Whether a folder lies in a git repository."""
    return any((place / ".git").exists() for place in (folder, *folder.parents))


def plain_files(folder: Folder, names: Iterable[bytes]) -> Iterator[str]:
    """Yield git's raw names that are regular files below `folder`, reached without a link.

    Its index may name what is no such file any more, what lies behind a link by now, or, made by hand, ``../x``.
    """
    for raw in names:
        name = os.fsdecode(raw)
        if folder.file_status(name) is not None:
            yield name


def _on_path(name: str) -> Path | None:
    found = shutil.which(name, path=child_environment(os.environ)["PATH"])
    return Path(found) if found else None


def _environment() -> dict[str, str]:
    return child_environment(os.environ, keep=("XDG_CONFIG_HOME",)) | _GIT_STAYS_HERE
