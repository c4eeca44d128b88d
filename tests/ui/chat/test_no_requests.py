"""Showing what a model or a tool wrote asks nobody: a server that pictures and links lead to sees no connection."""

from __future__ import annotations

import pytest

from tests.ui.chat.calls import box, call, finished
from tests.ui.chat.chats import Chat, answer, prompt, reasoning
from tests.ui.gui import Gui
from tests.wire.raw import RawServer
from tests.wire.sites import page, site
from workbench.ui.kit.theme import theme
from workbench.wire.client import HttpClient, HttpRequest

FORMS = {
    "picture": "![alt](URL/picture.png)",
    "picture with a title": '![alt](URL/titled.png "title")',
    "picture by reference": "![alt][pic]\n\n[pic]: URL/reference.png",
    "picture in a link": "[![alt](URL/inner.png)](URL/outer)",
    "many sizes of one picture": "<img srcset='URL/small.png 1x, URL/large.png 2x' src='URL/src.png'>",
    "html": "<img src='URL/x.png'><iframe src='URL/frame'></iframe><object data='URL/object'></object><embed src='URL/embed'>",
    "film": "<video src='URL/video' poster='URL/poster'></video><audio src='URL/audio'></audio>",
    "style": "<style>@import url(URL/style.css); body {background: url(URL/back.png)}</style><p style=\"background-image: url('URL/inline.png')\">text</p>",
    "style sheet": "<link rel='stylesheet' href='URL/sheet.css'><script src='URL/script.js'></script><meta http-equiv='refresh' content='0; url=URL/refresh'>",
    "link": "[text](URL/link) <URL/auto> URL/bare",
    "link that says another place": "[https://docs.python.org](URL/secret?data=key)",
    "table": "| a | b |\n|---|---|\n| ![x](URL/cell.png) | <img src='URL/cell2.png'> |",
    "list and quote": "- ![x](URL/item.png)\n\n> ![y](URL/quote.png)\n\n# ![z](URL/head.png)",
    "code": "```html\n<img src='URL/code.png'>\n```\n\n`![x](URL/span.png)`",
    "svg": "<svg><image href='URL/svg.png'/><use xlink:href='URL/use.svg#x'/></svg>",
}


async def only_ours(server: RawServer) -> bool:
    """Ask the server for one page, which comes after all that was asked before, and say whether that is the only one it saw."""
    http = HttpClient(environ={})
    async with http.stream(HttpRequest("GET", f"http://127.0.0.1:{server.port}/ours")) as response:
        await response.body()
    await http.aclose()
    return server.connections == 1 and [head.split(b" ")[1] for head in server.heads] == [b"/ours"]


@pytest.mark.parametrize("name", FORMS)
async def test_shown_text_asks_nobody(gui: Gui, name: str) -> None:
    async with site({"/ours": page("ours")}) as server:
        text = FORMS[name].replace("URL", f"http://127.0.0.1:{server.port}")
        result = finished("webfetch", text=text)
        shown = box(call("webfetch", "ok", "page", finished=result), call("read", "ok", "notes.md", finished=finished("read", text=text)))
        chat = Chat(gui, [prompt(text), reasoning(text), answer(text), shown])
        for view in chat.view.views:
            view.toggle("")
            view.accessible_name()
        chat.view.change(changed=[0, 1, 2, 3])
        for colours in ("light", "dark"):
            theme.use(colours)
            gui.picture(chat.view)
            chat.view.scroll_to_start()
            gui.picture(chat.view)
        await gui.settle()
        assert await only_ours(server)


async def test_streamed_text_asks_nobody(gui: Gui) -> None:
    async with site({"/ours": page("ours")}) as server:
        streaming = answer("", done=False)
        chat = Chat(gui, [streaming])
        text = "\n\n".join(FORMS.values()).replace("URL", f"http://127.0.0.1:{server.port}")
        for start in range(0, len(text), 100):
            chat.grow(streaming, text[start : start + 100])
            gui.picture(chat.view)
        await gui.settle()
        assert await only_ours(server)
