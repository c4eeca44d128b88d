"""The workspace folder and where a requested path really leads: links are followed here, in user space, before anything is judged.

The real place decides (inside a root or not), and the same real place is opened afterwards (workspace.files); a name is never
judged by its text, so neither links nor ``..`` lead out unseen.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbench.errors import FileRefused, WorkspaceError
from workbench.workspace.beneath import Folder
from workbench.workspace.names import refuse_bad_name

LINK_LIMIT = 40
SAMPLE_FOLDER = "sample"
"""The one place inside the program's data folder that may be opened as a workspace (see workbench.resources)."""


@dataclass(frozen=True)
class Root:
    """A folder in which file tools may work, known by its place and its identity.

    Attributes:
        path: real path; no component is a link.
        device, inode: what stood there when it was opened; a folder that took its place is another one.
        held: the folder itself, held open; everything below is opened through it. Let go of with the last reference.
        writable: False for a folder that was granted for reading only.
    """

    path: Path
    device: int
    inode: int
    held: Folder = field(compare=False, repr=False)
    writable: bool = True


@dataclass(frozen=True)
class Workspace:
    """The folder a session works in, and further folders it was granted.

    Attributes:
        root: the folder itself.
        extra: granted folders, e.g. a library for reading or the session's own outputs.
        home: what a leading ``~`` means.
    """

    root: Root
    extra: tuple[Root, ...] = ()
    home: Path | None = None

    @property
    def path(self) -> Path:
        """The real path of the workspace folder."""
        return self.root.path

    @property
    def roots(self) -> tuple[Root, ...]:
        """All roots, the workspace folder first."""
        return (self.root, *self.extra)

    def granting(self, folder: Path, *, writable: bool) -> Workspace:
        """Return a workspace that has `folder` as a further root.

        Raises:
            WorkspaceError: it does not exist, is no folder or cannot be read.
        """
        return replace(self, extra=(*self.extra, _open_root(folder, writable=writable)))


@dataclass(frozen=True)
class ResolvedPath:
    """Where a request really leads.

    Attributes:
        request: the path as asked for.
        real: the real place; no component is a link.
        root: the root that holds it; None = outside.
        relative: path below `root` with slashes, ``.`` for the root itself; empty outside.
        status: `lstat` of the real place; None = nothing stands there.
        linked: a link was followed on the way.
        dangling: nothing stands there, and a link pointed to it.
    """

    request: str
    real: Path
    root: Root | None
    relative: str
    status: os.stat_result | None
    linked: bool = False
    dangling: bool = False

    @property
    def inside(self) -> bool:
        """Whether the place is a root or below one."""
        return self.root is not None

    @property
    def writable(self) -> bool:
        """Whether the place is inside a root that may be written to."""
        return self.root is not None and self.root.writable

    @property
    def exists(self) -> bool:
        """Whether anything stands there."""
        return self.status is not None

    @property
    def is_folder(self) -> bool:
        """Whether a folder stands there."""
        return self.status is not None and stat.S_ISDIR(self.status.st_mode)

    @property
    def is_file(self) -> bool:
        """Whether a regular file stands there."""
        return self.status is not None and stat.S_ISREG(self.status.st_mode)


def open_workspace(path: str | Path, *, data_folder: Path | None = None, home: Path | None = None) -> Workspace:
    """Take a folder as workspace.

    Args:
        path: the folder; links and a leading ``~`` are followed.
        data_folder: the program's own data folder, which no tool may reach; None in bare tests.
        home: the person's home folder, asked of the system if not given.

    Raises:
        WorkspaceError: it does not exist, is no folder, cannot be read, is or holds the home or data folder, or lies in the data folder.
    """
    home_folder = Path(os.path.realpath(home if home is not None else Path.home()))
    root = _open_root(Path(path).expanduser(), writable=True)
    _refuse_home(root.path, home_folder)
    if data_folder is not None:
        _refuse_data(root.path, Path(os.path.realpath(data_folder)))
    return Workspace(root=root, home=home_folder)


def resolve(request: str, workspace: Workspace, *, base: Path | None = None) -> ResolvedPath:
    """Follow a requested path to the real place it leads to, without opening anything.

    Args:
        request: relative to `base`, or absolute, or beginning with ``~/``; empty means `base` itself.
        workspace: the roots that count as inside.
        base: real path of the folder that relative requests start from; the workspace folder if not given.

    Raises:
        FileRefused: the path cannot be followed (kinds ``invalid_arguments``, ``symlink_loop``, ``not_a_directory``,
            ``path_not_found``, ``permission_denied``, ``outside_workspace`` for /proc and links in it).
        WorkspaceError: a root is no longer the folder that was opened.
    """
    refuse_bad_name(request)
    for root in workspace.roots:
        _check_identity(root)
    start = str(base if base is not None else workspace.path)
    text = _expand_home(request, workspace)
    walk = _walk_portable(start, text) if os.name == "nt" else _Walk(start, text).run()
    root_found = _holding_root(walk.place, workspace.roots)
    if root_found is None:
        _refuse_system_place(request, walk)
    relative = "" if root_found is None else _relative(walk.place, root_found)
    return ResolvedPath(
        request=request,
        real=Path(walk.place),
        root=root_found,
        relative=relative,
        status=walk.status,
        linked=walk.links > 0,
        dangling=walk.dangling,
    )


def resolve_entry(request: str, workspace: Workspace, *, base: Path | None = None) -> ResolvedPath:
    """Follow a path as `resolve` does, but for its last name: a link is the place itself. For deleting, which takes the link away.

    Raises:
        FileRefused: as of `resolve`; ``invalid_arguments`` if the last name is none (``.``, ``..``).
    """
    refuse_bad_name(request)
    separators = "/\\" if os.name == "nt" else "/"
    trimmed = request.rstrip(separators)
    cut = max(trimmed.rfind(one) for one in separators) + 1
    name = trimmed[cut:]
    if name in {"", ".", "..", "~"}:
        raise FileRefused("invalid_arguments", f"{request!r} does not name an entry of a folder.", "Give its path with its own name at the end.")
    folder = resolve(trimmed[:cut], workspace, base=base)
    if not folder.is_folder:
        raise FileRefused("path_not_found", f"{request!r} does not exist.")
    real = folder.real / name
    try:
        status: os.stat_result | None = os.lstat(real)
    except OSError:
        status = None
    root = _holding_root(str(real), workspace.roots)
    relative = "" if root is None else _relative(str(real), root)
    return replace(folder, request=request, real=real, root=root, relative=relative, status=status)


@dataclass
class _Place:
    """What a walk found."""

    place: str
    status: os.stat_result | None = None
    links: int = 0
    dangling: bool = False


class _Walk:
    """One walk along a POSIX path, component by component, following links as the system would."""

    def __init__(self, start: str, request: str) -> None:
        self._request = request
        self._todo: deque[tuple[str, bool]] = deque((name, False) for name in request.split("/"))
        self._found = _Place("/" if request.startswith("/") else start)
        self._folder_wanted = False

    def run(self) -> _Place:
        """Walk to the end; see `resolve` for what is raised."""
        self._found.status = self._look(self._found.place)
        while self._todo:
            name, from_link = self._todo.popleft()
            if name in {"", "."}:
                self._folder_wanted = self._folder_wanted or bool(self._request)
            elif name == "..":
                self._climb()
            else:
                self._enter(name, from_link=from_link)
        if self._folder_wanted and self._found.status is not None and not stat.S_ISDIR(self._found.status.st_mode):
            raise self._not_a_folder(self._found.place)
        return self._found

    def _climb(self) -> None:
        """Go to the real parent; ``..`` after something missing is refused, as the system would, not tidied up as text."""
        if self._found.status is None:
            raise FileRefused("path_not_found", f"{self._request!r} climbs out of {self._found.place!r}, which does not exist.")
        if not stat.S_ISDIR(self._found.status.st_mode):
            raise self._not_a_folder(self._found.place)
        self._found.place = os.path.dirname(self._found.place) or "/"  # noqa: PTH120 - strings keep undecodable names cheap and exact
        self._found.status = self._look(self._found.place)

    def _enter(self, name: str, *, from_link: bool) -> None:
        self._folder_wanted = False
        here = self._found
        if here.status is not None and not stat.S_ISDIR(here.status.st_mode):
            raise self._not_a_folder(here.place)
        place = os.path.join(here.place, name)  # noqa: PTH118
        status = None if here.status is None else self._look(place)
        if status is not None and stat.S_ISLNK(status.st_mode):
            self._follow(place)
            return
        here.dangling = here.dangling or (status is None and from_link)
        here.place, here.status = place, status

    def _follow(self, link: str) -> None:
        """Put a link's target in front of what is left to walk; the current place stays the folder that holds the link."""
        self._found.links += 1
        if self._found.links > LINK_LIMIT:
            raise FileRefused("symlink_loop", f"{self._request!r} goes through more than {LINK_LIMIT} links; they lead in a circle.")
        if _below(link, "/proc"):
            raise _inside_proc(self._request)
        try:
            target = os.readlink(link)  # noqa: PTH115
        except OSError as error:  # no link any more
            raise FileRefused("changed_during_approval", f"{self._request!r} was changed while it was followed.", "Call the tool again.") from error
        if target.startswith("/"):
            self._found.place = "/"
            self._found.status = self._look("/")
        self._todo.extendleft((name, True) for name in reversed(target.split("/")))

    def _look(self, place: str) -> os.stat_result | None:
        try:
            return os.lstat(place)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _refused_by_system(self._request, error) from error

    def _not_a_folder(self, place: str) -> FileRefused:
        return FileRefused("not_a_directory", f"{place!r} is a file, but {self._request!r} uses it as a folder.")


def _walk_portable(start: str, request: str) -> _Place:
    """Ask the system for the real place (Windows: junctions and links included)."""
    wanted = os.path.join(start, request)  # noqa: PTH118
    place = os.path.realpath(wanted)
    try:
        status: os.stat_result | None = os.lstat(place)
    except FileNotFoundError:
        status = None
    except OSError as error:
        raise _refused_by_system(request, error) from error
    if status is not None and stat.S_ISLNK(status.st_mode):
        raise FileRefused("symlink_loop", f"{request!r} goes through links that lead in a circle.")
    linked = os.path.normcase(place) != os.path.normcase(os.path.abspath(wanted))  # noqa: PTH100
    return _Place(place, status, links=int(linked), dangling=linked and status is None and os.path.lexists(wanted))


def _expand_home(request: str, workspace: Workspace) -> str:
    if request == "~" or request.startswith("~/") or (os.name == "nt" and request.startswith("~\\")):
        return str(workspace.home or Path.home()) + request[1:]
    return request


def _holding_root(place: str, roots: Iterable[Root]) -> Root | None:
    """Return the deepest root that is `place` or holds it."""
    holding = [root for root in roots if _below(place, str(root.path))]
    return max(holding, key=lambda root: len(str(root.path)), default=None)


def _relative(place: str, root: Root) -> str:
    """Return the path below a root that holds the place, with slashes."""
    return place[len(str(root.path)) :].strip(os.sep).replace(os.sep, "/") or "."


def _below(place: str, folder: str) -> bool:
    """Whether `place` is `folder` or lies below it; a separator must follow, so ``/ws-evil`` is not in ``/ws``."""
    place, folder = os.path.normcase(place), os.path.normcase(folder)
    return place == folder or place.startswith(folder if folder.endswith(os.sep) else folder + os.sep)


def _refuse_system_place(request: str, found: _Place) -> None:
    if _below(found.place, "/proc"):
        raise _inside_proc(request)
    if found.status is not None and not (stat.S_ISREG(found.status.st_mode) or stat.S_ISDIR(found.status.st_mode)):
        raise FileRefused("not_regular_file", f"{request!r} is a device, pipe or socket; file tools take only files and folders.")


def _inside_proc(request: str) -> FileRefused:
    return FileRefused("outside_workspace", f"{request!r} leads into /proc, the inside of running programs; file tools do not go there.")


def _refused_by_system(request: str, error: OSError) -> FileRefused:
    match error.errno:
        case errno.EACCES | errno.EPERM:
            return FileRefused("permission_denied", f"{request!r} cannot be reached: a folder on the way may not be entered.")
        case errno.ENOTDIR:
            return FileRefused("not_a_directory", f"{request!r} uses a file as a folder.")
        case errno.ELOOP:
            return FileRefused("symlink_loop", f"{request!r} goes through links that lead in a circle.")
        case errno.ENAMETOOLONG:
            return FileRefused("invalid_arguments", f"{request[:80]!r} is longer than this file system allows.")
        case _:
            return FileRefused("path_not_found", f"{request!r} cannot be reached: {error.strerror or error}.")


def _open_root(folder: Path, *, writable: bool) -> Root:
    real = Path(os.path.realpath(folder))
    try:
        status = real.stat()
    except FileNotFoundError:
        raise _unusable("missing", folder, "does not exist", "Check the path, or make the folder first") from None
    except OSError as error:
        raise _unusable("unreadable", folder, f"cannot be opened ({error.strerror or error})", "Choose a folder that you may read") from error
    if not stat.S_ISDIR(status.st_mode):
        raise _unusable("not_a_folder", folder, "is a file", "Name the folder that holds it")
    try:
        held = Folder.hold(real)
        with os.scandir(real) as entries:
            next(entries, None)
    except OSError as error:
        raise _unusable("unreadable", folder, f"cannot be read ({error.strerror or error})", "Choose a folder that you may read") from error
    return Root(real, held.device, held.inode, held, writable)


def _check_identity(root: Root) -> None:
    try:
        status = root.path.lstat()
    except OSError:
        raise _unusable("gone", root.path, "is no longer there", "Open the folder again") from None
    if (status.st_dev, status.st_ino) != (root.device, root.inode):
        raise _unusable("replaced", root.path, "is not the folder that was opened", "Open it again")


def _refuse_home(folder: Path, home: Path) -> None:
    if folder == home:
        raise _unusable("is_home", folder, "is your home folder", "Choose a project folder inside it: everything you own would be in reach of the tools")
    if _below(str(home), str(folder)):
        raise _unusable("holds_home", folder, "holds your home folder", "Choose a project folder: everything you own would be in reach of the tools")


def _refuse_data(folder: Path, data: Path) -> None:
    if folder == data or (_below(str(folder), str(data)) and not _below(str(folder), str(data / SAMPLE_FOLDER))):
        raise _unusable("is_data", folder, "belongs to this program's own data", "Choose a project folder")
    if _below(str(data), str(folder)):
        raise _unusable("holds_data", folder, f"holds this program's own data ({data})", "Choose a folder further down")


def _unusable(what: str, folder: Path, text: str, advice: str) -> WorkspaceError:
    return WorkspaceError(f"The folder {folder} {text}. {advice}.", message_id=f"workspace.{what}", values={"path": str(folder)})
