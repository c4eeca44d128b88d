"""Turns that need no key and no network: the practice model introduces this very project, and answers the weather question as printed."""

from __future__ import annotations

import json

from tests.cli.program import Home, answer_text, of_type, types
from tests.practice.golden_weather import QUESTION, RESULTS, ROUNDS
from tests.shared import ROOT


def test_this_project_is_introduced(home: Home) -> None:
    done = home.run("run", "介绍一下这个项目", "--workspace", str(ROOT), "--approve", "reads", "--json")
    assert done.status == 0, done.err
    facts = done.objects()
    assert [fact["seq"] for fact in facts] == list(range(1, len(facts) + 1))
    responses = of_type(facts, "ModelResponded")
    calls = [[part["name"] for part in response["message"]["parts"] if part["type"] == "ToolCallPart"] for response in responses]
    assert calls[0] == ["list"]
    assert calls[1] == ["read"] * len(calls[1])
    assert 3 <= len(calls[1]) <= 4
    assert calls[2] == []
    finished = of_type(facts, "ToolFinished")
    assert {fact["status"] for fact in finished} == {"ok"}
    assert not of_type(facts, "ApprovalRequested"), "what only looks, inside the workspace, does not ask"
    assert "README.md" in answer_text(facts), "the summary is made from what was read"
    assert "agent-workbench" in answer_text(facts)
    assert facts[-1]["end"] == "answered"
    reads = types([fact for fact in facts if fact.get("step") == 2 and fact["type"] in ("ToolStarted", "ToolFinished")])
    assert reads == ["ToolStarted"] * len(calls[1]) + ["ToolFinished"] * len(calls[1]), "read-only calls of one step run at once"


def test_the_weather_question_is_answered_as_printed(home: Home) -> None:
    facts = home.turn(QUESTION)
    responses = of_type(facts, "ModelResponded")
    assert len(responses) == len(ROUNDS)
    for response, golden in zip(responses, ROUNDS, strict=True):
        parts = response["message"]["parts"]
        assert "".join(part["text"] for part in parts if part["type"] == "ReasoningPart") == golden.reasoning
        called = [(part["name"], json.loads(part["arguments_raw"])) for part in parts if part["type"] == "ToolCallPart"]
        assert called == ([(golden.call[1], json.loads(golden.call[2]))] if golden.call else [])
    assert answer_text(facts) == ROUNDS[-1].text
    results = [fact["result"]["content"][0]["text"] for fact in of_type(facts, "ToolFinished")]
    assert results[-1] == RESULTS[-1]
    assert "小雨" in results[0]
