"""Whether git may be run in a folder without a question: the repository is the workspace's own, and nothing in it names a program to run.

A repository's configuration can make plain ``git status`` run anything (``core.fsmonitor``, filters, hooks on the index, a helper
that fetches missing objects). So its keys are compared with a list of those that only steer how git behaves; any other asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.permissions.disk import Disk
from workbench.permissions.places import Roots

_LIMIT_BYTES = 64 * 1024
_SECTION = re.compile(r"\s*\[\s*([A-Za-z0-9.-]+)(?:\s+\"((?:[^\"\\\n]|\\.)*)\")?\s*\]")
_KEY = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=(.*))?")
_HARMLESS = {
    "core": frozenset({
        "repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase", "precomposeunicode", "symlinks", "autocrlf", "eol", "safecrlf",
        "abbrev", "quotepath", "untrackedcache", "preloadindex", "bigfilethreshold", "compression", "longpaths", "sharedrepository", "commitgraph",
        "multipackindex", "whitespace", "hidedotfiles", "protectntfs", "protecthfs", "checkstat", "trustctime", "fsmonitor", "splitindex", "commentchar",
    }),
    "user": frozenset({"name", "email", "signingkey", "useconfigonly"}),
    "author": frozenset({"name", "email"}),
    "committer": frozenset({"name", "email"}),
    "init": frozenset({"defaultbranch"}),
    "pull": frozenset({"rebase", "ff", "twohead"}),
    "push": frozenset({"default", "autosetupremote", "followtags"}),
    "fetch": frozenset({"prune", "prunetags", "parallel", "writecommitgraph"}),
    "rebase": frozenset({"autosquash", "autostash", "updaterefs", "missingcommitscheck"}),
    "log": frozenset({"date", "abbrevcommit", "decorate", "follow", "mailmap"}),
    "commit": frozenset({"verbose", "gpgsign", "cleanup", "status"}),
    "tag": frozenset({"sort"}),
    "diff": frozenset({
        "renames", "algorithm", "colormoved", "mnemonicprefix", "context", "renamelimit", "noprefix", "indentheuristic", "wserrorhighlight", "submodule",
    }),
    "merge": frozenset({"conflictstyle", "ff", "renames"}),
    "status": frozenset({"showuntrackedfiles", "short", "branch", "relativepaths", "renames", "aheadbehind", "showstash"}),
    "rerere": frozenset({"enabled", "autoupdate"}),
    "extensions": frozenset({"objectformat", "worktreeconfig"}),
    "gc": frozenset({"auto", "autodetach"}),
    "index": frozenset({"version", "threads"}),
    "feature": frozenset({"manyfiles"}),
    "grep": frozenset({"linenumber", "column", "patterntype", "extendedregexp"}),
    "blame": frozenset({"date", "coloring"}),
    "lfs": frozenset({"repositoryformatversion"}),
    "branch": frozenset({"sort", "autosetuprebase", "autosetupmerge"}),
}  # fmt: skip
"""Keys of sections without a name in quotes; of ``advice``, ``color`` and ``column`` every key only changes what is shown."""
_SHOWN_ONLY = frozenset({"advice", "color", "column"})
_HARMLESS_NAMED = {
    "remote": frozenset({"url", "pushurl", "fetch", "push", "tagopt", "prune", "mirror", "skipdefaultupdate"}),
    "branch": frozenset({"remote", "merge", "rebase", "description", "pushremote", "vscode-merge-base", "gh-merge-base", "github-pr-owner-number"}),
    "submodule": frozenset({"url", "active", "path", "branch", "ignore"}),
    "color": frozenset({"meta", "frag", "old", "new", "added", "changed", "untracked", "current", "local", "remote", "branch"}),
}
_HEAD = re.compile(r"ref: ?refs/|[0-9a-f]{40}")
_FALSE = frozenset({"false", "no", "off", "0"})
_MODULES_AT_MOST = 30
_INDEX_LIMIT_BYTES = 64 * 1024**2
_SUBMODULE_MODE = b"\0\0\xe0\0"
_PATH_OFFSETS = (62 - 24, 64 - 24, 74 - 24, 76 - 24)
"""Where an entry's path begins behind its mode: with SHA-1 or SHA-256 names, with or without further flags (git's manual, gitformat-index)."""
_PATH_AT_MOST = 4096
_MODULE_LINK = re.compile(r"gitdir: ((?:\.\./)+)\.git/modules/([\w.-]+)\n?")


NOT_OWN = "a repository that is not the workspace's own"


def repository_problem(folder: str, roots: Roots, disk: Disk) -> str:
    """Return why git may run something else when it is started in `folder` (real path), as a short phrase; empty if it does not.

    At most a handful of looks and one small file are needed.
    """
    top = roots.workspace.path
    try:
        found = _git_folder(folder, top, disk)
        if found != f"{top}/.git":
            return found or NOT_OWN
        return next(_problems(found, disk), "")
    except OSError:
        return "a repository whose configuration cannot be read"


def is_without_repository(roots: Roots, disk: Disk) -> bool:
    """Say whether git would find no repository at all from the workspace's folder upwards; it then says so, and reads nothing."""
    folder = roots.workspace.path
    try:
        while folder:
            if disk.lstat(f"{folder}/.git") is not None or disk.lstat(f"{folder}/HEAD") is not None:
                return False
            folder = folder.rpartition("/")[0]
        return disk.lstat("/.git") is None and disk.lstat("/HEAD") is None
    except OSError:
        return False


def _git_folder(folder: str, top: str, disk: Disk) -> str:
    """Return the workspace's ``.git`` folder if git would use it from `folder`; else why not, or nothing."""
    while folder == top or folder.startswith(top + "/"):
        entry = disk.lstat(f"{folder}/.git")
        if entry is not None and folder == top:
            return f"{folder}/.git" if entry.kind == "folder" else "a repository that lies elsewhere"
        if entry is not None:
            return "a repository inside the workspace"
        if disk.lstat(f"{folder}/HEAD") is not None and disk.lstat(f"{folder}/objects") is not None:
            return "a bare repository inside the workspace"
        folder = folder.rpartition("/")[0]
    return ""


def _problems(git: str, disk: Disk) -> Iterator[str]:
    whole = all(disk.lstat(f"{git}/{name}") is not None for name in ("objects", "refs"))
    if not whole or not _HEAD.match(disk.read_text(f"{git}/HEAD", 100)):
        yield "a broken repository, which git passes over for one further up"
    for name in ("commondir", "objects/info/alternates", "hooks/post-index-change", "gitdir"):
        if disk.lstat(f"{git}/{name}") is not None:
            yield f"a repository with {name}"
    yield from _key_problems(f"{git}/config", disk)
    if disk.lstat(f"{git}/config.worktree") is not None:
        yield from _key_problems(f"{git}/config.worktree", disk)
    if disk.lstat(f"{git}/modules") is not None:
        yield from _module_problems(f"{git}/modules", disk)
    for index in ("index", *(name for name in disk.listdir(git) if name.startswith("sharedindex."))):
        for path in _submodules(f"{git}/{index}", disk):
            yield from _checked_out(path, git.removesuffix("/.git"), disk)


def _submodules(index: str, disk: Disk) -> Iterator[str]:
    """Yield every path that may be a submodule by the index; git runs itself in each that is checked out, with the configuration found there."""
    if disk.lstat(index) is None:
        return
    content = disk.read_text(index, _INDEX_LIMIT_BYTES).encode("utf-8", "surrogateescape")
    if len(content) >= _INDEX_LIMIT_BYTES:
        raise OSError("the index is very long")
    shortened = content[4:8] == b"\0\0\0\4"
    at = content.find(_SUBMODULE_MODE)
    while at >= 0:
        if shortened:  # names there lack their beginnings
            raise OSError("the index is kept in a short form")
        for offset in _PATH_OFFSETS:
            path = content[at + offset : content.find(b"\0", at + offset)]
            if path and not path.startswith(b"/"):
                yield path.decode("utf-8", "surrogateescape")
        at = content.find(_SUBMODULE_MODE, at + 1)


def _checked_out(path: str, top: str, disk: Disk) -> Iterator[str]:
    place = f"{top}/{path}/.git"
    entry = disk.lstat(place) if len(path) < _PATH_AT_MOST else None
    if entry is None:
        return
    link = _MODULE_LINK.fullmatch(disk.read_text(place, 4096)) if entry.kind == "file" else None
    if link is None or link[1].count("/") != path.count("/") + 1 or link[2] in {".", ".."}:
        yield "a submodule with a repository of its own"
    elif any(disk.lstat(f"{top}/.git/modules/{link[2]}/{name}") is not None for name in ("modules", "config.worktree", "hooks/post-index-change")):
        yield "a submodule that may run something"
    elif next(_submodules(f"{top}/.git/modules/{link[2]}/index", disk), ""):
        yield "a submodule with submodules"


def _module_problems(modules: str, disk: Disk) -> Iterator[str]:
    """Git looks into submodules with their own configuration."""
    names = disk.listdir(modules)
    if len(names) > _MODULES_AT_MOST:
        yield "a repository with many submodules"
    for name in names[:_MODULES_AT_MOST]:
        yield from _key_problems(f"{modules}/{name}/config", disk, module=True)


def _key_problems(path: str, disk: Disk, *, module: bool = False) -> Iterator[str]:
    text = disk.read_text(path, _LIMIT_BYTES).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if len(text.encode("utf-8", "replace")) >= _LIMIT_BYTES:
        yield "a very long repository configuration"
    section, name = "", None
    for line in text.removeprefix("\ufeff").split("\n"):
        rest = line
        if heading := _SECTION.match(line):
            section, name, rest = heading[1].lower(), heading[2], line[heading.end() :]
        rest = rest.strip(" \t\r")
        if not rest or rest[0] in "#;":
            continue
        key = _KEY.fullmatch(rest)
        if key is None or rest.endswith("\\") or not _harmless(section, name, key[1].lower(), (key[2] or "").strip().lower(), module=module):
            subject = ".".join(part for part in (section, name, key[1] if key else rest[:20]) if part)
            yield f"the repository's configuration sets {subject}"


def _harmless(section: str, name: str | None, key: str, value: str, *, module: bool) -> bool:
    if name is not None:
        return key in _HARMLESS_NAMED.get(section, frozenset())
    if section == "core" and key == "worktree":
        return module
    if section == "core" and key in {"fsmonitor", "bare"}:
        return value in _FALSE
    if section == "diff" and key == "submodule":
        return value in {"log", "short"}
    return section in _SHOWN_ONLY or key in _HARMLESS.get(section, frozenset())
