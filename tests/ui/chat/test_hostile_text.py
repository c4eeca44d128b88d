"""Whatever a model sends: nothing is read, nothing is opened, nothing hangs, and what is hidden is seen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.pace import not_hung
from tests.ui.chat.chats import Chat, answer, prompt, reasoning
from tests.ui.gui import Gui
from workbench.ui.chat.prompt import PromptView
from workbench.ui.chat.reasoning import ReasoningView

HUNG_S = 6.0
"""Each of these took minutes, or for ever, in a plain document."""

TEXTS = {
    "endless file": "![x](file:///dev/zero)",
    "picture of the web": "![x](http://127.0.0.1:9/x.png) ![y](https://nowhere.invalid/y.png)",
    "html": "<img src='file:///dev/zero'><script>x</script><style>* {display: none}</style><iframe src='http://a'>" * 50,
    "a megabyte without a blank": "x" * 1_000_000,
    "a megabyte of wide characters": "中" * 300_000,
    "a megabyte of code without a break": "```\n" + "x" * 1_000_000,
    "a hundred thousand lines": "line\n" * 100_000,
    "a hundred thousand lines of code": "```py\n" + "x = 1\n" * 100_000,
    "ten thousand paragraphs": "word\n\n" * 10_000,
    "ten thousand headings": "# head\n" * 10_000,
    "ten thousand items": "- item\n" * 10_000,
    "ten thousand fences": "```\nx\n```\n" * 10_000,
    "deep quotes": ">" * 5_000 + " deep",
    "deep lists": "\n".join(" " * (2 * depth) + "- x" for depth in range(300)),
    "deep brackets": "[" * 50_000,
    "emphasis without end": "*a _b " * 20_000,
    "ticks": "`" * 30_000,
    "pictures": "![a](b) " * 5_000,
    "links": "[a](http://b) " * 5_000,
    "entities": "&amp;" * 20_000,
    "a huge table": "|" + "a|" * 500 + "\n|" + "-|" * 500 + "\n" + ("|" + "b|" * 500 + "\n") * 100,
    "unclosed fence": "```python\ndef f():\n    '''" + "\n    text" * 2_000,
    "carriage returns": "a\rb\rc\r\n" * 2_000,
    "nul": "a\0b\n\n```\n\0\n```\n\0",
    "bidi": "safe \u202egpj.exe \u2066 \u2067 \u2069 \u200b\u200d\ufeff\n\n```\n\u202e\u2066\n```",
    "combining": "e" + "\u0301" * 20_000,
    "surrogates of emoji": "\U0001f600" * 20_000 + "\n\n```\n" + "\U0001f600" * 5_000,
    "tabs": "\t" * 20_000 + "\n\n```\n" + "\t" * 20_000,
    "vertical space": "\x0b\x0c\x1b[31m\x85\u2028\u2029" * 2_000,
}


@pytest.mark.parametrize("name", TEXTS)
async def test_hostile_text_is_shown_without_delay(gui: Gui, name: str) -> None:
    text = TEXTS[name]
    with not_hung(HUNG_S):
        chat = Chat(gui, [prompt("Go"), answer(text)])
        gui.picture(chat.view)
        chat.view.scroll_to_start()
        gui.picture(chat.view)
        chat.scroll(chat.maximum // 2)
        gui.picture(chat.view)
    chat.view.views[1].accessible_name()
    assert chat.view.views[1].selected_text(0, len(text)) == text


@pytest.mark.parametrize("name", ["a megabyte without a blank", "a hundred thousand lines", "html", "bidi", "nul", "deep quotes", "ten thousand paragraphs"])
async def test_hostile_prompts_and_reasoning_are_shown_without_delay(gui: Gui, name: str) -> None:
    with not_hung(HUNG_S):
        chat = Chat(gui, [prompt(TEXTS[name]), reasoning(TEXTS[name])])
        chat.view.views[1].toggle("")
        chat.view.change(changed=[1])
        gui.picture(chat.view)
        chat.view.scroll_to_start()
        gui.picture(chat.view)
    assert isinstance(chat.view.views[0], PromptView)
    assert isinstance(chat.view.views[1], ReasoningView)


@pytest.mark.parametrize("name", ["a megabyte without a blank", "unclosed fence", "ten thousand paragraphs", "emphasis without end", "carriage returns"])
async def test_hostile_text_can_stream(gui: Gui, name: str) -> None:
    text = TEXTS[name]
    streaming = answer("", done=False)
    chat = Chat(gui, [streaming])
    for start in range(0, min(len(text), 60_000), 2_000):
        with not_hung(1):
            chat.grow(streaming, text[start : start + 2_000])
            gui.picture(chat.view)


async def test_a_pipe_without_a_writer_is_not_opened(gui: Gui, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)
    chat = Chat(gui, [answer(f"![x]({pipe}) ![x](file://{pipe})")])
    gui.picture(chat.view)
    with pytest.raises(OSError, match="No such device"):
        os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)


async def test_hidden_characters_are_seen_in_every_part(gui: Gui) -> None:
    chat = Chat(gui, [prompt("a\u202eb"), answer("a\u202eb\n\n```\na\u202eb\n```\n\n" + "a\u202eb" * 8_000)])
    plain = Chat(gui, [prompt("ab"), answer("ab\n\n```\nab\n```\n\n" + "ab" * 8_000)])
    hidden, seen = gui.picture(chat.view), gui.picture(plain.view)
    assert hidden != seen
    assert chat.maximum > plain.maximum
