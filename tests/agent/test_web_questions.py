"""Calls that reach the web, from the model's call to the server: nothing is asked of anybody before a person lets it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from tests.agent.dialogue import Dialogue, results_of
from tests.agent.scripted_model import call
from tests.wire.sites import Names, page, redirect, site
from workbench.conversation.events import ApprovalRequested
from workbench.permissions.hosts import host_kind
from workbench.tools.webfetch import WebfetchTool
from workbench.wire.fetching import Fetched, Web


class Printed(Web):
    """A web without wires: every page says its own address. Keeps what was asked."""

    def __init__(self) -> None:
        super().__init__(host_kind)
        self.asked: list[str] = []

    @override
    async def get(self, url: str, **others: Any) -> Fetched:
        self.asked.append(url)
        return Fetched(url, 200, (("Content-Type", "text/plain"),), f"page {url}".encode())


def use_web(dialogue: Dialogue, web: Web) -> None:
    """Let the session's tool fetch from `web`."""
    tool = dialogue.session._harness._registry.get("webfetch")
    assert isinstance(tool, WebfetchTool)
    tool._web = web


def fetch(url: str, name: str = "") -> Any:
    return call("webfetch", name, url=url)


async def test_a_host_that_was_allowed_always_is_not_asked_about_again(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        use_web(d, web := Printed())
        await d.user("Read the docs")
        await d.streams("", fetch("https://docs.python.org/3/"))
        question = await d.question()
        assert (question.preview.title, question.preview.body) == ("docs.python.org", "https://docs.python.org/3/")
        assert [rule["host"] for rule in question.always] == ["docs.python.org", "*.python.org"]
        assert (question.danger, web.asked) == (3, [])
        d.approve(question, rules=[question.always[0]])
        assert "page https://docs.python.org/3/" in results_of(await d.model.asked())[0]
        await d.streams("", fetch("https://docs.python.org/3/library/"), fetch("https://docs.python.org.evil.test/"), fetch("https://peps.python.org/"))
        others = [await d.question(), await d.question()]
        assert [other.preview.title for other in others] == ["docs.python.org.evil.test", "peps.python.org"]
        for other in others:
            d.reject(other)
        results = results_of(await d.model.asked())
        assert "page https://docs.python.org/3/library/" in results[0]
        assert [result.startswith("Error (denied)") for result in results] == [False, True, True]
        await d.answers("Done")
        assert web.asked == ["https://docs.python.org/3/", "https://docs.python.org/3/library/"]


async def test_a_server_of_this_machine_is_asked_about_each_time_and_reached_only_after_a_yes(tmp_path: Path) -> None:
    async with site({"/": page("mine", "text/plain")}) as server, Dialogue(tmp_path) as d:
        url = f"http://127.0.0.1:{server.port}/"
        await d.user("Look at my server")
        await d.streams("", fetch(url))
        question = await d.question()
        assert (question.can_always, question.always, server.connections) == (False, (), 0)
        assert "private_host" in question.badges
        d.reject(question, "not now")
        assert "not now" in results_of(await d.model.asked())[0]
        assert server.connections == 0
        await d.streams("", fetch(url))
        d.approve(await d.question())
        assert "\nmine\n" in results_of(await d.model.asked())[0]
        await d.streams("", fetch(url))
        again = await d.question()
        d.reject(again)
        await d.model.asked()
        await d.answers("Done")
        assert len(server.heads) == 1


async def test_an_address_that_a_person_changed_is_the_one_that_is_asked(tmp_path: Path) -> None:
    async with site({"/": page("one", "text/plain")}) as one, site({"/": page("two", "text/plain")}) as two, Dialogue(tmp_path) as d:
        await d.user("Look")
        await d.streams("", fetch(f"http://127.0.0.1:{one.port}/"))
        d.approve(await d.question(), arguments={"url": f"http://127.0.0.1:{two.port}/"})
        assert "\ntwo\n" in results_of(await d.model.asked())[0]
        await d.answers("Done")
        assert (one.connections, two.connections) == (0, 1)


@pytest.mark.parametrize("url", ["http://169.254.169.254/latest/meta-data/", "http://2852039166/", "http://[fd00:ec2::254]/", "http://metadata.google.internal/"])
async def test_a_metadata_service_is_refused_without_a_question(url: str, tmp_path: Path) -> None:
    async with Dialogue(tmp_path, headless="all") as d:
        use_web(d, web := Printed())
        await d.user("Go")
        await d.streams("", fetch(url))
        assert "always refused" in results_of(await d.model.asked())[0]
        await d.answers("Done")
        assert (d.facts(ApprovalRequested), web.asked) == ([], [])


async def test_a_redirect_to_another_host_becomes_a_question_of_its_own(tmp_path: Path) -> None:
    secret = {"/": page("secret", "text/plain")}
    async with site(secret) as private, site({"/": redirect(f"http://127.0.0.1:{private.port}/")}) as public, Dialogue(tmp_path) as d:
        await d.user("Go")
        await d.streams("", fetch(f"http://127.0.0.1:{public.port}/"))
        d.approve(await d.question())
        blocked = results_of(await d.model.asked())[0]
        assert blocked.startswith("Error (redirect_blocked)")
        assert f"http://127.0.0.1:{private.port}/" in blocked
        await d.streams("", fetch(f"http://127.0.0.1:{private.port}/"))
        question = await d.question()
        assert question.preview.title == f"127.0.0.1:{private.port}"
        d.reject(question)
        await d.model.asked()
        await d.answers("Done")
        assert private.connections == 0


async def test_a_public_name_that_leads_home_is_refused_although_a_person_let_the_name(tmp_path: Path) -> None:
    async with site({"/": page("secret", "text/plain")}) as server, Dialogue(tmp_path) as d:
        use_web(d, Web(host_kind, resolver=Names({"docs.example.org": ("127.0.0.1",)}), environ={}))
        await d.user("Go")
        await d.streams("", fetch(f"http://docs.example.org:{server.port}/"))
        d.approve(await d.question())
        assert results_of(await d.model.asked())[0].startswith("Error (blocked_host)")
        await d.answers("Done")
        assert server.connections == 0
