"""Folders outside of every root that a person granted for reading: which may be, and whether such a grant covers a place now.

A grant lets the tools that only read look at one folder and what is below it. It reaches no command and no tool that changes files, lifts
nothing but the question about the place itself (secrets still ask, the program's own data is still refused), and holds only while the
folder is the very one that was granted.
"""

from __future__ import annotations

from collections.abc import Iterable

from workbench.permissions.disk import Disk, Stat
from workbench.permissions.names import is_secret
from workbench.permissions.places import Place, Roots
from workbench.permissions.rules import GrantRule, Rule

_SYSTEM = ("/proc", "/dev", "/sys", "/run", "/private/var/run")
"""Places that are no files at all, or the insides of what runs."""


def grant_for(place: Place, *, roots: Roots, disk: Disk) -> GrantRule | None:
    """Return the grant that would let a place outside be read: of the folder itself, or of the one that holds the file; None if it may not be.

    Args:
        place: where the call leads.
        roots: what counts as inside.
        disk: tells which folder it is.
    """
    if place.inside or place.root is not None or place.problem or place.kind not in {"file", "folder"}:
        return None
    folder = place.real if place.kind == "folder" else place.real.rpartition("/")[0]
    found = _folder_at(folder, disk)
    if found is None or not found.identity or not may_be_granted(folder, roots):
        return None
    return GrantRule(effect="allow", folder=folder, identity=found.identity)


def may_be_granted(folder: str, roots: Roots) -> bool:
    """Say whether a folder (real path) may be granted at all: it holds neither everything, nor the home folder, nor the program's own data."""
    if "/" not in folder.rstrip("/") or roots.home is None or is_secret(folder):
        return False
    if any(roots.below(folder, system) for system in _SYSTEM) or any(roots.below(kept, folder) for kept in (roots.home, *_data(roots))):
        return False
    return not any(roots.below(folder, kept) for kept in _data(roots))


def grants_in_force(rules: Iterable[Rule], *, roots: Roots, disk: Disk) -> tuple[GrantRule, ...]:
    """Return the grants that hold now: of folders that may be granted, and that are still those that were."""
    return tuple(rule for rule in rules if isinstance(rule, GrantRule) and _holds(rule, roots, disk))


def grant_over(place: Place, rules: Iterable[Rule], *, roots: Roots, disk: Disk) -> GrantRule | None:
    """Return a grant that holds now and covers a place outside of every root, which must be known to its end; None if there is none."""
    if place.root is not None or place.problem:
        return None
    granted = (rule for rule in rules if isinstance(rule, GrantRule) and roots.below(place.real, rule.folder))
    return next(iter(grants_in_force(granted, roots=roots, disk=disk)), None)


def _holds(rule: GrantRule, roots: Roots, disk: Disk) -> bool:
    if rule.effect != "allow" or rule.scope != "session" or not rule.identity or not may_be_granted(rule.folder, roots):
        return False
    found = _folder_at(rule.folder, disk)
    return found is not None and found.identity == rule.identity


def _folder_at(path: str, disk: Disk) -> Stat | None:
    try:
        found = disk.lstat(path)
    except OSError:
        return None
    return found if found is not None and found.kind == "folder" else None


def _data(roots: Roots) -> tuple[str, ...]:
    return () if roots.data_folder is None else (roots.data_folder,)
