"""Rules match words, resolved paths, host labels and definitions; nothing matches by prefix of a string."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import SettingsError
from workbench.permissions.rules import (
    ArgvRule,
    GrantRule,
    HostRule,
    PathRule,
    Rule,
    RuleSet,
    ServerRule,
    TextRule,
    ToolRule,
    matches_argv,
    matches_host,
    matches_path,
    rule_from,
    rule_text,
    stored,
)

EVERY_KIND: list[Rule] = [
    ArgvRule(effect="allow", argv=("npm", "run", "lint", "**")),
    TextRule(effect="deny", text="make deploy"),
    PathRule(effect="ask", tool="edit", path="src/**"),
    HostRule(effect="allow", tool="webfetch", host="*.example.org"),
    ServerRule(effect="allow", server="files", name="search", definition="sha256:00"),
    ToolRule(effect="allow", tool="task"),
    GrantRule(effect="allow", folder="/usr/share/doc", identity="1:2"),
]


@pytest.mark.parametrize(
    ("pattern", "argv", "expected"),
    [
        ("git log **", "git log", True),
        ("git log **", "git log --oneline -3", True),
        ("git log **", "git logout", False),
        ("ls **", "lsof -i", False),
        ("npm run test", "npm run test:evil", False),
        ("npm run *", "npm run lint", True),
        ("npm run *", "npm run", False),
        ("npm run *", "npm run lint --fix", False),
        ("** --force", "git push --force", True),
        ("rm **", "echo rm", False),
    ],
)
def test_command_is_matched_word_by_word(pattern: str, argv: str, expected: bool) -> None:
    assert matches_argv(pattern.split(), argv.split()) is expected


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("src/**", "src/a.py", True),
        ("src/**", "src/deep/er/a.py", True),
        ("src/**", "src", False),
        ("src/**", "src-evil/a.py", False),
        ("src/**", "other/src/a.py", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**/a.py", "src/a.py", True),
        ("src/**/a.py", "src/x/y/a.py", True),
        ("a.py", "b/a.py", False),
        ("a+b(c).py", "a+b(c).py", True),
        ("/etc/*", "/etc/hosts", True),
        ("?.md", "a.md", True),
        ("?.md", "ab.md", False),
    ],
)
def test_path_is_anchored(pattern: str, path: str, expected: bool) -> None:
    assert matches_path(pattern, path) is expected


def test_case_counts_unless_the_disk_folds_it() -> None:
    assert not matches_path("src/**", "SRC/a.py")
    assert matches_path("src/**", "SRC/a.py", folds_case=True)


@pytest.mark.parametrize(
    ("pattern", "host", "expected"),
    [
        ("docs.python.org", "docs.python.org", True),
        ("docs.python.org", "DOCS.python.org.", True),
        ("docs.python.org", "docs.python.org.evil.test", False),
        ("*.example.org", "a.example.org", True),
        ("*.example.org", "a.b.example.org", True),
        ("*.example.org", "example.org", False),
        ("*.example.org", "evilexample.org", False),
        ("*.example.org", ".example.org", False),
    ],
)
def test_host_is_matched_by_labels(pattern: str, host: str, expected: bool) -> None:
    assert matches_host(pattern, host) is expected


def test_servers_tool_is_allowed_only_as_it_was_defined() -> None:
    allowed = ServerRule(effect="allow", server="s", name="search", definition="sha256:1")
    rules = RuleSet((allowed, ServerRule(effect="deny", server="s", name="*", definition="")))
    assert rules.for_server("s", "search", "sha256:1", "allow")
    assert not rules.for_server("s", "search", "sha256:2", "allow")
    assert not rules.for_server("t", "search", "sha256:1", "allow")
    assert rules.for_server("s", "search", "sha256:2", "deny")
    assert not RuleSet((ServerRule(effect="allow", server="s", name="x", definition=""),)).for_server("s", "x", "", "allow")


def test_rules_are_added_and_removed_by_id() -> None:
    rules = RuleSet().with_rule(EVERY_KIND[0]).with_rule(EVERY_KIND[1])
    assert len({rule.rule_id for rule in rules.rules}) == 2
    assert rules.without(rules.rules[0].rule_id).rules == (rules.rules[1],)


@pytest.mark.parametrize("rule", EVERY_KIND, ids=lambda rule: type(rule).__name__)
def test_rule_survives_being_stored(rule: Rule) -> None:
    assert rule_from(stored(rule), scope=rule.scope, rule_id=rule.rule_id) == rule
    assert rule_text(rule)


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"tool": "bash"},
        {"tool": "bash", "effect": "maybe"},
        {"tool": "bash", "argv": [], "effect": "allow"},
        {"tool": "bash", "argv": ["ls", 3], "effect": "allow"},
        {"tool": "bash", "argv": "ls **", "effect": "allow"},
        {"tool": "edit", "argv": ["ls"], "effect": "allow"},
        {"tool": "edit", "path": "src/**", "effect": "allow", "approved": True},
        {"tool": "", "effect": "allow"},
    ],
    ids=str,
)
def test_malformed_rule_is_refused_with_a_sentence(kept: dict[str, object]) -> None:
    if kept == {"tool": "bash"}:
        kept = {"tool": "bash", "effect": None}
    with pytest.raises(SettingsError, match="A permission rule cannot be used, because"):
        rule_from(kept)


@given(words=st.lists(st.sampled_from(["a", "b", "c d", ""]), max_size=6))
def test_literal_pattern_matches_exactly_itself(words: list[str]) -> None:
    assert matches_argv(words, words)
    assert not matches_argv(words, [*words, "x"])
    assert matches_argv([*words, "**"], [*words, "x", "y"])


@pytest.mark.parametrize(
    ("pattern", "command", "allows"),
    [
        ("eslint **", "eslint src", True), ("eslint **", "eslint -c evil.js src", False), ("eslint **", "eslint --rulesdir=x", False),
        ("tool **", "tool --exec sh", False), ("tool **", "tool -e 1", False),
        ("tool -e 1", "tool -e 1", True), ("tool --config x **", "tool --config x y", True),
        ("tool --config x **", "tool --config x --plugin=y", False), ("tool *", "tool --exec=sh", False),
        ("jest **", "jest --conf=evil.js", False), ("npm run lint **", "npm run lint -- --config x", False), ("cat **", "cat -- --exec", True),
    ],
)  # fmt: skip
def test_a_wildcard_never_stands_for_an_option_that_runs_something_else(pattern: str, command: str, allows: bool) -> None:
    rule = ArgvRule(effect="allow", argv=tuple(pattern.split()))
    assert (RuleSet((rule,)).for_argv(command.split(), "allow") == rule) is allows
    strict = ArgvRule(effect="deny", argv=tuple(pattern.split()))
    assert RuleSet((strict,)).for_argv(command.split(), "deny") == strict, "to refuse, it stands for everything"


@pytest.mark.parametrize(
    ("pattern", "command"),
    [
        ("go build **", "go build --toolexec=./evil ./..."), ("go build **", "go build -toolexec ./evil ./..."), ("make build **", "make build SHELL=./evil"),
        ("just build **", "just build x=y"), ("tsc **", "tsc -outDir /x"), ("tsc **", "tsc --OUTDIR x"), ("tsc **", "tsc @options.txt"),
        ("jest **", "jest --root-dir=/x"), ("jest **", "jest --setup-files-after-env=./evil.js"), ("nox **", "nox -f evil.py"),
        ("vitest **", "vitest --coverage.customProviderModule=./evil.js"), ("gradle test **", "gradle test -I evil.gradle"),
    ],
)  # fmt: skip
def test_wildcard_stands_for_no_option_that_runs_more_in_any_spelling(pattern: str, command: str) -> None:
    rules = RuleSet((ArgvRule(effect="allow", argv=tuple(pattern.split())),))
    assert rules.for_argv(command.split(), "allow") is None
    assert RuleSet((ArgvRule(effect="allow", argv=tuple(command.split())),)).for_argv(command.split(), "allow") is not None


@pytest.mark.parametrize(
    ("pattern", "command"),
    [
        ("go build **", "go build -v ./..."), ("make build **", "make build install"), ("tsc **", "tsc --noEmit"), ("jest **", "jest src --coverage"),
        ("vitest **", "vitest run --coverage src"), ("nox **", "nox -s tests"), ("gradle test **", "gradle test --info"),
    ],
)  # fmt: skip
def test_wildcard_stands_for_ordinary_options(pattern: str, command: str) -> None:
    assert RuleSet((ArgvRule(effect="allow", argv=tuple(pattern.split())),)).for_argv(command.split(), "allow") is not None
