"""A disk in memory, and the workspace that the command cases are judged against (the tree of their README)."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence

from workbench.permissions.disk import Stat
from workbench.permissions.places import Root, Roots

WORKSPACE = "/srv/ws/proj"
HOME = "/home/u"


class MemoryDisk:
    """Files, folders and links by absolute path; a value that starts with ``->`` is a link's target, None a folder."""

    def __init__(self, entries: Mapping[str, str | None]) -> None:
        self._entries: dict[str, str | None] = {"": None}
        for path, content in entries.items():
            parent = path
            while parent := parent.rpartition("/")[0]:
                self._entries.setdefault(parent, None)
            self._entries[path] = content

    def lstat(self, path: str) -> Stat | None:
        if len(path.encode()) > 4096:
            raise OSError(36, "File name too long")
        if path not in self._entries:
            return None
        content = self._entries[path]
        if content is None:
            return Stat("folder", 0, 1, self._inode(path))
        return Stat("link", 0, 1, self._inode(path)) if content.startswith("->") else Stat("file", len(content), 1, self._inode(path))

    def _inode(self, path: str) -> int:
        return 2 + zlib.crc32(path.encode())

    def readlink(self, path: str) -> str:
        content = self._entries[path]
        if content is None or not content.startswith("->"):
            raise OSError(22, "Invalid argument")
        return content.removeprefix("->")

    def listdir(self, path: str) -> Sequence[str]:
        path = path.rstrip("/")
        if path in self._entries and (self._entries[path] or "").startswith("->"):
            target = self.readlink(path)
            path = target if target.startswith("/") else f"{path.rpartition('/')[0]}/{target}"
        if self._entries.get(path, "") is not None:
            raise OSError(20, "Not a directory")
        return [name.removeprefix(path + "/") for name in self._entries if name.startswith(path + "/") and "/" not in name.removeprefix(path + "/")]

    def read_text(self, path: str, limit_bytes: int) -> str:
        content = self._entries.get(path)
        if content is None:
            raise OSError(2, "No such file or directory")
        return content[:limit_bytes]


_FOLDERS = ("docs/images", "sub/deep", "tests", "data", "logs", "scripts", "bin", "build", "src", ".git/hooks")
_FILES = (
    "README.md", "pyproject.toml", "package.json", "Makefile", "src/app.py", "src/util.py", "src/__init__.py", "tests/test_app.py", "docs/guide.md",
    "docs/images/logo.png", "data/blob.bin", "sub/notes.txt", "sub/deep/x.txt", "data/items.json", "data/big.csv", "logs/app.log", ".env", ".env.example",
    ".gitignore", "scripts/evil.sh", "scripts/build.sh", "bin/ls", "file with spaces.txt", "中文.txt",
)  # fmt: skip
_REPOSITORY = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[user]\n\temail = dev@example.test\n\tname = Dev\n",
    ".git/objects": None,
    ".git/refs": None,
}
_LINKS = {"link_in": "->src", "sub/link_out": "->/srv/outside", "sub/link_env": "->../.env"}


def fixture_disk() -> MemoryDisk:
    """Return the disk that commands.jsonl is judged against."""
    inside = {**dict.fromkeys(_FOLDERS), **dict.fromkeys(_FILES, "x"), **_REPOSITORY, **_LINKS}
    outside = {
        "/srv/outside/secret": "x", "/srv/ws/proj-evil/x": "x", "/srv/ws/secret.txt": "x", "/srv/ws/other": None, "/etc/passwd": "x", "/etc/hosts": "x",
        "/etc/cron.d": None, f"{HOME}/.ssh/id_rsa": "x", f"{HOME}/.bashrc": "x", "/srv": None, "/usr/bin/git": "x", "/bin/ls": "x",
    }  # fmt: skip
    return MemoryDisk({**{f"{WORKSPACE}/{name}": content for name, content in inside.items()}, **outside})


def fixture_roots() -> Roots:
    """Return the roots that commands.jsonl is judged against."""
    return Roots(workspace=Root(path=WORKSPACE), home=HOME, data_folder=f"{HOME}/.local/share/agent-workbench")
