"""The set-up knows what the system lacks and which displays answer, before anything can fail on it."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.scripts import load, program

dev: Any = load("dev.py")

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="dev.py's system checks are those of Linux")


# ---- system packages


def test_missing_libraries_are_named_by_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "loads", lambda soname: soname not in ("libxcb-cursor.so.0", "libgthread-2.0.so.0", "libglib-2.0.so.0"))
    assert dev.missing_packages("run", sys.executable) == ["libglib2.0-0", "libxcb-cursor0"]


def test_python_without_venv_is_noticed_before_anything_is_made(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "loads", lambda _: True)
    assert dev.missing_packages("run", str(program(path, "python", "exit 1"))) == ["python3-venv"]


def test_library_is_looked_for_by_the_loader() -> None:
    assert dev.loads("libc.so.6")
    assert not dev.loads("libnothing-of-this-name.so.6")


def test_programs_and_fonts_of_the_tests_are_named_by_package(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(path, "apt-get", "exit 0")
    program(path, "Xvfb", "exit 0")
    (tmp_path / "fonts" / "deep").mkdir(parents=True)
    (tmp_path / "fonts" / "deep" / "DejaVuSans.ttf").touch()
    monkeypatch.setattr(dev, "FONT_FOLDERS", [str(tmp_path / "fonts"), str(tmp_path / "none")])
    assert dev.missing_for_tests() == ["xdotool", "openbox", "imagemagick", "bubblewrap", "git", "fonts-wqy-microhei"]


@pytest.mark.usefixtures("path")
def test_tests_can_be_run_where_there_is_no_apt() -> None:
    assert dev.missing_for_tests() == []


def test_user_who_is_not_root_gets_one_command_to_type(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called = path / "called"
    program(path, "apt-get", f"echo $@ >> {called}")
    monkeypatch.setattr(dev.os, "geteuid", lambda: 1000)
    with pytest.raises(dev.Stop) as stop:
        dev.apt(["libegl1", "xvfb"])
    assert str(stop.value).splitlines()[1:] == ["  sudo apt-get update && sudo apt-get install -y --no-install-recommends libegl1 xvfb"]
    assert not called.exists()


def test_root_gets_the_packages_and_what_a_kill_left_is_finished_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called = path / "called"
    for name in ("apt-get", "dpkg"):
        program(path, name, f"echo {name} $DEBIAN_FRONTEND $@ >> {called}")
    monkeypatch.setattr(dev.os, "geteuid", lambda: 0)
    dev.apt(["libegl1", "xvfb"])
    first, second, third = called.read_text().splitlines()
    assert first == "dpkg noninteractive --configure -a"
    assert second.endswith(" update")
    assert "DPkg::Lock::Timeout=120" in third
    assert third.endswith(" install -y --no-install-recommends libegl1 xvfb")


@pytest.mark.parametrize(("user", "installed"), [(0, [["bubblewrap"]]), (1000, [])])
def test_what_the_tests_use_is_installed_even_if_it_went_after_the_set_up(user: int, installed: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    packages: list[list[str]] = []
    monkeypatch.setattr(dev.os, "geteuid", lambda: user)
    monkeypatch.setattr(dev, "missing_for_tests", lambda: ["bubblewrap"])
    monkeypatch.setattr(dev, "apt", packages.append)
    monkeypatch.setattr(dev.Environment, "set_up", lambda *_: None)
    monkeypatch.setattr(dev.Environment, "call", lambda *_: 0)
    assert dev.test([]) == 0
    assert packages == installed


def test_failing_apt_ends_with_a_sentence(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(path, "dpkg", "exit 0")
    program(path, "apt-get", "exit 100")
    monkeypatch.setattr(dev.os, "geteuid", lambda: 0)
    with pytest.raises(dev.Stop, match="could not install them"):
        dev.apt(["libegl1"])


@pytest.mark.usefixtures("path")
def test_other_systems_are_told_the_names() -> None:
    with pytest.raises(dev.Stop, match=r"Install what your system calls: libegl1 xvfb\."):
        dev.apt(["libegl1", "xvfb"])


def test_nothing_missing_needs_nobody(path: Path) -> None:
    called = path / "called"
    program(path, "apt-get", f"touch {called}")
    dev.apt([])
    assert not called.exists()


def test_ldd_names_what_qt_lacks(path: Path) -> None:
    lines = ["libz.so.1 => /lib/libz.so.1 (0x1)", "libxcb-cursor.so.0 => not found", "libX11.so.6 => not found"]
    program(path, "ldd", "\n".join(f"echo '\t{line}'" for line in lines))
    assert dev.libraries_not_found("/somewhere/PySide6") == ["libX11.so.6", "libxcb-cursor.so.0"]


# ---- the display


@pytest.fixture
def x_server() -> Iterator[str]:
    """DISPLAY of an X server that answers."""
    if not shutil.which("Xvfb"):
        pytest.skip("needs Xvfb (dev.py test installs it)")
    read, write = os.pipe()
    with subprocess.Popen(["Xvfb", "-displayfd", str(write), "-nolisten", "tcp"], pass_fds=[write], stderr=subprocess.DEVNULL) as server:
        os.close(write)
        with os.fdopen(read) as number:  # to the newline: Xvfb writes twice, and ends if the pipe is closed in between
            yield ":" + number.readline().strip()
        server.terminate()


def test_display_that_answers_is_kept(x_server: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("QT_QPA_PLATFORM")
    monkeypatch.setenv("DISPLAY", x_server)
    assert dev.environment_with_live_displays()["DISPLAY"] == x_server
    assert capsys.readouterr().err == ""


def test_dead_display_is_named_and_not_handed_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("QT_QPA_PLATFORM")
    monkeypatch.setenv("DISPLAY", ":31999")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-31999")
    environment = dev.environment_with_live_displays()
    assert {"DISPLAY", "WAYLAND_DISPLAY"}.isdisjoint(environment)
    assert capsys.readouterr().err == "The display DISPLAY=:31999 does not answer.\nThe display WAYLAND_DISPLAY=wayland-31999 does not answer.\n"


def test_compositor_that_answers_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QT_QPA_PLATFORM")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as compositor:
        compositor.bind(str(tmp_path / "wayland-0"))
        compositor.listen()
        assert dev.environment_with_live_displays()["WAYLAND_DISPLAY"] == "wayland-0"


def test_platform_that_the_user_chose_is_not_probed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setenv("DISPLAY", ":31999")
    assert dev.environment_with_live_displays()["DISPLAY"] == ":31999"
