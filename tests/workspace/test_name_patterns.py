"""The dialect of file-name patterns, and what is refused."""

from __future__ import annotations

import time

import pytest

from workbench.errors import ToolError
from workbench.workspace.name_patterns import name_pattern


@pytest.mark.parametrize(
    ("pattern", "fit", "unfit"),
    [
        ("*.py", ["a.py", "x/y/a.py", ".a.py"], ["a.pyc", "a.py/x"]),
        ("./*.py", ["a.py"], ["x/a.py"]),
        ("/*.py", ["a.py"], ["x/a.py"]),
        (".//./x", ["x"], ["a/x"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "lib/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["a.py"]),
        ("**", ["a", "x/.y/z"], []),
        ("src/", ["src/a", "src/x/y"], ["src", "lib/src/a"]),
        ("[!a]?", ["b1", "x/c2"], ["a1", "b", "b12"]),
        ("{a,b}{1..3}.txt", ["a1.txt", "x/b3.txt"], ["a4.txt", "c1.txt"]),
        ("{*.md,src/*.ts}", ["x/y/a.md", "src/a.ts"], ["x/src/a.ts"]),
        ("app/[[]id]/p", ["app/[id]/p"], ["app/i/p"]),
        (r"a\*b", ["a*b"], ["axb"]),
        ("{unclosed", ["{unclosed"], []),
        ("[unclosed", ["[unclosed"], []),
        ("Makefile", ["Makefile", "x/Makefile"], ["makefile"]),
        ("**/**/a", ["a", "x/a"], ["x/b"]),
    ],
)
def test_dialect(pattern: str, fit: list[str], unfit: list[str]) -> None:
    wanted = name_pattern(pattern)
    assert [path for path in (*fit, *unfit) if wanted.fits(path)] == fit


def test_plain_name_of_a_folder_means_its_files() -> None:
    wanted = name_pattern("src", is_folder={"src"}.__contains__)
    assert (wanted.fits("src/x/y"), wanted.fits("lib/src")) == (True, False)
    assert name_pattern("src").fits("lib/src")


def test_other_case_can_be_asked_for() -> None:
    wanted = name_pattern("readme*")
    assert (wanted.fits("README.md"), wanted.fits_in_other_case("x/README.md")) == (False, True)


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [
        ("", "invalid_arguments"),
        ("  ", "invalid_arguments"),
        ("a\0", "invalid_arguments"),
        ("x" * 2001, "invalid_arguments"),
        ("{1..100000}", "invalid_arguments"),
        ("{a,b}" * 12, "invalid_arguments"),
        ("**/a" * 5, "invalid_arguments"),
        ("../*.py", "outside_workspace"),
        ("a/../b", "outside_workspace"),
        ("{a,..}/b", "outside_workspace"),
        ("~/x", "outside_workspace"),
    ],
)
def test_refused(pattern: str, kind: str) -> None:
    with pytest.raises(ToolError) as refused:
        name_pattern("/".join(["**", "a"] * 5) if pattern.startswith("**/a**") else pattern)
    assert refused.value.kind == kind


@pytest.mark.parametrize("pattern", ["*a" * 12 + "b", "/".join(["**", "a"] * 4) + "/b", "?*" * 50 + "b"])
def test_hostile_names_do_not_take_for_ever(pattern: str) -> None:
    wanted = name_pattern(pattern)
    started = time.monotonic()
    for path in ("a" * 255, "/".join("a" * 60), "/".join(["a" * 60] * 10)):
        assert not wanted.fits(path)
    assert time.monotonic() - started < 2
