"""The rooms below the front ends can be imported where a system lacks what Linux has: what only one system has is asked for when it is used."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import asyncio, importlib, os, pkgutil, subprocess, sys, tempfile  # the standard library knows its system by itself

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in {"resource", "pwd", "grp", "termios", "tty", "pty"}:
            raise ImportError(name)

sys.meta_path.insert(0, Missing())
for name in ("resource", "pwd", "grp", "termios", "tty", "pty"):
    sys.modules.pop(name, None)
for name in ("O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC", "O_PATH", "O_NOCTTY", "memfd_create", "geteuid", "killpg", "MFD_CLOEXEC",
             "MFD_ALLOW_SEALING", "sysconf", "fork", "openpty", "chown", "fchmod", "fchown", "getpgid", "setsid"):
    if hasattr(os, name):
        delattr(os, name)
import workbench
for room in ("conversation", "permissions", "redaction", "workspace", "wire", "settings", "tools", "agent"):
    package = importlib.import_module("workbench." + room)
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
print("all")
"""


def test_rooms_are_imported_without_what_only_linux_has() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout.strip(), done.stderr) == ("all", "")
