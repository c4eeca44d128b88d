"""What the project's .editorconfig files say of one file: its encoding and its line ends, for new files and for decoding.

Only ``charset`` and ``end_of_line`` are read (https://spec.editorconfig.org); a file that cannot be read or understood says nothing.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.workspace.beneath import Folder

NAME = ".editorconfig"
_SIZE_LIMIT_BYTES = 256 * 1024
_STARS_LIMIT = 8
_TOKENS = re.compile(r"\*\*/|\*\*|\*|\?|\[[^\]/]+\]|\{-?\d+\.\.-?\d+\}|\{[^{}]*,[^{}]*\}|\\.|.", re.DOTALL)
_LINE_ENDS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}


@dataclass(frozen=True)
class FileStyle:
    """What is asked of a file.

    Attributes:
        charset: name of the encoding, empty if nothing is said; ``utf-8-bom`` asks for a byte order mark.
        line_end: LF, CR LF or CR; empty if nothing is said.
    """

    charset: str = ""
    line_end: str = ""


def file_style(path: Path, top: Path) -> FileStyle:
    """Return what .editorconfig files from `top` down to the file's folder say of it; the nearest wins.

    Args:
        path: real path of the file; need not exist.
        top: real path of the workspace folder, the last folder that is looked into.
    """
    try:
        with Folder.hold(top) as held:
            return _style(path, held)
    except OSError:
        return FileStyle()


def _style(path: Path, top: Folder) -> FileStyle:
    found: dict[str, str] = {}
    for folder in _folders_up(path.parent, top.path):
        text = _read(top, (folder / NAME).relative_to(top.path).as_posix())
        if text is None:
            continue
        is_root, values = _values_for(text, path.relative_to(folder).as_posix())
        found = {**values, **found}
        if is_root:
            break
    charset = found.get("charset", "")
    return FileStyle("" if charset == "unset" else charset, _LINE_ENDS.get(found.get("end_of_line", ""), ""))


def _folders_up(folder: Path, top: Path) -> Iterator[Path]:
    if folder != top and top not in folder.parents:
        return
    while True:
        yield folder
        if folder == top:
            return
        folder = folder.parent


def _read(top: Folder, relative: str) -> str | None:
    """Return the text of a file below; one that is reached through a link says nothing."""
    status = top.file_status(relative)
    if status is None or status.st_size > _SIZE_LIMIT_BYTES:
        return None
    with contextlib.suppress(OSError), os.fdopen(top.open(relative, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
        return file.read(_SIZE_LIMIT_BYTES).decode("utf-8-sig", "replace")
    return None


def _values_for(text: str, relative: str) -> tuple[bool, dict[str, str]]:
    is_root, values = False, dict[str, str]()
    applies: bool | None = None
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or stripped[0] in "#;":
            continue
        if stripped.startswith("[") and stripped.endswith("]"):
            applies = _matches(stripped[1:-1], relative)
            continue
        key, separator, value = (part.strip().lower() for part in stripped.partition("="))
        if separator and applies:
            values[key] = value
        elif separator and applies is None and key == "root":
            is_root = value == "true"
    return is_root, values


def _matches(section: str, relative: str) -> bool:
    """Whether a section's pattern fits; a pattern without ``/`` fits at any depth."""
    if section.count("*") > _STARS_LIMIT or section.count("{") > _STARS_LIMIT:
        return False  # such a pattern can keep the regular expression engine busy for hours
    pattern = section.removeprefix("/") if "/" in section else f"**/{section}"
    try:
        return re.fullmatch(_as_regex(pattern), relative, re.DOTALL) is not None
    except re.error:
        return False


def _as_regex(pattern: str) -> str:
    out = ""
    for token in _TOKENS.findall(pattern):
        match token:
            case "**/":
                out += "(?:.*/)?"
            case "**":
                out += ".*"
            case "*":
                out += "[^/]*"
            case "?":
                out += "[^/]"
            case _ if token[0] == "[" and len(token) > 1:
                out += "[" + token[1:].replace("!", "^", 1 if token[1] == "!" else 0).replace("\\", "")
            case _ if token[0] == "{" and ".." in token:
                out += r"[+-]?\d+"
            case _ if token[0] == "{" and len(token) > 1:
                out += "(?:" + "|".join(_as_regex(choice) for choice in token[1:-1].split(",")) + ")"
            case _:
                out += re.escape(token[-1])
    return out
