"""What a lasting rule lets through is said in plain words with examples, for every kind of rule."""

from __future__ import annotations

import pytest

from workbench.inspection.rehearse_rule import RehearsedCall, RuleRehearsal
from workbench.permissions.rules import ArgvRule, GrantRule, HostRule, PathRule, Rule, ServerRule, TextRule, ToolRule, matches_argv, matches_host, matches_path
from workbench.ui.approval.rule_words import effect_of, kept_sentence, rehearsal_words, rehearsed_lines

FILE = PathRule(effect="allow", tool="edit", path="src/a.py")
FOLDER = PathRule(effect="allow", tool="edit", path="src/**")
TESTS = ArgvRule(effect="allow", argv=("pytest", "**"))


@pytest.mark.parametrize(
    ("rule", "also", "asks"),
    [
        (FILE, "every later edit of this file, whatever it writes", "src/other-a.py still asks"),
        (
            FOLDER,
            "also every later edit below src/: src/other.py, src/new/file.txt, src/README.md",
            "src-other/file.txt still asks, as protected files and secrets do",
        ),
        (TESTS, "also pytest -x, pytest tests/test_other.py, pytest -k name", "pytest-other -q still asks"),
        (ArgvRule(effect="allow", argv=("make", "test")), "nothing else than these words", "pytest -q --all still asks"),
        (TextRule(effect="allow", text="ls"), "exactly this text, whenever it comes", "any other text still asks"),
        (
            HostRule(effect="allow", tool="webfetch", host="a.org"),
            "every later webfetch of this host: a.org/, a.org/any/page, a.org/?any=query",
            "a.org.example still asks",
        ),
        (HostRule(effect="allow", tool="webfetch", host="*.a.org"), "also every webfetch of docs.a.org, api.a.org, a.b.a.org", "a.org.example still asks"),
        (
            ServerRule(effect="allow", server="s", name="n", definition="d"),
            "every later call of this tool, whatever it is given",
            "it asks again when the server describes it in another way",
        ),
        (ToolRule(effect="allow", tool="read"), "every later call of this tool", "what is dangerous still asks"),
        (
            GrantRule(effect="allow", folder="/usr/share/doc", identity="1:2"),
            "reading, listing and searching everything in it, until the session ends or you remove the rule",
            "changes, commands, secrets and what links lead to are decided as before",
        ),
    ],
)
def test_every_rule_is_told(rule: Rule, also: str, asks: str) -> None:
    assert effect_of(rule, ("pytest", "-q")) == (also, asks)


def test_examples_are_true() -> None:
    assert matches_argv(TESTS.argv, ("pytest", "-k", "name"))
    assert not matches_argv(TESTS.argv, ("pytest-other", "-q"))
    for inside in ("src/other.py", "src/new/file.txt", "src/README.md"):
        assert matches_path(FOLDER.path, inside)
    assert not matches_path(FOLDER.path, "src-other/file.txt")
    assert not matches_path(FILE.path, "src/other-a.py")
    for host in ("docs.a.org", "api.a.org", "a.b.a.org"):
        assert matches_host("*.a.org", host)
    assert not matches_host("*.a.org", "a.org.example")
    assert not matches_host("a.org", "a.org.example")


def test_figures_have_their_base_and_what_was_rejected() -> None:
    calls = (RehearsedCall("bash", "pytest -q", "approve", 0.0), RehearsedCall("bash", "pytest\u202e", "reject", 0.0))
    assert rehearsal_words(RuleRehearsal()) == "no earlier calls to compare with"
    assert rehearsal_words(RuleRehearsal(40)) == "0 of your last 40 calls"
    assert rehearsal_words(RuleRehearsal(12, calls)) == "2 of your last 12 calls, you rejected 1 of them"
    assert rehearsed_lines(RuleRehearsal(12, calls)) == ("bash pytest -q", "bash pytest⟨U+202E⟩, you rejected it")


@pytest.mark.parametrize(
    ("scope", "sentence"),
    [
        ("session", "Allowed for the rest of this session: bash: pytest …"),
        ("project", "Allowed from now on in this project: bash: pytest …"),
        ("user", "Allowed from now on everywhere: bash: pytest …"),
    ],
)
def test_what_was_kept_is_told_with_its_place(scope: str, sentence: str) -> None:
    assert kept_sentence([TESTS], scope) == sentence  # type: ignore[arg-type]


def test_many_kept_rules_are_counted_and_hidden_characters_seen() -> None:
    rules = [PathRule(effect="allow", tool="edit", path=f"{n}\u200b") for n in range(5)]
    assert kept_sentence(rules, "project").endswith("edit: 0⟨U+200B⟩, edit: 1⟨U+200B⟩, edit: 2⟨U+200B⟩, and 2 more")
