"""Run the measurements that stand beside this file, each in a process of its own, and show what they found.

A measurement is a script ``bench_NAME.py`` that prints one JSON object per line:
``{"name": "decode of 50,000 chunks", "ratio": 0.31, "numbers": {"ours_ms": 310, "reference_ms": 1000}}``. ``ratio`` is what we
need divided by what the reference needs (below 1 is better), null where there is no reference; ``numbers`` have units in their
names. Anything else it wants to say goes to stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parent
REPORT = FOLDER.parent.parent / "build" / "bench.json"
LIMIT_S = 300.0


class Row(NamedTuple):
    """One line of a measurement, as it was checked."""

    script: str
    name: str
    ratio: float | None
    numbers: dict[str, float]


class BadMeasurement(Exception):
    """A script failed, or what it printed is no row; one sentence."""


def main(arguments: list[str]) -> int:
    """Run what was asked for. Status: 0 all measured, 1 some failed, 2 wrong usage."""
    parser = argparse.ArgumentParser(prog="dev.py bench", description="Measure, and compare with other programs.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which measurements (bench_NAME.py); all if none is named")
    parser.add_argument("--json", type=Path, default=REPORT, metavar="PATH", help="where the report goes (default: build/bench.json)")
    asked = parser.parse_args(arguments)
    scripts = {path.stem.removeprefix("bench_"): path for path in sorted(FOLDER.glob("bench_*.py"))}
    unknown = [name for name in asked.names if name not in scripts]
    if unknown:
        print(f"There is no measurement {unknown[0]}: choose from {', '.join(scripts) or 'none, there are none yet'}.", file=sys.stderr)
        return 2
    rows, complaints = measure_all([path for name, path in scripts.items() if name in asked.names or not asked.names])
    for line in [*table(rows), *complaints]:
        print(line)
    write_report(asked.json, rows, complaints)
    print(f"Written to {asked.json}.")
    return 1 if complaints else 0


def measure_all(scripts: list[Path]) -> tuple[list[Row], list[str]]:
    """Run scripts one after the other, so that none disturbs another; one that fails does not stop the rest."""
    rows: list[Row] = []
    complaints: list[str] = []
    for script in scripts:
        print(f"{script.stem} ...", file=sys.stderr, flush=True)
        try:
            rows += measure(script)
        except BadMeasurement as complaint:
            complaints.append(str(complaint))
    return rows, complaints


def measure(script: Path, limit_s: float = LIMIT_S) -> list[Row]:
    """Run one script.

    Raises:
        BadMeasurement: it failed, took too long, printed something that is no row, or nothing.
    """
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(FOLDER), os.environ.get("PYTHONPATH")]))  # what scripts have in common
    try:
        done = subprocess.run([sys.executable, "-P", script], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired:
        raise BadMeasurement(f"{script.name} did not end within {limit_s:g} s.") from None
    if done.returncode:
        raise BadMeasurement(f"{script.name} failed with status {done.returncode} (see above).")
    rows = [row_of(script.name, line) for line in done.stdout.decode("utf-8", "replace").splitlines() if line.strip()]
    if not rows:
        raise BadMeasurement(f"{script.name} printed no row.")
    return rows


def row_of(script: str, line: str) -> Row:
    """Parse one line.

    Raises:
        BadMeasurement: it is not what this file's first lines say.
    """
    match json_value(line):
        case {"name": str(name), "ratio": int() | float() | None as ratio, "numbers": {} as numbers, **rest} if not rest and all_numbers(numbers):
            return Row(script, name, ratio, numbers)
        case _:
            raise BadMeasurement(f"{script} printed a line that is no row: {line[:200]}")


def json_value(text: str) -> object:
    """Return what a text says as JSON; None if it says nothing."""
    try:
        value: object = json.loads(text)
    except ValueError:
        return None
    return value


def all_numbers(numbers: dict[str, object]) -> bool:
    """Say whether every value is a number; a bool is none."""
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in numbers.values())


def table(rows: list[Row]) -> list[str]:
    """Return the rows as lines of text, aligned."""
    if not rows:
        return ["Nothing was measured."]
    width = max(len(row.name) for row in rows)
    lines = [f"{'measurement':<{width}}  ratio  numbers"]
    for row in rows:
        ratio = "    -" if row.ratio is None else f"{row.ratio:5.2f}"
        lines.append(f"{row.name:<{width}}  {ratio}  {', '.join(f'{name} {value:g}' for name, value in row.numbers.items())}")
    return lines


def write_report(path: Path, rows: list[Row], complaints: list[str]) -> None:
    """Write everything, with what somebody needs to know to compare it with another machine's."""
    machine = {"python": platform.python_version(), "system": platform.system(), "architecture": platform.machine(), "cores": os.cpu_count()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": machine, "rows": [row._asdict() for row in rows], "failed": complaints}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
