"""A command that the sandbox stopped: one question of its own, and what comes of each answer."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agent.dialogue import Dialogue, results_of
from tests.agent.scripted_model import call
from tests.workspace.holding import sandbox
from workbench.agent.confining import Confining
from workbench.agent.gatekeeper import Gatekeeper
from workbench.conversation.events import ApprovalRequested, ApprovalResolved, Decided, ToolFinished, ToolStarted
from workbench.permissions.modes import GateFacts
from workbench.permissions.rules import RuleSet, TextRule
from workbench.workspace.sandbox import Sandbox

SCRIPT = "#!/bin/sh\necho tried >> tries\n"
ALLOWED = RuleSet((TextRule(effect="allow", text="bash script.sh", rule_id="r1"),))


@pytest.fixture
def confining() -> Confining:
    sandbox("bwrap")
    return Confining(os.environ)


@pytest.fixture
def outside() -> Iterator[Path]:
    """A file outside, in a place that is not hidden but read-only."""
    if not os.access("/var/lib", os.W_OK):
        pytest.skip("there is no place here that this user may write to and that is not hidden in a sandbox")
    file = Path("/var/lib") / f"workbench-test-{secrets.token_hex(4)}"
    yield file
    file.unlink(missing_ok=True)


async def begin(d: Dialogue, script: str) -> None:
    """Let the model run a script of the workspace."""
    (d.folder / "script.sh").write_text(SCRIPT + script)
    (d.folder / "script.sh").chmod(0o755)
    await d.user("Go")
    await d.streams("", call("bash", "c1", command="bash script.sh", description="run it"))


async def finish(d: Dialogue) -> str:
    """Return the result that goes back to the model, and end the turn."""
    (text,) = results_of(await d.model.asked())
    await d.answers("Done.")
    return text


async def test_yes_lets_it_run_again_as_it_was_shown(tmp_path: Path, confining: Confining, outside: Path) -> None:
    async with Dialogue(tmp_path, confining=confining) as d:
        await begin(d, f"touch {outside}\n")
        first = await d.question()
        assert (first.confinement, first.danger) == ("confined", 2)
        d.approve(first)
        second = await d.question()
        assert second.approval_id != first.approval_id
        assert (second.confinement, second.danger, second.reasons[0].code, second.digest) == ("unconfined", 3, "sandbox.stopped", first.digest)
        denied = [(reason.text, reason.subject) for reason in second.reasons if reason.code == "sandbox.denied"]
        assert denied == [("The sandbox stopped it from writing there.", str(outside))], "a person knows what it tried"
        assert (second.can_always, second.always, [part.always for part in second.parts]) == (False, (), [()])
        assert outside.name not in {file.name for file in outside.parent.iterdir()}
        d.approve(second)
        text = await finish(d)
        assert "the user let it run again outside of the sandbox" in text
        assert outside.name in {file.name for file in outside.parent.iterdir()}
        assert [fact.confinement for fact in d.facts(Decided)] == ["confined", "unconfined"]
        assert len(d.facts(ToolStarted)) == 2
        (ended,) = d.facts(ToolFinished)
        assert (ended.exit_code, ended.decision, ended.ui["sandbox"]["confinement"]) == (0, "approved", "unconfined")


async def test_no_gives_the_model_the_first_result(tmp_path: Path, confining: Confining, outside: Path) -> None:
    async with Dialogue(tmp_path, confining=confining) as d:
        await begin(d, f"touch {outside}\n")
        d.approve(await d.question())
        d.reject(await d.question(), note="no")
        text = await finish(d)
        assert "Read-only file system" in text
        assert "[it was not run again outside of the sandbox: the user did not allow it]" in text
        (ended,) = d.facts(ToolFinished)
        assert ended.ui["sandbox"] == {
            "confinement": "confined", "rung": "bwrap", "denied": [{"kind": "write", "subject": str(outside)}], "quarantined": [],
        }  # fmt: skip
        assert (d.folder / "tries").read_text() == "tried\n"


async def test_what_lacks_the_network_gets_no_more_than_that(tmp_path: Path, confining: Confining) -> None:
    async with Dialogue(tmp_path, confining=confining, rules=ALLOWED) as d:
        await begin(d, "echo 'curl: (6) Could not resolve host: example.org' >&2; exit 6\n")
        question = await d.question()
        assert (question.confinement, question.danger, question.reasons[0].code) == ("network", 3, "sandbox.stopped")
        d.approve(question)
        text = await finish(d)
        assert "[the sandbox stopped it at first; the user let it run again with the network." in text
        assert d.facts(ToolFinished)[0].ui["sandbox"]["confinement"] == "network"
        assert len(d.facts(ApprovalRequested)) == 1, "asked once, not again after the second run"


@pytest.mark.parametrize(("headless", "asked", "said"), [("reads", 0, "nobody is there to allow it"), ("none", 0, "nobody is there"), ("all", 1, "run again")])
async def test_without_a_person_only_a_policy_of_all_runs_it_again(tmp_path: Path, confining: Confining, headless: Any, asked: int, said: str) -> None:
    async with Dialogue(tmp_path, confining=confining, rules=ALLOWED, headless=headless) as d:
        await begin(d, "echo 'x: Network is unreachable'; exit 1\n")
        assert said in await finish(d)
        assert len(d.facts(ApprovalRequested)) == asked


async def test_read_only_mode_refuses_the_second_run(tmp_path: Path, confining: Confining) -> None:
    async with Dialogue(tmp_path, confining=confining, rules=ALLOWED) as d:
        await begin(d, "echo 'x: Network is unreachable'; exit 1\n")
        question = await d.question()
        d.session.choose_mode("read_only")
        text = await finish(d)
        assert "[it was not run again with the network: the mode or a rule does not allow it]" in text
        assert d.session.pending == ()
        assert question.confinement == "network"


async def test_stopping_while_the_question_is_open_keeps_what_was_done(tmp_path: Path, confining: Confining) -> None:
    async with Dialogue(tmp_path, confining=confining, rules=ALLOWED) as d:
        await begin(d, "echo 'first output'; echo 'x: Network is unreachable'; exit 1\n")
        await d.question()
        await d.session.stop()
        (ended,) = d.facts(ToolFinished)
        assert ended.status == "cancelled"
        assert "first output" in ended.result.text()


async def test_decided_as_confined_never_runs_without_a_sandbox(tmp_path: Path) -> None:
    confining = Confining(os.environ)

    async def facts() -> GateFacts:
        return GateFacts(rung="bwrap", unconfined_because="")

    async def lost() -> Sandbox:
        return Sandbox()

    async with Dialogue(tmp_path, confining=confining, rules=ALLOWED) as d:
        d.gatekeeper.know = facts
        d.use(sandbox=lost)
        await begin(d, "")
        text = await finish(d)
        assert text.startswith("Error (sandbox_unavailable): The command was not run")
        assert not (d.folder / "tries").exists()


async def test_nothing_runs_silently_unconfined_where_there_is_no_sandbox(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, confining=Confining({"PATH": "/nowhere", "HOME": str(tmp_path)})) as d:
        await begin(d, "")
        question = await d.question()
        assert question.confinement in {"unconfined", "confined"}
        assert question.confinement == ("unconfined" if d.gatekeeper.facts.rung == "none" else "confined")
        assert not d.gatekeeper.facts.confined
        assert d.gatekeeper.facts.unconfined_because
        d.reject(question)
        await finish(d)


async def test_a_new_test_reaches_open_gatekeepers(tmp_path: Path) -> None:
    confining = Confining(os.environ)
    async with Dialogue(tmp_path, confining=confining) as d:
        keeper: Gatekeeper = d.gatekeeper
        assert keeper.facts == GateFacts()
        report = await confining.test()
        assert (keeper.facts.rung, confining.sandbox.rung) == (report.rung, report.rung)


async def test_a_question_is_not_answered_by_rules_for_another_way_to_run_it(tmp_path: Path) -> None:
    """Shown unconfined, then a sandbox is found and the mode lets everything run in it: what was asked was something else."""
    async with Dialogue(tmp_path) as d:
        await begin(d, "true\n")
        question = await d.question()
        assert question.confinement == "unconfined"
        d.gatekeeper.facts = GateFacts(rung="bwrap", unconfined_because="")
        d.session.choose_mode("auto")
        assert d.session.pending == (question,)
        d.reject(question)
        await finish(d)
        assert not d.facts(ToolStarted)


async def test_a_session_killed_while_it_is_asked_again_ends_the_call_as_begun(tmp_path: Path, confining: Confining) -> None:
    async with Dialogue(tmp_path / "first", confining=confining, rules=ALLOWED) as d:
        await begin(d, "echo 'x: Network is unreachable'; exit 1\n")
        question = await d.question()
        killed = tuple(d.journal.entries)
        d.reject(question)
        await finish(d)
    async with Dialogue(tmp_path / "second", confining=confining, entries=killed) as d:
        assert not d.session.pending
        assert not d.session.resolve(question.approval_id, "approve")
        (resolved,) = d.facts(ApprovalResolved)
        assert (resolved.approval_id, resolved.answer, resolved.by) == (question.approval_id, "stop", "program")
        (ended,) = d.facts(ToolFinished)
        assert (ended.call_id, ended.status, ended.kind) == ("c1", "cancelled", "cancelled")
        assert len(d.facts(ToolStarted)) == 1, "it does not run again by itself"
