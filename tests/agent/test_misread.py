"""A call that the provider itself could not read is told to the model and asked for again, at most twice; it is never run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.dialogue import Dialogue
from tests.agent.scripted_model import Piece, call
from workbench.conversation.events import ToolStarted, UserMessageAdded
from workbench.conversation.stream import ResponseEnded, ResponseStarted, TextDelta


def misread(*pieces: Piece, word: str = "MALFORMED_FUNCTION_CALL") -> list[Piece]:
    return [ResponseStarted(response_id="r1", model="scripted"), *pieces, ResponseEnded(finish_reason="error", finish_raw=word, calls_may_run=False)]


@pytest.mark.parametrize("word", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"])
@pytest.mark.parametrize("pieces", [[], [TextDelta(text="call:default_api:read{")], [*call("read", "c1", file_path="a.txt")]])
async def test_it_is_told_and_asked_again_and_the_answer_counts(tmp_path: Path, word: str, pieces: list[Piece]) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "x"}) as d:
        await d.user("Read a.txt")
        d.model.say(*misread(*pieces, word=word))
        request = await d.model.asked()
        assert request.messages[-1].role == "user"
        assert request.messages[-1].synthetic
        assert request.messages[-1].text().startswith("Your last tool call could not be read")
        assert sum(len(message.calls()) for message in request.messages) == sum(len(message.results()) for message in request.messages)
        end = await d.answers("Done.")
        assert (end.end, end.steps) == ("answered", 2)
        assert not d.facts(ToolStarted)


async def test_the_third_time_the_turn_ends(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Read a.txt")
        for _ in range(2):
            d.model.say(*misread())
            await d.model.asked()
        end = await d.answers("", *misread())
        assert (end.end, end.failure, end.steps) == ("failed", "misread", 3)
        assert len([fact for fact in d.facts(UserMessageAdded) if fact.message.synthetic]) == 2
        await d.session.wait_idle()
        await d.user("Again")
        d.model.say(*misread())
        await d.model.asked()
        assert (await d.answers("Done.")).end == "answered", "a new turn counts anew"


async def test_an_empty_answer_that_ends_well_is_not_asked_again(tmp_path: Path) -> None:
    """After a call an empty STOP is normal: keyed on emptiness, this would go round for ever (edge case 134)."""
    async with Dialogue(tmp_path) as d:
        await d.user("Hello")
        end = await d.answers("", ResponseStarted(), ResponseEnded(finish_reason="end", finish_raw="STOP"))
        assert end.steps == 1
