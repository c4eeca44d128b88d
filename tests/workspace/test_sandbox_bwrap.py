"""The command line of bubblewrap: outer mounts before inner ones, and nothing of the environment on it."""

from __future__ import annotations

from pathlib import Path

from tests.workspace.holding import NAMES
from workbench.workspace.sandbox import Bounds, Sandbox
from workbench.workspace.sandbox_bwrap import bwrap_line, seen_all_the_same
from workbench.workspace.sandbox_held import git_identity
from workbench.workspace.sandbox_survey import survey


def line(workspace: Path, home: Path, **bounds: object) -> list[str]:
    held = Bounds(workspace=workspace, names=NAMES, **bounds)  # type: ignore[arg-type]
    sandbox = Sandbox(rung="bwrap", program=Path("/usr/bin/bwrap"), homes=(home,))
    return list(bwrap_line(sandbox, held, survey(held), {"PATH": f"{home}/.cargo/bin:/usr/bin", "KEY": "canary"}, folder=workspace, seccomp=9, identity=8))


def test_mounts_are_in_order_and_the_network_is_off(tmp_path: Path) -> None:
    home, workspace = tmp_path / "home", tmp_path / "home" / "ws"
    for name in (".git/hooks", ".github/workflows", "deep/.vscode"):
        (workspace / name).mkdir(parents=True)
    (workspace / ".git/config").touch()
    (workspace / ".env").touch()
    words = line(workspace, home)
    places = [words.index(str(place)) for place in (home, workspace, workspace / ".git", workspace / ".git/hooks")]
    assert places == sorted(places)
    joined = " ".join(words)
    assert "--unshare-net" in words
    for mount in (f"--bind {workspace}/.github {workspace}/.github", f"--ro-bind {workspace}/.github/workflows", f"--bind {workspace}/deep {workspace}/deep"):
        assert mount in joined
    assert f"--ro-bind /dev/null {workspace}/.env" in joined
    assert "canary" not in joined
    assert "--unshare-net" not in line(workspace, home, network=True)


def test_of_a_home_only_toolchains_are_seen(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in (".cargo/bin", ".rustup", ".ssh", ".config", ".local/bin", ".local/share/keyrings", "tools/bin", "tools/lib"):
        (home / name).mkdir(parents=True)
    path = f"{home}/.cargo/bin:{home}/.local/bin:{home}/tools/bin:relative:"
    seen = seen_all_the_same(Sandbox(rung="bwrap", homes=(home,)), Bounds(workspace=tmp_path / "ws"), {"PATH": path})
    shown = {str(place.relative_to(home)) for place in seen if place.is_relative_to(home)}
    assert shown == {".cargo/bin", ".rustup", ".local/bin", "tools", "tools/bin"}


def test_of_git_only_the_person_is_told(tmp_path: Path) -> None:
    lines = ("[user]", " name = A B", "\temail = a@b", "signingkey = X", "[credential]", "helper = store", "[alias]", "x = !sh", "[init]", "defaultBranch = x")
    (tmp_path / ".gitconfig").write_text("\n".join(lines) + "\n")
    text = git_identity((tmp_path,))
    assert "name = A B" in text
    assert "defaultBranch = x" in text
    assert not any(word in text for word in ("signingkey", "credential", "helper", "alias"))
    assert git_identity(()).startswith("[safe]")
