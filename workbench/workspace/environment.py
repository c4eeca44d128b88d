"""The environment of child processes: an allow-list, so that a key nobody thought of is not passed on either.

Programs are told in every way known that nobody is at the keyboard: no pager, no editor, no prompt.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

MARKER = "WORKBENCH_CALL"
"""Variable that holds a value of its own for each command; descendants are found by it."""

SCAFFOLD = "WORKBENCH_SCAFFOLD"
"""Variable of the processes that only make up a sandbox; they are part of no command."""

NOBODY_IS_THERE = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "CI": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "LESSSECURE": "1",
    "EDITOR": "false",
    "VISUAL": "false",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "false",  # `true` would run `rebase -i` with whatever git proposes
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "SSH_ASKPASS_REQUIRE": "never",
    "DEBIAN_FRONTEND": "noninteractive",
    "PYTHONUNBUFFERED": "1",
    "PIP_NO_INPUT": "1",
}
"""Set in every child."""

_PASSED = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|COLUMNS|TMPDIR"
    r"|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMFILES.*|PROGRAMDATA|TEMP|TMP",
    re.IGNORECASE if os.name == "nt" else 0,
)
_NEVER = re.compile(
    r"LD_.*|DYLD_.*|BASH_.*|ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|PYTHON.*|NODE_OPTIONS|PERL5OPT|PERL5LIB|RUBYOPT|GIT_.*|RIPGREP_CONFIG_PATH"
    r"|DBUS_.*|XDG_RUNTIME_DIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|SSH_.*|QT_.*|WORKBENCH_.*",
    re.IGNORECASE,
)
_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def added_variables(source: Mapping[str, str], keep: Iterable[str]) -> tuple[str, ...]:
    """Return which names of `keep` a command really sees besides the usual ones, for those who decide on it."""
    return tuple(name for name in dict.fromkeys(keep) if name in source and name in child_environment(source, keep=(name,)) and not _PASSED.fullmatch(name))


def child_environment(source: Mapping[str, str], *, keep: Iterable[str] = (), roots: Iterable[Path] = ()) -> dict[str, str]:
    """Return what a command may see of `source`.

    Args:
        source: the program's or the login shell's environment.
        keep: further names a person allows for this project; names that change how programs load code or find the desktop are
            not passed even so.
        roots: workspace folders; nothing below them stays in PATH, so that a cloned repository cannot put its own ``git`` first.
    """
    kept = {name for name in keep if _NAME.fullmatch(name) and not _NEVER.fullmatch(name)}
    passed = {name: value for name, value in source.items() if name in kept or _PASSED.fullmatch(name)}
    passed["PATH"] = _safe_path(source.get("PATH", ""), tuple(roots))
    passed.update(NOBODY_IS_THERE)
    passed.update(_utf8_locale(passed))
    return passed


def for_command(environment: Mapping[str, str], marker: str) -> dict[str, str]:
    """Return `environment` made fit for one command: what must never be passed is taken out again, what must be set is set.

    Args:
        environment: as `child_environment` gave it, perhaps changed since.
        marker: the command's own value for `MARKER`.
    """
    ready = {name: value for name, value in environment.items() if not _NEVER.fullmatch(name) and "\0" not in value}
    return {**ready, **NOBODY_IS_THERE, MARKER: marker}


def _safe_path(value: str, roots: tuple[Path, ...]) -> str:
    folders = [entry for entry in value.split(os.pathsep) if _is_safe(entry, roots)]
    return os.pathsep.join(dict.fromkeys(folders)) or _SYSTEM_PATH


def _is_safe(entry: str, roots: tuple[Path, ...]) -> bool:
    if not Path(entry).is_absolute():
        return False
    places = (Path(os.path.normpath(entry)), Path(os.path.realpath(entry)))
    return not any(place.is_relative_to(root) for place in places for root in roots)


def _utf8_locale(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what makes programs write UTF-8: nothing if the person's own locale does."""
    named = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or ""
    return {} if named.lower().replace("-", "").endswith("utf8") else {"LC_ALL": "C.UTF-8"}
