"""Measure what a decision costs: every command of the published cases, beside a parse by tree-sitter and starting `true`, in turns."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import tree_sitter_bash
from tree_sitter import Language, Parser

from workbench.agent.disk import RealDisk
from workbench.permissions.gate import Action, decide
from workbench.permissions.modes import GateFacts
from workbench.permissions.places import Root, Roots
from workbench.permissions.rules import RuleSet
from workbench.permissions.runners import usual_runners

CASES = Path(__file__).parents[2] / "tests" / "cases"
WRITTEN_AT = "/srv/ws/proj"
ROUNDS = 3
STARTS_EVERY = 20


def main() -> None:
    """Print one row for each thing that a decision is measured against."""
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as name:
        workspace = Path(os.path.realpath(name)) / "proj"
        subprocess.run(["bash", str(CASES / "commands_fixture.sh"), str(workspace)], check=True, capture_output=True)
        lines = (CASES / "commands.jsonl").read_text(encoding="utf-8").splitlines()
        commands = [json.loads(line)["command"].replace(WRITTEN_AT, str(workspace)) for line in lines]
        _show(_times(commands, workspace))


def _times(commands: list[str], workspace: Path) -> dict[str, list[float]]:
    """Return seconds: of decisions, parses and starts."""
    roots = Roots(workspace=Root(path=str(workspace)), home=str(workspace.parent / "home"))
    rules, disk, facts = RuleSet(usual_runners()), RealDisk(), GateFacts(rung="bwrap")
    parser = Parser(Language(tree_sitter_bash.language()))
    found: dict[str, list[float]] = {"decision": [], "parse": [], "start": []}
    for number, command in enumerate(commands * ROUNDS):
        action = Action(tool="bash", tool_class="exec", command=command)
        begun_s = time.perf_counter()
        decide(action, mode="ask", rules=rules, roots=roots, disk=disk, facts=facts)
        decided_s = time.perf_counter()
        parser.parse(command.encode("utf-8", "surrogatepass"))
        parsed_s = time.perf_counter()
        found["decision"].append(decided_s - begun_s)
        found["parse"].append(parsed_s - decided_s)
        if number % STARTS_EVERY == 0:
            subprocess.run(["/bin/true"], check=True)
            found["start"].append(time.perf_counter() - parsed_s)
    return found


def _show(found: dict[str, list[float]]) -> None:
    ours_ms = {name: 1000 * statistics.median(times) for name, times in found.items()}
    p95_ms = 1000 * statistics.quantiles(found["decision"], n=20)[-1]
    for name, beside in (("parse", "a parse by tree-sitter"), ("start", "starting a program")):
        numbers = {"ours_ms": round(ours_ms["decision"], 3), "ours_p95_ms": round(p95_ms, 3), "reference_ms": round(ours_ms[name], 3)}
        print(json.dumps({"name": f"decision on a command, beside {beside}", "ratio": round(ours_ms["decision"] / ours_ms[name], 2), "numbers": numbers}))


if __name__ == "__main__":
    main()
