"""Write packaging/lock.txt (what the program runs on) and packaging/lock-dev.txt (that and what develops it).

One lock serves every platform and Python: it holds hashes, no addresses, and only versions that have wheels. Pins stay as they
are unless ``--upgrade`` or ``--upgrade-package NAME`` is given. Two files are needed because pip wants every requirement
pinned by the file itself when it checks hashes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".venv-lock"
UV = "uv==0.13.9"
OLDEST_PYTHON = "3.11"


def main(arguments: list[str]) -> int:
    """Write both files; return 1 if a lock came out with an address in it."""
    python = TOOLS / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run([sys.executable, "-m", "venv", "--clear", TOOLS], check=True)
    subprocess.run([python, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV], check=True)
    write = [str(python), "-I", "-m", "uv", "pip", "compile", "--quiet", "--universal", "--python-version", OLDEST_PYTHON, "--no-python-downloads"]
    write += ["--generate-hashes", "--only-binary", ":all:", "--no-header", "--no-annotate", "--no-emit-index-url", "pyproject.toml", "--group", "build"]
    subprocess.run([*write, "--group", "dev", "-o", "packaging/lock-dev.txt", *arguments], cwd=ROOT, check=True)
    subprocess.run([*write, "-c", "packaging/lock-dev.txt", "-o", "packaging/lock.txt"], cwd=ROOT, check=True)
    return 1 if any(has_address((ROOT / "packaging" / name).read_text(encoding="utf-8")) for name in ("lock.txt", "lock-dev.txt")) else 0


def has_address(lock: str) -> bool:
    """Say whether a lock names where its packages come from; each user's own pip knows that."""
    return re.search(r"://|--(extra-)?index-url|--find-links|^-[if]\b", lock, re.MULTILINE) is not None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
