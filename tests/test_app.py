"""The program is built once, in order, and closed in reverse; nothing of it is left, and no key is written anywhere."""

from __future__ import annotations

import asyncio
import functools
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.left_behind import NewChildren
from workbench.app import App, ModelChoice, OpenSession, demo_offered
from workbench.conversation.events import ExchangeOpened, ModelChosen, ToolFinished, TurnFinished
from workbench.conversation.values import json_bytes
from workbench.errors import SessionLocked, SettingsError, UsageError, WorkspaceError
from workbench.practice.server import MODEL_NAME
from workbench.providers.discovery import LocalKind, find_local_servers
from workbench.settings.tree import Settings, ToolSettings
from workbench.store.session_store import SessionStore
from workbench.store.sessions import list_sessions
from workbench.tools.read import ReadTool
from workbench.tools.registry import ToolRegistry
from workbench.wire.server import Handler, LoopbackServer, ServerRequest, ServerResponse

KEY = "canary/key+7fd1c05b92=="
FAST = "[practice]\ntokens_per_s = 0\n"
OWN = """
[model]
profile = "local"
model = "second"

[[profiles]]
name = "local"
base_url = "http://127.0.0.1:9/v1"
models = ["first", "second"]

[[profiles]]
name = "openai"
base_url = "http://127.0.0.1:9/mine"
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "ws").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "settings.toml").write_text(FAST)
    return tmp_path / "data"


def settings(data: Path, text: str) -> None:
    (data / "settings.toml").write_text(text)


async def session(app: App, choice: ModelChoice | None = None) -> OpenSession:
    workspace = await app.workspace(app.data_folder.parent / "ws")
    return await app.open_session(workspace, choice or await app.choose(), headless="all")


async def said(opened: OpenSession, text: str) -> TurnFinished:
    await opened.session.submit(text)
    await opened.session.wait_idle()
    event = opened.session.journal.entries[-1].event
    assert isinstance(event, TurnFinished)
    return event


# Opening


async def test_the_data_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    async with await App.open(tmp_path / "a" / "data", {}) as app:
        assert stat.S_IMODE(app.data_folder.stat().st_mode) == 0o700
        assert (app.settings, app.notices) == (Settings(), ())


async def test_a_data_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path / "file" / "data"):
        with pytest.raises(UsageError, match="WORKBENCH_DATA"):
            await App.open(path, {})


@pytest.mark.parametrize(
    "text",
    ["not toml [", "\x00", "[practice]\ntokens_per_s = 'fast'\n", "[practice]\ntokens_per_s = -1\n", '[[profiles]]\nname = "x"\nbase_url = "no address"\n'],
)
async def test_settings_that_cannot_be_used_are_a_notice_and_the_defaults(data: Path, text: str) -> None:
    settings(data, text)
    async with await App.open(data, {}) as app:
        assert app.settings == Settings()
        (notice,) = app.notices
        assert isinstance(notice, SettingsError)
        assert notice.text
    assert (data / "settings.toml").read_text() == text, "the file is left for its owner to mend"


async def test_entries_nobody_knows_are_notices_and_the_rest_counts(data: Path) -> None:
    settings(data, FAST + "speed = 3\n[colour]\nx = 1\n")
    async with await App.open(data, {}) as app:
        assert app.settings.practice.tokens_per_s == 0
        assert len(app.notices) == 2


# Choosing


async def test_the_users_profiles_stand_first_and_replace_known_ones(data: Path) -> None:
    settings(data, OWN)
    async with await App.open(data, {}) as app:
        profiles = app.profiles()
        assert [profile.name for profile in profiles[:2]] == ["local", "openai"]
        assert [profile.base_url for profile in profiles if profile.name == "openai"] == ["http://127.0.0.1:9/mine"]
        assert "deepseek" in [profile.name for profile in profiles]


@pytest.mark.parametrize(
    ("wanted", "profile", "model"),
    [
        ("", "local", "second"),
        ("local", "local", "first"),
        ("local/third", "local", "third"),
        ("third", "local", "third"),
        ("family/third", "local", "family/third"),
        ("openai/gpt/x", "openai", "gpt/x"),
        ("practice", "practice", MODEL_NAME),
        ("practice/practice", "practice", MODEL_NAME),
    ],
)
async def test_models_are_named_in_several_ways(data: Path, wanted: str, profile: str, model: str) -> None:
    settings(data, OWN)
    async with await App.open(data, {}) as app:
        choice = await app.choose(wanted)
        assert (choice.profile.name, choice.model) == (profile, model)


@pytest.mark.parametrize("wanted", ["nosuch", "nosuch/x"])
async def test_what_no_profile_has_does_not_go_to_the_practice_model(data: Path, wanted: str) -> None:
    async with await App.open(data, {}) as app:
        with pytest.raises(UsageError, match=r"no provider profile “nosuch”\. Known are: practice, practice-functions, "):
            await app.choose(wanted)
        assert app.secrets() == (), "nothing was started for it"


async def test_a_profile_without_models_needs_one(data: Path) -> None:
    async with await App.open(data, {}) as app:
        with pytest.raises(UsageError, match="Which model of Groq"):
            await app.choose("groq")
        with pytest.raises(UsageError, match="no provider profile “gone”"):
            await app.choice("gone", "x")


async def test_an_address_is_a_profile_of_its_own(data: Path) -> None:
    async with await App.open(data, {"MINE": KEY}) as app:
        choice = await app.choose("m", base_url="http://127.0.0.1:9/v1/", key_variable="MINE")
        assert (choice.profile.base_url, choice.model) == ("http://127.0.0.1:9/v1", "m")
        assert await app.key_of(choice.profile) == KEY
        with pytest.raises(UsageError, match="Which model answers at"):
            await app.choose(base_url="http://127.0.0.1:9/v1")
        with pytest.raises(SettingsError, match="ftp"):
            await app.choose("m", base_url="ftp://127.0.0.1/")


@pytest.mark.parametrize(("demo", "practice", "other"), [(None, True, False), (True, True, True), (False, False, False)])
async def test_demo_tools_are_for_the_practice_model_unless_set(data: Path, demo: bool | None, practice: bool, other: bool) -> None:
    async with await App.open(data, {}) as app:
        wanted = Settings(tools=ToolSettings(demo=demo))
        assert demo_offered(wanted, await app.choose()) is practice
        assert demo_offered(wanted, await app.choose("m", base_url="http://127.0.0.1:9/v1")) is other


# The practice model


async def test_the_practice_server_is_started_once_and_only_when_asked_for(data: Path) -> None:
    async with await App.open(data, {}) as app:
        assert app.secrets() == ()
        servers = await asyncio.gather(*(app.practice() for _ in range(5)))
        assert len(set(map(id, servers))) == 1
        assert app.secrets() == (servers[0].key,)
        base_url = servers[0].base_url
        async with httpx.AsyncClient(trust_env=False) as client:
            assert (await client.get(f"{base_url}/models", headers={"Authorization": f"Bearer {servers[0].key}"})).status_code == 200
            assert (await client.get(f"{base_url}/models")).status_code == 401
    async with httpx.AsyncClient(trust_env=False) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(f"{base_url}/models")


# Sessions


async def test_a_turn_from_opening_to_closing(data: Path) -> None:
    async with await App.open(data, {}) as app:
        opened = await session(app)
        assert (await said(opened, "what time is it")).end == "answered"
        folder = opened.store.outputs.parent
        await opened.aclose()
        await opened.aclose()
        assert list_sessions(data)[0].state == "idle"
        again = await app.open_session(opened.bench.workspace, await app.choose(), resume=folder)
        assert again.session.messages[0].text() == "what time is it"
        await again.aclose()


async def test_a_session_that_is_open_is_locked(data: Path) -> None:
    async with await App.open(data, {}) as app:
        opened = await session(app)
        with pytest.raises(SessionLocked):
            await app.open_session(opened.bench.workspace, opened.choice, resume=opened.store.outputs.parent)
        await opened.aclose()


async def test_a_start_that_fails_leaves_the_session_free(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with await App.open(data, {}) as app:
        opened = await session(app)
        await said(opened, "hello")
        await opened.aclose()

        def fail(_self: ToolRegistry, *_: object) -> None:
            raise WorkspaceError("planned")

        monkeypatch.setattr(ToolRegistry, "__init__", fail)
        with pytest.raises(WorkspaceError):
            await app.open_session(opened.bench.workspace, opened.choice)
        assert len(list_sessions(data)) == 1, "a session that never began is not kept"
        with pytest.raises(WorkspaceError):
            await app.open_session(opened.bench.workspace, opened.choice, resume=opened.store.outputs.parent)
        monkeypatch.undo()
        again = await app.open_session(opened.bench.workspace, opened.choice, resume=opened.store.outputs.parent)
        await again.aclose()


async def test_workspaces_that_cannot_be_are_refused(data: Path) -> None:
    async with await App.open(data, {}) as app:
        for folder in (data, data.parent, Path.home(), data / "settings.toml"):
            with pytest.raises(WorkspaceError):
                await app.workspace(folder)


async def test_another_model_takes_the_next_request(data: Path) -> None:
    async with await App.open(data, {"MINE": KEY}) as app, LoopbackServer(echo) as server:
        opened = await session(app)
        assert (await said(opened, "what time is it")).end == "answered"
        opened = app.switch_model(opened, await app.choose("other", base_url=server.base_url + "/v1", key_variable="MINE"))
        assert (await said(opened, "and now")).end == "answered"
        hosts = [entry.event.url for entry in opened.session.journal.entries if isinstance(entry.event, ExchangeOpened)]
        assert not hosts[0].startswith(server.base_url)
        assert hosts[-1].startswith(server.base_url)
        chosen = [entry.event.model for entry in opened.session.journal.entries if isinstance(entry.event, ModelChosen)]
        assert chosen == [MODEL_NAME, "other"]
        await opened.aclose()


async def test_scaler_of_the_window_reaches_the_read_tool(data: Path) -> None:
    def scaler(content: bytes) -> tuple[str, bytes]:
        return "image/png", content

    async with await App.open(data, {}, scaler=scaler) as app:
        opened = await session(app)
        read = opened.bench.registry.get("read")
        assert isinstance(read, ReadTool)
        assert read.scaler is scaler
        await opened.aclose()


# Closing


async def test_closing_ends_jobs_and_removes_what_was_temporary(data: Path, new_children: NewChildren) -> None:
    async with await App.open(data, {}) as app:
        opened = await session(app)
        assert (await said(opened, "run sleep 300 & echo $!; disown")).end == "answered"
        bench = await app.bench(opened.bench.workspace)
        outputs = bench.context.outputs
        assert outputs.is_dir()
        (finished,) = [entry.event for entry in opened.session.journal.entries if isinstance(entry.event, ToolFinished)]
        assert finished.status == "ok"
        await opened.aclose()
    assert not outputs.exists()
    assert new_children(zombies=False) == []


async def test_a_closed_session_leaves_nothing_to_close_with_the_program(data: Path) -> None:
    async with await App.open(data, {}) as app:
        await app.practice()
        before = len(app._stack._exit_callbacks)  # type: ignore[attr-defined]
        for _ in range(3):
            await (await session(app)).aclose()
        assert len(app._stack._exit_callbacks) == before  # type: ignore[attr-defined]


async def test_closing_in_the_middle_of_a_turn_stops_it(data: Path) -> None:
    settings(data, "[practice]\ntokens_per_s = 5\n")
    async with await App.open(data, {}) as app:
        opened = await session(app)
        streaming = asyncio.Event()
        subscription = opened.session.journal.subscribe(lambda _entry: None, live=lambda _event: streaming.set())
        await opened.session.submit("hi")
        await streaming.wait()
        subscription.close()
        await opened.aclose()
        last = opened.session.journal.entries[-1].event
        assert isinstance(last, TurnFinished)
        assert last.end == "stopped"


# Keys


async def echo(request: ServerRequest) -> ServerResponse:
    """Answer with the key that came in: in a header, and in the text, cut in two."""
    key = (request.header("authorization") or "").removeprefix("Bearer ")

    async def stream() -> AsyncIterator[bytes]:
        for piece in (f"Your key is {key[:9]}", f"{key[9:]}, I think."):
            yield b"data: " + json_bytes({"id": "r", "choices": [{"index": 0, "delta": {"content": piece}}]}) + b"\n\n"
        yield b'data: {"id":"r","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

    return ServerResponse(200, [("Content-Type", "text/event-stream"), ("X-Seen", key), ("Set-Cookie", f"k={key}")], stream())


async def scold(request: ServerRequest) -> ServerResponse:
    """Refuse the key, and say which one it was."""
    key = (request.header("authorization") or "").removeprefix("Bearer ")
    return ServerResponse(401, [("Content-Type", "application/json")], json_bytes({"error": {"message": f"Incorrect API key provided: {key}."}}))


@pytest.mark.parametrize("server_does", [echo, scold], ids=["echoed", "refused"])
def test_a_key_is_in_no_file(data: Path, server_does: Handler, capfd: pytest.CaptureFixture[str]) -> None:
    folder = asyncio.run(_turn_with_key(data, server_does))
    for path in data.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path
    kept = _everything(folder)
    assert kept
    assert KEY.encode() not in kept
    assert json_bytes(KEY)[1:-1] not in kept
    out, err = capfd.readouterr()
    assert KEY not in out + err


async def _turn_with_key(data: Path, server_does: Handler) -> Path:
    """Run a turn in which the key goes out, comes back and is typed by the person; return the session's folder."""
    async with await App.open(data, {"MINE": KEY, "PATH": "/usr/bin:/bin"}) as app, LoopbackServer(server_does) as server:
        opened = await session(app, await app.choose("m", base_url=server.base_url + "/v1", key_variable="MINE"))
        await said(opened, f"is {KEY} my key?")
        await opened.aclose()
        assert KEY not in str(opened.bench.context.environment), "no command inherits it"
        return opened.store.outputs.parent


def _everything(folder: Path) -> bytes:
    """Return all that a session gives back when it is read: facts, request bodies, response chunks."""
    store = SessionStore.open(folder, read_only=True)
    try:
        pieces = [json_bytes(entry) for entry in store.entries()]
        for entry in store.entries():
            if isinstance(entry.event, ExchangeOpened):
                pieces += [store.body(entry.event.body), *(chunk.data for chunk in store.chunks(entry.event.exchange_id))]
        return b"\n".join(pieces)
    finally:
        store.close()


async def test_a_local_server_is_found_when_it_is_named(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def lists_models(request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, (), b'{"data": [{"id": "qwen3:8b"}, {"id": "llama3"}]}')

    async with LoopbackServer(lists_models) as server, await App.open(data, {}) as app:
        kinds = (LocalKind("ollama", "Ollama", server.port),)
        monkeypatch.setattr("workbench.app.find_local_servers", functools.partial(find_local_servers, kinds=kinds))
        assert (await app.choose("ollama")).model == "qwen3:8b"
        chosen = await app.choose("ollama/llama3")
        assert (chosen.profile.base_url, chosen.model) == (f"http://127.0.0.1:{server.port}/v1", "llama3")
        with pytest.raises(UsageError, match="No vLLM server answers at"):
            await app.choose("vllm/x")


async def test_switching_the_model_switches_what_is_offered(data: Path) -> None:
    async with await App.open(data, {}) as app:
        opened = await session(app)
        assert "get_weather" in [tool.name for tool in opened.session.next_request().tools]
        app.switch_model(opened, await app.choose("m", base_url="http://127.0.0.1:9/v1"))
        assert "get_weather" not in [tool.name for tool in opened.session.next_request().tools]
        await opened.aclose()


async def test_a_session_in_which_nothing_was_said_leaves_no_files(data: Path) -> None:
    async with await App.open(data, {}) as app:
        silent = await session(app)
        await silent.aclose()
        spoken = await session(app)
        await said(spoken, "hello")
        await spoken.aclose()
    assert [summary.session_id for summary in list_sessions(data)] == [spoken.session.session_id]
    assert not silent.store.folder.exists()
