"""`workbench sessions` and `workbench inspect`: what was said before, byte for byte."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing

import pytest

from tests.cli.conftest import Inside
from tests.cli.program import Home, types
from workbench.store.session_store import SessionStore


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with two sessions: the time, and then a title with hidden characters."""
    home = Home(tmp_path_factory.mktemp("spoken"))
    home.turn("what time is it")
    home.turn("hi \u202e\x1b[2J", "--approve", "none")
    return home


@pytest.fixture
def ask(inside: Inside, spoken: Home, monkeypatch: pytest.MonkeyPatch) -> Inside:
    monkeypatch.setenv("WORKBENCH_DATA", str(spoken.data))
    return inside


def oldest(home: Home) -> str:
    return home.sessions()[-1].session_id


def test_the_newest_session_stands_first(ask: Inside, spoken: Home) -> None:
    listed = ask("sessions", "--json").objects()
    assert [session["title"][:4] for session in listed] == ["hi \u202e", "what"]
    assert set(listed[0]) == {"session_id", "title", "workspace", "created_at", "updated_at", "turns", "events", "model", "state"}
    assert listed[1]["workspace"] == str(spoken.workspace)
    assert [session["turns"] for session in listed] == [1, 1]
    assert [session["session_id"] for session in ask("sessions", "--json", "--limit", "1").objects()] == [listed[0]["session_id"]]


def test_people_get_two_lines_a_session(ask: Inside, spoken: Home) -> None:
    done = ask("sessions")
    lines = done.answer.splitlines()
    assert len(lines) == 4
    assert lines[2].startswith(oldest(spoken))
    assert "1 turn" in lines[2]
    assert "what time is it" in lines[3]
    assert done.answer.replace("\n", "").isprintable(), "titles cannot steer the terminal"


def test_no_sessions_is_no_error(inside: Inside) -> None:
    done = inside("sessions")
    assert (done.status, done.out) == (0, b"")
    assert "no sessions yet" in done.sentence()
    assert inside("sessions", "--json").objects() == []
    assert inside("inspect", "last").status == 2


def test_requests_are_listed(ask: Inside, spoken: Home) -> None:
    listed = ask("inspect", oldest(spoken), "--json").objects()
    assert [(request["number"], request["status"], request["step"]) for request in listed] == [(1, 200, 1), (2, 200, 2)]
    assert all(request["input_tokens"] and request["output_tokens"] and request["exact"] for request in listed)
    lines = ask("inspect", oldest(spoken)).answer.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("#1  200  step 1  ")


@pytest.mark.parametrize("number", [1, 2])
def test_raw_bytes_are_exact(ask: Inside, spoken: Home, number: int) -> None:
    listed = ask("inspect", oldest(spoken), "--json").objects()[number - 1]
    request = ask("inspect", oldest(spoken), "--request", str(number), "--raw", "request").out
    response = ask("inspect", oldest(spoken), "--request", str(number), "--raw", "response").out
    assert hashlib.sha256(request).hexdigest() == listed["request_sha256"]
    assert len(request) == listed["request_bytes"]
    assert len(response) == listed["response_bytes"]
    assert response.endswith(b"data: [DONE]\n\n")
    assert json.loads(request)["messages"][0]["role"] == "system"


def test_a_request_is_shown_whole(ask: Inside, spoken: Home) -> None:
    (one,) = ask("inspect", oldest(spoken), "--request", "2", "--json").objects()
    assert one["request_body"] == ask("inspect", oldest(spoken), "--request", "2", "--raw", "request").out.decode()
    assert ["Content-Type", "application/json"] in [[name.title(), value] for name, value in one["request_headers"]]
    text = ask("inspect", oldest(spoken), "--request", "2").answer
    assert text.startswith("POST http://127.0.0.1:")
    assert "200" in text
    assert "data: [DONE]" in text
    assert '\n  "messages": [\n' in text, "laid out for reading"


def test_keys_of_requests_are_masked(ask: Inside, spoken: Home) -> None:
    (one,) = ask("inspect", oldest(spoken), "--request", "1", "--json").objects()
    (key,) = [value for name, value in one["request_headers"] if name.lower() == "authorization"]
    assert key.startswith("Bearer REDACTED-")


def test_facts_are_those_of_the_journal(ask: Inside, spoken: Home) -> None:
    facts = ask("inspect", oldest(spoken), "--events", "--json").objects()
    store = SessionStore.open(spoken.sessions()[-1].folder, read_only=True)
    try:
        assert types(facts) == [type(entry.event).__name__ for entry in store.entries()]
    finally:
        store.close()
    lines = ask("inspect", oldest(spoken), "--events").answer.splitlines()
    assert len(lines) == len(facts)
    for words in ("Added  user what time is it", "Responded  assistant", "[get_current_time]", "Decided  get_current_time allow 0 Look", "answered"):
        assert any(words in line for line in lines), words
    assert ask("inspect", "last", "--events").answer.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nosuch",), "no session"),
        (("last", "--request", "99"), "there is no number 99"),
        (("last", "--raw", "request"), "--raw needs --request"),
        (("2",), "sessions begin with"),
    ],
)
def test_what_is_not_there_is_told(ask: Inside, words: tuple[str, ...], said: str) -> None:
    done = ask("inspect", *words)
    assert (done.status, done.out) == (2, b"")
    assert said in done.sentence()


def test_a_damaged_session_is_shown_as_far_as_it_is_sound(inside: Inside, home: Home) -> None:
    facts = home.turn("what time is it")
    with closing(sqlite3.connect(home.sessions()[0].folder / "journal.sqlite")) as connection, connection:
        connection.execute("UPDATE event SET crc = crc + 1 WHERE seq = 9")
    done = inside("inspect", "last", "--events", "--json")
    assert done.status == 0
    assert "is damaged" in done.sentence()
    assert done.objects()[:8] == facts[:8]
    assert 9 not in [fact["seq"] for fact in done.objects()]
    done = inside("run", "hi", "--session", "last")
    assert done.status == 2
    assert "cannot be continued" in done.sentence()


def test_a_file_that_is_no_session_is_a_sentence(inside: Inside, home: Home) -> None:
    folder = home.data / "sessions" / "20260101-000000-000-abcdef"
    folder.mkdir(parents=True)
    (folder / "journal.sqlite").write_bytes(b"this is no database" * 500)
    assert [session["state"] for session in inside("sessions", "--json").objects()] == ["damaged"]
    done = inside("inspect", "last")
    assert done.status in (0, 2)
    assert len(done.err.splitlines()) == 1
    done = inside("run", "hi", "--session", "last")
    assert done.status == 2
    assert done.sentence()
