"""The model server of npm is installed once and whole or not at all, and that it is not there fails nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.scripts import load, program

mocks: Any = load("model_mocks.py")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="npm is played by a shell script")
WRITES = """
while [ "$1" != --prefix ]; do shift; done
for last; do :; done
/bin/mkdir -p "$2/node_modules/${last%@*}"
printf '{"version": "%s"}' "${last##*@}" > "$2/node_modules/${last%@*}/package.json"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where it is installed; what else is made beside it is seen too."""
    place = tmp_path / "environment" / "model-mocks"
    place.parent.mkdir()
    monkeypatch.setattr(mocks, "FOLDER", place)
    return place


def test_it_is_installed_once(path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program(path, "npm", f'echo called >> "{path}/calls"{WRITES}')
    assert (mocks.main(), mocks.main()) == (0, 0)
    assert (path / "calls").read_text() == "called\n"
    assert mocks.version_in(folder) == mocks.VERSION
    assert list(folder.parent.iterdir()) == [folder]
    assert capsys.readouterr() == ("", "")


def test_another_version_gives_way(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(path, "npm", WRITES)
    mocks.main()
    (folder / "of-the-old-one").touch()
    monkeypatch.setattr(mocks, "VERSION", "99.0.0")
    mocks.main()
    assert mocks.version_in(folder) == "99.0.0"
    assert not (folder / "of-the-old-one").exists()
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'npm error code ECONNREFUSED' >&2; echo 'npm error more' >&2; exit 1", "npm error code ECONNREFUSED"),
        ("exit 7", "npm ended with status 7"),
        (f"{WRITES}\nexit 7", "npm ended with status 7"),
        ("exec /bin/sleep 30", "npm took longer than 0.3 s"),
    ],
)
def test_a_failure_is_one_sentence_and_leaves_nothing(
    path: Path, folder: Path, script: str, why: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if "sleep" in script:
        monkeypatch.setattr(mocks, "LIMIT_S", 0.3)
    program(path, "npm", script)
    assert mocks.main() == 0
    assert capsys.readouterr().err == f"{mocks.PACKAGE} {mocks.VERSION} is not there ({why}): the tests that need it are skipped.\n"
    assert list(folder.parent.iterdir()) == []


@pytest.mark.usefixtures("path")
def test_without_npm_nothing_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mocks.main() == 0
    assert capsys.readouterr() == ("", "")
    assert not folder.exists()


def test_it_belongs_to_the_environment() -> None:
    assert Path(sys.prefix) / "model-mocks" == mocks.FOLDER
