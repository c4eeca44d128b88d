"""The command line of bubblewrap: what a held command sees of the machine, mount by mount, outer places before inner ones.

The environment goes to bubblewrap itself and not onto its command line, where every user of the machine could read it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from workbench.workspace.sandbox_shape import Bounds, Sandbox
from workbench.workspace.sandbox_sockets import listening_sockets
from workbench.workspace.sandbox_survey import Survey

SCRATCH_BYTES, HOME_BYTES, ELSEWHERE_BYTES = 2 * 1024**3, 1024**3, 64 * 1024**2
"""The most that may lie in /tmp, in a hidden home, and in any other hidden place while a command runs; it is the machine's memory."""

NEWER_OPTIONS = ("--size", "--disable-userns")
"""Options of versions 0.7 and 0.8; without the second the filter of system calls alone refuses namespaces."""

MOUNTS_AT_MOST = 400
"""More protected files than this are not mounted; what is done to them is taken back after the run."""

_NAMESPACES = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
_EMPTIED = ("/tmp", "/run", "/var/tmp")  # noqa: S108 - these are hidden
_KEYS_OF_ROOT = ("/etc/shadow", "/etc/gshadow", "/etc/ssh")
_TOOLCHAINS = (
    ".cargo/bin", ".cargo/registry", ".cargo/git", ".rustup", ".nvm", ".pyenv", ".rbenv", ".nodenv", ".goenv", ".jenv", ".asdf/installs", ".asdf/shims",
    ".asdf/bin", ".volta/bin", ".volta/tools", ".bun/bin", ".deno/bin", ".sdkman/candidates", ".juliaup", ".julia/juliaup", ".dotnet", ".ghcup/bin",
    ".ghcup/ghc", ".opam", ".elan", ".mix", ".local/bin", ".local/lib", ".local/pipx", ".local/share/uv", ".local/share/pipx", ".local/share/virtualenvs",
    ".local/share/mise/installs", ".local/share/mise/shims", ".local/share/fnm", ".local/share/pnpm", "go/bin", "go/pkg", ".m2/repository", "miniconda3",
    "anaconda3", "miniforge3", "mambaforge", ".npm-global", ".linuxbrew", "bin",
)  # fmt: skip
_KEEPS_KEYS = frozenset({".cargo", ".docker", ".local", ".config", ".cache", ".m2", ".gradle", ".npm", ".yarn", ".aws", ".kube", ".azure", ".gnupg", ".ssh"})


def hidden_places(sandbox: Sandbox, bounds: Bounds) -> tuple[Path, ...]:
    """Return the folders that a held command sees empty, outer ones before inner ones."""
    places = [*(Path(os.path.realpath(name)) for name in _EMPTIED), *sandbox.homes, *(Path(os.path.realpath(folder)) for folder in bounds.hidden)]
    found = {place for place in places if place.is_dir() and place != Path("/")}
    return tuple(sorted(found, key=lambda place: (len(place.parts), place)))


def seen_all_the_same(sandbox: Sandbox, bounds: Bounds, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return what may be read although it lies in a hidden place: toolchains, programs on the search path, granted folders, named files."""
    hidden = hidden_places(sandbox, bounds)
    kept_shut = tuple(Path(os.path.realpath(folder)) for folder in bounds.hidden)
    tools = [*(home / name for home in sandbox.homes for name in _TOOLCHAINS), *_search_path(environment, sandbox.homes)]
    wanted = [one for one in tools if not any(_within(one, shut) for shut in kept_shut)]
    wanted += [*bounds.readable, *(Path(name) for name in bounds.revealed if Path(name).is_file() and not any(_within(Path(name), shut) for shut in kept_shut))]
    inside = {one for one in wanted if any(_within(one, place) for place in hidden) and one.exists()}
    return tuple(sorted((one for one in inside if one not in hidden), key=lambda one: (len(one.parts), one)))


def bwrap_line(
    sandbox: Sandbox, bounds: Bounds, found: Survey, environment: Mapping[str, str], *, folder: Path, seccomp: int, identity: int
) -> tuple[str, ...]:
    """Return the line up to the program that is to run.

    Args:
        sandbox: whose program is used.
        bounds: what may be reached.
        found: a survey made just before.
        environment: what the command gets; its search path stays readable.
        folder: where it starts.
        seccomp: descriptor of the filter.
        identity: descriptor with the text of a git configuration that names the person; -1 if there is none.
    """
    words = [*sandbox.prefix, str(sandbox.program), *_NAMESPACES, *(() if bounds.network else ("--unshare-net",))]
    words += [option for option in ("--disable-userns",) if option in sandbox.options]
    words += ["--new-session", "--die-with-parent", "--cap-drop", "ALL", "--hostname", "sandbox"]
    words += ["--ro-bind", "/", "/", "--dev", "/dev", *_size(SCRATCH_BYTES, sandbox), "--tmpfs", "/dev/shm", "--remount-ro", "/dev", "--proc", "/proc"]  # noqa: S108
    if os.geteuid() == 0:
        words += ["--remount-ro", "/proc"]  # else root could write settings of the whole kernel, as the program that takes core dumps
    for place in hidden_places(sandbox, bounds):
        words += [*_size(_room(place, sandbox), sandbox), "--tmpfs", str(place)]
    shown = seen_all_the_same(sandbox, bounds, environment)
    for seen in (*shown, *resolver(bounds)):
        words += ["--ro-bind-try", str(seen), str(seen)]
    for listening in listening_sockets(hidden_places(sandbox, bounds), shown, (bounds.workspace, *bounds.writable)):
        words += _blank(listening)
    for mount in _mounts(sandbox, bounds, found):
        words += mount
    if identity >= 0 and sandbox.homes:
        words += ["--ro-bind-data", str(identity), str(sandbox.homes[0] / ".gitconfig")]
    return (*words, "--setenv", "TMPDIR", "/tmp", "--seccomp", str(seccomp), "--chdir", str(folder), "--")  # noqa: S108 - its own


def _size(size_bytes: int, sandbox: Sandbox) -> tuple[str, ...]:
    return ("--size", str(size_bytes)) if "--size" in sandbox.options else ()


def _room(place: Path, sandbox: Sandbox) -> int:
    if place == Path(os.path.realpath("/tmp")):  # noqa: S108 - its own
        return SCRATCH_BYTES
    return HOME_BYTES if place in sandbox.homes else ELSEWHERE_BYTES


def _mounts(sandbox: Sandbox, bounds: Bounds, found: Survey) -> Iterator[tuple[str, ...]]:
    """Yield what is mounted over the folders that may be changed, outer places before inner ones.

    A repository and every folder above a protected file is bound onto itself: as a mount point it can neither be moved away nor removed.
    """
    roots = (bounds.workspace, *bounds.writable)
    closed = [path for path in (*found.steering, *list(found.protected)[:MOUNTS_AT_MOST]) if not path.is_symlink() and path.exists()]
    above = {parent for path in (*closed, *found.repositories) for parent in _parents(path, (*roots, *found.repositories))}
    wanted = {path: _onto_itself("--bind", path) for path in (*roots, *found.repositories, *above)}
    wanted.update({path: _onto_itself("--ro-bind", path) for path in (*closed, *_inside(bounds.readable, roots))})
    wanted.update({secret: _blank(secret) for secret in found.secrets if str(secret) not in bounds.revealed and not secret.is_symlink()})
    wanted.update({place: ("--tmpfs", str(place)) for place in _inside(hidden_places(sandbox, bounds), roots)})
    for path in sorted(wanted, key=lambda path: (len(path.parts), path)):
        yield wanted[path]
    if os.geteuid() == 0:
        yield from (_blank(path) for name in _KEYS_OF_ROOT if (path := Path(name)).exists())


def _onto_itself(flag: str, path: Path) -> tuple[str, ...]:
    return (flag, str(path), str(path))


def _blank(path: Path) -> tuple[str, ...]:
    return ("--tmpfs", str(path)) if path.is_dir() else ("--ro-bind", "/dev/null", str(path))


def _inside(places: Iterable[Path], roots: tuple[Path, ...]) -> list[Path]:
    return [place for place in places if any(place != root and place.is_relative_to(root) for root in roots)]


def _parents(path: Path, roots: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the folders between a root and a path below it."""
    for parent in path.parents:
        if parent in roots:
            return
        if any(parent.is_relative_to(root) for root in roots):
            yield parent


def _search_path(environment: Mapping[str, str], homes: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the folders of programs with what stands beside them (``lib`` beside ``bin``), but for folders that hold keys, too."""
    for entry in filter(None, environment.get("PATH", "").split(os.pathsep)):
        folder = Path(entry)
        if not folder.is_absolute():
            continue
        real = Path(os.path.realpath(folder.parent)) / folder.name
        yield real
        whole = real.parent
        if real.name in {"bin", "shims", "sbin"} and whole not in homes and whole.name not in _KEEPS_KEYS and whole.parent != Path("/"):
            yield whole


def resolver(bounds: Bounds) -> list[Path]:
    """Return the files in /run by which names of the network are found; none without a network."""
    real = Path(os.path.realpath("/etc/resolv.conf"))
    return [real] if bounds.network and real.is_relative_to("/run") and real.is_file() else []


def _within(path: Path, place: Path) -> bool:
    return path == place or path.is_relative_to(place)
