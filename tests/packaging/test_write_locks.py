"""The lock files hold one pinned, hashed version of everything for each platform, and no address."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from tests.packaging.scripts import load
from tests.shared import ROOT

write_locks: Any = load("write_locks.py")

TEXTS = {name: (ROOT / "packaging" / name).read_text(encoding="utf-8") for name in ("lock.txt", "lock-dev.txt")}
ENTRY = re.compile(r"^(?P<requirement>[^\s#][^\\]*?) \\\n(?P<hashes>(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


def pins(name: str, **environment: str) -> dict[str, str]:
    """Return version by package name of a lock as one interpreter and platform would install it."""
    requirements = [Requirement(match["requirement"]) for match in ENTRY.finditer(TEXTS[name])]
    chosen = [r for r in requirements if r.marker is None or r.marker.evaluate(dict(environment))]
    assert len({r.name for r in chosen}) == len(chosen), "two versions of one package"
    return {r.name: str(r.specifier) for r in chosen}


@pytest.mark.parametrize("name", TEXTS)
def test_every_line_is_a_pin_with_hashes(name: str) -> None:
    assert ENTRY.sub("", TEXTS[name]).strip() == ""
    assert all(specifier.startswith("==") for specifier in pins(name).values())


@pytest.mark.parametrize("name", TEXTS)
def test_lock_holds_no_address(name: str) -> None:
    assert not write_locks.has_address(TEXTS[name])


@pytest.mark.parametrize("line", ["--index-url https://example.com/simple", "--extra-index-url=x", "-i x", "--find-links x", "a @ file:///a.whl"])
def test_address_in_a_lock_is_recognised(line: str) -> None:
    assert write_locks.has_address(f"a==1 \\\n    --hash=sha256:0\n{line}\n")


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_tests_run_on_the_very_packages_that_users_get(python: str, system: str) -> None:
    environment = {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": system}
    assert pins("lock.txt", **environment).items() <= pins("lock-dev.txt", **environment).items()


@pytest.mark.parametrize(("full_version", "expected"), [("3.11.2", "==6.11."), ("3.11.9", "==6.11."), ("3.12.0", "==6.12."), ("3.13.0", "==6.12.")])
def test_python_gets_a_pyside_that_it_survives(full_version: str, expected: str) -> None:
    found = pins("lock.txt", python_full_version=full_version, python_version=full_version[:4])
    assert found["pyside6-essentials"].startswith(expected)
    assert found["shiboken6"] == found["pyside6-essentials"]


def test_locks_hold_everything_that_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    assert not unmet([*project["project"]["dependencies"], *groups["build"]], pins("lock.txt"))
    assert not unmet(groups["dev"], pins("lock-dev.txt"))


def unmet(wanted: list[str], found: dict[str, str]) -> list[str]:
    """Return the requirements that a lock does not fulfil on this interpreter."""
    requirements = [Requirement(text) for text in wanted]
    here = [r for r in requirements if r.marker is None or Marker(str(r.marker)).evaluate()]
    return [str(r) for r in here if not r.specifier.contains(found.get(normal(r.name), "==0").removeprefix("=="), prereleases=True)]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
