"""The set-up chooses a Python, names what is missing, and repairs what a kill left, without touching what is right."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.scripts import load, program
from tests.shared import ROOT

dev: Any = load("dev.py")
DEV = ROOT / "packaging" / "dev.py"

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="dev.py's system checks are those of Linux")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with lock files, in which the set-up would work."""
    (tmp_path / "checkout" / "packaging").mkdir(parents=True)
    for name in ("pyproject.toml", "packaging/lock.txt", "packaging/lock-dev.txt"):
        (tmp_path / "checkout" / name).write_text(name)
    monkeypatch.setattr(dev, "ROOT", str(tmp_path / "checkout"))
    monkeypatch.delenv("WORKBENCH_VENV", raising=False)
    return tmp_path / "checkout"


def command(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run dev.py as a person does."""
    return subprocess.run([sys.executable, str(DEV), *arguments], capture_output=True, text=True, timeout=30, check=False, **options)


# ---- the command line


def test_help_lists_every_command() -> None:
    done = command("--help")
    assert done.returncode == 0
    assert all(f"  {name} " in done.stdout for name in dev.COMMANDS)


@pytest.mark.parametrize(("arguments", "beginning"), [(["fly"], "There is no command fly"), ([], "A command is missing")])
def test_wrong_command_is_answered_with_one_sentence(arguments: list[str], beginning: str) -> None:
    done = command(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{beginning}: choose one of run, test,")
    assert done.stderr.count("\n") == 1


def test_start_loads_nothing_that_a_ready_start_does_not_need() -> None:
    done = subprocess.run([sys.executable, "-I", "-X", "importtime", str(DEV), "--help"], capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    bare = subprocess.run([sys.executable, "-I", "-X", "importtime", "-c", ""], capture_output=True, text=True, check=True).stderr
    assert "hashlib" in loaded
    assert not {name for name in ("argparse", "ctypes", "shutil", "typing", "socket") if name in loaded and f" {name}\n" not in bare}


# ---- the interpreter


def test_old_python_can_read_the_program_to_its_end() -> None:
    ast.parse(DEV.read_text(encoding="utf-8"), feature_version=(3, 6))


def test_this_python_is_taken_and_never_the_one_inside_an_environment() -> None:
    python = dev.interpreter()
    assert dev.version_of(python) == sys.version_info[:2]
    assert not (Path(python).parent.parent / "pyvenv.cfg").exists()


def test_unsupported_python_takes_another_from_path(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(path, "python3.13", "exit 127")  # what pyenv leaves in PATH for a version that is not chosen
    other = program(path, "python3.12", "echo 3 12")
    monkeypatch.setattr(dev.sys, "version_info", (3, 8, 18))
    assert dev.interpreter() == str(other)


@pytest.mark.usefixtures("path")
def test_unsupported_python_alone_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev.sys, "version_info", (3, 14, 0))
    with pytest.raises(dev.Stop, match=r"^Python 3\.11, 3\.12 or 3\.13 is needed; this is "):
        dev.interpreter()


@pytest.mark.parametrize("script", ["echo 3 9", "exit 1", None])
def test_named_python_that_does_not_do_is_refused(path: Path, script: str | None) -> None:
    if script is not None:
        program(path, "python", script)
    done = command("test", "--python", str(path / "python"))
    assert done.returncode == 2
    assert done.stderr == f"{path / 'python'} is not a Python 3.11, 3.12 or 3.13 that runs: name another one after --python.\n"


@pytest.mark.parametrize("words", [["--python", sys.executable], [f"--python={sys.executable}"]])
@pytest.mark.parametrize("after", [[], ["-q", "tests/wire"]])
def test_named_python_has_an_environment_of_its_own(words: list[str], after: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_VENV", raising=False)
    calls: list[tuple[str, list[str]]] = []

    def call(environment: Any, arguments: list[str]) -> int:
        calls.append((environment.folder, arguments))
        return 5

    monkeypatch.setattr(dev.Environment, "set_up", lambda *_: None)
    monkeypatch.setattr(dev.Environment, "call", call)
    monkeypatch.setattr(dev, "missing_for_tests", list)
    assert dev.test([*after[:1], *words, *after[1:]]) == 5
    folder = str(ROOT / ".venv-{}.{}".format(*sys.version_info))
    assert calls == [(folder, [str(Path("packaging", "model_mocks.py"))]), (folder, ["-m", "pytest", *after])]


@pytest.mark.parametrize(
    ("python", "pyside", "refused"),
    [
        ((3, 11), "6.11.3", False),
        ((3, 11), "6.12.0", True),
        ((3, 11), "6.13", True),
        ((3, 11, 2), "7.0.1", True),
        ((3, 12), "6.12.0", False),
        ((3, 13, 0), "6.12.0", False),
    ],
)
def test_pyside_that_kills_a_python_is_refused(python: tuple[int, ...], pyside: str, refused: bool) -> None:
    sentence = dev.bad_pair(python, pyside)
    assert (sentence is not None) is refused
    assert sentence is None or f"PySide6 {pyside} ends the process on Python 3.11" in sentence


# ---- the environment and its stamp


@pytest.fixture
def environment(checkout: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An environment whose interpreter only writes down how it was called, and whose packages are one file."""
    monkeypatch.setenv("PATH", f"{path}:/usr/bin:/bin")
    made = dev.Environment()
    made.base = str(program(path, "base", f'echo "$@" >> {checkout}/made; for last; do :; done; rm -rf "$last"; mkdir -p "$last"'))
    monkeypatch.setattr(dev, "missing_packages", lambda *_: [])
    monkeypatch.setattr(dev.Environment, "install", lambda self, group: Path(self.folder, f"packages-{group}").touch())
    monkeypatch.setattr(dev.Environment, "check_qt", lambda _: None)
    return made


def times_made(checkout: Path) -> int:
    """Return how often the environment was made from nothing."""
    return len((checkout / "made").read_text().splitlines())


def test_second_start_finds_everything_ready(environment: Any, checkout: Path) -> None:
    environment.set_up("run")
    environment.set_up("run")
    assert times_made(checkout) == 1
    assert environment.is_ready("run")
    assert not environment.is_ready("dev")


def test_environment_of_the_tests_also_runs_the_program(environment: Any, checkout: Path) -> None:
    environment.set_up("dev")
    environment.set_up("run")
    assert times_made(checkout) == 1
    assert not Path(environment.folder, "packages-run").exists()


def test_tests_are_added_to_what_runs_without_making_it_anew(environment: Any, checkout: Path) -> None:
    environment.set_up("run")
    environment.set_up("dev")
    assert times_made(checkout) == 1
    assert Path(environment.folder, "packages-run").exists()
    assert Path(environment.folder, "packages-dev").exists()


def test_set_up_that_was_killed_is_made_anew(environment: Any, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        """Nothing in the program catches it, as nothing catches a kill."""

    def die(_environment: object, _group: str) -> None:
        Path(environment.folder, "half").touch()
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(dev.Environment, "install", die)
        with pytest.raises(Killed):
            environment.set_up("run")
    assert not environment.is_ready("run")
    environment.set_up("run")
    assert times_made(checkout) == 2
    assert not Path(environment.folder, "half").exists()


@pytest.mark.parametrize("lock", ["lock.txt", "lock-dev.txt"])
def test_changed_lock_makes_it_anew(environment: Any, checkout: Path, lock: str) -> None:
    environment.set_up("run")
    (checkout / "packaging" / lock).write_text("other pins")
    assert not environment.is_ready("run")
    environment.set_up("run")
    assert times_made(checkout) == 2


def test_changed_metadata_only_installs_again(environment: Any, checkout: Path) -> None:
    environment.set_up("run")
    Path(environment.folder, "packages-run").unlink()
    (checkout / "pyproject.toml").write_text("another entry point")
    environment.set_up("run")
    assert times_made(checkout) == 1
    assert Path(environment.folder, "packages-run").exists()


def test_moved_checkout_or_other_python_makes_it_anew(environment: Any, tmp_path: Path) -> None:
    environment.set_up("run")
    moved = tmp_path / "moved"
    shutil.move(environment.folder, moved)
    environment.folder, environment.stamp = str(moved), str(moved / "ready")
    assert not environment.is_ready("run")


def test_second_set_up_waits_for_the_first(environment: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting, entered = threading.Event(), threading.Event()
    monkeypatch.setattr(dev, "say", lambda text: waiting.set() if "waiting for it" in text else None)

    def second() -> None:
        with environment.only_one_set_up():
            entered.set()

    thread = threading.Thread(target=second)
    with environment.only_one_set_up():
        thread.start()
        assert waiting.wait(10)
        assert not entered.is_set()
    assert entered.wait(10)
    thread.join()


def test_child_that_outlives_a_killed_set_up_keeps_the_lock(environment: Any) -> None:
    with environment.only_one_set_up():
        child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE, close_fds=False)
    try:
        locked = subprocess.run(["flock", "-n", environment.folder + ".lock", "true"], check=False).returncode
    finally:
        child.communicate()
    assert locked == 1
    assert subprocess.run(["flock", "-n", environment.folder + ".lock", "true"], check=False).returncode == 0


# ---- what is handed on


def test_run_hands_folder_and_live_displays_to_the_program(environment: Any, tmp_path: Path) -> None:
    environment.set_up("run")
    program(Path(environment.programs), "workbench", f'echo "$DISPLAY|$@" > {tmp_path}/started; exit 7')
    code = f"""
import importlib.util, os, sys
spec = importlib.util.spec_from_file_location("dev", {str(DEV)!r}); dev = importlib.util.module_from_spec(spec); spec.loader.exec_module(dev)
dev.Environment.set_up = lambda *_: None
dev.ROOT = {str(dev.ROOT)!r}
sys.exit(dev.main(["run", "a folder", "--flag"]))
"""
    environment_variables = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    done = subprocess.run([sys.executable, "-c", code], env={**environment_variables, "DISPLAY": ":31999"}, capture_output=True, text=True, check=False)
    assert done.returncode == 7, done.stderr
    assert (tmp_path / "started").read_text() == "|a folder --flag\n"


def test_lint_runs_both_and_fails_if_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def call(_environment: object, arguments: list[str]) -> int:
        calls.append(arguments[1])
        return int(arguments[1] == "ruff")

    monkeypatch.setattr(dev.Environment, "set_up", lambda *_: None)
    monkeypatch.setattr(dev.Environment, "call", call)
    assert dev.lint([]) == 1
    assert calls == ["ruff", "mypy"]


@pytest.mark.usefixtures("checkout")
def test_shots_of_a_window_that_is_not_there_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert dev.main(["shots"]) == 2
    assert capsys.readouterr().err == "The window is not there yet, so no pictures of it can be made.\n"
