"""What tools show reaches model and journal without secrets, and says so; a person may let a file of secrets be shown."""

from __future__ import annotations

import asyncio
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.agent.dialogue import Dialogue, results_of
from tests.agent.scripted_model import call, command
from tests.agent.tools import Probe
from workbench.agent.known_secrets import KnownSecrets
from workbench.agent.redacting import redact_file
from workbench.conversation.calls import FileChange
from workbench.conversation.events import ApprovalRequested, Entry, ToolFinished, ToolOutputArrived
from workbench.conversation.values import json_bytes
from workbench.redaction.redactor import Redactor
from workbench.tools.base import Result, ToolContext

VALUE = "canary-env-4f1b99"
TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"  # noqa: S105 - nobody's
ENV = {".env": f"# shop\nDB_PASSWORD={VALUE}\nMODE=development\n"}


def known(folder: Path) -> Redactor:
    return KnownSecrets([folder / "ws"]).redactor()


async def test_what_a_command_prints_reaches_nobody_with_its_secrets(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files=ENV, redactor=known(tmp_path)) as d:
        live: list[str] = []
        listening = d.journal.subscribe(lambda _entry: None, live=lambda event: live.append(event.text) if isinstance(event, ToolOutputArrived) else None)
        approving = d.journal.subscribe(lambda entry: _approve_soon(d, entry))
        await d.user("Go")
        await d.streams("", command(f"printf 'x %s y\\n' {VALUE}; echo {TOKEN[:9]}'{TOKEN[9:]}'; seq 30000; echo {VALUE[:5]}'{VALUE[5:]}'", "c1"))
        (text,) = results_of(await d.model.asked())
        await d.answers("Done.")
        listening.close()
        approving.close()
        fact = d.facts(ToolFinished)[0]
        assert text.startswith("x [REDACTED:DB_PASSWORD] y\n[REDACTED:GitHub token]\n1\n")
        assert "(3 secrets were replaced by [REDACTED:NAME]" in text
        assert fact.facts.endswith(" · 3 secrets replaced")
        assert fact.ui["secrets_replaced"] == 3
        assert text == fact.result.text()
        kept = (tmp_path / "outputs" / fact.output_file).read_text()
        assert kept.endswith("30000\n[REDACTED:DB_PASSWORD]\n")
        for written in ("".join(live), kept, json_bytes(fact).decode()):
            assert VALUE not in written
            assert TOKEN not in written


@pytest.mark.parametrize(("asked", "shown"), [({}, False), ({"show_secrets": True}, True)])
async def test_a_file_of_secrets_shows_its_names_unless_a_person_lets_it_show_all(tmp_path: Path, asked: dict[str, Any], shown: bool) -> None:
    async with Dialogue(tmp_path, files=ENV, redactor=known(tmp_path)) as d:
        await d.user("Go")
        await d.streams("", call("read", "c1", file_path=".env", **asked))
        question = await d.question()
        assert ("not the values" in question.preview.notes[0]) is not shown
        d.approve(question)
        (text,) = results_of(await d.model.asked())
        await d.answers("Done.")
        assert (f"2: DB_PASSWORD={VALUE}\n3: MODE=development" in text) is shown
        assert ("2: DB_PASSWORD=[REDACTED:DB_PASSWORD]\n3: MODE=[REDACTED:MODE]" in text) is not shown
        assert text.startswith("<path>.env</path>")


async def test_a_person_takes_the_values_out_of_the_question(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files=ENV, redactor=known(tmp_path)) as d:
        await d.user("Go")
        await d.streams("", call("read", "c1", file_path=".env", show_secrets=True))
        d.approve(await d.question(), arguments={"file_path": ".env"})
        (text,) = results_of(await d.model.asked())
        await d.answers("Done.")
        assert VALUE not in text
        assert "DB_PASSWORD=[REDACTED:DB_PASSWORD]" in text


async def test_a_tool_cannot_let_its_own_result_show_secrets(tmp_path: Path) -> None:
    async def work(_arguments: dict[str, object], _context: ToolContext) -> Result:
        return Result(text=TOKEN, shows_secrets=True)

    async with Dialogue(tmp_path, tools=[Probe("sly", work=work)]) as d:
        await d.user("Go")
        await d.streams("", call("sly", "c1"))
        (text,) = results_of(await d.model.asked())
        await d.answers("Done.")
        assert TOKEN not in text


def _approve_soon(d: Dialogue, entry: Entry) -> None:
    if isinstance(entry.event, ApprovalRequested):
        asyncio.get_running_loop().call_soon(d.approve, entry.event)


async def test_a_removed_file_of_secrets_is_not_shown_by_the_history(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={".env": "PLAIN=onlyletters\nOTHER=wordword\n"}, redactor=known(tmp_path)) as d:
        git = ["git", "-C", str(d.folder), "-c", "user.name=n", "-c", "user.email=e"]
        for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "a"], ["rm", "-q", ".env"], ["commit", "-qm", "b"]):
            await asyncio.to_thread(subprocess.run, [*git, *arguments], check=True, timeout=20)
        await d.user("Go")
        listening = d.journal.subscribe(lambda entry: _approve_soon(d, entry))
        await d.streams("", command("git show HEAD", "c1"), command("git show HEAD~1:.env", "c2"))
        texts = results_of(await d.model.asked())
        await d.answers("Done.")
        listening.close()
        assert "-PLAIN=[REDACTED:PLAIN]\n-OTHER=[REDACTED:OTHER]" in texts[0]
        assert "PLAIN=[REDACTED:PLAIN]\nOTHER=[REDACTED:OTHER]" in texts[1]


async def test_what_was_done_is_told_even_if_the_call_is_stopped_while_secrets_are_looked_for(tmp_path: Path) -> None:
    looking, go_on = threading.Event(), threading.Event()

    def refresh(again: bool) -> None:
        if again:
            looking.set()
            go_on.wait(20)

    async def work(_arguments: dict[str, object], _context: ToolContext) -> Result:
        return Result(text="written", files_changed=(FileChange(path="a", operation="modify", before_sha256="0", after_sha256="1"),))

    async with Dialogue(tmp_path, tools=[Probe("change", "edit", work=work)], redactor=Redactor(refresh=refresh)) as d:
        await d.user("Go")
        await d.streams("", call("change", "c1"))
        d.approve(await d.question())
        await asyncio.to_thread(looking.wait, 20)
        async with asyncio.TaskGroup() as group:
            group.create_task(d.session.stop())
            await asyncio.sleep(0)  # stop has cancelled the turn; only the look for secrets keeps it
            go_on.set()
        (fact,) = d.facts(ToolFinished)
        assert fact.result.text() == "written"
        assert len(fact.files_changed) == 1


def test_a_kept_output_is_replaced_at_once_and_only_if_it_has_to(tmp_path: Path) -> None:
    path = tmp_path / "c1.txt"
    path.write_text(f"a {TOKEN} b")
    assert redact_file(path, Redactor()) == 1
    assert path.read_text() == "a [REDACTED:GitHub token] b"
    before = path.stat().st_ino
    assert redact_file(path, Redactor()) == 0
    assert path.stat().st_ino == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["c1.txt"]
    assert redact_file(tmp_path / "missing.txt", Redactor()) == 0
