"""The program in a terminal against a server that refuses: the person is asked, the repair is sent, and a kill while held loses nothing."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.cli.program import Home, of_type
from tests.cli.screen import Screen
from tests.providers.test_held_turns import calls, says
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse

WHAT_NOW = "What now? r repair"


class Refusing:
    """A server that asks for a tool under a name it refuses afterwards, as some do, and answers when the name is legal."""

    def __init__(self) -> None:
        self.received: list[dict[str, Any]] = []

    async def __call__(self, request: ServerRequest) -> ServerResponse:
        body = json.loads(request.body)
        self.received.append(body)
        made = [call["function"]["name"] for message in body["messages"] for call in message.get("tool_calls") or ()]
        return says(f"You said {made[0]}.") if made else calls("fs.look")


@contextmanager
def serving(server: Refusing) -> Iterator[str]:
    """Serve in a thread, and return the address."""
    address: list[str] = []
    ready, leave = threading.Event(), threading.Event()

    async def main() -> None:
        async with LoopbackServer(server) as running:
            address.append(running.base_url)
            ready.set()
            await asyncio.to_thread(leave.wait)

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    try:
        assert ready.wait(20)
        yield f"{address[0]}/v1"
    finally:
        leave.set()
        thread.join(20)


def test_a_person_lets_the_repaired_request_go(home: Home) -> None:
    server = Refusing()
    with serving(server) as address, Screen(home, "run", "go", "--base-url", address, "--model", "m") as screen:
        shown = screen.wait_for(WHAT_NOW)
        assert "chat.call-name" in shown
        assert len(server.received) == 1
        screen.enter("r")
        screen.wait_for("You said fs_look.")
        assert screen.end() == 0
    (released,) = of_type(home.session(), "RequestReleased")
    assert released["decision"] == "repair"


def test_killed_while_held_it_goes_on_without_a_person(home: Home) -> None:
    server = Refusing()
    with serving(server) as address:
        chosen = ("--base-url", address, "--model", "m")
        with Screen(home, "run", "go", *chosen) as screen:
            screen.wait_for(WHAT_NOW)
            screen.kill()
        assert of_type(home.session(), "RequestHeld")
        assert not of_type(home.session(), "RequestReleased")
        done = home.run("run", "go on", "--session", "last", *chosen)
    assert (done.status, done.answer.strip()) == (0, "You said fs_look.")
    assert "chat.call-name" in done.err
    assert "It is sent repaired" in done.err
    facts = home.session()
    assert [one["decision"] for one in of_type(facts, "RequestReleased")] == ["stop", "repair"]
    assert of_type(facts, "ExchangeOpened")[-1]["repaired"] == ["chat.call-name"]
    assert len(server.received) == 2
