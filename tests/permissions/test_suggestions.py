"""A pattern that is offered matches the command it was made from, says what such commands do, and shows honestly what else it lets pass."""

from __future__ import annotations

import shlex
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.permissions.modes import Rung
from workbench.permissions.rules import REST, matches_argv
from workbench.permissions.suggestions import WORDS_AT_MOST, samples, scopes_for, suggest

OFFERED = [
    ("pytest -q tests/a.py", ["pytest -q tests/a.py", "pytest **"]),
    ("pytest", ["pytest", "pytest **"]),
    ("npm run lint", ["npm run lint", "npm run lint **"]),
    ("npm run lint -- src", ["npm run lint -- src", "npm run lint **"]),
    ("npm test", ["npm test", "npm test **"]),
    ("cargo test --release", ["cargo test --release", "cargo test **"]),
    ("cargo fmt", ["cargo fmt", "cargo fmt **"]),
    ("go vet ./...", ["go vet ./...", "go vet **"]),
    ("ruff check .", ["ruff check .", "ruff check **"]),
    ("mypy src", ["mypy src", "mypy **"]),
    ("make test", ["make test"]),
    ("make test SHELL=/tmp/x", ["make test SHELL=/tmp/x"]),
    ("just build", ["just build"]),
    ("tox", ["tox"]),
    ("mytool --level 3 x", ["mytool --level 3 x"]),
    ("pytest 'a b' *", ["pytest **"]),
]


@pytest.mark.parametrize(("command", "patterns"), OFFERED, ids=[row[0] for row in OFFERED])
def test_what_is_offered_narrowest_first(command: str, patterns: list[str]) -> None:
    argv = shlex.split(command)
    found = suggest(argv)
    assert [" ".join(pattern) for pattern in found] == patterns
    assert all(matches_argv(pattern, argv) for pattern in found)


NOT_OFFERED = [
    "python x.py", "python3.12 -m pytest", "python -c 1", "node x.js", "bash x.sh", "sh -c ls", "env pytest", "sudo make", "xargs rm", "find . -delete",
    "ssh host ls", "docker run x", "git commit -m x", "git push", "npx eslint", "uv run pytest", "poetry run pytest", "npm install x", "npm exec x", "npm run",
    "cargo run", "cargo install x", "go run .", "go generate", "go get x", "deno run x.ts", "bun x", "yarn dlx x", "pnpm add x", "make", "timeout 5 pytest",
    "nohup pytest", "time pytest", "curl https://x.test", "sed -i s/a/b/ x", "awk 1", "tee x", "eval ls", "source x", ". x", "xdg-open x", "vim x", "less x",
    "./pytest", "/opt/pytest", "bin/tool", "-x", "", "*", "** x", "pytest -p evil", "pytest -pevil", "pytest -c other.ini", "pytest --rootdir=/tmp",
    "pytest -o addopts=-pevil", "pytest --override x", "cargo test --config x", "cargo test --manifest-path ../x", "go test -exec sh", "go test -toolexec=sh",
    "go vet -vettool=x", "npm run lint --prefix ../x", "npm test --script-shell=x", "mypy --python-executable x", "eslint --rulesdir x", "tool --exec sh",
    "tool --pre-command x", "tool -c code", "tool -e code", "jest --config=x", "ruff check --config x", "make -f other test", "tool --plugin=x",
    "npm run lint -- --config x", "npm --prefix x run lint", "cargo --config x test",
]  # fmt: skip


@pytest.mark.parametrize("command", NOT_OFFERED)
def test_nothing_is_offered_for_what_runs_something_else(command: str) -> None:
    assert suggest(shlex.split(command)) == ()


def test_nothing_is_offered_for_a_command_nobody_reads_to_its_end() -> None:
    assert suggest(["pytest", *["x"] * (WORDS_AT_MOST - 1)])
    assert suggest(["pytest", *["x"] * WORDS_AT_MOST]) == ()


@pytest.mark.parametrize(
    ("pattern", "sibling"),
    [
        ("npm run lint **", "npm run lint:fix"), ("npm run lint **", "npm run publish"), ("npm run lint **", "npm install evil"), ("pytest **", "pytest-x"),
        ("cargo test **", "cargo run"), ("go vet **", "go run ."), ("make test", "make test install"), ("ruff check **", "ruff format"),
        ("mypy **", "dmypy run"),
    ],
)  # fmt: skip
def test_a_pattern_is_not_too_broad_for_nested_tools(pattern: str, sibling: str) -> None:
    words = shlex.split(pattern)
    assert tuple(words) in suggest([word for word in words if word != REST])
    assert not matches_argv(words, shlex.split(sibling))


@pytest.mark.parametrize("command", [row[0] for row in OFFERED])
def test_samples_were_tried(command: str) -> None:
    argv = shlex.split(command)
    for pattern in suggest(argv):
        also, not_ = samples(pattern, argv)
        assert len(also) == (3 if REST in pattern else 0)
        assert command not in also
        assert len(set(also)) == len(also)
        assert all(matches_argv(pattern, shlex.split(sample)) for sample in also)
        assert not_
        assert not matches_argv(pattern, shlex.split(not_))


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"]), max_size=12), max_size=8))
def test_whatever_is_offered_matches_and_is_bound_to_its_program(words: list[str]) -> None:
    for pattern in suggest(words):
        assert matches_argv(pattern, words)
        assert pattern[0] == words[0]
        assert pattern.count(REST) == (pattern[-1] == REST)
        also, not_ = samples(pattern, words)
        assert all(matches_argv(pattern, shlex.split(sample)) for sample in also)
        assert not matches_argv(pattern, shlex.split(not_))


WORDS = st.sampled_from(["a", "b", "c"])


def slow_match(pattern: tuple[str, ...], argv: tuple[str, ...]) -> bool:
    """Return what matching means, as it would be explained."""
    if not pattern:
        return not argv
    if pattern[0] == REST:
        return any(slow_match(pattern[1:], argv[start:]) for start in range(len(argv) + 1))
    return bool(argv) and pattern[0] in {"*", argv[0]} and slow_match(pattern[1:], argv[1:])


@given(st.lists(WORDS | st.sampled_from(["*", "**"]), max_size=6), st.lists(WORDS, max_size=7))
def test_matching_means_what_it_says(pattern: list[str], argv: list[str]) -> None:
    assert matches_argv(pattern, argv) == slow_match(tuple(pattern), tuple(argv))


def test_matching_many_wildcards_takes_no_time() -> None:
    start = time.perf_counter()
    assert not matches_argv(["**", "a"] * 200 + ["b"], ["a"] * 2000)
    assert matches_argv(["**", "a"] * 200 + ["**"], ["a"] * 2000)
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize(
    ("danger", "rung", "command", "scopes"),
    [
        (0, "bwrap", True, "session project user"), (1, "bwrap", False, "session project user"), (1, "none", False, "session project user"),
        (2, "bwrap", True, "session project"), (2, "landlock", True, "session project"), (2, "none", True, "session"), (2, "none", False, "session project"),
        (3, "bwrap", True, ""), (3, "bwrap", False, "session project"), (4, "bwrap", False, ""), (4, "none", True, ""),
    ],
)  # fmt: skip
def test_scopes_by_level_and_sandbox(danger: int, rung: Rung, command: bool, scopes: str) -> None:
    assert scopes_for(danger, rung=rung, command=command) == tuple(scopes.split())
