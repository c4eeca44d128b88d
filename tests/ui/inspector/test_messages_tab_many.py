"""The Messages tab on sessions of thousands of messages: what it costs does not grow with the session."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tests.agent.dialogue import Dialogue
from tests.pace import steps
from tests.ui.desks import desk_in
from tests.ui.gui import Gui
from tests.ui.inspector.shown_messages import Shown
from workbench.conversation.events import Entry, ModelResponded, ToolFinished, UserMessageAdded
from workbench.conversation.messages import Message, TextPart, ToolCallPart, ToolResultPart, text_message
from workbench.conversation.stream import TextDelta
from workbench.ui.kit.paint import width_of
from workbench.ui.kit.theme import theme


def facts_of(count: int) -> list[Entry]:
    """Return the facts of `count` messages, each fourth of them with two results."""
    entries: list[Entry] = []

    def add(event: UserMessageAdded | ModelResponded | ToolFinished) -> None:
        entries.append(Entry(len(entries) + 1, 0.0, event))

    for n in range(count // 4):
        calls = tuple(ToolCallPart(call_id=f"c{n}.{k}", name="read", arguments_raw='{"file_path": "src/a.py"}') for k in range(2))
        add(UserMessageAdded(turn_id=f"t{n}", message=text_message("user", "Do it, please.")))
        asked = Message(message_id=f"a{n}", role="assistant", parts=(TextPart(text="Yes."), *calls))
        add(ModelResponded(turn_id=f"t{n}", step=1, exchange_id=f"e{n}", message=asked))
        for part in calls:
            result = ToolResultPart(call_id=part.call_id, name="read", content=(TextPart(text="line\n" * 100),))
            add(ToolFinished(turn_id=f"t{n}", step=1, call_id=part.call_id, tool="read", status="ok", result=result, facts="100 lines"))
        add(ModelResponded(turn_id=f"t{n}", step=2, exchange_id=f"f{n}", message=text_message("assistant", "Done.")))
    return entries


class Costs(NamedTuple):
    """Steps of Python, each for one time.

    Attributes:
        piece: a piece of an answer is shown.
        picture: the rows in sight are painted at the end of the list.
        top: and at its beginning.
    """

    piece: int
    picture: int
    top: int


async def costs_with(count: int, gui: Gui, folder: Path) -> Costs:
    """Let an answer stream into a session of `count` messages, and return what that costs."""
    async with desk_in(folder) as desk, Dialogue(folder, entries=facts_of(count)) as dialogue:
        on = Shown(gui, dialogue, desk)
        await dialogue.user("Go on.")
        await gui.until(lambda: len(on.rows()) > 2 * count)
        pieces, pictures = [], []
        for _ in range(5):
            dialogue.model.say(TextDelta(text="more words "), whole=False)
            await dialogue.model.streamed()
            pieces.append(steps(on.bridge.flush))
            pictures.append(steps(on.tab.rows.viewport().repaint))
        on.tab.rows.scrollToTop()
        top = steps(on.tab.rows.viewport().repaint)
        await dialogue.answers("Done.")
        on.rows()
        desk.bridge.attach(None)
    return Costs(max(pieces), max(pictures), top)


async def test_thousands_of_messages_cost_no_more_than_a_hundred(gui: Gui, tmp_path: Path) -> None:
    few, many = await costs_with(100, gui, tmp_path), await costs_with(4_000, gui, tmp_path)
    for once, of_many in zip(few, many, strict=True):
        assert 0 < of_many < 1.5 * once, (few, many)


async def test_numbers_of_thousands_of_messages_are_whole(gui: Gui, tmp_path: Path) -> None:
    theme.use("light", zoom=1.5)
    async with desk_in(tmp_path) as desk, Dialogue(tmp_path, entries=facts_of(4_000)) as dialogue:
        on = Shown(gui, dialogue, desk)
        await gui.until(lambda: len(on.rows()) > 8_000)
        await gui.settle()
        picture = gui.picture(on.tab.rows.viewport())
        inked = {x for x in range(60) for y in range(picture.height()) if picture.pixelColor(x, y) == theme["faint"]}
        assert width_of("4001", theme.font("tiny", "medium")) - 8 < max(inked) - min(inked) + 1
        assert min(inked) >= 2
        desk.bridge.attach(None)
