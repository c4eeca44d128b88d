"""Words become exactly what bash makes of them, or are not understood: thousands of random ones are given to both."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from workbench.agent.disk import RealDisk
from workbench.permissions.places import Root, Roots
from workbench.permissions.shell_fields import Scope, fields
from workbench.permissions.shell_grammar import understood_syntax
from workbench.permissions.shell_lexing import calculated
from workbench.permissions.shell_syntax import NotUnderstood, Simple

BASH = shutil.which("bash")
HOME = "/home/u"
PIECES = [
    "a", "b", "src", "/", ".", "..", "*", "?", "[ab]",
    "[!a]", "{a,b}", "{1..3}", "{", "}", ",", "~", "$HOME", "${HOME}", "$PWD", "'", '"', "\\", "'a b'", '"a b"',
    '"*"', "\\*", "$'\\t'", "$((1+2))", "=", ":", "x.py", ".env", "-", "$", "#", "%", "^", "!", "@", '"$HOME"', "{a,'b,c'}", "{}", "é",
]  # fmt: skip


def expanded(text: str, scope: Scope) -> list[str] | None:
    """Return the operands of ``printf x TEXT`` as they are understood; None if they are not."""
    try:
        (chain,) = understood_syntax("x " + text).chains
        (pipeline,) = chain.pipelines
        (command,) = pipeline.commands
        if not isinstance(command, Simple) or command.redirects:
            return None
        return [field.text for word in command.words[1:] for field in fields(word, scope)]
    except (NotUnderstood, ValueError):
        return None


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize("seed", range(4))
def test_understood_words_are_those_that_bash_passes_on(seed: int, tmp_path: Path) -> None:
    for name in ("src/a.py", "src/b.py", "src/x.py", "a", "b", "ab", ".env", ".hidden/a", "a b", "x.py", "b*", "é"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "link").symlink_to("src")
    top = str(tmp_path.resolve())
    scope = Scope(top, top, {}, Roots(workspace=Root(path=top), home=HOME), RealDisk())
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    texts = ["".join(chance.choices(PIECES, k=chance.randint(1, 5))) for _ in range(1500)]
    understood = [(text, found) for text in texts if (found := expanded(text, scope)) is not None]
    script = "\n".join(f"printf '%s\\0' {text}\nprintf '\\n\\0'" for text, _found in understood)
    environment = {"HOME": HOME, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    shown = subprocess.run([BASH or "", "--noprofile", "--norc", "-c", script], cwd=top, env=environment, capture_output=True, check=False)
    by_bash = [block.split("\0")[:-1] for block in shown.stdout.decode().split("\n\0")][: len(understood)]
    assert len(understood) > 300
    for (text, found), passed in zip(understood, by_bash, strict=True):
        assert sorted(found or [""]) == sorted(passed), text


@pytest.mark.parametrize(("text", "value"), [("1+2*3", 7), ("10/3", 3), ("1-7/2*2", -5), ("7%4", 3), ("0", 0), ("2 * 3 - 9", -3)])
def test_plain_sums_are_calculated_as_bash_does(text: str, value: int) -> None:
    assert calculated(text) == value


@pytest.mark.parametrize("text", ["1/0", "08", "1+", "1--1", "9999999999", "*", "", "1 2"])
def test_any_other_arithmetic_is_not_understood(text: str) -> None:
    with pytest.raises(NotUnderstood):
        calculated(text)
