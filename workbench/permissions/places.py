"""Where a path really leads, judged through a `Disk`: links are followed one by one, ``..`` goes to the real parent.

The tools resolve paths themselves before they open anything; this is the gate's own, independent look, so that a tool that resolves
wrongly is not believed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from workbench.permissions.disk import Disk

LINK_LIMIT = 40
PATH_LIMIT_BYTES = 4096
NAME_LIMIT_BYTES = 255


@dataclass(frozen=True, kw_only=True)
class Root:
    """A folder that counts as inside; `path` is real. `writable` is False for one that was granted for reading only."""

    path: str
    writable: bool = True


@dataclass(frozen=True, kw_only=True)
class Roots:
    """Everything a path is judged against. All paths are real and absolute.

    Attributes:
        workspace: the session's own folder.
        extra: further folders a person granted, e.g. a library for reading.
        data_folder: the program's own data, closed to every tool; None in bare tests.
        outputs: folders inside the data folder that may be read all the same (the session's cut outputs).
        home: what ``~`` means.
        folds_case: the disk takes names in any case (macOS, Windows).
    """

    workspace: Root
    extra: tuple[Root, ...] = ()
    data_folder: str | None = None
    outputs: tuple[str, ...] = ()
    home: str | None = None
    folds_case: bool = False

    def holding(self, path: str) -> Root | None:
        """Return the deepest root that is `path` or holds it."""
        holding = [root for root in (self.workspace, *self.extra) if self.below(path, root.path)]
        return max(holding, key=lambda root: len(root.path), default=None)

    def below(self, path: str, folder: str) -> bool:
        """Say whether `path` is `folder` or lies below it; a separator must follow, so ``/ws-evil`` is not in ``/ws``."""
        path, folder = with_slashes(path), with_slashes(folder)
        if self.folds_case:
            path, folder = path.casefold(), folder.casefold()
        return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")

    def in_data_folder(self, path: str) -> bool:
        """Say whether `path` is in the program's own data: neither a readable output nor in a workspace that lies there (the sample project)."""
        if self.data_folder is None or not self.below(path, self.data_folder) or self.in_outputs(path):
            return False
        root = self.holding(path)
        return root is None or not self.below(root.path, self.data_folder)

    def in_outputs(self, path: str) -> bool:
        """Say whether `path` is one of the session's outputs."""
        return any(self.below(path, folder) for folder in self.outputs)


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a request leads.

    Attributes:
        request: the path as asked for.
        real: the real place, as far as it could be followed.
        root: the root that holds it; None = outside.
        kind: what stands there: ``file``, ``folder``, ``other``, or ``missing``.
        problem: why it could not be followed to the end; such a place counts as outside.
        linked: a link was followed on the way.
    """

    request: str
    real: str
    root: Root | None = None
    kind: str = "missing"
    problem: str = ""
    linked: bool = False

    @property
    def inside(self) -> bool:
        """Whether the place is known and a root or below one."""
        return self.root is not None and not self.problem


def locate(request: str, *, folder: str, roots: Roots, disk: Disk) -> Place:
    """Follow `request` from `folder` (real path) to its real place; never raises, a place that cannot be known has a `problem`.

    A leading ``~`` means `roots.home`. ``..`` after something missing is a problem, as it is for the system.
    """
    encoded = request.encode("utf-8", "surrogatepass")
    if "\0" in request:
        return Place(request=request, real=request, problem="the path holds a NUL character")
    if len(encoded) > PATH_LIMIT_BYTES or (len(encoded) > NAME_LIMIT_BYTES and any(len(name) > NAME_LIMIT_BYTES for name in encoded.split(b"/"))):
        return Place(request=request, real=request, problem="the path is longer than the system allows")
    path = _expanded(request, roots.home)
    if path is None:
        return Place(request=request, real=request, problem="it names another person's home folder")
    on_drive = _has_drive(folder)
    start, rest = _start(with_slashes(path, on_drive=on_drive), with_slashes(folder))
    if on_drive and (not _has_drive(start) or ":" in rest):
        return Place(request=request, real=request, problem="it names no place on a drive")
    walk = _Walk(disk=disk, place=start)
    try:
        walk.run(rest)
    except OSError as error:
        walk.problem = error.strerror or str(error)
    real = walk.place if "/" in walk.place else walk.place + "/"
    return Place(request=request, real=real, root=roots.holding(real), kind=walk.kind, problem=walk.problem, linked=walk.links > 0)


def with_slashes(path: str, *, on_drive: bool = False) -> str:
    """Return a path of a system with drive letters with forward slashes; any other path as it is, because a backslash is part of a name there."""
    return path.replace("\\", "/") if on_drive or _has_drive(path) else path


def _has_drive(path: str) -> bool:
    return path[1:2] == ":" and path[:1].isalpha() and path[2:3] in {"\\", "/", ""}


def _start(path: str, folder: str) -> tuple[str, str]:
    """Return where a walk begins and what is left to walk; a drive's root keeps no slash at its end."""
    if _has_drive(folder) and _has_drive(path):
        return path[:2], path[2:]
    return ("", path) if path.startswith("/") else (folder.rstrip("/"), path)


def _expanded(request: str, home: str | None) -> str | None:
    if not request.startswith("~"):
        return request
    if request == "~" or request.startswith("~/"):
        return (home or "/") + request[1:]
    return None


@dataclass
class _Walk:
    disk: Disk
    place: str
    kind: str = "folder"
    links: int = 0
    problem: str = ""
    _todo: deque[str] = field(default_factory=deque)

    def run(self, path: str) -> None:
        self._todo.extend(path.split("/"))
        while self._todo and not self.problem:
            name = self._todo.popleft()
            if name == "..":
                self._climb()
            elif name not in {"", "."}:
                self._enter(name)

    def _climb(self) -> None:
        if self.kind != "folder":
            self.problem = f"the path climbs out of {self.place}, which is not a folder"
            return
        if "/" in self.place:
            self.place = self.place.rpartition("/")[0]

    def _enter(self, name: str) -> None:
        if self.kind in {"file", "other"}:
            self.problem = f"{self.place} is not a folder"
            return
        place = f"{self.place}/{name}"
        found = None if self.kind == "missing" else self.disk.lstat(place)
        if found is not None and found.kind == "link":
            self._follow(place)
            return
        self.place, self.kind = place, found.kind if found else "missing"

    def _follow(self, link: str) -> None:
        self.links += 1
        if self.links > LINK_LIMIT:
            self.problem = f"it goes through more than {LINK_LIMIT} links"
            return
        if link.startswith("/proc/"):
            self.place, self.problem = link, "it leads into the inside of running programs"
            return
        target = self.disk.readlink(link)
        self.place, rest = _start(with_slashes(target, on_drive=_has_drive(self.place)), self.place)
        self._todo.extendleft(reversed(rest.split("/")))
