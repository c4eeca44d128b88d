"""Pages are fetched by the tool, followed by calls of their own, and told by what they begin with."""

from __future__ import annotations

import json

import pytest

from tests.practice.dialogue import FILE_TOOLS, Dialogue
from workbench.practice.fetching import MOVES_AT_MOST, read_page
from workbench.tools.web_text import wrapped

URL = "https://a.example/x"
MOVED = "Error (redirect_blocked): a.example redirects to another place: https://b.example/y\nFetch that address itself if it is the right one."


def asked(dialogue: Dialogue) -> str:
    ((name, arguments),) = dialogue.calls()
    assert name == "webfetch"
    url: str = json.loads(arguments)["url"]
    return url


def page(text: str) -> str:
    return wrapped(text, URL, "2026-11-30T09:00:00Z")


def test_page_is_fetched_and_told() -> None:
    dialogue = Dialogue()
    assert "I will fetch `https://a.example/x`." in dialogue.ask(f"fetch {URL}").text()
    assert asked(dialogue) == URL
    said = dialogue.give(page("# The **title**\n\nSome `words`.")).text()
    assert said == "`https://a.example/x` gave 2 lines of text; it begins with “The title”."


def test_page_in_chinese() -> None:
    dialogue = Dialogue()
    assert "我来获取" in dialogue.ask(f"获取 {URL}").text()
    assert dialogue.give(page("标题")).text() == "`https://a.example/x` 返回了 1 行文本，开头是“标题”。"


@pytest.mark.parametrize("result", [page("(the page is empty)"), page(""), "", "\n \n"])
def test_empty_page_is_told(result: str) -> None:
    dialogue = Dialogue()
    dialogue.ask(f"fetch {URL}")
    assert dialogue.give(result).text() == "`https://a.example/x` gave an empty page."


def test_page_that_moved_is_asked_for_by_a_call_of_its_own_and_not_for_ever() -> None:
    dialogue = Dialogue()
    dialogue.ask(f"fetch {URL}")
    for _ in range(MOVES_AT_MOST):
        assert "another place" in dialogue.give(MOVED).text()
        assert asked(dialogue) == "https://b.example/y"
    assert "redirect_blocked" in dialogue.give(MOVED).text()
    assert dialogue.calls() == []


@pytest.mark.parametrize(
    "error",
    ["Error (blocked_host): a.example:80 leads to this machine or its own network, and nobody allowed that.\nIf it is a development server, …",
     "Error (http_status): a.example answered 404 Not Found.\n<web_content url=\"x\" fetched=\"y\">\nNot here\n</web_content>"],
)  # fmt: skip
def test_error_is_told_by_its_kind(error: str) -> None:
    dialogue = Dialogue()
    dialogue.ask(f"fetch {URL}")
    text = dialogue.give(error).text()
    assert error.partition("(")[2].partition(")")[0] in text
    assert dialogue.calls() == []


def test_tool_that_is_not_offered_is_told() -> None:
    dialogue = Dialogue(tools=tuple(tool for tool in FILE_TOOLS if tool != "webfetch"))
    assert "`webfetch`" in dialogue.ask(f"fetch {URL}").text()
    assert dialogue.calls() == []


def test_result_of_another_form_is_read_too() -> None:
    assert read_page("one\ntwo") == ("one", 2)
    assert read_page("> # **`x`**") == ("x", 1)
