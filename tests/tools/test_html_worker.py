"""Pages become Markdown or plain text: what is not text is left out, borders stay, addresses are whole, hostile pages are told as such."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.tools import html_worker

BASE = "https://a.example/docs/page"


def convert(html: str, *, markdown: bool = True) -> dict[str, Any]:
    asked = json.dumps({"html": html, "base": BASE, "markdown": markdown}).encode()
    done = subprocess.run([sys.executable, "-I", Path(html_worker.__file__)], input=asked, capture_output=True, check=True, timeout=60)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h1>Head</h1><p>One <b>two</b> <i>three</i> <code>four</code></p>", "# Head\n\nOne **two** *three* `four`"),
        ("<ul><li>a<ul><li>b</li></ul></li><li><div>c</div><div>d</div></li></ul>", "- a\n  - b\n- c d"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<table><tr><th>h</th><th>i</th></tr><tr><td><div>1</div></td><td>2</td></tr></table>", "| h | i |\n| --- | --- |\n| 1 | 2 |"),
        ("<pre><code>a\n  b</code></pre>", "```\na\n  b\n```"),
        ("<pre><div>a</div><div>  b</div></pre>", "```\na\n  b\n```"),
        ("<blockquote>said</blockquote>", "> said"),
        ('<a href="x.html">in</a> <a href="/y">root</a> <a href="#z">here</a> <a href="https://b.example/">out</a>',
         "[in](https://a.example/docs/x.html) [root](https://a.example/y) [here](#z) [out](https://b.example/)"),
        ('<img src="p.png" alt="pic">', "![pic](https://a.example/docs/p.png)"),
        ("<div>one</div><div>two</div>", "one\n\ntwo"),
        ("<div>one<div>two</div>three</div>four", "one\n\ntwo\n\nthree\n\nfour"),
        ("<p>a<span>b</span>c</p>", "abc"),
        ("<p>one</p>\n\n\n<p>two</p>", "one\n\ntwo"),
        ("", ""),
    ],
)  # fmt: skip
def test_page_as_markdown(html: str, text: str) -> None:
    assert convert(html)["text"] == text


def test_what_is_not_text_is_left_out() -> None:
    html = (
        "<head><title>T</title><style>css</style></head><script>js</script><svg><text>drawn</text></svg><iframe>framed</iframe><noscript>no</noscript>"
        "<template>templ</template><button>press</button><object>obj</object><!-- comment --><p>text</p>"
    )
    for markdown in (True, False):
        assert convert(html, markdown=markdown) == {"title": "T", "text": "text"}


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "  JaVaScRiPt:x", "vbscript:x", "http://[::1"])
def test_addresses_that_are_no_web_addresses_are_dropped(address: str) -> None:
    text = convert(f'<a href="{address}">link</a><img src="{address}" alt="picture">')["text"]
    assert "link" in text
    assert "picture" in text
    assert address.strip().lower() not in text.lower()


def test_base_tag_is_followed() -> None:
    assert convert('<base href="https://c.example/z/"><a href="x">l</a>')["text"] == "[l](https://c.example/z/x)"


def test_plain_text_keeps_lines_and_no_markup() -> None:
    html = "<h1>Head</h1><p>a <b>b</b><br>c</p><ul><li>d<li>e</ul><table><tr><td>1</td><td>2</td></tr></table><pre>x\n  y</pre>"
    assert convert(html, markdown=False)["text"] == "Head\n\na b\nc\n\nd\ne\n\n1 2\n\nx\n  y"


def test_marks_and_controls_of_the_page_itself_are_dropped() -> None:
    assert convert("<p>a\ue000b\ue001c\x1b[31md\x07</p>")["text"] == "abc[31md"


def test_title_is_one_short_line() -> None:
    assert convert(f"<title> a \n b {'x' * 1000}</title><title>second</title>")["title"].startswith("a b xxx")
    assert len(convert(f"<title>{'x' * 1000}</title>")["title"]) == html_worker.TITLE_CHARACTERS


@pytest.mark.parametrize("html", ["<b>" * 5000 + "x", "<ul><li>" * 2000 + "x", "<blockquote>" * 2000 + "x"])
def test_page_nested_too_deeply_for_markdown_can_be_read_as_text(html: str) -> None:
    assert "nested too deeply" in convert(html)["error"]
    assert convert(html, markdown=False)["text"] == "x"


def test_deep_wrapping_is_no_hindrance() -> None:
    assert convert("<div><span>" * 3000 + "x")["text"] == "x"


@pytest.mark.parametrize("html", ["<", "<!", "<p", "\0", "<a href=", "</html>" * 10, "<body><body>x", "<frameset><frame src=x></frameset>", "<html></html>"])
def test_odd_pages_are_answered(html: str) -> None:
    for markdown in (True, False):
        assert {"title", "text"} == set(convert(html, markdown=markdown))
