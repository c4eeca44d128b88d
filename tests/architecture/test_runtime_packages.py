"""The program needs only what it is installed with: what the tests bring along besides is not there where people run it."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import packages_distributions

from tests.shared import ROOT

IMPORT_ALL = """
import importlib, pkgutil, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
import workbench
for found in pkgutil.walk_packages(workbench.__path__, "workbench."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
"""


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def only_for_development() -> set[str]:
    """Return the modules of packages that the program is not installed with."""
    locked = {_plain(name) for name in re.findall(r"^([\w.-]+)==", (ROOT / "packaging/lock.txt").read_text(), re.MULTILINE)}
    packages = packages_distributions().items()
    return {module for module, names in packages if not any(_plain(name) in {*locked, "agent-workbench"} for name in names)}


def test_every_module_can_be_imported_with_what_the_program_is_installed_with() -> None:
    blocked = only_for_development()
    assert {"pytest", "openai", "anthropic"} <= blocked
    command = [sys.executable, "-P", "-c", f"BLOCKED = {sorted(blocked)!r}\n{IMPORT_ALL}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=55, check=False)
    assert done.stderr == ""
    assert done.returncode == 0
