"""Whatever is wrong with what a person or a server gives, it is one clear sentence with a status, and the session stays usable.

Locked sessions stand in test_kill, damaged ones in tests/cli/test_sessions, broken calls of a foreign server in test_llmock.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Inside
from tests.cli.program import Home, of_type
from tests.cli.screen import Screen
from tests.whole.asking import WITH_KEY, at, run
from workbench.practice.server import PracticeServer
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse

GIGABYTE = 1 << 30


def answering(status: int, body: bytes, kind: str) -> LoopbackServer:
    async def handle(_request: ServerRequest) -> ServerResponse:
        return ServerResponse(status, [("Content-Type", kind)], body)

    return LoopbackServer(handle)


async def refused(home: Home, base_url: str, sentence: str) -> str:
    """Check that a turn ends in one sentence and status 1; return its session's id."""
    done = await run(home, "run", "hi", "--json", *at(base_url, "m"), environment=WITH_KEY)
    assert done.status == 1, done.err
    session, told = done.err.splitlines()
    assert sentence in told
    facts = done.objects()
    assert facts[-1] | {"type": "TurnFinished", "end": "failed"} == facts[-1]
    assert len(of_type(facts, "ExchangeOpened")) == 1, "asking again cannot help"
    return session.split()[1]


async def goes_on(home: Home, session_id: str) -> None:
    """Check that a session goes on with another model, but not to another one unasked."""
    done = await run(home, "run", "what time is it", "--json", "--session", session_id)
    assert done.status == 2
    assert "talked to m at an address of its own" in done.sentence()
    done = await run(home, "run", "what time is it", "--json", "--session", session_id, "--model", "practice")
    assert done.status == 0, done.err
    assert done.objects()[-1]["end"] == "answered"


@pytest.mark.time_limit(40)
async def test_servers_that_are_not_there(home: Home) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(refused(home, "http://127.0.0.1:9/v1", "Nothing answers at 127.0.0.1:9"))
        group.create_task(refused(home, "http://nothing.invalid/v1", "nothing.invalid"))


@pytest.mark.parametrize(
    ("status", "body", "kind", "sentence"),
    [
        (401, b'{"error": {"message": "Incorrect API key provided.", "code": "invalid_api_key"}}', "application/json", "401: Incorrect API key"),
        (403, b"", "text/plain", "403"),
        (404, b"<html><body><h1>404 Not Found</h1></body></html>", "text/html", "404"),
        (200, b"<!doctype html><title>Log in</title>", "text/html", "A web page came instead of an answer: Log in"),
        (200, b'{"hello": "world"}', "application/json", "neither an answer nor an error"),
        (200, b"\x00\x01\x02\xff", "application/octet-stream", ""),
    ],
    ids=["wrong key", "forbidden", "wrong path", "log-in page", "other JSON", "bytes"],
)
async def test_bodies_that_are_no_answer(home: Home, status: int, body: bytes, kind: str, sentence: str) -> None:
    async with answering(status, body, kind) as server:
        await refused(home, server.base_url + "/v1", sentence)


async def test_a_wrong_key_says_which_server_and_what_to_do(home: Home) -> None:
    async with PracticeServer(rate_per_s=0) as server:
        session_id = await refused(home, server.base_url, "401: The key is missing or wrong")
        assert server.received == [], "it was refused before anything was read"
    await goes_on(home, session_id)


@pytest.mark.parametrize(("drill", "kind"), [("unknown tool", "unknown_tool"), ("broken arguments", "invalid_json")])
def test_calls_that_cannot_be_are_answered(home: Home, drill: str, kind: str) -> None:
    facts = home.turn(f"Drill: {drill}")
    assert of_type(facts, "ToolFinished")[0]["kind"] == kind
    assert facts[-1]["end"] == "answered"


def sparse(home: Home) -> Path:
    """Make a file of 5 GB that takes no room."""
    path = home.workspace / "big.txt"
    with path.open("wb") as file:
        file.truncate(5 * GIGABYTE)
    return path


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", '{"file_path": "big.txt"}'),
        ("edit", '{"file_path": "big.txt", "old_string": "a", "new_string": "b"}'),
        ("grep", '{"pattern": "x"}'),
        ("list", '{"path": "."}'),
    ],
)
def test_a_file_of_five_gigabytes(home: Home, name: str, arguments: str) -> None:
    sparse(home)

    little_memory = ["sh", "-c", f'ulimit -v {2 * GIGABYTE >> 10}; exec "$@"', "sh"]
    began_s = time.monotonic()
    command = [*little_memory, *home.command("tool", name, arguments, "--approve", "all", "--json")]
    done = subprocess.run(command, capture_output=True, env=home.environment(), text=True, timeout=30, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    assert len(done.stdout) < 5_000
    assert time.monotonic() - began_s < 15
    assert (home.workspace / "big.txt").stat().st_size == 5 * GIGABYTE


def test_output_without_end_is_stopped(home: Home) -> None:
    with Screen(home, "run", "run yes", "--approve", "all") as screen:
        screen.wait_for("y\ny\ny\n")
        began_s = time.monotonic()
        screen.interrupt()
        assert screen.end() == 1
        assert time.monotonic() - began_s < 2
        assert "Stopped." in screen.text
    (finished,) = of_type(home.session(), "ToolFinished")
    assert finished["status"] == "cancelled"
    assert len(finished["result"]["content"][0]["text"]) < 100_000
    assert sum(path.stat().st_size for path in home.data.rglob("*") if path.is_file()) < 200 << 20
    assert home.turn("what time is it", "--session", "last")[-1]["end"] == "answered"


def folders(home: Home) -> list[tuple[Path, str]]:
    """Return folders that cannot be a workspace, each with words of its sentence."""
    root = home.data.parent
    (root / "file").write_text("x")
    (root / "loop").symlink_to(root / "loop")
    return [
        (root / "no such", "does not exist"),
        (root / "a\u202e\x1b[2Jb", "does not exist"),
        (root / "file", "is a file"),
        (root / "loop", "cannot be opened (Too many levels of symbolic links)"),
        (root / ("x" * 5000), "cannot be opened (File name too long)"),
        (Path.home(), "your home folder"),
        (Path.home().parent, "holds your home folder"),
        (Path("/"), "holds your home folder"),
        (home.data, "this program's own data"),
        (home.data / "sessions", "this program's own data"),
        (root, "holds this program's own data"),
    ]


def test_folders_that_cannot_be_a_workspace(home: Home, inside: Inside) -> None:
    (home.data / "sessions").mkdir()
    for folder, words in folders(home):
        done = inside("run", "hi", "--workspace", str(folder))
        assert (done.status, done.out) == (2, b""), folder
        assert words in done.sentence()
        assert done.sentence().isprintable()
    assert not list((home.data / "sessions").iterdir()), "no session was begun"


def test_a_folder_that_cannot_be_read(home: Home) -> None:
    closed = home.data.parent / "closed"
    closed.mkdir(mode=0o000)
    command = home.command("run", "hi", "--workspace", str(closed))
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            pytest.skip("root may read everything, and setpriv, which could take that away from the program, is not installed")
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    done = subprocess.run(command, capture_output=True, env=home.environment(), text=True, check=False)
    assert done.returncode == 2
    assert "cannot be read (Permission denied)" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_data_folder_that_cannot_be_made(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_DATA", "/dev/null/data")
    done = inside("run", "hi")
    assert (done.status, done.out) == (2, b"")
    assert "WORKBENCH_DATA" in done.sentence()
