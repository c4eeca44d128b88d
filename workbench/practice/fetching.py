"""The ability to fetch a page of the web: ask for it, follow it to where it moved by a call of its own, say how it begins."""

from __future__ import annotations

import re
from typing import NamedTuple

from workbench.practice.intents import FetchPage
from workbench.practice.phrases import Phrases, code, shortened
from workbench.practice.reply import Draft, planned
from workbench.practice.steps import conclude, make_calls, troubles
from workbench.practice.talk import Talk

MOVES_AT_MOST = 3
"""A page that moved to another host is asked for there, each time as a new call that a person may be asked about."""

_MOVED = re.compile(r"redirects to another place: (https?://[!-~]+)")
_PAGE = re.compile(r"<web_content [^>]*>\n(?P<text>.*?)\n?</web_content>", re.DOTALL)
_SIGNS = re.compile(r"[*_`#>|\[\]]+")


class Shown(NamedTuple):
    """What a result of ``webfetch`` shows: its title or first words, and how many lines it has."""

    start: str
    line_count: int


def fetch_page(intent: FetchPage, talk: Talk, say: Phrases) -> Draft:
    """Fetch an address and say how the page begins."""
    if not talk.steps:
        return make_calls(talk, say, [planned("webfetch", url=intent.url)], say("fetch.before", url=code(intent.url)), rule="fetch")
    done = talk.last[-1]
    if done.worked:
        shown = read_page(done.text())
        url = code(shortened(done.argument("url") or intent.url, 200))
        if not shown.line_count:
            return conclude(talk, say, say("fetch.empty", url=url))
        return conclude(talk, say, say("fetch.done", url=url, lines=say.counted("lines", shown.line_count), start=shortened(shown.start, 160)))
    moved = _MOVED.search(done.outcome.what)
    if done.outcome.error == "redirect_blocked" and moved and len(talk.steps) <= MOVES_AT_MOST:
        return make_calls(talk, say, [planned("webfetch", url=moved[1])], say("fetch.moved", url=code(moved[1])))
    return troubles(say, talk.last)


def read_page(result: str) -> Shown:
    """Return what a result shows, by the marks around it if it has any; Markdown's signs are left out of the first words."""
    found = _PAGE.search(result)
    text = found["text"] if found else result
    lines = [line.strip() for line in text.split("\n", 5000) if line.strip() and line.strip() != "(the page is empty)"]
    start = next((words for line in lines if (words := " ".join(_SIGNS.sub(" ", line).split()))), "")
    return Shown(start, len(lines))
