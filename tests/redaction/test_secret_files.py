"""Files of secrets: their values are known, their names can be shown, ordinary values are not hunted everywhere."""

from __future__ import annotations

import pytest

from workbench.redaction.secret_files import names_only, secret_values


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A=canary-1234\nexport B='abc 123 def' # why\nC=\"quoted#value1\"\n", {"canary-1234": "A", "abc 123 def": "B", "quoted#value1": "C"}),
        ("DB=postgres://u:longpassword@h/d\n", {"longpassword": "DB", "postgres://u:longpassword@h/d": "DB"}),
        ("API_KEY=abcdefgh\nSHORT_KEY=abcdefg\n", {"abcdefgh": "API_KEY"}),
        ("//registry.example/:_authToken=foo-bar-123456", {"foo-bar-123456": "authToken"}),
        ("machine h login me password supersecret9", {"supersecret9": "password"}),
        ('{"private_key_id": "0123abcd4567", "type": "service_account"}', {}),
        ('  "private_key_id": "0123abcd4567",', {"0123abcd4567": "private_key_id"}),
        ("#OLD=was-secret-99", {"was-secret-99": "OLD"}),
    ],
)
def test_values_of_a_secret_file_are_known_with_their_names(text: str, found: dict[str, str]) -> None:
    assert secret_values(text) == found


@pytest.mark.parametrize(
    "value", ["development", "localhost:5432", "db.example.com", "https://example.com/path", "12345678", "./data/files", "/var/lib/x", "true"]
)
def test_ordinary_values_are_not_hunted(value: str) -> None:
    assert secret_values(f"SETTING={value}") == {}


def test_names_only_shows_names_comments_and_order() -> None:
    text = "1: # for the shop\n2: export A='x y'\n3: #OLD=secret99\n4: \n5: {\n6:   \"a\": \"bbb\",\n7: MIIabc\n8: [default]\n9: key: abc\n10: EMPTY="
    assert names_only(text).text.split("\n") == [
        "1: # for the shop", "2: export A=[REDACTED:A]", "3: #OLD=[REDACTED:OLD]", "4: ", "5: {", '6:   "a": [REDACTED:a],', "7: [REDACTED:line]",
        "8: [default]", "9: key: [REDACTED:key]", "10: EMPTY=",
    ]  # fmt: skip
    assert names_only(text).replaced == 5


def test_names_only_of_names_only_changes_nothing() -> None:
    once = names_only("A=b\nxyz\n")
    assert names_only(once.text) == (once.text, 0)
