"""Planted secrets are looked for in everything a session writes, sends, shows and starts: none is found, in any spelling.

Each canary stands where secrets stand in practice. What a person put into a file (the workspace's own files, a header in the settings) stays
there; a person who lets a model read a file of secrets sends its values to the provider, but not even then are they written down.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.settings.test_credentials import Ring
from workbench.app import App, OpenSession
from workbench.cli.output import hide
from workbench.conversation.events import ApprovalRequested, Entry, ExchangeOpened, ToolFinished
from workbench.conversation.values import json_bytes
from workbench.inspection.curl import curl
from workbench.practice.server import PracticeServer
from workbench.providers.choices import ModelChoice
from workbench.providers.profiles import Profile
from workbench.redaction.logs import RedactingFormatter
from workbench.redaction.redactor import Redactor
from workbench.settings.credentials import Credentials, Secret
from workbench.store.session_store import SessionStore

KEYRING = "canary/keyring+5d1c0e77=="
VARIABLE = "canary-variable-91ab44"
FOREIGN = "canary-foreign-variable-3c"
ENV_FILE = "canary-env-file-8e20b1"
HISTORY = "canary-history-77f1c2d9"
PASSWORD = "canary-pass-4419bb"  # noqa: S105 - nobody's
HEADER = "canary-header-0b5f6a"
TOKEN = "ghp_CANARYa1B2c3D4e5F6g7H8i9J0k1L2m3N4o5"  # noqa: S105 - nobody's
CANARIES = (KEYRING, VARIABLE, FOREIGN, ENV_FILE, HISTORY, PASSWORD, HEADER, TOKEN)

TURNS = (
    "run env",
    "run cat .env; base64 .env; python3 -c 'print(open(\".env\").read())'",
    "run git show HEAD",
    "run git log -p | tail -n 500; seq 40000; cat config.ini notes.txt",
    "read .env",
    "read config.ini",
    "run env > seen.txt; export >> seen.txt",
)


def spellings(canary: str) -> Iterator[bytes]:
    """Yield what would give a canary away: itself, in addresses, in JSON, and the middle of its base64 at each alignment."""
    yield from {canary.encode(), quote(canary, safe="").encode(), json.dumps(canary)[1:-1].encode(), canary.replace("/", "\\/").encode()}
    for before in range(3):
        yield base64.b64encode(b"x" * before + canary.encode())[4:-4]


def given_away(data: bytes, *, but: tuple[str, ...] = ()) -> list[str]:
    return [canary for canary in CANARIES if canary not in but and any(form in data for form in spellings(canary))]


def plant(folder: Path) -> Path:
    """Make a project in which secrets stand where they usually do."""
    workspace = folder / "ws"
    workspace.mkdir()
    git = ["git", "-C", str(workspace), "-c", "user.name=n", "-c", "user.email=e"]
    (workspace / ".env.production").write_text(f"OLD_TOKEN={HISTORY}\n")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "a"], ["rm", "-q", ".env.production"], ["commit", "-qm", "b"]):
        subprocess.run([*git, *arguments], check=True, timeout=20)
    (workspace / ".env").write_text(f"# local\nexport DB_PASSWORD='{ENV_FILE}'\nMODE=development\n")
    (workspace / "config.ini").write_text(f"url=https://app:{PASSWORD}@db.example/x\n")
    (workspace / "notes.txt").write_text(f"my token is {TOKEN}\n")
    return workspace


@contextmanager
def watched_children() -> Iterator[list[bytes]]:
    """Collect environment and arguments of every process below this one, as often as they can be read."""
    seen: dict[bytes, None] = {}
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            for pid in _below(os.getpid()):
                for name in ("environ", "cmdline"):
                    try:
                        seen[Path(f"/proc/{pid}/{name}").read_bytes()] = None
                    except OSError:
                        continue

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    found: list[bytes] = []
    try:
        yield found
    finally:
        ended.set()
        watcher.join(10)
        found += seen


def _below(pid: int) -> Iterator[int]:
    try:
        children = [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]
    except OSError:
        return
    for child in children:
        yield child
        yield from _below(child)


async def drive(opened: OpenSession, *turns: str) -> list[ToolFinished]:
    for turn in turns:
        await opened.session.submit(turn)
        await opened.session.wait_idle()
    return [entry.event for entry in opened.session.journal.entries if isinstance(entry.event, ToolFinished)]


def everything_kept(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield all files below a folder byte for byte, and what they hold compressed."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield str(path), path.read_bytes()
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                yield from ((f"{path}/{name}", archive.read(name)) for name in archive.namelist())
    for session in (folder / "data" / "sessions").iterdir():
        store = SessionStore.open(session, read_only=True)
        for entry in store.all_entries():
            yield f"fact {entry.seq}", json_bytes(entry.event)
            if isinstance(entry.event, ExchangeOpened):
                yield f"body {entry.seq}", store.body(entry.event.body)
                yield f"response {entry.seq}", b"".join(chunk.data for chunk in store.chunks(entry.event.exchange_id))
        store.close()


@pytest.mark.skipif(sys.platform != "linux", reason="what children see is read from /proc, which only Linux has")
@pytest.mark.time_limit(120)
async def test_no_canary_is_written_sent_or_given_to_a_child(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    workspace_folder = await asyncio.to_thread(plant, tmp_path)
    environment = {**os.environ, "OPENAI_API_KEY": VARIABLE, "DATABASE_URL": FOREIGN, "MY_THING": FOREIGN, "HOME": str(tmp_path / "home")}
    server = PracticeServer(rate_per_s=0)
    server.key = KEYRING
    ring = Ring()
    log_file = tmp_path / "log.txt"
    with watched_children() as children:
        async with server, await App.open(tmp_path / "data", environment) as app:
            app.credentials = Credentials(environment, backend=ring)
            profile = Profile(name="mine", base_url=server.base_of("chat_completions"), models=("practice",), headers=(("X-Gateway-Secret", HEADER),))
            assert await app.credentials.keep("mine", Secret(KEYRING)) == "keyring"
            opened = await app.open_session(await app.workspace(workspace_folder), ModelChoice(profile, "practice"), headless="all")
            results = await drive(opened, *TURNS)
            _log_badly(log_file, app)
            hide(app.secrets)
            exports = tmp_path / "exports"
            exports.mkdir()
            for entry in opened.session.journal.entries:
                if isinstance(entry.event, ExchangeOpened):
                    made = curl(entry.event, opened.store.body(entry.event.body), Redactor(lambda: dict.fromkeys(app.secrets(), "key")))
                    (exports / f"{entry.seq}.sh").write_text(made.command)
                    assert "$PROVIDER_KEY" in made.command
            await asyncio.to_thread(opened.store.export, exports / "session.zip")
            bodies = [entry.event.body for entry in opened.session.journal.entries if isinstance(entry.event, ExchangeOpened)]
            assert [opened.store.body(body) for body in bodies] == server.received, "what is kept is what was sent"
            assert all(body.exact for body in bodies)
            sent = b"\n".join(server.received)
            wal = [(str(path), path.read_bytes()) for path in (tmp_path / "data").rglob("*") if path.is_file()]
            await opened.aclose()
    assert [result.status for result in results].count("ok") >= len(TURNS), [(result.status, result.result.text()) for result in results]
    assert given_away(sent) == [], "to the provider"
    for name, data in (*wal, *await asyncio.to_thread(lambda: list(everything_kept(tmp_path)))):
        if "/ws/" not in name:
            assert given_away(data) == [], name
    assert len(children) > 5
    assert not [data for data in children if given_away(data)], "to a child"
    seen = (workspace_folder / "seen.txt").read_bytes()
    assert b"PATH=" in seen
    assert given_away(seen) == []
    out, err = capfd.readouterr()
    assert given_away((out + err).encode()) == []
    said = b"".join(json_bytes(result) for result in results)
    for mark in (b"[REDACTED:DB_PASSWORD]", b"[REDACTED:OLD_TOKEN]", b"[REDACTED:GitHub token]", b"[REDACTED:password]", b"secrets replaced"):
        assert mark in said


def _log_badly(path: Path, app: App) -> None:
    """Log what nobody should log: an error with every secret in its words."""
    handler = logging.FileHandler(path)
    handler.setFormatter(RedactingFormatter("%(message)s", app.secrets))
    log = logging.getLogger("tests.canaries")
    log.propagate = False
    log.addHandler(handler)
    try:
        dict[str, str]()[f"{KEYRING} {VARIABLE} {ENV_FILE} {TOKEN} https://u:{PASSWORD}@h/?token={HISTORY} X-Api-Key: {HEADER}"]
    except LookupError:
        log.exception("it failed with %r", {"key": KEYRING, "old_token": HISTORY})
    finally:
        log.removeHandler(handler)
        handler.close()


@pytest.mark.time_limit(60)
async def test_values_that_a_person_lets_a_model_read_are_sent_but_not_written(tmp_path: Path) -> None:
    """The one place where a secret passes: a file of secrets, read with ``show_secrets``, and a person said yes."""
    workspace_folder = await asyncio.to_thread(plant, tmp_path)
    async with PracticeServer(rate_per_s=0) as server, await App.open(tmp_path / "data", {"PATH": os.environ["PATH"]}) as app:
        profile = Profile(name="mine", base_url=server.base_of("chat_completions"), models=("practice",))
        app.credentials = Credentials({}, backend=Ring())
        await app.credentials.keep("mine", Secret(server.key))
        opened = await app.open_session(await app.workspace(workspace_folder), ModelChoice(profile, "practice"), headless=None)
        loop = asyncio.get_running_loop()

        def let(entry: Entry) -> None:
            if isinstance(entry.event, ApprovalRequested):
                answer = partial(opened.session.resolve, entry.event.approval_id, "approve_edited")
                loop.call_soon(partial(answer, arguments={"file_path": ".env", "show_secrets": True}))

        listening = opened.session.journal.subscribe(let)
        await drive(opened, "read .env")
        listening.close()
        sent = b"\n".join(server.received)
        bodies = [entry.event.body for entry in opened.session.journal.entries if isinstance(entry.event, ExchangeOpened)]
        assert [body.exact for body in bodies] == [True, False], "the record says that it is not what was sent"
        await opened.aclose()
    assert given_away(sent) == [ENV_FILE]
    for name, data in await asyncio.to_thread(lambda: list(everything_kept(tmp_path))):
        if "/ws/" not in name:
            assert given_away(data) == [], name
