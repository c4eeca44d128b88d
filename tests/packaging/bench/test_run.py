"""Measurements are run apart from each other, and what they print is checked, shown and written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.scripts import load

run: Any = load("bench/run.py")

GOOD = """
import json, os, sys
print("hello", file=sys.stderr)
print(json.dumps({"name": "decode", "ratio": 0.25, "numbers": {"ours_ms": 25, "reference_ms": 100.5}}))
print(json.dumps({"name": "start of the program", "ratio": None, "numbers": {"start_s": 0.2}}))
"""


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that holds the measurements."""
    monkeypatch.setattr(run, "FOLDER", tmp_path)
    return tmp_path


def test_rows_are_shown_and_written(scripts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (scripts / "bench_good.py").write_text(GOOD)
    (scripts / "not_a_measurement.py").write_text("raise SystemExit(1)")
    report = scripts / "new folder" / "report.json"
    assert run.main(["--json", str(report)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "measurement           ratio  numbers",
        "decode                 0.25  ours_ms 25, reference_ms 100.5",
        "start of the program      -  start_s 0.2",
        f"Written to {report}.",
    ]
    written = json.loads(report.read_text())
    assert written["rows"][0] == {"script": "bench_good.py", "name": "decode", "ratio": 0.25, "numbers": {"ours_ms": 25, "reference_ms": 100.5}}
    assert written["failed"] == []
    assert set(written["machine"]) == {"python", "system", "architecture", "cores"}


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("raise SystemExit(3)", "bench_bad.py failed with status 3"),
        ("", "bench_bad.py printed no row."),
        ("print('hello')", "bench_bad.py printed a line that is no row: hello"),
        ("""print('{"name": "a", "ratio": "b", "numbers": {}}')""", "bench_bad.py printed a line that is no row"),
        ("""print('{"name": "a", "ratio": 1, "numbers": {"ok": true}}')""", "bench_bad.py printed a line that is no row"),
        ("""print('{"name": "a", "ratio": 1, "numbers": {}, "more": 1}')""", "bench_bad.py printed a line that is no row"),
    ],
)
def test_bad_measurement_fails_and_the_others_still_count(scripts: Path, capsys: pytest.CaptureFixture[str], script: str, complaint: str) -> None:
    (scripts / "bench_bad.py").write_text(script)
    (scripts / "bench_good.py").write_text(GOOD)
    assert run.main(["--json", str(scripts / "report.json")]) == 1
    assert complaint in capsys.readouterr().out
    assert len(json.loads((scripts / "report.json").read_text())["rows"]) == 2


def test_measurement_that_hangs_is_ended(scripts: Path) -> None:
    (scripts / "bench_slow.py").write_text("import threading\nthreading.Event().wait()")
    with pytest.raises(run.BadMeasurement, match=r"bench_slow.py did not end within 0\.3 s"):
        run.measure(scripts / "bench_slow.py", limit_s=0.3)


def test_one_measurement_can_be_named(scripts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (scripts / "bench_good.py").write_text(GOOD)
    (scripts / "bench_bad.py").write_text("raise SystemExit(3)")
    assert run.main(["--json", str(scripts / "report.json"), "good"]) == 0
    assert run.main(["unknown"]) == 2
    assert "There is no measurement unknown: choose from bad, good." in capsys.readouterr().err


def test_measurements_load_what_they_have_in_common_from_beside_them(scripts: Path) -> None:
    (scripts / "shared_by_them.py").write_text("RATIO = 0.5")
    (scripts / "bench_good.py").write_text(
        "import json, shared_by_them; print(json.dumps({'name': 'a', 'ratio': shared_by_them.RATIO, 'numbers': {}}))",
    )
    assert [row.ratio for row in run.measure(scripts / "bench_good.py")] == [0.5]


@pytest.mark.usefixtures("scripts")
def test_nothing_to_measure_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--json", str(tmp_path / "report.json")]) == 0
    assert "Nothing was measured." in capsys.readouterr().out
