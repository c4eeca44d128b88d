"""A conversation begun in one dialect goes on in every other: the new server is sent nothing that its linter would refuse."""

from __future__ import annotations

from itertools import permutations

import pytest
from msgspec.structs import replace

from tests.providers.answering import Bench, Server, calls, says
from tests.providers.test_doors import profile
from workbench.conversation.messages import DialectName, Message, ModelRequest, RequestOptions, TextPart, ToolDefinition, ToolResultPart, text_message
from workbench.dialects import registry
from workbench.providers.choices import ModelChoice, switch_notice
from workbench.wire.server import LoopbackServer

READ = ToolDefinition(
    name="read", description="Read a file.", input_schema={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
)


def request(*messages: Message) -> ModelRequest:
    return ModelRequest(system=("be brief",), tools=(READ,), messages=messages, options=RequestOptions(model="m", max_output_tokens=1000))


def result_of(answer: Message) -> Message:
    (call,) = answer.calls()
    return Message(message_id="t1", role="tool", parts=(ToolResultPart(call_id=call.call_id, name=call.name, content=(TextPart(text="内容"),)),))


@pytest.mark.parametrize(("first", "second"), [*permutations(registry.names(), 2)])
async def test_a_session_goes_on_in_another_dialect(first: DialectName, second: DialectName) -> None:
    one, two = Server(calls(first, "read", '{"path": "a.txt"}')), Server(says(second, "done"))
    bench = Bench()
    async with LoopbackServer(one) as begins, LoopbackServer(two) as goes_on:
        before, after = (replace(profile(name, at.base_url), name=name) for name, at in ((first, begins), (second, goes_on)))
        model = bench.model(before)
        question = text_message("user", "读 a.txt")
        assembled = await bench.ask(model, request(question))
        answer = assembled.message("a1", origin=model.origin)
        assert [(call.name, call.arguments()) for call in answer.calls()] == [("read", {"path": "a.txt"})]
        said = request(question, answer, result_of(answer))
        done = await bench.ask(bench.model(after), said)
        await bench.http.aclose()
    assert done.message("m1").text() == "done"
    sent = two.received[0].body
    assert b"a.txt" in sent
    assert "内容".encode() in sent
    assert [finding for finding in registry.dialect(second).check(sent, ModelChoice(after, "m").quirks) if finding.severity == "error"] == []
    assert registry.detect(two.received[0].target, sent) in (second, "chat_completions")
    notice = switch_notice(said, ModelChoice(before, "m"), ModelChoice(after, "m"))
    assert notice is None or notice.text.startswith("Here goes on")
