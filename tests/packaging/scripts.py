"""Load the programs of packaging/, which are run and never imported."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from tests.shared import ROOT


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


def program(folder: Path, name: str, script: str) -> Path:
    """Write a shell script that can be run by its name when ``folder`` is in PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path
