"""Access to a loopback server: Host and key, in all the places where clients put them."""

from __future__ import annotations

import json

import pytest

from workbench.wire.access import Access, Refusal

KEY = "k3y-abc"
HOST = ("Host", "127.0.0.1:80")


def status(answer: str | Refusal) -> int:
    return answer.status if isinstance(answer, Refusal) else 200


@pytest.mark.parametrize("host", ["127.0.0.1:80", "localhost:80", "LOCALHOST:80", " localhost:80 "])
def test_own_names_are_let_in(host: str) -> None:
    assert Access(80).admit("/x?y", [("hOST", host)]) == "/x?y"


@pytest.mark.parametrize("host", ["evil.test", "evil.test:80", "127.0.0.1", "127.0.0.1:81", "localhost", "[::1]:80", "127.0.0.1:80.evil.test", ""])
def test_other_names_are_refused(host: str) -> None:
    assert status(Access(80).admit("/", [("Host", host)])) == 403


@pytest.mark.parametrize("origin", ["http://evil.test", "https://127.0.0.1:80", "http://127.0.0.1:81", "null", "", "http://127.0.0.1:80 http://evil.test"])
def test_pages_of_others_are_refused_even_with_the_key(origin: str) -> None:
    assert status(Access(80, KEY).admit("/", [HOST, ("x-api-key", KEY), ("oRIGIN", origin)])) == 403


@pytest.mark.parametrize("origin", ["http://127.0.0.1:80", "http://localhost:80"])
def test_own_pages_are_let_in(origin: str) -> None:
    assert status(Access(80, KEY).admit("/", [HOST, ("x-api-key", KEY), ("Origin", origin)])) == 200


def test_missing_and_double_host_are_refused() -> None:
    assert status(Access(80).admit("/", [])) == 403
    assert status(Access(80).admit("/", [HOST, HOST])) == 403


@pytest.mark.parametrize(
    "header",
    [
        ("Authorization", f"Bearer {KEY}"),
        ("authorization", f"bearer  {KEY}"),
        ("x-api-key", KEY),
        ("X-Goog-Api-Key", f" {KEY} "),
        ("api-key", KEY),
    ],
)
def test_key_in_a_header_is_accepted(header: tuple[str, str]) -> None:
    assert Access(80, KEY).admit("/v1?a", [HOST, ("x-api-key", "other"), header]) == "/v1?a"


@pytest.mark.parametrize(
    ("target", "seen"),
    [(f"/{KEY}/v1/x?y=1/2", "/v1/x?y=1/2"), (f"/{KEY}", "/"), (f"/{KEY}/", "/"), (f"/{KEY}?a=1", "/?a=1"), ("/k3y%2Dabc/v1", "/v1"), (f"/{KEY}//v1", "//v1")],
)
def test_key_in_the_path_is_accepted_and_taken_out(target: str, seen: str) -> None:
    assert Access(80, KEY).admit(target, [HOST]) == seen


@pytest.mark.parametrize(
    ("target", "headers"),
    [
        ("/v1", []),
        (f"/v1/{KEY}", []),
        (f"/v1?key={KEY}", []),
        (f"/{KEY}x/v1", []),
        ("/v1", [("Authorization", KEY)]),
        ("/v1", [("Authorization", f"Basic {KEY}")]),
        ("/v1", [("Authorization", f"Bearer {KEY} x")]),
        ("/v1", [("x-api-key", "")]),
        ("/v1", [("x-api-key", "ключ\udcff")]),
        ("/v1", [("x-other", KEY)]),
    ],
)
def test_missing_or_wrong_key_is_refused(target: str, headers: list[tuple[str, str]]) -> None:
    refusal = Access(80, KEY).admit(target, [HOST, *headers])
    assert isinstance(refusal, Refusal)
    assert refusal.status == 401
    assert json.loads(refusal.body())["error"]["code"] == "invalid_api_key"
    assert KEY not in refusal.body().decode()


def test_request_for_a_proxy_is_refused() -> None:
    assert status(Access(80).admit("http://evil.test/", [HOST])) == 400
    assert status(Access(80).admit("evil.test:443", [HOST])) == 400
    assert Access(80).admit("*", [HOST]) == "*"
