"""Runs as a process of its own: reads a web page from stdin and writes its title and its text, as Markdown or plain, to stdout as JSON.

A hostile page can make a parser run for ever or eat all memory; here it dies alone. Imports nothing of ours, so it starts by its
path: ``python -I html_worker.py``.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from typing import Any
from urllib.parse import urljoin

MEMORY_LIMIT_BYTES = 1024 * 1024 * 1024
CPU_LIMIT_S = 20
TITLE_CHARACTERS = 300
ADDRESS_CHARACTERS = 2000

DROPPED = (
    "script", "style", "svg", "iframe", "frame", "frameset", "object", "embed", "applet", "noscript", "template", "canvas", "video", "audio", "link", "meta",
    "base", "head", "title", "input", "select", "textarea", "button", "dialog", "math"
)  # fmt: skip
BLOCKS = (
    "div", "section", "article", "main", "header", "footer", "nav", "aside", "form", "fieldset", "figure", "figcaption", "details", "summary", "address",
    "center", "hgroup", "search", "body"
)  # fmt: skip
INLINE = ("span", "font", "label", "small", "big", "u", "ins", "abbr", "time", "picture", "source", "bdi", "bdo", "data", "output", "wbr", "nobr")
TEXT_BLOCKS = ("p", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "dt", "dd", "br", "hr", "table", "ul", "ol")
ONE_LINE = ("td", "th", "li", "dt", "dd", "a", "h1", "h2", "h3", "h4", "h5", "h6")

PARAGRAPH, LINE = "\ue000", "\ue001"
"""Stand where the border of an unwrapped block was; taken out of the page's own text before."""
_OWN_MARKS = re.compile(f"[{PARAGRAPH}{LINE}]")
_PARAGRAPHS = re.compile(rf"[ \t\n]*{PARAGRAPH}[\s{PARAGRAPH}{LINE}]*")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def main() -> None:
    """Answer ``{"title", "text"}`` or ``{"error": sentence}`` to a JSON object ``{"html", "base", "markdown"}``."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S))
    asked = json.loads(sys.stdin.buffer.read())
    sys.stdout.write(json.dumps(_answer(asked["html"], asked["base"], markdown=asked["markdown"])))


def _answer(html: str, base: str, *, markdown: bool) -> dict[str, Any]:
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError:
        return {"error": "the library that reads web pages is not installed"}
    try:
        tree = LexborHTMLParser(_OWN_MARKS.sub("", html))
        title = _title(tree)
        _clean(tree, base)
        return {"title": title, "text": _markdown(tree) if markdown else _plain(tree)}
    except (MemoryError, RecursionError):
        return {"error": "it is nested too deeply or too large"}
    except (AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        return {"error": f"it cannot be read ({type(error).__name__})"}


def _title(tree: Any) -> str:
    found = tree.css_first("title")
    return " ".join(found.text().split())[:TITLE_CHARACTERS] if found is not None else ""


def _clean(tree: Any, base: str) -> None:
    """Drop what is not text, make addresses whole, and take out the wrapping that only arranges; its borders stay as marks."""
    named = tree.css_first("base[href]")
    base = _joined(base, named.attributes.get("href") or "") if named is not None else base
    tree.strip_tags(list(DROPPED), recursive=True)
    for name, attribute in (("a", "href"), ("img", "src")):
        for node in tree.css(f"{name}[{attribute}]"):
            node.attrs[attribute] = _joined(base, node.attributes.get(attribute) or "")
    one_line = {node.mem_id for name in ONE_LINE for node in tree.css(", ".join(f"{name} {block}" for block in BLOCKS))}
    in_code = {node.mem_id for node in tree.css(", ".join(f"pre {block}" for block in BLOCKS))}
    for node in tree.css(", ".join(BLOCKS)):
        if node.tag == "body":
            continue
        mark = LINE if node.mem_id in in_code else " " if node.mem_id in one_line else PARAGRAPH
        node.insert_before(mark)
        if mark != LINE or (node.next is not None and node.next.is_text_node):
            node.insert_after(mark)
    tree.unwrap_tags([tag for tag in (*BLOCKS, *INLINE) if tag != "body"])


def _joined(base: str, address: str) -> str:
    """Return an address in full; empty for what is no web address, such as a script or embedded data."""
    if address.startswith("#"):
        return address[:ADDRESS_CHARACTERS]
    try:
        whole = urljoin(base, address.strip())
    except ValueError:
        return ""
    usual = whole.startswith(("http://", "https://", "mailto:", "ftp://"))
    return whole if usual and len(whole) <= ADDRESS_CHARACTERS else ""


def _markdown(tree: Any) -> str:
    import markdownify

    if tree.body is None:
        return ""
    text = markdownify.markdownify(tree.body.html or "", heading_style="ATX", bullets="-", escape_misc=False)
    return _finished(text)


def _plain(tree: Any) -> str:
    if tree.body is None:
        return ""
    for node in tree.css(", ".join(TEXT_BLOCKS)):
        mark = LINE if node.tag in {"li", "tr", "br", "dt", "dd"} else PARAGRAPH
        node.insert_before(mark)
        node.insert_after(mark)
    for node in tree.css("td, th"):
        node.insert_after(" ")
    return _finished(re.sub(rf"[ \t]*{LINE}[ \t]*", LINE, tree.body.text()))


def _finished(text: str) -> str:
    """Put the borders in, as empty lines and line ends; no more than one empty line stays anywhere."""
    text = _PARAGRAPHS.sub("\n\n", text)
    text = re.sub(rf"\n?{LINE}[{LINE}]*", "\n", text)
    text = re.sub(r"[ \t]+$", "", _CONTROLS.sub("", text), flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


if __name__ == "__main__":
    main()
