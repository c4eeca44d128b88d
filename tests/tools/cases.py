"""The cases of the file tools and of arguments, as data from tests/cases/."""

from __future__ import annotations

import json
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from tests.shared import ROOT

FOLDER = ROOT / "tests" / "cases"

SCHEMAS: dict[str, dict[str, Any]] = {name: tool["parameters"] for name, tool in json.loads((FOLDER / "tool_schemas.json").read_text(encoding="utf-8")).items()}
"""The schema of every tool of the specification, also of those that do not exist yet."""


def read_cases(name: str) -> list[dict[str, Any]]:
    """Return the cases of ``tests/cases/<name>.jsonl``."""
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_bytes().split(b"\n") if line]


def parameters(name: str) -> list[ParameterSet]:
    """Return the cases of a file as test parameters named by their ids."""
    return [pytest.param(case, id=case["id"]) for case in read_cases(name)]


def bug_report(name: str) -> dict[str, Any]:
    """Return one of the reported faults of other programs that concern files and arguments."""
    return next(case for case in read_cases("bug_reports_files") if case["id"] == name)
