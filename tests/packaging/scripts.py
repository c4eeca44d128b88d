"""Load the programs of packaging/, which are run and never imported."""

from __future__ import annotations

import functools
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from tests.shared import ROOT
from workbench.words import Pattern

SHORTEST = 8
"""Fewest characters by which an English text is recognised."""


def load(name: str) -> ModuleType:
    """Return a program of packaging/ as a module, e.g. ``load("dev.py")``; its ``main`` does not run."""
    path = ROOT / "packaging" / name
    spec = importlib.util.spec_from_file_location(f"packaging_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    before = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = before
    return module


@functools.cache
def english_texts() -> tuple[str, ...]:
    """Return what does not vary in the English texts of the program, is long enough to be recognised in what it shows, and is translated."""
    found, same = list[str](), load("catalogues.py").SAME_IN_ENGLISH
    for text in load("texts.py").texts():
        if text.form != "id" and "{" not in text.key:
            found.append(text.key)
        elif text.form == "sentence":
            found += Pattern.of(text.key).literals
    return tuple(dict.fromkeys(text.strip() for text in found if text not in same and len(text.strip()) >= SHORTEST and " " in text.strip()))


def program(folder: Path, name: str, script: str) -> Path:
    """Write a shell script that can be run by its name when ``folder`` is in PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path
