"""Give the tests the model server that comes through npm, in a folder of the environment that runs this; without it they skip what needs it.

It lies beside the locked packages and not among them, because it is no Python; that it cannot be had fails nothing.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGE, VERSION = "@copilotkit/aimock", "1.43.0"
FOLDER = Path(sys.prefix) / "model-mocks"
LIMIT_S = 60.0
QUIETLY = ("--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts", "--no-package-lock", "--fetch-retries=0", "--loglevel=error")
STRICTLY = ("--engine-strict",)
"""An older Node than the package asks for is a reason that is told, no server that does not start."""


def main() -> int:
    """Install the pinned version once if there is npm; say in a sentence why not. The status is always 0."""
    npm = shutil.which("npm")
    complaint = install(npm, FOLDER, LIMIT_S) if npm and version_in(FOLDER) != VERSION else ""
    if complaint:
        sys.stderr.write(f"{PACKAGE} {VERSION} is not there ({complaint}): the tests that need it are skipped.\n")
    return 0


def version_in(folder: Path) -> str:
    """Return which version a folder holds; "" if none."""
    try:
        return str(json.loads((folder / "node_modules" / PACKAGE / "package.json").read_text(encoding="utf-8"))["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def install(npm: str, folder: Path, limit_s: float) -> str:
    """Install beside the folder and put it in place when it is whole; return what hindered it, "" if nothing did."""
    with tempfile.TemporaryDirectory(prefix=f"{folder.name}-", dir=folder.parent, ignore_cleanup_errors=True) as place:
        made = Path(place) / "made"
        made.mkdir()
        command = [npm, "install", "--prefix", str(made), *QUIETLY, *STRICTLY, f"{PACKAGE}@{VERSION}"]
        try:
            done = subprocess.run(command, cwd=made, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit_s, check=False)
            if done.returncode or version_in(made) != VERSION:
                return (done.stderr.decode("utf-8", "replace").splitlines() or [f"npm ended with status {done.returncode}"])[0]
            if folder.exists():
                folder.replace(Path(place) / "old")
            made.replace(folder)
        except subprocess.TimeoutExpired:
            return f"npm took longer than {limit_s:g} s"
        except OSError as error:
            return "" if version_in(folder) == VERSION else str(error)  # another start was faster
    return ""


if __name__ == "__main__":
    sys.exit(main())
