"""The command line of a request: run by a real shell with a program that records what it gets, and with curl itself against a real server."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.conversation.events import ExchangeOpened
from workbench.conversation.exchange import BodyRef, Headers
from workbench.inspection.curl import LARGEST_INLINE_BYTES, LONGEST_ARGUMENT_BYTES, Curl, curl
from workbench.redaction.marks import fingerprint as mask
from workbench.wire.redaction import redact_headers, redact_url
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse

SHELL = shutil.which("sh")
CURL = shutil.which("curl")
KEY = "sk-CANARY-0123456789"
JSON_HEADERS: Headers = (("Content-Type", "application/json"), ("Authorization", f"Bearer {KEY}"), ("X-Quote", 'it\'s "$HOME" `id` \\'))

pytestmark = pytest.mark.skipif(SHELL is None, reason="needs a POSIX shell")

FAKE = f"""#!{sys.executable}
import json, os, sys
stdin = "" if sys.stdin.isatty() else sys.stdin.buffer.read().hex()
json.dump({{"argv": [os.fsencode(word).hex() for word in sys.argv[1:]], "stdin": stdin}}, open(os.environ["RECORD"], "w"))
"""


class Ran(NamedTuple):
    """What a program in the place of curl was given."""

    argv: list[str]
    stdin: bytes

    def after(self, option: str) -> list[str]:
        return [value for name, value in zip(self.argv, self.argv[1:], strict=False) if name == option]

    def body(self, folder: Path) -> bytes:
        """Return the body that curl would send."""
        (named,) = self.after("--data-binary")
        if named == "@-":
            return self.stdin
        return (folder / named[1:]).read_bytes() if named.startswith("@") else named.encode()


def opened(body: bytes, *, url: str = "https://api.example/v1/chat/completions", headers: Headers = JSON_HEADERS, exact: bool = True) -> ExchangeOpened:
    return ExchangeOpened(
        exchange_id="x1",
        number=3,
        turn_id="t",
        step=1,
        attempt=1,
        method="POST",
        url=redact_url(url, (KEY,)),
        headers=redact_headers(headers, (KEY,)),
        body=BodyRef(runs=((1, 1),), size_bytes=len(body), sha256=hashlib.sha256(body).hexdigest(), exact=exact),
        dialect="chat_completions",
        profile="p",
        model="m",
    )


async def shell(command: str, folder: Path, environment: dict[str, str]) -> bytes:
    """Run a command by the shell, in a folder, with nothing on its standard input; return what it wrote."""
    assert SHELL
    script = folder / "script"
    script.write_bytes(command.encode("utf-8", "surrogateescape"))
    process = await asyncio.create_subprocess_exec(
        SHELL, str(script), cwd=folder, env=environment, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return out


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a program named curl that writes down what it was given."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "curl").write_text(FAKE)
    (folder / "curl").chmod(0o755)
    return folder


def ran(made: Curl, recorder: Path, body: bytes = b"") -> Ran:
    record = recorder / "record.json"
    record.unlink(missing_ok=True)
    if made.body_file:
        (recorder / made.body_file).write_bytes(body)
    environment = {"PATH": f"{recorder}:{os.environ['PATH']}", "RECORD": str(record), "PROVIDER_KEY": KEY, "HOME": "/nowhere"}
    asyncio.run(shell(made.command, recorder, environment))
    found = json.loads(record.read_text())
    return Ran([bytes.fromhex(word).decode("utf-8", "surrogateescape") for word in found["argv"]], bytes.fromhex(found["stdin"]))


BODIES = {
    "json": b'{"model":"m","messages":[{"role":"user","content":"Hi"}]}',
    "quotes": b"""{"a":"it's \\"quoted\\" `id` $HOME $(id) ${x} \\\\ ! # ~ * ? [a] {b,c}"}""",
    "newlines": b'{\n  "a": "b"\n}\n\n',
    "unicode": '{"a":"天气 🌍 \u2028 \u202e"}'.encode(),
    "percent": b"%s %d %% \\n \\x41 \\0",
    "only quotes": b"'''\"\"\"'",
    "at": b"@/etc/passwd",
    "dash": b"-d x",
    "long": b'{"a":"' + b"it's " * (LONGEST_ARGUMENT_BYTES // 4) + b'"}',
}


@pytest.mark.parametrize("name", BODIES)
def test_shell_gives_curl_the_exact_body(name: str, recorder: Path) -> None:
    body = BODIES[name]
    made = curl(opened(body), body)
    assert not made.body_file
    assert ran(made, recorder).body(recorder) == body


@pytest.mark.parametrize(
    "body",
    [b"\xff\xfe\x00", b'{"a":"\x1b[2J"}', b"a\tb", "x\u0085y".encode(), b"x" * (LARGEST_INLINE_BYTES + 1)],
    ids=["binary", "escape", "tab", "c1", "huge"],
)
def test_body_that_cannot_be_pasted_goes_through_a_file(body: bytes, recorder: Path) -> None:
    made = curl(opened(body), body)
    assert made.body_file == "request-3-body"
    assert len(made.command) < 2_000
    assert ran(made, recorder, body).body(recorder) == body


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("'\"\\\n$`!@%"), min_size=1, max_size=80))
def test_any_text_reaches_curl_as_it_is(text: str, recorder: Path) -> None:
    body = text.encode()
    assert ran(curl(opened(body), body), recorder).body(recorder) == body


def test_secrets_are_variables_of_the_shell(recorder: Path) -> None:
    made = curl(opened(b"{}", url=f"https://api.example/v1?key={KEY}&a=it's"), b"{}")
    assert KEY not in made.command
    assert mask(KEY) not in made.command
    assert made.variables == ("PROVIDER_KEY",)
    called = ran(made, recorder)
    assert f"Authorization: Bearer {KEY}" in called.after("--header")
    assert f"https://api.example/v1?key={KEY}&a=it's" in called.argv


def test_different_secrets_get_different_variables() -> None:
    headers = (("Authorization", f"Bearer {KEY}"), ("x-api-key", "another-secret"), ("api-key", KEY))
    made = curl(opened(b"{}", headers=headers), b"{}")
    assert made.variables == ("PROVIDER_KEY", "PROVIDER_KEY_2")
    assert made.command.count('"$PROVIDER_KEY"') == 2
    assert made.command.count('"$PROVIDER_KEY_2"') == 1


def test_headers_arrive_word_by_word_and_those_of_the_connection_are_left_to_curl(recorder: Path) -> None:
    headers = (*JSON_HEADERS, ("Host", "api.example"), ("Content-Length", "2"), ("Accept-Encoding", "gzip"), ("Connection", "keep-alive"), ("X-Empty", ""))
    called = ran(curl(opened(b"{}", headers=headers), b"{}"), recorder)
    assert called.after("--header") == ["Content-Type: application/json", f"Authorization: Bearer {KEY}", 'X-Quote: it\'s "$HOME" `id` \\', "X-Empty;"]
    assert "--compressed" in called.argv


def test_body_that_is_not_exact_is_told() -> None:
    assert curl(opened(b"{}", exact=False), b"{}").masked
    assert not curl(opened(b"{}"), b"{}").masked


@pytest.mark.skipif(CURL is None, reason="needs curl")
@pytest.mark.parametrize("name", ["quotes", "unicode", "newlines", "at", "long"])
async def test_curl_sends_what_was_recorded(name: str, tmp_path: Path) -> None:
    body = BODIES[name]
    received: list[ServerRequest] = []

    async def handler(request: ServerRequest) -> ServerResponse:
        received.append(request)
        return ServerResponse(200, [("Content-Type", "text/plain")], b"thanks")

    async with LoopbackServer(handler) as server:
        made = curl(opened(body, url=f"{server.base_url}/v1/[x]?a={{b}}&key={KEY}"), body)
        out = await shell(made.command, tmp_path, {"PATH": os.environ["PATH"], "PROVIDER_KEY": KEY})
    (request,) = received
    assert out == b"thanks"
    assert request.body == body
    assert (request.method, request.target) == ("POST", f"/v1/[x]?a={{b}}&key={KEY}")
    assert [request.header(name) for name, _value in JSON_HEADERS] == [value for _name, value in JSON_HEADERS]
