"""Secrets go by value, shape and place, whole or in pieces; hashes, ids, pictures and source code stay."""

from __future__ import annotations

import base64
import json
import random
import subprocess
import sys
import uuid
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workbench
from workbench.redaction.redactor import Redactor

VALUE = "canary/pass+7fd1c05b92=="
KNOWN = Redactor(lambda: {VALUE: "DB_PASSWORD"}, is_secret_file=lambda name: name.rpartition("/")[2].startswith(".env"))
JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\nQyNTUxOQAAACD1\n-----END OPENSSH PRIVATE KEY-----"
MADE = [
    "sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2", "sk-ant-api03-a1B2c3D4e5F6g7H8i9J0", "sk_live_a1B2c3D4e5F6g7H8", "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "gho_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "github_pat_11ABCDEFG0a1B2c3D4e5F6_g7H8i9J0k1L2m3N4", "AKIAIOSFODNN7EXAMPLE", "ASIAIOSFODNN7EXAMPLE",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv", "xoxb-123456789012-abcdefghijkl", "glpat-a1B2c3D4e5F6g7H8i9J0", "npm_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH", "SG.a1B2c3D4e5F6g7H8i9J0ab.a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6", JWT,
]  # fmt: skip


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("around", ["{}", "a {} b", '"{}"', "KEY={}", "x\\n{}\\n", "-{}\n", "%3D{}", "`{}`,"])
def test_keys_of_known_shapes_are_replaced_wherever_a_word_begins(made: str, around: str) -> None:
    clean = Redactor().text(around.format(made))
    assert clean.replaced == 1
    assert made[8:] not in clean.text
    assert "[REDACTED:" in clean.text


def test_private_keys_lose_their_body_and_certificates_stay() -> None:
    certificate = PEM.replace("OPENSSH PRIVATE KEY", "CERTIFICATE")
    assert Redactor().text(PEM).text == "-----BEGIN OPENSSH PRIVATE KEY-----[REDACTED:private key]-----END OPENSSH PRIVATE KEY-----"
    assert Redactor().text(certificate) == (certificate, 0)
    for shown in (PEM.replace("\n", "\\n"), PEM[:90], "\n".join(f"{number}: {line}" for number, line in enumerate(PEM.split("\n"), 1))):
        assert "b3BlbnNzaC1rZXk" not in Redactor().text(shown).text


@pytest.mark.parametrize("spelled", [VALUE, json.dumps(VALUE), quote(VALUE, safe=""), base64.b64encode(b"u:" + VALUE.encode()).decode(), f"x{VALUE}y"])
def test_known_values_are_replaced_in_every_spelling(spelled: str) -> None:
    clean = KNOWN.text(f"start {spelled} end")
    assert clean.replaced == 1
    assert "[REDACTED:DB_PASSWORD]" in clean.text
    assert "7fd1c05b92" not in clean.text
    assert clean.text.startswith("start ")
    assert clean.text.endswith(" end")


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("> Authorization: Bearer abcdef1234567890ABCDEF", "abcdef1234567890ABCDEF"),
        ("x-api-key: 0123456789abcdef0123456789abcdef", "0123456789abcdef"),
        ("DATABASE_URL=postgres://app:s3cretpass@db/x", "s3cretpass"),
        ("GET https://h.test/x?a=1&access_token=abcd1234efgh5678ijkl", "abcd1234efgh5678"),
        ('{"client_secret": "abcd1234EFGH5678"}', "abcd1234EFGH5678"),
        ("-API_SECRET=abcd1234efgh5678ijkl", "abcd1234efgh5678"),
        ("Cookie: session=abcd1234efgh5678", "abcd1234efgh5678"),
    ],
)
def test_what_stands_where_secrets_stand_is_replaced(text: str, hidden: str) -> None:
    clean = Redactor().text(text)
    assert clean.replaced == 1
    assert hidden not in clean.text


def test_lines_of_a_secret_file_in_a_diff_lose_their_values_and_other_files_stay() -> None:
    diff = (
        "commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad\n\ndiff --git a/.env b/.env\ndeleted file mode 100644\n--- a/.env\n+++ /dev/null\n"
        "@@ -1,2 +0,0 @@\n-NAME=plainword\n-PASS=onlyletters\ndiff --git a/x.cfg b/x.cfg\n--- a/x.cfg\n+++ b/x.cfg\n-NAME=plainword\n"
    )
    clean = KNOWN.text(diff)
    assert clean.replaced == 2
    assert "-PASS=[REDACTED:PASS]\n" in clean.text
    assert clean.text.endswith("-NAME=plainword\n")


def test_redacting_twice_changes_nothing_more() -> None:
    once = KNOWN.text("\n".join([*MADE, PEM, VALUE, f"Authorization: Bearer {'a1' * 12}", "API_SECRET=abcd1234efgh5678ijkl"]), secret_lines=True)
    assert KNOWN.text(once.text, secret_lines=True) == (once.text, 0)


def test_hashes_ids_pictures_and_code_stay() -> None:
    chance = random.Random(7)  # noqa: S311 - the same pictures every time
    hashes = "\n".join(chance.randbytes(20).hex() + " " + chance.randbytes(32).hex() for _ in range(2_000))
    ids = "\n".join(str(uuid.UUID(bytes=chance.randbytes(16))) for _ in range(2_000))
    picture = "data:image/png;base64," + base64.b64encode(chance.randbytes(500_000)).decode()
    code = (
        '<div class="sk-circle-fade-dot-x">\ntoken = request.token1\nheaders["Authorization"] = f"Bearer {token}"\n'
        'password="test1234"\nKEY = os.environ["API_KEY"]'
    )
    for text in (hashes, ids, picture, code, "curl -H 'Authorization: Bearer $TOKEN' https://$USER:$PASSWORD@h/?key=$KEY"):
        assert Redactor().text(text) == (text, 0)


def test_source_code_of_this_program_stays() -> None:
    for path in Path(workbench.__file__).parent.rglob("*.py"):
        text = path.read_text("utf-8")
        assert Redactor().text(text) == (text, 0), path


SPOILED = "\n".join(["begin", f"a {VALUE} b", *(f"v {made} w" for made in MADE), PEM, "> Authorization: Bearer abcdef1234567890ABCDEF", "end of it"]).encode()
HIDDEN = [VALUE.encode(), *(made.encode() for made in MADE), b"b3BlbnNzaC1rZXk", b"abcdef1234567890ABCDEF"]


@settings(deadline=None, database=None)
@given(st.lists(st.integers(0, len(SPOILED)), max_size=40))
def test_secrets_that_come_in_pieces_are_replaced(cuts: list[int]) -> None:
    stream = KNOWN.stream()
    places = [0, *sorted(cuts), len(SPOILED)]
    shown = b"".join(stream.feed(SPOILED[start:end]) for start, end in pairwise(places)) + stream.end()
    for hidden in HIDDEN:
        assert hidden[3:11] not in shown
    assert shown.startswith(b"begin\n")
    assert shown.endswith(b"end of it")


def test_byte_by_byte_is_the_same_as_whole() -> None:
    stream = KNOWN.stream()
    shown = b"".join(stream.feed(SPOILED[at : at + 1]) for at in range(len(SPOILED))) + stream.end()
    assert stream.replaced == KNOWN.data(SPOILED).replaced
    for hidden in HIDDEN:
        assert hidden[3:11] not in shown


def test_ordinary_lines_are_not_held_back() -> None:
    stream = KNOWN.stream()
    assert stream.feed(b"compiling 12 of 90\nNext ") == b"compiling 12 of 90\nNext "
    assert stream.feed(b"line, no end") == b"line, no end"


def test_a_flood_of_beginnings_costs_no_more_than_a_hundred_searches_each() -> None:
    """Counted in steps of the interpreter, not in seconds: a quadratic pattern would need many minutes."""
    floods = [b"eyJ", b"\\neyJ", b"sk-", b"password=", b"?key=", b"-----BEGIN PRIVATE KEY-----", b"://a:", b"authorization: ", b" ", b"-----BEGIN "]
    program = (
        "import sys; from workbench.redaction.redactor import Redactor; r = Redactor()\n"
        f"for flood in {floods!r}: r.data(flood * (1_000_000 // len(flood)))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], timeout=50, check=False, capture_output=True, text=True)
    assert done.stderr == ""
