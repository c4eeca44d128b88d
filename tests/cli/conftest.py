"""A person's data folder and workspace, fresh for each test, and commands that run inside this process where that is all a test needs."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from tests.cli.program import Done, Home
from workbench.cli.main import main
from workbench.words import choose_language


class Inside(Protocol):
    """Runs a command inside this process, without a terminal."""

    def __call__(self, *words: str, stdin: bytes = b"") -> Done: ...


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def inside(home: Home, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Iterator[Inside]:
    monkeypatch.setenv("WORKBENCH_DATA", str(home.data))
    monkeypatch.delenv("QT_QPA_PLATFORM")
    monkeypatch.chdir(home.workspace)

    def run(*words: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        try:
            status = main(words)
        except SystemExit as end:
            status = int(end.code or 0)
        out, err = capsysbinary.readouterr()
        return Done(status, out, err.decode())

    yield run
    choose_language("en")
