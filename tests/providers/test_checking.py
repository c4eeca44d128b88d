"""The look before sending by itself: what is written down of many findings, and what is decided of which rules."""

from __future__ import annotations

import json
from typing import Any

from workbench.conversation.checks import ReleaseDecision, RequestHeld
from workbench.conversation.events import StepPlace
from workbench.conversation.exchange import BodyRef, MemoryKeeper
from workbench.dialects.base import NORM, EncodedRequest, Quirks
from workbench.dialects.registry import dialect
from workbench.providers.checking import MOST_OF_A_RULE, Checking, told
from workbench.providers.profiles import Profile

PLACE = StepPlace("t", 1)


class Deciding:
    """Decides always alike, and remembers what was held."""

    def __init__(self, decision: ReleaseDecision) -> None:
        self.decision = decision
        self.held: list[RequestHeld] = []
        self.answers: dict[str, ReleaseDecision] = {}

    def answered(self, rule: str) -> ReleaseDecision | None:
        return self.answers.get(rule)

    def refused(self, rule: str) -> bool:
        return rule == "chat.empty-content"

    async def decide(self, held: RequestHeld) -> ReleaseDecision:
        self.held.append(held)
        self.answers |= {finding.rule: self.decision for finding in held.findings}
        return self.decision


def checking(name: str = "chat_completions") -> Checking:
    keeper = MemoryKeeper()

    async def keep(encoded: EncodedRequest) -> BodyRef:
        return keeper.keep_body(encoded.pieces)

    return Checking(Profile(name="p", base_url="http://127.0.0.1"), "m", dialect(name), keep=keep, number=lambda: 7)


def encoded(*messages: Any, **members: Any) -> EncodedRequest:
    return EncodedRequest("/chat/completions", (json.dumps({"model": "m", "messages": list(messages), **members}).encode(),))


USER = {"role": "user", "content": "hi"}


def orphan(number: int) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"x{number}", "content": "y"}


async def test_a_fault_in_every_turn_does_not_fill_the_journal() -> None:
    review = Deciding("repair")
    ready = await checking().ready(encoded(*(orphan(n) for n in range(500)), USER), NORM, PLACE, review)
    assert len(review.held[0].findings) == MOST_OF_A_RULE
    assert json.loads(ready.encoded.body)["messages"] == [USER]
    assert ready.repaired == ("chat.orphan-result",)
    assert review.held[0].number == 7
    assert told(()) == ()


async def test_what_was_decided_to_be_sent_stays_while_another_rule_is_repaired() -> None:
    review = Deciding("repair")
    review.answers["chat.orphan-result"] = "send"
    ready = await checking().ready(encoded(orphan(1), USER, tool_choice="auto"), NORM, PLACE, review)
    assert [finding.rule for finding in review.held[0].findings] == ["chat.tool-choice-without-tools"]
    body = json.loads(ready.encoded.body)
    assert "tool_choice" not in body
    assert body["messages"] == [orphan(1), USER]
    assert [finding.rule for finding in ready.findings if finding.severity == "error"] == ["chat.orphan-result"]


async def test_what_was_decided_to_be_repaired_is_in_the_held_body_too() -> None:
    review = Deciding("send")
    review.answers["chat.orphan-result"] = "repair"
    ready = await checking().ready(encoded(orphan(1), USER, tool_choice="auto"), NORM, PLACE, review)
    assert json.loads(ready.encoded.body) == {"model": "m", "messages": [USER], "tool_choice": "auto"}
    assert ready.repaired == ("chat.orphan-result",)
    held = review.held[0].body
    assert held is not None
    assert held.size_bytes == len(ready.encoded.body)


async def test_a_warning_holds_once_it_was_refused() -> None:
    review = Deciding("repair")
    ready = await checking().ready(encoded({"role": "user", "content": ""}, USER), NORM, PLACE, review)
    assert json.loads(ready.encoded.body)["messages"] == [USER]


async def test_what_a_repair_brings_to_light_is_not_held_by_itself_again() -> None:
    """The flat tool hides its name from the rule of names: both are mended in one decision."""
    review = Deciding("repair")
    flat = {"type": "function", "name": "a.b", "parameters": {"type": "object", "properties": {}}}
    again = encoded(USER, tools=[flat])
    ready = await checking().ready(again, NORM, PLACE, review)
    assert json.loads(ready.encoded.body)["tools"][0]["function"]["name"] == "a_b"
    assert {finding.rule for finding in review.held[0].findings} == {"chat.tool-shape", "chat.tool-name"}
    assert (await checking().ready(again, NORM, PLACE, review)).encoded == ready.encoded
    assert len(review.held) == 1


async def test_without_a_review_all_is_sent_and_told() -> None:
    given = encoded(orphan(1), USER)
    ready = await checking().ready(given, Quirks(), PLACE, None)
    assert ready.encoded is given
    assert [finding.rule for finding in ready.findings] == ["chat.orphan-result"]
