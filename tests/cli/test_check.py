"""`workbench check`: what the gate would decide, one answer for each line, whatever the lines are."""

from __future__ import annotations

import json
import subprocess
import time

import pytest

from tests.cli.conftest import Inside
from tests.cli.program import Home

MEMBERS = {"decision", "danger", "outside", "badges", "confinement", "parts", "trace"}


@pytest.mark.parametrize(
    ("words", "decision", "status"),
    [
        (("ls",), "allow", 0),
        (("ls", "--mode", "read_only"), "allow", 0),
        (("touch x",), "ask", 1),
        (("touch x", "--mode", "read_only"), "deny", 1),
        (("rm -rf .",), "ask", 1),
        (("rm -rf /",), "deny", 1),
        (("pytest -q",), "ask", 1),
        (("pytest -q", "--runners", "allowed"), "allow", 0),
        (("pytest -q", "--runners", "allowed", "--mode", "read_only"), "deny", 1),
        (("pytest -p evil", "--runners", "allowed"), "ask", 1),
    ],
)
def test_a_command_is_judged_and_not_run(inside: Inside, words: tuple[str, ...], decision: str, status: int) -> None:
    done = inside("check", *words, "--json")
    (verdict,) = done.objects()
    assert (done.status, verdict["decision"]) == (status, decision)
    assert set(verdict) == MEMBERS
    assert verdict["trace"], "and why"


def test_people_get_the_level_and_the_reasons(inside: Inside) -> None:
    done = inside("check", "rm -rf /etc")
    lines = done.answer.splitlines()
    assert lines[0].startswith("deny  4 Destroy")
    assert "outside" in lines[0]
    assert len(lines) > 1


def test_lines_are_answered_one_by_one(inside: Inside, home: Home) -> None:
    home.write(a_txt="x")
    lines = [
        {"id": "1", "command": "ls"},
        {"id": 2, "tool": "read", "args": {"file_path": "a.txt"}},
        {"id": "3", "tool": "read", "args": {"file_path": "/etc/passwd"}},
        {"id": "4", "tool": "nosuch", "args": {}},
        {"id": "5", "tool": "read", "args": {}},
        {"id": "6", "tool": "write", "args": {"file_path": "b.txt", "content": "x"}},
        {"tool": "read", "args": {"file_path": "a.txt"}},
    ]
    done = inside("check", "-", "--json", stdin="".join(json.dumps(line) + "\n" for line in lines).encode())
    verdicts = done.objects()
    assert [verdict["id"] for verdict in verdicts] == ["1", 2, "3", "4", "5", "6", None]
    assert [verdict["decision"] for verdict in verdicts] == ["allow", "allow", "ask", "deny", "deny", "ask", "allow"]
    assert [verdict["outside"] for verdict in verdicts] == [False, False, True, False, False, False, False]
    assert all(MEMBERS | {"id"} == set(verdict) for verdict in verdicts)
    assert done.status == 1
    assert not (home.workspace / "b.txt").exists()


def test_everything_allowed_is_status_0(inside: Inside, home: Home) -> None:
    home.write(a_txt="x")
    assert inside("check", "-", "--json", stdin=b'{"tool": "read", "args": {"file_path": "a.txt"}}\n').status == 0


BROKEN = [
    b"not json",
    b"{",
    b"[1, 2]",
    b"3",
    b'"text"',
    b"null",
    b"{}",
    b'{"id": 1}',
    b'{"command": 3}',
    b'{"tool": "read", "args": [1]}',
    b'{"id": {"a": 1}, "command": "ls"}',
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"1" * 10_000,
    b'{"command": "ls"} trailing',
]


def test_broken_lines_never_stop_it(inside: Inside) -> None:
    deep = b'{"tool": "write", "args": {"file_path": "x", "content": ' + b'{"a":' * 900 + b"1" + b"}" * 900 + b"}}"
    stdin = b"\n".join([*BROKEN, b"", b"   ", deep, b'{"id": "\\ud800", "command": "echo \\ud800 \\u0000"}', b'{"id": "last", "command": "ls"}'])
    done = inside("check", "-", "--json", stdin=stdin)
    verdicts = done.objects()
    assert len(verdicts) == len(BROKEN) + 3
    for number, verdict in enumerate(verdicts[: len(BROKEN)], 1):
        assert (verdict["decision"], verdict["line"]) == ("deny", number)
        assert verdict["error"].startswith(f"Line {number} is ")
    assert verdicts[len(BROKEN)]["decision"] == "deny"
    assert verdicts[-1]["id"] == "last"
    assert done.status == 2
    assert done.err == ""


def test_answers_come_while_the_asker_still_writes(home: Home) -> None:
    with subprocess.Popen(
        home.command("check", "-", "--json"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=home.environment(), bufsize=0
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(3):
            process.stdin.write(json.dumps({"id": number, "command": "touch x"}).encode() + b"\n")
            assert json.loads(process.stdout.readline())["id"] == number
        process.stdin.close()
    assert process.returncode == 1


def test_no_json_lines_for_people_either(inside: Inside) -> None:
    done = inside("check", "-", stdin=b'{"id": "a", "command": "touch x"}\nbroken\n')
    assert done.status == 2
    assert done.answer.splitlines()[0].startswith("a  ask  2 Run")
    assert done.answer.splitlines()[-1].startswith("Line 2 is not JSON")


def test_trace_names_the_part_and_the_rule_with_its_scope(inside: Inside) -> None:
    done = inside("check", "ls && pytest -q && touch x", "--runners", "allowed", "--json")
    (verdict,) = done.objects()
    assert [(part["text"], part["decision"]) for part in verdict["parts"]] == [("ls", "allow"), ("pytest -q", "allow"), ("touch x", "ask")]
    by_part = {line["part"]: line for line in verdict["trace"]}
    assert by_part[2]["rule"].startswith("usual-")
    assert by_part[2]["scope"] == "project"
    assert verdict["trace"][0]["part"] == 3, "what asks stands first"
    assert verdict["parts"][2]["always"] == [{"tool": "bash", "argv": ["touch", "x"], "effect": "allow"}]
    people = inside("check", "pytest -q", "--runners", "allowed")
    assert "[project · usual-1]" in people.answer


def test_rules_of_the_project_are_used_and_what_is_wrong_with_them_is_told(inside: Inside, home: Home) -> None:
    (home.workspace / ".workbench").mkdir()
    rules = {"rules": [{"tool": "bash", "argv": ["ls", "**"], "effect": "deny"}, {"tool": "bash", "argv": [], "effect": "deny"}]}
    (home.workspace / ".workbench" / "permissions.json").write_text(json.dumps(rules), encoding="utf-8")
    done = inside("check", "ls -la", "--json")
    (verdict,) = done.objects()
    assert (verdict["decision"], verdict["trace"][0]["rule"]) == ("deny", ".workbench/permissions.json:1")
    assert "Rule 2" in done.sentence()
    (home.data / "permissions").mkdir()
    (home.data / "permissions" / "user.json").write_text("{", encoding="utf-8")
    done = inside("check", "touch x", "--json")
    assert done.objects()[0]["decision"] == "deny"
    assert "cannot be used" in done.err


def test_hundreds_of_lines_are_answered_by_one_gate(inside: Inside, home: Home) -> None:
    home.write(a_txt="x")
    lines = b"".join(json.dumps({"id": number, "command": f"cat a.txt | head -{number + 1}"}).encode() + b"\n" for number in range(500))
    begun = time.perf_counter()
    done = inside("check", "-", "--json", stdin=lines)
    assert [verdict["decision"] for verdict in done.objects()] == ["allow"] * 500
    assert time.perf_counter() - begun < 20
    assert done.status == 0


def test_a_workspace_that_cannot_be_is_a_sentence(inside: Inside) -> None:
    done = inside("check", "ls", "--workspace", "/no/such")
    assert (done.status, done.out) == (2, b"")
    assert "does not exist" in done.sentence()
