"""Whether a search through folders may print lines of a file with secrets: looked up, because ``grep -r . .`` would print ``.env``.

Only a bounded number of names is looked at; what a deep tree hides is left to the redaction of what tools return.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from workbench.permissions.commands_options import Given, Look
from workbench.permissions.disk import Disk
from workbench.permissions.names import is_secret
from workbench.permissions.places import Roots, locate

_NAMES_AT_MOST = 400
_SECRET_BYTES = 64 * 1024
_PERHAPS = re.compile(r"^[._]|^id_|credential|secring|\.(?:pem|key|p12|pfx|kdbx|jks|keystore|ppk|env)", re.IGNORECASE)
_ONLY_NAMES = ("l", "L", "c", "q", "files-with-matches", "files-without-match", "count", "count-matches", "quiet", "silent", "files", "type-list")
_ORDINARY_ENDING = re.compile(r"\*{1,2}(?:/\*)?\.(?:py|pyi|js|jsx|ts|tsx|mjs|md|rst|txt|json|toml|ya?ml|go|rs|c|h|cc|cpp|hpp|java|kt|rb|php|html|css|sh|lua)")
_ORDINARY_TYPES = frozenset({"py", "js", "ts", "md", "json", "toml", "yaml", "go", "rust", "c", "cpp", "java", "ruby", "php", "html", "css", "sh", "txt"})
_OPTIONAL_GROUP = re.compile(r"\\?\)\\?[?*{]")
_NOT_LITERAL = re.compile(r"\\.|\[[^\]]*\]|.(?=[?*{])", re.DOTALL)
_RUN = re.compile(r"[A-Za-z0-9_]{3,}")


def may_print_a_secret(name: str, said: Given, read: Look, *, folder: str, roots: Roots, disk: Disk) -> bool:
    """Say whether a search command would come across a file with secrets whose lines its pattern may match."""
    if name == "rg":
        hidden = said.has("hidden", ".", "u", "unrestricted")
    elif name in {"grep", "egrep", "fgrep"} and said.has("r", "recursive"):
        hidden = True
    else:
        return False
    if said.has(*_ONLY_NAMES) or _only_ordinary_files(said):
        return False
    patterns = said.values("e", "regexp") or ((read.pattern,) if read.pattern is not None else ())
    inverted = said.has("v", "invert-match", "passthru") or any(said.values("A", "B", "C", "after-context", "before-context", "context"))
    for path in read.paths or (".",):
        for secret in _secrets(locate(path, folder=folder, roots=roots, disk=disk).real, disk, hidden=hidden):
            if inverted or any(_may_match(pattern, secret, disk) for pattern in patterns):
                return True
    return False


def _only_ordinary_files(said: Given) -> bool:
    globs = [glob for glob in said.values("include", "g", "glob", "iglob") if not glob.startswith("!")]
    types = said.values("t", "type")
    return bool(globs or types) and all(map(_ORDINARY_ENDING.fullmatch, globs)) and set(types) <= _ORDINARY_TYPES


def _secrets(top: str, disk: Disk, *, hidden: bool) -> Iterator[str]:
    """Yield the files with secrets below a folder, as far as a bounded look finds them; links are not followed."""
    folders, left = deque([top]), _NAMES_AT_MOST
    while folders and left > 0:
        folder = folders.popleft()
        try:
            names = disk.listdir(folder)
        except OSError:
            continue
        for name in names[:left]:
            left -= 1
            if name[0] == "." and not hidden:
                continue
            path = f"{folder}/{name}"
            if _PERHAPS.search(name) and is_secret(path):
                yield path
            elif "." not in name and name != "node_modules":
                folders.append(path)


def _may_match(pattern: str, secret: str, disk: Disk) -> bool:
    """Say whether a pattern may match a line of a file: each of its choices must hold a plain word that is not in there to be sure of no."""
    if _OPTIONAL_GROUP.search(pattern):
        return True
    try:
        text = disk.read_text(secret, _SECRET_BYTES).casefold()
    except OSError:
        return True
    if len(text) >= _SECRET_BYTES:
        return True
    for choice in re.split(r"\\?\||\n", pattern):
        words = _RUN.findall(_NOT_LITERAL.sub(" ", choice))
        if not words or all(word.casefold() in text for word in words):
            return True
    return False
