"""What a held command left that it must not: taken out of the workspace after the run, and told.

A protected file that does not exist yet cannot be guarded by a mount without leaving an empty one behind. So what is new after a run is
moved into quarantine: a folder outside the workspace, from which a person can take it back.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from workbench.workspace.sandbox_bwrap import hidden_places
from workbench.workspace.sandbox_shape import Bounds, Sandbox
from workbench.workspace.sandbox_survey import Survey

_SYSTEM = tuple(Path(name) for name in ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix", "/snap"))
_SECTION = re.compile(r'\s*\[\s*(\w+)(?:\s+"[^"]*")?\s*\]\s*(?:[#;].*)?')
_HARMLESS = {
    "core": {"repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase", "precomposeunicode", "symlinks", "autocrlf", "eol"},
    "remote": {"url", "fetch"},
    "branch": {"remote", "merge"},
    "user": {"name", "email"},
    "submodule": {"url", "active"},
    "init": {"defaultbranch"},
}


class PutAside(NamedTuple):
    """Something that was moved into quarantine, or put back as it was.

    Attributes:
        path: where it was.
        kept: where it is now.
        restored: what stood there before is there again.
    """

    path: Path
    kept: Path
    restored: bool = False


def put_aside(before: Survey, after: Survey, *, bounds: Bounds, sandbox: Sandbox, quarantine: Path) -> tuple[PutAside, ...]:
    """Move what a run left and must not into `quarantine`, which is made if it is needed. Blocking.

    Args:
        before: the survey the sandbox was made from.
        after: one made after the run, with the contents of steering files if `before` has them.
        bounds: what the command could reach.
        sandbox: what held it.
        quarantine: a folder outside of everything the command may change.
    """
    found: list[PutAside] = []
    for number, path in enumerate(dict.fromkeys(_unwanted(before, after, bounds, sandbox)), 1):
        if not (path.is_symlink() or path.exists()) or not _is_where_it_was(path):
            continue  # it lay in something that was moved already
        with contextlib.suppress(OSError):
            quarantine.mkdir(parents=True, exist_ok=True, mode=0o700)
            kept = quarantine / f"{number}-{path.name}"
            shutil.move(path, kept)
            found.append(PutAside(path, kept, restored=path in before.links))
            if path in before.links:
                path.symlink_to(before.links[path])
    moved = {one.path: one.kept for one in found}
    for path, content in before.kept.items():
        if after.kept.get(path) != content and _is_where_it_was(path):
            with contextlib.suppress(OSError):
                found = [one for one in found if one.path != path]
                found.append(PutAside(path, moved.get(path) or _saved(path, quarantine, len(found) + 1), restored=True))
                _write_back(path, content)
    return tuple(found)


def _unwanted(before: Survey, after: Survey, bounds: Bounds, sandbox: Sandbox) -> Iterator[Path]:
    new_repositories = [path for path in after.repositories if path not in before.repositories]
    yield from (path for path in new_repositories if not _is_harmless(path))
    yield from (path for path in after.protected if path not in before.protected)
    yield from (path for path, seen in after.protected.items() if path in before.links and before.protected.get(path, seen) != seen)
    yield from (path for path in after.steering if path not in before.steering and not any(path.is_relative_to(one) for one in new_repositories))
    if before.kept:
        yield from (path for path in after.kept if path not in before.kept and not any(path.is_relative_to(one) for one in new_repositories))
    changed = (path for path, target in after.links.items() if before.links.get(path) != target)  # a link is not mounted over
    hidden = hidden_places(sandbox, bounds)
    yield from (path for path in changed if _leaves(path, bounds, hidden))


def _is_where_it_was(path: Path) -> bool:
    """Say whether no folder above has become a link: what goes on running may lay one to somewhere else."""
    return Path(os.path.realpath(path.parent)) == path.parent


def _leaves(link: Path, bounds: Bounds, hidden: tuple[Path, ...]) -> bool:
    """Say whether a link leads out of the folders that may be changed, to anything but the system's own programs."""
    target = Path(os.path.realpath(link))
    if any(target.is_relative_to(root) for root in (bounds.workspace, *bounds.writable)):
        return False
    return not any(target.is_relative_to(place) for place in _SYSTEM) or any(place.is_relative_to(target) for place in hidden)


def _is_harmless(repository: Path) -> bool:
    """Say whether a new repository is as ``git init`` or ``git clone`` leave it: no hook but samples, nothing in its configuration that runs."""
    if repository.is_symlink() or any((repository / name).exists() for name in ("commondir", "config.worktree", "gitdir")):
        return False
    try:
        hooks = [hook.name for hook in (repository / "hooks").iterdir()] if (repository / "hooks").exists() else []
        text = (repository / "config").read_text(errors="replace") if (repository / "config").exists() else ""
    except OSError:
        return False
    return all(name.endswith(".sample") for name in hooks) and not (repository / "modules").exists() and _says_nothing_that_runs(text)


def _says_nothing_that_runs(config: str) -> bool:
    section = ""
    for line in config.splitlines():
        if not line.strip() or line.lstrip().startswith(("#", ";")):
            continue
        if line.rstrip().endswith("\\"):
            return False
        if heading := _SECTION.fullmatch(line):
            section = heading[1].lower()
        elif line.partition("=")[0].strip().lower() not in _HARMLESS.get(section, set()):
            return False
    return True


def _saved(path: Path, quarantine: Path, number: int) -> Path:
    """Copy what stands in a changed file into quarantine; nothing is there if it was removed."""
    kept = quarantine / f"{number}-{path.name}"
    quarantine.mkdir(parents=True, exist_ok=True, mode=0o700)
    if path.is_file() and not path.is_symlink():
        shutil.copyfile(path, kept)
    return kept


def _write_back(path: Path, content: bytes) -> None:
    if path.is_symlink():
        path.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
