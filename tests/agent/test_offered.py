"""A tool that the model was not offered in its request cannot be called, though the program has it."""

from __future__ import annotations

from pathlib import Path

from tests.agent.dialogue import Dialogue
from tests.agent.scripted_model import call
from workbench.conversation.events import Decided


async def test_a_known_tool_that_was_not_offered_is_refused(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, hidden=["write", "calculator"]) as d:
        request = await d.user("write it")
        assert not {"write", "calculator"} & {tool.name for tool in request.tools}
        await d.streams("", call("write", "c1", file_path="a.py", content="x"), call("calculator", "c2", expression="1+1"))
        first, second = await d.result(), await d.result()
        assert (first.status, first.kind, second.kind) == ("error", "unknown_tool", "unknown_tool")
        assert "write, " not in first.result.text()
        assert not (d.folder / "a.py").exists()
        assert not d.facts(Decided)
        await d.model.asked()
        await d.answers("done")


async def test_what_is_offered_is_what_the_request_said_not_what_is_hidden_meanwhile(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "1"}, hidden=["read"]) as d:
        await d.user("read it")
        d.session.choose_model(d.session.chosen, d.model, hidden=["list"])
        await d.streams("", call("read", "c1", file_path="a.txt"), call("list", "c2", path="."))
        kinds = {(result.call_id, result.kind) for result in (await d.result(), await d.result())}
        assert kinds == {("c1", "unknown_tool"), ("c2", "")}
        await d.model.asked()
        await d.streams("", call("read", "c3", file_path="a.txt"), call("list", "c4", path="."))
        kinds = {(result.call_id, result.kind) for result in (await d.result(), await d.result())}
        assert kinds == {("c3", ""), ("c4", "unknown_tool")}
        await d.model.asked()
        await d.answers("done")
