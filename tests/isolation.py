"""Keep tests away from the person who runs them: their home, keys, keyring, proxies, display and network."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from pathlib import Path
from typing import Any

FOLDERS = {
    "HOME": "home",
    "USERPROFILE": "home",
    "APPDATA": "roaming",
    "LOCALAPPDATA": "local",
    "XDG_DATA_HOME": "data",
    "XDG_CONFIG_HOME": "config",
    "XDG_CACHE_HOME": "cache",
    "XDG_STATE_HOME": "state",
    "XDG_RUNTIME_DIR": "run",
}
"""Every variable that leads to somebody's own files, and the empty folder it leads to in tests."""

SETTINGS = {
    "QT_QPA_PLATFORM": "offscreen",
    "QT_FONT_DPI": "96",
    "QT_SCALE_FACTOR": "1",
    "QT_API": "pyside6",
    "PYTEST_QT_API": "pyside6",
    "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    "PYTHONPATH": str(Path(__file__).resolve().parent.parent),  # child processes test this checkout, installed or not
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C.UTF-8",
}
"""What must be the same for everybody, set before Qt or keyring is imported."""

REMOVED = re.compile(
    r".*(API_?KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$"
    r"|(OPENAI|ANTHROPIC|GEMINI|GOOGLE|OLLAMA|MISTRAL|OPENROUTER|GROQ|DEEPSEEK|AZURE|AWS)_.*"
    r"|(https?|all|no|ftp)_proxy"
    r"|WORKBENCH_(?!SHARED$|VENV$).*"
    r"|(WAYLAND_)?DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS|LANG|LANGUAGE|LC_\w+|EDITOR|VISUAL|PAGER|GIT_(DIR|WORK_TREE|INDEX_FILE)",
    re.IGNORECASE,
)
"""Variables that would let a person's keys, servers, language or desktop into a test."""


class NetworkBlocked(RuntimeError):
    """A test reached for the network; not an OSError, so that no retry or error path can swallow it."""


def isolate_environment(folder: Path) -> None:
    """Point this process and its children at empty folders under ``folder``, and remove what belongs to the person."""
    for name in [name for name in os.environ if REMOVED.fullmatch(name)]:
        del os.environ[name]
    for name, sub_folder in FOLDERS.items():
        (folder / sub_folder).mkdir(mode=0o700, exist_ok=True)
        os.environ[name] = str(folder / sub_folder)
    os.environ.update(SETTINGS)


def block_network() -> None:
    """Make every connection and look-up that leaves the loopback interface raise ``NetworkBlocked`` in this process."""
    for name in ("connect", "connect_ex", "sendto"):
        setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
    look_up = socket.getaddrinfo

    def guarded_look_up(host: Any, *args: Any, **options: Any) -> Any:
        _check_name(host)
        return look_up(host, *args, **options)

    socket.getaddrinfo = guarded_look_up


def _guarded(method: Any) -> Any:
    """Return a socket method that looks at the address, its last positional argument, first."""

    def guarded(self: socket.socket, *args: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(args[-1][0]):
            raise NetworkBlocked(f"a test may only talk to this machine, not to {args[-1][0]}:{args[-1][1]}")
        return method(self, *args)

    return guarded


def _check_name(host: str | bytes | None) -> None:
    """Refuse to ask a name server; a reserved name is answered as one would answer, at once."""
    name = host.decode() if isinstance(host, bytes) else host
    if name and name.endswith((".invalid", ".test")):  # RFC 6761: these never exist
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    if name and not _is_address(name) and not _is_loopback(name):
        raise NetworkBlocked(f"a test may not look up {name}")


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True
