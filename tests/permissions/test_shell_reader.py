"""Bash text is taken apart as bash reads it, also where simpler parsers are fooled, and any text at all is survived."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workbench.permissions.shell_reader import take_apart


def argvs(text: str) -> list[list[str]]:
    return [command.texts() for command in take_apart(text, variables={"HOME": "/home/u", "PWD": "/ws"}).everything() if command.words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls; touch pwned", [["ls"], ["touch", "pwned"]]),
        ("a&&b||c|d|&e&f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("ls \\\n; touch p", [["ls"], ["touch", "p"]]),
        ("to''uch 'a b' \"c d\" e\\ f", [["touch", "a b", "c d", "e f"]]),
        ("$'\\x74ouch' $'a\\nb\\u00e9\\101'", [["touch", "a\nb\u00e9A"]]),
        ('echo "$\\\n(touch p)"', [["echo", ""], ["touch", "p"]]),
        ("echo `echo \\`touch p\\``", [["echo", ""], ["echo", ""], ["touch", "p"]]),
        ("echo ${x:-$(cmd)} $((a[$(b)]+1))", [["echo", "", ""], ["cmd"], ["b"]]),
        ("diff <(sort a) >(sort b)", [["diff", "", ""], ["sort", "a"], ["sort", "b"]]),
        ("cat <<A <<B\nx\nA\nls\nB\ntouch p", [["cat"], ["touch", "p"]]),
        ("cat <<E; touch p\nx\nE", [["cat"], ["touch", "p"]]),
        ("cat <<-E\n\tx\n\tE\ntouch p", [["cat"], ["touch", "p"]]),
        ("cat <<'E'\nE \n$(no)\nE\ntouch p", [["cat"], ["touch", "p"]]),
        ("cat <<E\n$(yes)\n\\$(no)\nE", [["cat"], ["yes"]]),
        ("cat <<< \"$(x)\"", [["cat"], ["x"]]),
        ("{fd}>p echo hi 2>&1", [["echo", "hi"]]),
        ("A=1 B=2 cmd C=3", [["cmd", "C=3"]]),
        ("a#b # c\nd", [["a#b"], ["d"]]),
        ("cat ~/x \"$HOME/y\" ${HOME} '$HOME' $PWD", [["cat", "~/x", "/home/u/y", "/home/u", "$HOME", "/ws"]]),
        ("f() { rm x; }", [["f"], ["{", "rm", "x"], ["}"]]),
        ("(a; (b); c) | d", [["a"], ["b"], ["c"], ["d"]]),
        ("echo $? $# $@ $1 $$ $", [["echo", "", "", "", "", "", "$"]]),
        ("", []),
        ("# only a comment", []),
    ],
)
def test_text_is_taken_apart(text: str, expected: list[list[str]]) -> None:
    assert argvs(text) == expected


def test_redirects_are_told_from_copies_of_descriptors() -> None:
    (command,) = take_apart("x 2>&1 >&- <in >>out &>both >|over 3<>rw 2> err").commands
    assert [(redirect.operator, redirect.target.text) for redirect in command.redirects] == [
        ("<", "in"), (">>", "out"), ("&>", "both"), (">|", "over"), ("<>", "rw"), (">", "err"),
    ]  # fmt: skip
    assert [redirect.writes for redirect in command.redirects] == [False, True, True, True, True, True]


def test_quoted_characters_are_not_special() -> None:
    (command,) = take_apart("cat '*' * \\? \"{a,b}\" {a,b}").commands
    assert [word.bare for word in command.words[1:]] == [False, True, False, False, True]


def test_unknown_values_are_marked() -> None:
    (command,) = take_apart("cat $X a$Y $HOME", variables={"HOME": "/h"}).commands
    assert [word.known for word in command.words] == [True, False, False, True]


def test_pipes_and_subshells_are_remembered() -> None:
    first, second, third = take_apart("(cd a; b) | c").commands
    assert first.group == second.group != third.group == ()
    assert third.piped_from == "b"
    assert second.source == "b"


@pytest.mark.parametrize(
    ("text", "problem"),
    [("echo 'x", "an open quote"), ('echo "x', "an open quote"), ("echo $(x", "no closing )"), ("echo ${x", "an open ${"), ("cat <<E\nx", "here-document"),
     ("x)", "a ) without ("), ("f() { :; }", "a function"), ("((x=1))", "arithmetic"), ("$(" * 30, "nested too deeply"), ("a\x01b", "control characters")],
)  # fmt: skip
def test_what_is_not_understood_is_said(text: str, problem: str) -> None:
    assert any(problem in found for found in take_apart(text).problems)


HOSTILE = ["$(" * 4000, "(" * 5000, '"$(' * 3000, "`" * 5000, "${" * 4000, "<<A " * 500 + "\n" * 50, "a()" * 1000, "x=(" * 2000]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:6])
def test_hostile_nesting_is_survived(text: str) -> None:
    take_apart(text)


@settings(max_examples=300, deadline=None)
@given(text=st.text(alphabet=st.sampled_from(list("ab '\"\\\n$(){}`<>|&;#=*?[]!-~/.E0\t")), max_size=60))
@example("$(`\"")
def test_any_text_is_survived_and_read_to_its_end(text: str) -> None:
    script = take_apart(text)
    assert all(command.source in text or "\\" in text or "`" in text for command in script.commands)


BASH = shutil.which("bash")


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
def test_words_are_those_that_bash_sees() -> None:
    operands = [
        "a b", "'a b'", '"a b"', "a\\ b", "$'a\\tb'", "'it'\\''s'", '"q\\"q"', '"a\\nb"', "a\\\nb", "''", '""x', "$'\\x41\\101\\u0041'", "a'b\"c'd", '"$"',
        "\\$x", '"\\$x"', "a=b", "-x", "--y=z", "'*'", '"~"', "a\\*b",
    ]  # fmt: skip
    shown = subprocess.run([BASH or "", "--noprofile", "--norc", "-c", f"printf '%s\\0' {' '.join(operands)}"], capture_output=True, check=True).stdout
    (command,) = take_apart(f"printf '%s\\0' {' '.join(operands)}").commands
    assert command.texts()[2:] == shown.decode().split("\0")[:-1]
