"""The web from a terminal: a page by hand, the gate's word on addresses, and a turn of the practice model that fetches."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from typing_extensions import override

from tests.cli.conftest import Inside
from tests.cli.program import Home, answer_text, of_type


class Server(http.server.ThreadingHTTPServer):
    """Serves one page on loopback; keeps the paths that were asked."""

    asked: list[str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        body = b"<title>Tides</title><p>High water at <b>nine</b>.</p>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @override
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as made:
        made.asked = []
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def test_page_by_hand(inside: Inside, server: Server) -> None:
    done = inside("tool", "webfetch", json.dumps({"url": server.url}), "--json", "--approve", "all")
    (result,) = done.objects()
    assert (done.status, result["status"]) == (0, "ok")
    assert "\n# Tides\n\nHigh water at **nine**.\n</web_content>" in result["text"]
    assert server.asked == ["/"]


@pytest.mark.parametrize("who", ["reads", "none"])
def test_page_nobody_allowed_is_not_asked_for(inside: Inside, server: Server, who: str) -> None:
    done = inside("tool", "webfetch", json.dumps({"url": server.url}), "--json", "--approve", who)
    (result,) = done.objects()
    assert (done.status, result["status"], server.asked) == (1, "denied", [])


def test_addresses_are_judged_and_not_asked(inside: Inside, server: Server) -> None:
    urls = {
        "https://docs.python.org/3/": ("ask", 3, "mode.ask"),
        server.url: ("ask", 3, "floor.port"),
        "http://localhost/": ("ask", 3, "floor.private_host"),
        "http://0x7f.1/": ("ask", 3, "floor.private_host"),
        "http://169.254.169.254/": ("deny", 4, "floor.metadata"),
        "http://[::ffff:a9fe:a9fe]/": ("deny", 4, "floor.metadata"),
        "http://docs.python.org@127.0.0.1/": ("deny", 0, "invalid_arguments"),
        "file:///etc/passwd": ("deny", 0, "invalid_arguments"),
    }
    lines = [json.dumps({"id": url, "tool": "webfetch", "args": {"url": url}}) for url in urls]
    done = inside("check", "-", "--json", stdin="\n".join(lines).encode())
    found = {verdict["id"]: (verdict["decision"], verdict["danger"], verdict["trace"][0]["code"]) for verdict in done.objects()}
    assert found == urls
    assert server.asked == []


def test_practice_model_fetches_a_page(home: Home, server: Server) -> None:
    facts = home.turn(f"获取 {server.url}", "--approve", "all")
    assert [fact["status"] for fact in of_type(facts, "ToolFinished")] == ["ok"]
    (question,) = of_type(facts, "ApprovalRequested")
    assert (question["preview"]["body"], question["targets"][0]["name"]) == (server.url, f"127.0.0.1:{server.server_port}")
    assert "开头是“Tides”" in answer_text(facts)
    assert server.asked == ["/"]
