"""What every file of the project keeps to: names, lengths, first lines, and words that have no place here."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import files, program, python_files, relative, tree_of
from tests.shared import ROOT

PYTHON_FILES = python_files()
LINES_AT_MOST = 400
FUNCTION_LINES_AT_MOST = 60

LONGER_FILES: dict[str, int] = {}
"""Files over the limit with the length they have: a number here may only become smaller, and no file may be added."""

NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}

FOLDERS_WITHOUT_MIRROR = {"architecture", "whole"}
"""Folders of tests/ whose tests are about more than one module: the house, and turns from end to end."""


def _in_pieces(*pieces: str) -> str:
    """Join what must not stand in this file as one word, because the search for it looks here too."""
    return "".join(pieces)


_HOSTS = (("pypi", r"\.org"), ("python", "hosted"), ("npm", r"js\.(org|com)"), (r"\.debian", r"\.org"))

FORBIDDEN = {
    "a path of a development machine": rf"(?<![\w./-]){_in_pieces('/wo', 'rk/')}[.a-z]|{_in_pieces('/root/', '.pyenv')}|{_in_pieces('/opt/', 'pypi')}",
    "the host of a package registry": "|".join(_in_pieces(*pieces) for pieces in _HOSTS),
    "a start that runs the workspace's own modules first (the script `workbench`, or python -P -m)": _in_pieces(r"python[\d.]* ", "-m workbench"),
}


def test_files_are_short() -> None:
    lengths = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in PYTHON_FILES}
    long = {name: lines for name, lines in lengths.items() if lines > LINES_AT_MOST}
    assert long == LONGER_FILES, f"split by meaning what has over {LINES_AT_MOST} lines; where a file of the list became shorter, write its new figure"


def test_functions_are_short() -> None:
    long = {
        f"{relative(path)}:{node.lineno} {node.name}": lines
        for path in PYTHON_FILES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if (lines := (node.end_lineno or 0) - node.lineno + 1) > FUNCTION_LINES_AT_MOST
    }
    assert not long, f"functions over {FUNCTION_LINES_AT_MOST} lines: say one thing on one level"


def test_files_say_first_what_lives_there() -> None:
    silent = [relative(path) for path in PYTHON_FILES if (tree := tree_of(path)).body and not ast.get_docstring(tree)]
    assert not silent, "a file starts with a docstring: what lives here, and why"


def test_no_name_says_nothing() -> None:
    vague = [relative(path) for path in PYTHON_FILES if NAMES_THAT_SAY_NOTHING & {part.removesuffix(".py") for part in path.relative_to(ROOT).parts}]
    assert not vague, "name these files after their subject"


def test_every_task_has_an_owner() -> None:
    ownerless = [
        f"{relative(path)}:{node.lineno}"
        for path in program().values()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and _starts_task_without_owner(node)
    ]
    assert not ownerless, "tasks belong to a TaskGroup or to an owner's spawn"


def _starts_task_without_owner(call: ast.Call) -> bool:
    """Say whether this is ``asyncio.create_task``, ``loop.create_task`` or ``ensure_future``, however they are reached."""
    match call.func:
        case ast.Name(id="create_task" | "ensure_future") | ast.Attribute(attr="ensure_future"):
            return True
        case ast.Attribute(attr="create_task", value=owner):
            return re.search(r"asyncio|loop", ast.unparse(owner)) is not None
        case _:
            return False


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("asyncio.create_task(a())", True),
        ("create_task(a())", True),
        ("asyncio.get_running_loop().create_task(a())", True),
        ("self._loop.create_task(a())", True),
        ("asyncio.ensure_future(a())", True),
        ("group.create_task(a())", False),
        ("self._tasks.create_task(a())", False),
    ],
)
def test_ownerless_task_is_recognised(code: str, expected: bool) -> None:
    (statement,) = ast.parse(code).body
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)
    assert _starts_task_without_owner(statement.value) is expected


TEST_FILES = [path for path in PYTHON_FILES if path.name.startswith("test_") and not relative(path).startswith("resources/")]


def test_every_test_file_mirrors_a_module_or_a_room() -> None:
    assert [relative(path) for path in TEST_FILES if not relative(path).startswith("tests/")] == [], "tests stand under tests/ only"
    odd = [relative(path) for path in TEST_FILES if path.relative_to(ROOT).parts[1] not in FOLDERS_WITHOUT_MIRROR and mirrored(path) is None]
    assert not odd, "put it into the folder that mirrors the room it is about, or into tests/whole/"


def mirrored(test_file: Path) -> str | None:
    """Return what a test file is about: ``tests/wire/test_server_limits.py`` is about ``workbench/wire/server.py``.

    A file that is named after no module is about its whole room: recordings, laws, the cases of a kind of bug.
    """
    folder = test_file.parent.relative_to(ROOT / "tests")
    origin = ROOT / folder if folder.parts[:1] == ("packaging",) else ROOT / "workbench" / folder
    words = test_file.stem.removeprefix("test_").split("_")
    names = ["_".join(words[:count]) for count in range(len(words), 0, -1)]
    candidates = [origin / spelling for name in names for spelling in (f"{name}.py", f"_{name}.py", f"__{name}__.py", f"{name}/__init__.py", f"{name}/run.py")]
    found = next((relative(candidate) for candidate in candidates if candidate.is_file()), None)
    return found or (relative(origin) if folder.parts and origin.is_dir() else None)


def test_mirror_is_found_by_the_longest_name() -> None:
    assert mirrored(ROOT / "tests" / "test_resources.py") == "workbench/resources.py"
    assert mirrored(ROOT / "tests" / "test_resources_in_a_wheel.py") == "workbench/resources.py"
    assert mirrored(ROOT / "tests" / "packaging" / "test_dev.py") == "packaging/dev.py"
    assert mirrored(ROOT / "tests" / "test_nothing.py") is None


def test_every_folder_of_tests_is_a_package() -> None:
    """A folder without ``__init__.py`` would put tests/mcp or tests/packaging in front of the libraries of that name."""
    folders = {parent for path in TEST_FILES for parent in path.parents if parent.is_relative_to(ROOT / "tests")}
    assert [relative(folder) for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []


def test_folder_packaging_is_no_package_and_hides_no_module() -> None:
    """``python3 packaging/dev.py`` looks for modules in packaging/ first; ``import packaging`` must find the library."""
    inside = [path for path in PYTHON_FILES if relative(path).startswith("packaging/")]
    assert not [relative(path) for path in inside if path.name in ("__init__.py", "conftest.py") or path.name.startswith("test_")]
    assert not [relative(path) for path in inside if path.stem in sys.stdlib_module_names]


@pytest.mark.parametrize("reason", FORBIDDEN)
def test_no_file_holds(reason: str) -> None:
    pattern = re.compile(FORBIDDEN[reason].encode())
    found = [
        f"{relative(path)}:{number}"
        for path in files()
        for number, line in enumerate(path.read_bytes().splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, f"{reason} has no place in the project: {found[:20]}"


def test_forbidden_words_are_recognised() -> None:
    lines = [_in_pieces("cd /wo", "rk/main"), _in_pieces("see https://py", "pi.org/x"), _in_pieces("python3 -m work", "bench run")]
    for line, pattern in zip(lines, FORBIDDEN.values(), strict=True):
        assert re.search(pattern, line)
    for line in ("python -P -m workbench run", _in_pieces("src/network/wo", "rk/a.py"), "the work/life balance"):
        assert not any(re.search(pattern, line) for pattern in FORBIDDEN.values())


def test_each_change_is_told_in_one_sentence() -> None:
    notes = [path for path in files() if relative(path).startswith("packaging/changes/") and path.name != "README.md"]
    odd = [relative(path) for path in notes if not re.fullmatch(r"(Added|Changed|Fixed) [^\n]{10,300}\.\n?", path.read_text(encoding="utf-8"))]
    assert not odd, "a change is one sentence on one line that starts with Added, Changed or Fixed"


@pytest.mark.parametrize("folder", ["workbench", "resources", "packaging"])
def test_only_tests_know_the_shared_recordings(folder: str) -> None:
    words = re.compile(_in_pieces("WORKBENCH_", "SHARED") + "|" + re.escape(_in_pieces("../", "shared")))
    inside = [path for path in files() if relative(path).startswith(folder + "/") and path.suffix in (".py", ".md", ".toml", ".txt", ".sh")]
    assert [relative(path) for path in inside if words.search(path.read_text(encoding="utf-8"))] == []


def test_program_is_more_than_nothing() -> None:
    assert len(program()) > 5
