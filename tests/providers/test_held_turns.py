"""Whole turns with a real session, a real client and a real server: held, repaired, sent, answered; refused, explained, tried again."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.agent.dialogue import CHOSEN, Dialogue
from tests.agent.tools import Probe
from tests.providers.test_client import Server, chunk, pieces
from workbench import words
from workbench.conversation.checks import RefusalExplained, RequestHeld, RequestReleased
from workbench.conversation.events import Entry, ExchangeClosed, ExchangeOpened, TurnFinished
from workbench.conversation.exchange import MemoryKeeper
from workbench.dialects.base import Quirks
from workbench.providers.client import ProviderModel
from workbench.providers.profiles import Profile
from workbench.wire.client import HttpClient
from workbench.wire.server import LoopbackServer, ServerResponse

SSE = (("Content-Type", "text/event-stream"),)
JSON = (("Content-Type", "application/json"),)
BAD_NAME = "Invalid 'messages[2].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."


def calls(name: str, call_id: str = "k1", arguments: str = "{}") -> ServerResponse:
    delta: dict[str, object] = {"tool_calls": [{"index": 0, "id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}]}
    return ServerResponse(200, SSE, pieces(chunk({"role": "assistant", "content": None}), chunk(delta), chunk({}, "tool_calls"), b"data: [DONE]\n\n"))


def says(text: str) -> ServerResponse:
    return ServerResponse(200, SSE, pieces(chunk({"role": "assistant", "content": text}), chunk({}, "stop"), b"data: [DONE]\n\n"))


def refuses(message: str, status: int = 400) -> ServerResponse:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    return ServerResponse(status, JSON, json.dumps({"error": error}).encode())


def wordy() -> Probe:
    """Return a tool with a long description."""
    probe = Probe("wordy")
    probe.definition = replace(probe.definition, description="d" * 1100)
    return probe


class Bench:
    """A session that talks to a server which answers with the given responses, one a request."""

    def __init__(self, dialogue: Dialogue, server: Server, keeper: MemoryKeeper) -> None:
        self.d = dialogue
        self.server = server
        self.keeper = keeper

    @property
    def opened(self) -> list[ExchangeOpened]:
        return self.d.facts(ExchangeOpened)

    def sent(self, number: int) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.server.received[number].body)
        return body

    def names(self, number: int) -> list[str]:
        return [call["function"]["name"] for message in self.sent(number)["messages"] for call in message.get("tool_calls") or ()]


@asynccontextmanager
async def bench(folder: Path, *answers: ServerResponse, entries: tuple[Entry, ...] = (), **options: Any) -> AsyncIterator[Bench]:
    server = Server(*[lambda answer=answer: answer for answer in answers])
    quirks = options.pop("quirks", Quirks())
    async with LoopbackServer(server) as running, Dialogue(folder, entries=entries, **options) as d:
        http, keeper = HttpClient(environ={}), MemoryKeeper()
        profile = Profile(name="here", base_url=running.base_url + "/v1", title="Here", quirks=quirks)
        d.session.choose_model(CHOSEN, ProviderModel(profile, "scripted", http=http, journal=d.journal, keeper=keeper))
        try:
            yield Bench(d, server, keeper)
        finally:
            await d.session.stop()
            await http.aclose()


async def test_a_request_that_would_be_refused_is_held_repaired_sent_and_answered(tmp_path: Path) -> None:
    async with bench(tmp_path, calls("fs.look"), says("Done.")) as b:
        await b.d.session.submit("go")
        held = await b.d.fact(RequestHeld)
        assert [(one.rule, one.severity) for one in held.findings] == [("chat.call-name", "error")]
        assert held.mends
        assert held.number == 2
        assert b.d.session.held == held
        assert len(b.server.received) == len(b.opened) == 1, "nothing is opened or sent while it is held"
        assert held.body is not None
        assert b'"fs.look"' in b.keeper.body(held.body)
        assert b.d.session.release(held.hold_id, "repair")
        assert not b.d.session.release(held.hold_id, "send"), "the first decision wins"
        end = await b.d.end()
        assert end.end == "answered"
        assert b.names(1) == ["fs_look"]
        second = b.opened[1]
        assert second.repaired == ("chat.call-name",)
        assert not [one for one in second.findings if one.severity == "error"]
        assert b.keeper.body(second.body) == b.server.received[1].body
        assert [message.calls()[0].name for message in b.d.session.messages if message.calls()] == ["fs.look"], "the journal keeps the truth"
        assert second.number == 2


async def test_a_rule_is_asked_about_once_and_its_repair_gives_the_same_beginning(tmp_path: Path) -> None:
    async with bench(tmp_path, calls("fs.look"), calls("fs.look", "k2"), says("Done."), says("Again.")) as b:
        await b.d.session.submit("go")
        held = await b.d.fact(RequestHeld)
        b.d.session.release(held.hold_id, "repair")
        assert (await b.d.end()).end == "answered"
        await b.d.session.submit("and more")
        assert (await b.d.end()).end == "answered"
        assert len(b.d.facts(RequestHeld)) == 1
        assert [one.repaired for one in b.opened] == [(), *[("chat.call-name",)] * 3]
        assert b.names(3) == ["fs_look", "fs_look"]
        bodies = [request.body for request in b.server.received[1:]]
        for shorter, longer in itertools.pairwise(bodies):
            common = next((place for place, (x, y) in enumerate(zip(shorter, longer, strict=False)) if x != y), len(shorter))
            assert shorter[common : common + 1] == b"]", "a longer request begins with the shorter one"
        runs = [one.body.runs for one in b.opened[2:]]
        assert runs[0][0][0] == runs[1][0][0], "equal pieces are kept once"


async def test_sent_as_it_is_refused_explained_and_offered_again(tmp_path: Path) -> None:
    async with bench(tmp_path, calls("fs.look"), refuses(BAD_NAME), says("Done.")) as b:
        await b.d.session.submit("go")
        held = await b.d.fact(RequestHeld)
        b.d.session.release(held.hold_id, "send")
        end = await b.d.end()
        assert end.end == "failed"
        assert "chat.call-name at /messages/2/tool_calls/0/function/name" in end.text
        assert "'fs.look'" in end.text
        closed = b.d.facts(ExchangeClosed)[1]
        assert "fs.look" not in str(closed.values["meaning"]).replace("'fs.look'", "")
        assert "chat.call-name" not in str(closed.values["text"]), "the provider's words alone"
        words.choose_language("zh_CN")
        try:
            assert "调用的名称 'fs.look' 不是由" in words.tell(end)
        finally:
            words.choose_language("en")
        (explained,) = b.d.facts(RefusalExplained)
        assert explained.exchange_id == b.opened[1].exchange_id
        assert [(one.rule, one.severity, bool(one.edits)) for one in explained.findings] == [("chat.call-name", "error", True)]
        assert b.names(1) == ["fs.look"]
        await b.d.session.submit("again")
        again = await b.d.fact(RequestHeld)
        assert again.hold_id != held.hold_id
        b.d.session.release(again.hold_id, "repair")
        assert (await b.d.end()).end == "answered"
        assert b.names(2) == ["fs_look"]


async def test_a_warning_that_was_refused_holds_the_next_try(tmp_path: Path) -> None:
    """A long description is only a warning, until the server says that it minds."""
    answers = (refuses("Invalid 'tools[10].function.description': string too long. Expected a string with maximum length 1024"), says("Done."))
    async with bench(tmp_path, *answers, tools=(wordy(),)) as b:
        await b.d.session.submit("go")
        assert (await b.d.end()).end == "failed"
        (explained,) = b.d.facts(RefusalExplained)
        assert {one.rule for one in explained.findings} == {"chat.description-length"}
        assert {one.severity for one in b.opened[0].findings if one.rule == "chat.description-length"} == {"warning"}
        await b.d.session.submit("again")
        held = await b.d.fact(RequestHeld)
        assert {one.rule for one in held.findings} == {"chat.description-length"}
        b.d.session.release(held.hold_id, "repair")
        assert (await b.d.end()).end == "answered"
        assert all(len(tool["function"]["description"]) <= 1024 for tool in b.sent(1)["tools"])


async def test_what_no_rule_sees_is_held_while_it_stands_there(tmp_path: Path) -> None:
    async with bench(tmp_path, refuses("Invalid 'messages[1].content': we do not like it."), says("Done.")) as b:
        await b.d.session.submit("go")
        assert "chat.refused at /messages/1/content" in (await b.d.end()).text
        await b.d.session.submit("again")
        held = await b.d.fact(RequestHeld)
        assert [(one.rule, one.pointer, one.edits) for one in held.findings] == [("chat.refused", "/messages/1/content", ())]
        assert not held.mends
        b.d.session.release(held.hold_id, "send")
        assert (await b.d.end()).end == "answered"


@pytest.mark.parametrize("way", ["stop", "decision", "close"])
async def test_a_stop_while_held_is_clean(tmp_path: Path, way: str) -> None:
    async with bench(tmp_path, calls("fs.look"), says("Done.")) as b:
        await b.d.session.submit("go")
        held = await b.d.fact(RequestHeld)
        match way:
            case "stop":
                await b.d.session.stop()
            case "decision":
                assert b.d.session.release(held.hold_id, "stop")
                await b.d.session.wait_idle()
            case _:
                await b.d.session.aclose()
        (released,) = b.d.facts(RequestReleased)
        assert (released.hold_id, released.decision) == (held.hold_id, "stop")
        assert b.d.facts(TurnFinished)[-1].end == "stopped"
        assert b.d.session.held is None
        assert not b.d.session.release(held.hold_id, "repair")
        assert len(b.server.received) == 1


async def test_killed_while_held_the_hold_is_closed_and_asked_again(tmp_path: Path) -> None:
    async with bench(tmp_path / "first", calls("fs.look"), says("Never.")) as b:
        await b.d.session.submit("go")
        await b.d.fact(RequestHeld)
        entries = tuple(b.d.journal.entries)
    async with bench(tmp_path / "again", says("Done."), says("Again."), entries=entries) as b:
        (released,) = b.d.facts(RequestReleased)
        assert released.decision == "stop"
        assert b.d.facts(TurnFinished)[-1].end == "interrupted"
        await b.d.session.submit("go on")
        held = await b.d.fact(RequestHeld)
        while b.d.session.held is None or held.hold_id != b.d.session.held.hold_id:
            held = await b.d.fact(RequestHeld)
        b.d.session.release(held.hold_id, "repair")
        assert await b.d.until(lambda entry: isinstance(entry.event, TurnFinished) and entry.event.end == "answered")
        entries = tuple(b.d.journal.entries)
    async with bench(tmp_path / "third", says("Done."), entries=entries) as b:
        await b.d.session.submit("more")
        assert (await b.d.until(lambda entry: entry.seq > len(entries) and isinstance(entry.event, TurnFinished))).event.end == "answered"  # type: ignore[union-attr]
        assert b.opened[-1].repaired == ("chat.call-name",), "what was decided is still known"


async def test_without_a_person_it_is_repaired(tmp_path: Path) -> None:
    async with bench(tmp_path, calls("fs.look"), says("Done."), headless="none") as b:
        await b.d.session.submit("go")
        assert (await b.d.end()).end == "answered"
        assert [one.decision for one in b.d.facts(RequestReleased)] == ["repair"]
        assert b.names(1) == ["fs_look"]


async def test_a_good_request_is_not_held_and_warnings_are_told(tmp_path: Path) -> None:
    async with bench(tmp_path, says("Done.")) as b:
        await b.d.session.submit("go")
        assert (await b.d.end()).end == "answered"
        assert not b.d.facts(RequestHeld)
        assert all(one.severity == "warning" for one in b.opened[0].findings)


async def test_other_failures_are_not_explained(tmp_path: Path) -> None:
    async with bench(tmp_path, refuses("Incorrect API key provided for messages[1].", 401)) as b:
        await b.d.session.submit("go")
        assert (await b.d.end()).end == "failed"
        assert not b.d.facts(RefusalExplained)
        assert b.d.facts(ExchangeClosed)[0].failure == "auth"


