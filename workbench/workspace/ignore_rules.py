"""Which entries of a folder ``.gitignore``, ``.ignore`` and git's own exclude files leave out, folder by folder.

For the folder tree and where ripgrep is missing; searching itself leaves this to ripgrep. Known difference to git: ``!*/`` does not
bring back the files in a folder.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_MAX_FILE_BYTES = 1_000_000
_EXCLUDES_FILE = re.compile(r"^\s*excludesfile\s*=\s*\"?([^\"\n]+?)\"?\s*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class _Rule:
    pattern: re.Pattern[str]
    excludes: bool
    only_folders: bool


@dataclass(frozen=True)
class _RuleFile:
    """The rules of one file, in order; the last that fits decides."""

    rules: tuple[_Rule, ...]

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        for rule in reversed(self.rules):
            if (is_folder or not rule.only_folders) and rule.pattern.match(path):
                return rule.excludes
        return None


@dataclass(frozen=True)
class IgnoreRules:
    """What counts in one folder: its own rule files and those of the folders above it."""

    folder: Path
    parent: IgnoreRules | None
    name: str
    is_repository: bool
    git_files: tuple[_RuleFile, ...]
    ignore_files: tuple[_RuleFile, ...]
    excludes: tuple[_RuleFile, ...] = ()

    @classmethod
    def of(cls, folder: Path, *, above: bool = True) -> IgnoreRules:
        """Return the rules for a folder that is looked at although rules above may leave it out. Blocking.

        `above` False: the rule files in the folders above it do not count.
        """
        rules = None
        for place in reversed(folder.parents) if above else ():
            rules = _rules_of(place, rules)
        return _rules_of(folder, rules)

    def entering(self, name: str) -> IgnoreRules:
        """Return the rules for a folder in this one. Blocking."""
        return _rules_of(self.folder / name, self)

    def ignores(self, name: str, *, is_folder: bool) -> bool:
        """Whether an entry of this folder is left out. ``.git`` always is."""
        if name == ".git":
            return True
        for verdict in self._verdicts(name, is_folder=is_folder):
            if verdict is not None:
                return verdict
        return False

    def _verdicts(self, name: str, *, is_folder: bool) -> Iterator[bool | None]:
        """Yield what the files say, the strongest first: .ignore before .gitignore, near before far, the exclude files last."""
        levels = list(self._levels(name))
        for rules, path in levels:
            yield from (file.verdict(path, is_folder=is_folder) for file in rules.ignore_files)
        for rules, path in levels:
            yield from (file.verdict(path, is_folder=is_folder) for file in rules.git_files)
            if rules.is_repository:
                yield from (file.verdict(path, is_folder=is_folder) for file in rules.excludes)
                return
        for rules, path in levels[-1:]:
            yield from (file.verdict(path, is_folder=is_folder) for file in rules.excludes)

    def _levels(self, name: str) -> Iterator[tuple[IgnoreRules, str]]:
        rules: IgnoreRules | None = self
        path = name
        while rules is not None:
            yield rules, path
            path = f"{rules.name}/{path}"
            rules = rules.parent


def _rules_of(folder: Path, parent: IgnoreRules | None) -> IgnoreRules:
    repository = (folder / ".git").exists()
    excludes: tuple[_RuleFile, ...] = ()
    if repository or parent is None:
        excludes = _read(folder / ".git" / "info" / "exclude") + _read(_global_excludes())
    return IgnoreRules(folder, parent, folder.name, repository, _read(folder / ".gitignore"), _read(folder / ".ignore"), excludes)


def _global_excludes() -> Path:
    """Return the file that git takes for the person's own rules."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() raises where there is none
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    for config in (home / ".gitconfig", settings / "git" / "config"):
        if found := _EXCLUDES_FILE.search(_text(config)):
            return Path(os.path.expanduser(found[1]))  # noqa: PTH111
    return settings / "git" / "ignore"


def _read(path: Path) -> tuple[_RuleFile, ...]:
    rules = tuple(rule for line in _text(path).split("\n") if (rule := _parse(line)) is not None)
    return (_RuleFile(rules),) if rules else ()


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            return ""
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:  # a pipe by now must not block
            return file.read(_MAX_FILE_BYTES).decode("utf-8-sig", "surrogateescape")
    except OSError:
        return ""


def _parse(line: str) -> _Rule | None:
    """Read one line; None for an empty line, a comment or something that is no pattern."""
    line = _without_trailing_blanks(line.rstrip("\r"))
    if not line or line.startswith("#"):
        return None
    excludes = not line.startswith("!")
    line = line.removeprefix("!")
    only_folders = line.endswith("/") and not line.endswith("\\/")
    body = re.sub(r"\*{3,}", "**", line.removesuffix("/") if only_folders else line)
    anchored = "/" in body
    body = body.removeprefix("/")
    if not body:
        return None
    try:
        wanted = _translated(body if anchored else f"**/{body}")
        return _Rule(re.compile("|".join(wanted)), excludes, only_folders)
    except (re.error, ValueError):
        return None


def _translated(pattern: str) -> list[str]:
    glob = importlib.import_module("wcmatch.glob")
    wanted: list[str] = glob.translate(pattern, flags=glob.GLOBSTAR | glob.DOTGLOB | glob.FORCEUNIX | glob.CASE)[0]
    return wanted


def _without_trailing_blanks(line: str) -> str:
    """Drop blanks at the end, but one that a backslash protects."""
    stripped = line.rstrip(" \t")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return stripped + line[len(stripped) : len(stripped) + 1] if backslashes % 2 else stripped
