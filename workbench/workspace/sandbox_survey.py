"""Looks through the folders a held command may change for what it must not: repositories, files that steer what runs later, secrets, links.

The sandbox is built from a survey made just before the run; a second one made after it tells what is new (`sandbox_watch`).
"""

from __future__ import annotations

import os
import re
import stat
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from workbench.errors import ToolError
from workbench.workspace.sandbox_shape import Bounds

ENTRIES_AT_MOST = 200_000
"""More entries than this are not looked at; dependency folders do not count, they are not entered."""

KEPT_BYTES = 1024 * 1024
"""Longer files are not read to be put back."""

SKIPPED = frozenset({"node_modules", ".venv", "venv", "__pycache__", "site-packages", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".nox"})
STEERING = ("hooks", "config", "config.worktree", "commondir", "gitdir")
"""What in a repository's own folder decides on what git runs; the last three exist only in special ones."""

_GITDIR = re.compile(r"gitdir: (.+?)\n?", re.DOTALL)


@dataclass
class Survey:
    """What was found; folders come before what lies in them.

    Attributes:
        repositories: folders named ``.git``, and the shared folder of a worktree.
        protected: files and folders that steer what runs later; what lies in such a folder is not listed.
        secrets: files and folders that hold keys.
        links: where each link leads, as it is written.
        steering: what of the repositories decides on what git runs, and how it looked.
        kept: what stood in files that steer, where the sandbox cannot keep a command from changing them.
        complete: False if there was too much to look at.
    """

    repositories: list[Path] = field(default_factory=list)
    protected: dict[Path, tuple[int, ...]] = field(default_factory=dict)
    secrets: list[Path] = field(default_factory=list)
    links: dict[Path, str] = field(default_factory=dict)
    steering: dict[Path, tuple[int, ...]] = field(default_factory=dict)
    kept: dict[Path, bytes] = field(default_factory=dict)
    complete: bool = True

    def steering_files(self) -> dict[Path, Path]:
        """Return every file that steers what runs later, with the protected place it is or lies in. Blocking."""
        return {file: place for place in (*self.protected, *self.steering) for file in _files(place)}


def survey(bounds: Bounds, *, keep: bool = False) -> Survey:
    """Look through all folders that may be changed. Blocking: some milliseconds for a thousand files.

    Args:
        bounds: which folders.
        keep: also read what steers what runs later.
    """
    look = _Look(bounds)
    roots = (bounds.workspace, *bounds.writable)
    for root in roots:
        look.through(root)
    for root in roots:
        shared = shared_folder(root)
        if shared is not None and shared not in look.found.repositories:
            look.found.repositories.append(shared)
    for repository in look.found.repositories:
        look.found.steering.update(_steering(repository))
    if keep:
        look.found.kept = {file: content for file in look.found.steering_files() if (content := _content(file)) is not None}
    return look.found


def refuse_links(found: Survey, bounds: Bounds) -> None:
    """Refuse to build a sandbox around a protected name that is a link: what it leads to could be swapped.

    A link to a file that is protected itself is fine, like ``AGENTS.md`` to ``CLAUDE.md``.

    Raises:
        ToolError: ``sandbox_refused``.
    """
    for path in (*found.protected, *found.repositories, *found.steering):
        if path.is_symlink() and not _leads_to_protected(path, found):
            shown = path.relative_to(bounds.workspace) if path.is_relative_to(bounds.workspace) else path
            raise ToolError(
                "sandbox_refused",
                f"The command was not run: {str(shown)!r} is a link, so the sandbox cannot protect what it stands for.",
                "Tell the user; they can replace the link by what it leads to.",
            )


def shared_folder(root: Path) -> Path | None:
    """Return the folder that a git worktree shares with its main checkout, if `root` is one; the main checkout has to know it, too."""
    named = _GITDIR.fullmatch(_text(root / ".git"))
    if named is None:
        return None
    own = Path(os.path.realpath(root / named[1]))
    back = _text(own / "gitdir").strip()
    shared = Path(os.path.realpath(own / (_text(own / "commondir").strip() or "/")))
    if not back or os.path.realpath(back) != str(root / ".git") or own.parent != shared / "worktrees":
        return None
    return shared


class _Look:
    """One walk; links are never followed."""

    def __init__(self, bounds: Bounds) -> None:
        self.found = Survey()
        self._left = ENTRIES_AT_MOST
        self._protected = _remembered(bounds.names.protected)
        self._secret = _remembered(bounds.names.secret)

    def through(self, root: Path) -> None:
        folders = deque([str(root)])
        while folders:  # near ones first: what lies deep in a huge tree must not use up what there is for the rest
            folder = folders.popleft()
            name = os.path.basename(folder)  # noqa: PTH119 - a hundred thousand times
            above = f"{name}/" if folder != str(root) and (name.startswith(".") or "~" in name or not name.isascii()) else ""
            try:
                with os.scandir(folder) as entries:
                    folders += [entry.path for entry in entries if self._note(entry, above)]
            except OSError:
                continue

    def _note(self, entry: os.DirEntry[str], above: str) -> bool:
        """Take note of an entry, below a folder whose name may matter; True if it is a folder to be entered."""
        self._left -= 1
        if self._left < 0:
            self.found.complete = False
            return False
        link, folder = entry.is_symlink(), entry.is_dir(follow_symlinks=False)
        if link:
            self.found.links[Path(entry.path)] = str(Path(entry.path).readlink())
        secret, repository = self._secret(entry.name), entry.name == ".git" and (folder or link)
        protected = not repository and self._protected(above + entry.name)
        if repository:
            self.found.repositories.append(Path(entry.path))
        if protected:
            self.found.protected[Path(entry.path)] = mark(Path(entry.path))
        if secret:
            self.found.secrets.append(Path(entry.path))
        return folder and not (repository or protected or secret) and entry.name not in SKIPPED


@lru_cache(maxsize=8)
def _remembered(rule: Callable[[str], bool]) -> Callable[[str], bool]:
    """Return a rule that remembers its answers: most names are the same before and after a run, and from one run to the next."""
    return lru_cache(maxsize=100_000)(rule)


def mark(path: Path) -> tuple[int, ...]:
    """Return what tells whether a file was changed; of a folder only which one it is."""
    try:
        status = path.lstat()
    except OSError:
        return ()
    which = (status.st_ino, status.st_mode)
    return which if stat.S_ISDIR(status.st_mode) else (*which, status.st_size, status.st_mtime_ns)


def _steering(repository: Path) -> dict[Path, tuple[int, ...]]:
    """Return what steers git in a repository, in those of its submodules and in its worktrees, as far as it exists."""
    folders = [repository]
    for inside in ("modules", "worktrees"):
        folders += [Path(folder) for folder, _, names in os.walk(repository / inside) if "HEAD" in names]
    paths = [folder / name for folder in folders for name in STEERING]
    return {path: mark(path) for path in paths if path.is_symlink() or path.exists()}


def _files(place: Path) -> list[Path]:
    if place.is_symlink() or not place.is_dir():
        return [place] if place.is_file() and not place.is_symlink() else []
    return [Path(folder, name) for folder, _, names in os.walk(place) for name in names if Path(folder, name).is_file() and not Path(folder, name).is_symlink()]


def _content(file: Path) -> bytes | None:
    try:
        return file.read_bytes() if file.stat().st_size <= KEPT_BYTES else None
    except OSError:
        return None


def _leads_to_protected(path: Path, found: Survey) -> bool:
    target = Path(os.path.realpath(path))
    return path in found.protected and target in found.protected and target.is_file()


def _text(path: Path) -> str:
    """Return a small file's text; empty if there is none."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return ""
        with path.open("rb") as file:
            return file.read(4096).decode(errors="surrogateescape")
    except OSError:
        return ""
