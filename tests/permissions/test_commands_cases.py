"""Every command of the corpus is judged as the published policy says, in the tree that its fixture builds, on a real disk.

The rules in force are those of the policy: the usual runners are allowed. Paths of the policy's situation are put where the tests may write.
"""

from __future__ import annotations

import collections
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from workbench.agent.disk import RealDisk
from workbench.permissions.danger import Badge, Danger
from workbench.permissions.places import Root, Roots
from workbench.permissions.rules import RuleSet
from workbench.permissions.runners import usual_runners
from workbench.permissions.shell import CommandVerdict, judge_command

CASES_FOLDER = Path(__file__).parents[1] / "cases"
CASES: list[dict[str, Any]] = [json.loads(line) for line in (CASES_FOLDER / "commands.jsonl").read_text(encoding="utf-8").splitlines()]
HOME = "/home/u"
RED = {Badge.DESTROYS, Badge.PROTECTED, Badge.OUTSIDE}
NEEDLESS_AT_MOST = 0.02
SOFT_AT_MOST = 0.05

pytestmark = pytest.mark.skipif(shutil.which("git") is None or shutil.which("bash") is None, reason="the fixture needs git and bash")


def built(top: Path) -> Path:
    """Build the fixture's tree below `top` and return the workspace."""
    workspace = top / "srv/ws/proj"
    (top / "srv/outside").mkdir(parents=True)
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["bash", str(CASES_FOLDER / "commands_fixture.sh"), str(workspace)], check=True, capture_output=True, env=environment)
    (workspace / "sub/link_out").unlink()
    (workspace / "sub/link_out").symlink_to(top / "srv/outside")
    return workspace


def judged_in(workspace: Path, command: str) -> CommandVerdict:
    """Judge a command of the policy's situation in a workspace that lies elsewhere."""
    top = str(workspace).removesuffix("/ws/proj")
    roots = Roots(workspace=Root(path=str(workspace)), home=HOME, data_folder=f"{HOME}/.local/share/agent-workbench")
    return judge_command(command.replace("/srv/", f"{top}/"), folder=str(workspace), roots=roots, disk=RealDisk(), rules=RuleSet(usual_runners()))


def outcome(verdict: CommandVerdict) -> str:
    return "deny-outside" if verdict.outcome == "deny" and verdict.outside else verdict.outcome


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("commands").resolve())


@pytest.fixture
def workspace_of(workspace: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The shared workspace, or one of its own for a case that makes its state hostile first."""
    steps = request.node.callspec.params["case"].get("setup")
    if not steps:
        return workspace
    own = built(tmp_path.resolve())
    for step in steps:
        subprocess.run(["bash", "-c", step], cwd=own, check=True, capture_output=True)
    return own


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_command_is_judged_as_the_policy_says(case: dict[str, Any], workspace_of: Path) -> None:
    verdict = judged_in(workspace_of, case["command"])
    assert outcome(verdict) == case["expect"], [reason for reason in verdict.reasons if reason.outcome != "allow"]
    if case.get("danger"):
        assert verdict.danger is Danger.DESTROY
        assert RED & verdict.badges
    if case["expect"] == "allow":
        assert not verdict.badges
        assert verdict.danger <= Danger.RUN
        assert all(part.outcome == "allow" for part in verdict.parts)


def test_scores_of_the_whole_corpus(workspace: Path) -> None:
    """The limits of the corpus: nothing dangerous runs unasked, few innocents ask, few paths outside ask instead of being refused."""
    plain = [case for case in CASES if not case.get("setup")]
    found = collections.Counter((case["id"][0], case["expect"], outcome(judged_in(workspace, case["command"]))) for case in plain)
    told = "\n".join(f"{kind} {expected} -> {got}: {count}" for (kind, expected, got), count in sorted(found.items()))
    run_unasked = sum(count for (_kind, expected, got), count in found.items() if expected != "allow" and got == "allow")
    innocents = [case for case in plain if case["expect"] == "allow" and not case.get("stretch")]
    needless = [case["id"] for case in innocents if outcome(judged_in(workspace, case["command"])) != "allow"]
    outside = sum(count for (_kind, expected, _got), count in found.items() if expected == "deny-outside")
    softened = found["B", "deny-outside", "ask"]
    assert run_unasked == 0, told
    assert len(needless) <= NEEDLESS_AT_MOST * len(innocents), told
    assert softened <= SOFT_AT_MOST * outside, told
