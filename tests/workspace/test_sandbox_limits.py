"""Limits of processes: where they come from, and that no trace of a group is left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.workspace.sandbox_limits import limiting_prefix

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="groups of processes are Linux's")


@pytest.mark.skipif(os.geteuid() == 0, reason="root makes a group of its own")
def test_without_a_bus_a_person_has_only_what_the_shell_limits() -> None:
    assert limiting_prefix({}) == ()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make a group by itself")
def test_roots_group_holds_what_it_starts_and_goes_with_the_program() -> None:
    code = """import subprocess
from workbench.workspace.sandbox_limits import limiting_prefix
prefix = limiting_prefix({})
print(prefix[-1] if prefix else "")
if prefix:
    print(subprocess.run([*prefix, "cat", "/proc/self/cgroup"], capture_output=True, text=True, check=True).stdout)
"""
    told = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True).stdout
    group = told.splitlines()[0]
    if not group:
        pytest.skip("there is no group of the kernel that may be written here")
    assert Path(group).name in told.partition("\n")[2]
    assert not Path(group).exists()
