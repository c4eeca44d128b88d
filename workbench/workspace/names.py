"""What can be said of a requested path from its text alone: names that no file tool takes, on POSIX and on Windows.

Nothing is repaired: no percent decoding, no variables, no Unicode folding. A name that means another place than it shows is refused.
"""

from __future__ import annotations

import os
import re

from workbench.errors import FileRefused

PATH_LIMIT_BYTES = 4096
NAME_LIMIT_BYTES = 255

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(//|\\\\)")
_OTHER_HOME = re.compile(r"~[^/\\]+([/\\]|$)")
_WINDOWS_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])( *(\..*)?)", re.IGNORECASE)
_ADVICE = "Give a path relative to the workspace folder, or an absolute path."


def refuse_bad_name(request: str, *, windows: bool = os.name == "nt") -> None:
    """Refuse a request whose text cannot be, or does not honestly name, a path.

    Args:
        request: the path as asked for.
        windows: judge by Windows' rules.

    Raises:
        FileRefused: kind ``invalid_arguments``.
    """
    if "\0" in request:
        raise _refused("the path holds a NUL character")
    try:
        encoded = os.fsencode(request)
    except UnicodeEncodeError:
        raise _refused("the path holds a character that no file name can hold") from None
    if len(encoded) > PATH_LIMIT_BYTES:
        raise _refused(f"the path is {len(encoded)} bytes long, more than {PATH_LIMIT_BYTES}")
    if any(len(name) > NAME_LIMIT_BYTES for name in encoded.split(b"/")):
        raise _refused(f"a name in the path is longer than {NAME_LIMIT_BYTES} bytes")
    if _SCHEME.match(request):
        raise _refused(f"{request[:80]!r} is an address, not a path")
    if _OTHER_HOME.match(request):
        raise FileRefused("invalid_arguments", f"{request[:80]!r} names another person's home folder.", "For a file whose name begins with ~ write ./~name.")
    if windows:
        _refuse_windows_name(request)


def _refuse_windows_name(request: str) -> None:
    if re.match(r"[\\/]{2}", request):
        raise _refused("network and device paths are not taken")
    if re.match(r"[\\/]", request):
        raise _refused("a path from the root of the current drive is not taken")
    drive = re.match(r"[A-Za-z]:", request)
    if drive and not re.match(r"[A-Za-z]:[\\/]", request):
        raise _refused("a path relative to a drive's own folder is not taken")
    rest = request[2:] if drive else request
    for name in re.split(r"[\\/]", rest):
        if ":" in name:
            raise _refused("a colon in a name would address a hidden stream of the file")
        if _WINDOWS_RESERVED.fullmatch(name):
            raise _refused(f"{name!r} is a device on Windows")
        if name not in {"", ".", ".."} and name[-1] in ". ":
            raise _refused("Windows drops a dot or space at the end of a name, so it would be another file than shown")


def _refused(what: str) -> FileRefused:
    return FileRefused("invalid_arguments", f"This path cannot be used: {what}.", _ADVICE)
