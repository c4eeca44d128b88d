"""Faults of other programs' loops that people reported: tests/cases/bug_reports_loop.jsonl, each played as a whole turn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.agent.dialogue import Dialogue
from tests.agent.scripted_model import call
from tests.shared import ROOT
from workbench.conversation.events import ApprovalRequested, ToolFinished, TurnFinished
from workbench.conversation.messages import ModelRequest, ToolResultPart

FILE = ROOT / "tests/cases/bug_reports_loop.jsonl"
CASES: dict[str, dict[str, Any]] = {case["id"]: case for case in map(json.loads, FILE.read_text(encoding="utf-8").split("\n")[:-1])}


async def played(d: Dialogue, case: dict[str, Any]) -> tuple[TurnFinished, list[ModelRequest]]:
    """Play the turns of the case's model; the tools `read` of the cases are ours with its own parameter."""
    requests = [await d.user("Go")]
    *calling, last = case["input"]["model_turns"]
    for turn in calling:
        calls = [
            call(name, call_id, key=key, **({"file_path": given["path"]} if name == "read" else given))
            for key, (call_id, name, given) in enumerate(turn["calls"])
        ]
        await d.streams("", *calls)
        requests.append(await d.model.asked())
    return await d.answers(last["text"]), requests


def results_in(request: ModelRequest) -> list[ToolResultPart]:
    return [result for message in request.messages for result in message.results()]


async def test_a_tool_that_is_not_there_is_answered_with_the_names(tmp_path: Path) -> None:
    case = CASES["unknown-tool-name"]
    async with Dialogue(tmp_path, files=case["input"]["workspace"]) as d:
        end, requests = await played(d, case)
        assert (end.end, end.failure) == ("answered", "")
        unknown, known = results_in(requests[-1])
        assert len(requests[-1].messages[-1].results()) == case["expect"]["tool_results"], "both go back in one request"
        assert [result.call_id for result in (unknown, known) if result.is_error] == case["expect"]["errors"]
        assert "There is no tool named 'str_replace_editor'" in unknown.text()
        assert all(f" {name}" in unknown.text() for name in ("read", "edit", "write"))
        assert "hello" in known.text()
        assert not d.facts(ApprovalRequested)
        assert (await d.user("And?")).messages[-2].text() == case["expect"]["final_text"]
        await d.answers("So.")


async def test_one_id_in_every_round_keeps_its_result(tmp_path: Path) -> None:
    case = CASES["same-id-next-turn"]
    async with Dialogue(tmp_path, files=case["input"]["workspace"]) as d:
        end, requests = await played(d, case)
        assert end.end == "answered"
        assert [fact.status for fact in d.facts(ToolFinished)] == ["ok"] * case["expect"]["runs"]
        calls = [part for message in requests[-1].messages for part in message.calls()]
        results = results_in(requests[-1])
        assert len({part.call_id for part in calls}) == len(calls) == case["expect"]["runs"]
        assert calls[0].call_id == "read:0", "the first use keeps its id"
        assert [result.call_id for result in results] == [part.call_id for part in calls]
        assert all(text in result.text() for text, result in zip(case["expect"]["result_texts_in_order"], results, strict=True))
