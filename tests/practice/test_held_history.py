"""The drill "broken history" in a whole turn: the linter holds the next request, a repair lets it pass, and the answer says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.dialogue import Dialogue
from workbench.conversation.checks import RequestHeld
from workbench.conversation.events import ExchangeClosed, ModelChosen
from workbench.conversation.exchange import MemoryKeeper
from workbench.practice.server import PracticeServer
from workbench.providers.client import ProviderModel
from workbench.providers.profiles import practice_dialect, practice_profile
from workbench.wire.client import HttpClient

RULES = {
    "practice": "chat.call-name",
    "practice-functions": "functions.call-name",
    "practice-responses": "responses.call-name",
    "practice-anthropic": "anthropic.call-name",
    "practice-gemini": "gemini.call-name",
    "practice-react": "react.action-name",
}


@pytest.mark.parametrize("name", RULES)
async def test_the_request_is_held_repaired_and_answered(tmp_path: Path, name: str) -> None:
    async with PracticeServer(rate_per_s=0) as server, Dialogue(tmp_path) as d:
        http = HttpClient(environ={})
        dialect = practice_dialect(name)
        profile = practice_profile(server.base_of(dialect), server.model_names, name)

        async def key() -> str:
            return server.key

        model = ProviderModel(profile, "practice", http=http, journal=d.journal, keeper=MemoryKeeper(), key=key)
        d.session.choose_model(ModelChosen(profile=name, model="practice", dialect=dialect), model)
        await d.session.submit("drill: broken history")
        held = await d.fact(RequestHeld)
        assert RULES[name] in [finding.rule for finding in held.findings]
        assert held.mends
        assert d.session.release(held.hold_id, "repair")
        end = await d.end()
        assert end.end == "answered"
        assert "get_weather_" in d.session.messages[-1].text()
        assert [fact.status for fact in d.facts(ExchangeClosed)] == [200, 200]
        await http.aclose()
