"""The files that tell most are chosen from any listing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.practice.choosing import choose, kinds
from workbench.practice.results import Entry, Listing


def listing(*paths: str) -> Listing:
    return Listing([Entry(path) for path in paths])


@pytest.mark.parametrize(
    ("paths", "chosen"),
    [
        (("README.md", "Cargo.toml", "src/main.rs", "src/lib.rs", "tests/it.rs"), ["README.md", "Cargo.toml", "src/main.rs", "tests/it.rs"]),
        (("package.json", "index.js", "a.test.js"), ["package.json", "index.js", "a.test.js"]),
        (("src/pkg/__main__.py", "src/pkg/cli.py", "src/pkg/deep/cli.py"), ["src/pkg/cli.py"]),
        (("a/README.md", "README.rst"), ["README.rst", "a/README.md"]),
        (("notes.txt", "todo.md"), ["notes.txt", "todo.md"]),
        (("x.py", "y.py"), ["x.py"]),
        (("docs/b.md", "a.md", "x.py"), ["x.py", "docs/b.md"]),
        (("pkg/__init__.py",), ["pkg/__init__.py"]),
        ((".env", "a.pem", "uv.lock", "dist/main.js", "pic.png"), []),
    ],
)
def test_choice(paths: tuple[str, ...], chosen: list[str]) -> None:
    assert [choice.path for choice in choose(listing(*paths), "en")][: len(chosen) or None] == chosen


def test_readme_of_the_persons_language_comes_first() -> None:
    both = listing("README.md", "README.zh.md", "README_CN.md")
    assert choose(both, "en")[0].path == "README.md"
    assert choose(both, "zh")[0].path == "README.zh.md"


@given(st.lists(st.text(alphabet=st.sampled_from("aR./_md pyEADMtes"), min_size=1, max_size=14), max_size=12))
def test_choice_never_has_more_than_four_nor_the_same_twice(paths: list[str]) -> None:
    chosen = [choice.path for choice in choose(listing(*paths), "en")]
    assert len(chosen) <= 4
    assert len(set(chosen)) == len(chosen)
    assert set(chosen) <= set(paths)


def test_kinds_are_counted_languages_first() -> None:
    assert kinds(listing("a.png", "b.png", "c.py", "Makefile", "node_modules/x.js")) == [("Python", 1), (".png", 2), ("", 1)]
