"""Measure starts as a person waits for them: whole processes, from the shell's view, against a turn written by hand in the same Python.

Each command runs in a fresh process with warm bytecode, in turns with its reference, so that a busy moment of the machine meets both.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROUNDS = 9


def main() -> None:
    """Print one row for each command."""
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as name:
        folder = Path(name)
        for sub_folder in ("data", "ws", "home"):
            (folder / sub_folder).mkdir()
        (folder / "data" / "settings.toml").write_text("[practice]\ntokens_per_s = 0\n", encoding="utf-8")
        environment = _environment(folder)
        reference = [sys.executable, "-P", str(FOLDER / "start_reference.py"), str(folder)]
        run = [*_workbench(), "run", "hi", "--workspace", str(folder / "ws")]
        _compare("start and one turn: workbench run hi", run, reference, environment)
        nothing = [sys.executable, "-P", "-c", "import httpx, sqlite3, asyncio"]
        _compare("start alone: workbench sessions", [*_workbench(), "sessions", "--limit", "1"], nothing, environment)
        window = [sys.executable, "-P", str(FOLDER / "first_paint.py")]
        ours = [*window, str(folder / "ws"), str(folder / "data")]
        _compare("start of the window: first painting, beside a bare window of PySide6", ours, window, environment | {"QT_QPA_PLATFORM": "offscreen"})


def _workbench() -> list[str]:
    return [sys.executable, "-P", "-m", "workbench.cli.main"]


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment with its own home, data and bytecode; what was loaded before does not count."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")}
    own = {"WORKBENCH_DATA": folder / "data", "HOME": folder / "home", "PYTHONPYCACHEPREFIX": folder / "bytecode"}
    return kept | {name: str(path) for name, path in own.items()} | {"PYTHONPATH": str(FOLDER.parent.parent)}


def _compare(name: str, ours: list[str], reference: list[str], environment: Mapping[str, str]) -> None:
    measure = _timer(environment)
    for command in (ours, reference):
        measure(command)  # writes the bytecode
    times = [(measure(ours), measure(reference)) for _ in range(ROUNDS)]
    ours_ms, reference_ms = ([pair[index] for pair in times] for index in (0, 1))
    numbers = {
        "ours_p50_ms": statistics.median(ours_ms),
        "ours_least_ms": min(ours_ms),
        "reference_p50_ms": statistics.median(reference_ms),
        "reference_least_ms": min(reference_ms),
    }
    ratio = min(ours_ms) / min(reference_ms)  # the least: whatever else the machine did only ever adds
    print(json.dumps({"name": name, "ratio": round(ratio, 3), "numbers": {key: round(value, 1) for key, value in numbers.items()}}))


def _timer(environment: Mapping[str, str]) -> Callable[[list[str]], float]:
    def measure(command: list[str]) -> float:
        began_s = time.perf_counter()
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        took_ms = (time.perf_counter() - began_s) * 1000
        if done.returncode:
            sys.stderr.buffer.write(done.stderr)
            raise SystemExit(f"{command} failed with status {done.returncode}.")
        return took_ms

    return measure


if __name__ == "__main__":
    main()
