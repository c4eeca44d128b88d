"""Tool calls that leaked into the text: a server's parser did not recognise what the model wrote, and the markup arrives as prose.

Found here is only a reason to warn: a text may quote such markup (a page that was read, an explanation), so nothing found is ever run.
"""

from __future__ import annotations

import re

_OPENERS = (
    r"<tool_call>",
    r"<tool_calls>",
    r"<function_calls?>",
    r"<function=[\w.:-]+>",
    r"<invoke name=",
    r"<minimax:tool_call>",
    r"<[|｜]DSML[|｜]",
    r"<[|｜]tool[▁_]calls?[▁_](?:section[▁_])?begin[|｜]>",
    r"<\|python_tag\|>",
    r"<\|channel\|>commentary to=",
    r"\[TOOL_CALLS\]",
)
_LINE = re.compile(r"^[ \t]*(?:(?P<fence>```|~~~)|(?P<opener>" + "|".join(_OPENERS) + "))", re.MULTILINE)


def leaked_call(text: str) -> str:
    """Return the markup that opens a tool call at the start of a line and outside of code fences; empty if there is none."""
    fenced = False
    for match in _LINE.finditer(text):
        if match["fence"]:
            fenced = not fenced
        elif not fenced:
            return match["opener"]
    return ""
