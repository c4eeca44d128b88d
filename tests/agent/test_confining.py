"""What the program knows of its sandbox, and what of it the gate is told."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.workspace.holding import program_folder
from workbench.agent.confining import Confining, facts_of
from workbench.agent.gatekeeper import Gatekeeper
from workbench.permissions.modes import GateFacts, mode_available
from workbench.permissions.places import Root, Roots
from workbench.workspace.sandbox import Rung, Sandbox, SelfTestReport

PARTLY = "Auto needs a sandbox that keeps commands inside the workspace; this one does so only in part."


def gatekeeper(folder: Path) -> Gatekeeper:
    return Gatekeeper(roots=Roots(workspace=Root(path=str(folder))))


@pytest.mark.parametrize(
    ("rung", "problem", "because"),
    [
        ("bwrap", "", ""),
        ("seatbelt", "", ""),
        ("landlock", "bubblewrap is not installed.", f"{PARTLY} bubblewrap is not installed."),
        ("none", "Nothing can confine commands.", "Nothing can confine commands."),
        ("none", "", GateFacts().unconfined_because),
    ],
)
def test_auto_is_there_only_with_a_whole_sandbox_and_else_it_says_why(rung: Rung, problem: str, because: str) -> None:
    facts = facts_of(Sandbox(rung=rung, report=SelfTestReport(rung, (), problem)))
    assert (facts.rung, facts.unconfined_because) == (rung, because)
    assert (mode_available("auto", facts) is None) == (rung in {"bwrap", "seatbelt"})


async def test_it_is_tested_when_it_is_first_needed_and_told_to_all(tmp_path: Path) -> None:
    confining, keeper = Confining(os.environ), gatekeeper(tmp_path)
    confining.tell(keeper)
    assert (keeper.facts, confining.sandbox.rung) == (GateFacts(), "none")
    found = await confining.known()
    assert (keeper.facts.rung, await confining.known_facts()) == (found.rung, confining.facts)
    assert await confining.known() is found


async def test_without_bubblewrap_auto_is_off(tmp_path: Path) -> None:
    confining = Confining({**os.environ, "PATH": str(program_folder(tmp_path / "bin"))})
    assert (await confining.test()).rung in {"landlock", "none"}
    assert mode_available("auto", confining.facts) is not None
    assert "bubblewrap" in confining.facts.unconfined_because


async def test_who_only_judges_takes_what_is_installed_for_granted(tmp_path: Path) -> None:
    confining, keeper = Confining(os.environ), gatekeeper(tmp_path)
    confining.tell(keeper)
    await confining.assume(keeper)
    assert keeper.know is None
    assert confining.sandbox.rung == "none", "nothing was tested"
    assert keeper.facts.rung in {"bwrap", "landlock", "seatbelt", "none"}


async def test_what_is_assumed_is_what_is_found_here(tmp_path: Path) -> None:
    confining, keeper = Confining(os.environ), gatekeeper(tmp_path)
    await confining.assume(keeper)
    if (await confining.known()).rung != "bwrap":
        pytest.skip("this machine has no bubblewrap that holds, which only a test can tell")
    assert keeper.facts == confining.facts


async def test_a_sandbox_that_goes_away_is_noticed_before_the_next_command(tmp_path: Path) -> None:
    sandbox_program = shutil.which("bwrap")
    if sandbox_program is None:
        pytest.skip("there is no bubblewrap here")
    folder = program_folder(tmp_path / "bin")
    (folder / "bwrap").symlink_to(sandbox_program)
    confining = Confining({**os.environ, "PATH": str(folder)})
    if (await confining.known_facts()).rung != "bwrap":
        pytest.skip("bubblewrap does not hold here")
    (folder / "bwrap").unlink()
    assert (await confining.known_facts()).rung in {"landlock", "none"}
    assert not confining.facts.confined
