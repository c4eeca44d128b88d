"""Further attempts to slip past the shell gate, and further everyday commands that must not ask: beside the published corpus, same policy."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.permissions.test_commands_cases import CASES_FOLDER, built, judged_in
from workbench.agent.disk import RealDisk
from workbench.permissions.places import Root, Roots
from workbench.permissions.rules import ArgvRule, RuleSet
from workbench.permissions.shell import CommandVerdict, judge_command

CASES: list[dict[str, Any]] = [json.loads(line) for line in (CASES_FOLDER / "commands_more.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("more").resolve())


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A workspace that a test may spoil."""
    return built(tmp_path.resolve())


def told(verdict: CommandVerdict) -> list[str]:
    return [reason.text for reason in verdict.reasons if reason.outcome != "allow"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_command_is_judged_by_the_same_policy(case: dict[str, Any], workspace: Path) -> None:
    verdict = judged_in(workspace, case["command"])
    assert (verdict.outcome == "allow") == (case["expect"] == "allow"), told(verdict)


HOSTILE_KEYS = [
    "core.fsmonitor", "core.hooksPath", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.alternateRefsCommand", "core.gitProxy",
    "core.worktree", "core.attributesFile", "include.path", "includeIf.gitdir:/.path", "alias.st", "filter.x.clean", "filter.x.process", "diff.external",
    "diff.x.command", "diff.x.textconv", "merge.x.driver", "gpg.program", "gpg.ssh.program", "credential.helper", "log.showSignature", "pager.log",
    "remote.origin.uploadpack", "remote.origin.promisor", "extensions.partialClone", "protocol.ext.allow", "submodule.x.update", "format.pretty",
    "status.submoduleSummary", "trailer.x.command", "interactive.diffFilter", "difftool.x.cmd", "uploadpack.packObjectsHook", "blame.ignoreRevsFile",
]  # fmt: skip


@pytest.mark.parametrize("key", HOSTILE_KEYS)
def test_repository_that_may_run_something_asks(key: str, own: Path) -> None:
    assert judged_in(own, "git status").outcome == "allow"
    subprocess.run(["git", "config", key, "./scripts/evil.sh"], cwd=own, check=True)
    assert judged_in(own, "git status").outcome == "ask"
    assert judged_in(own, "cd src && git log").outcome == "ask"


@pytest.mark.parametrize(
    "text",
    ["[core] fsmonitor=x", "[CORE]\nFsMonitor=x", "[core]fsmonitor", "[core]\n\tabbrev = 7 \\\n fsmonitor", "[diff.x]\ntextconv=x", "fsmonitor=x",
     "[alias \"x\"]\n\tcommand=x", "\x00", "[core", "[include]\npath=x", "[remote \"a\\\"]\nx=\"]\nvcs=x",
     "[core]\n" + "#" * 70_000],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_configuration_in_any_spelling_asks(text: str, own: Path) -> None:
    with (own / ".git/config").open("a") as file:
        file.write("\n" + text + "\n")
    assert judged_in(own, "git status").outcome == "ask"


@pytest.mark.parametrize(
    "text",
    ["[core]\n\tfsmonitor = false", '[remote "origin"]\n\turl = git@example.test:x/y.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*',
     '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main', "[pull]\n\trebase = true", '# note\n; note\n[color]\n\tui = auto',
     "[core]\n\tautocrlf=input"],
    ids=lambda text: text[:16],
)  # fmt: skip
def test_ordinary_configuration_does_not_ask(text: str, own: Path) -> None:
    with (own / ".git/config").open("a") as file:
        file.write("\n" + text + "\n")
    assert judged_in(own, "git status").outcome == "allow"


_NESTED = (
    "git init -q sub/inner && git -C sub/inner -c user.name=Dev -c user.email=dev@example.test commit -q --allow-empty -m first"
    " && git update-index --add --cacheinfo 160000,$(git -C sub/inner rev-parse HEAD),sub/inner"
)
_ABSORBED = (
    "printf '[submodule \"inner\"]\\n\\tpath = sub/inner\\n\\turl = ./inner\\n' > .gitmodules"
    " && git submodule absorbgitdirs && git config --remove-section submodule.inner || true"
)
REPOSITORIES = {
    "nested": (["git init -q sub"], "cd sub && git status"),
    "bare folder": (["mkdir -p sub/objects sub/refs", "echo 'ref: refs/heads/main' > sub/HEAD"], "cd sub/deep && git log"),
    "elsewhere by file": (["mv .git ../elsewhere", "echo 'gitdir: ../elsewhere' > .git"], "git log"),
    "elsewhere by link": (["mv .git ../elsewhere", "ln -s ../elsewhere .git"], "git log"),
    "broken": (["rm .git/HEAD"], "git log"),
    "without objects": (["rm -rf .git/objects"], "git log"),
    "common folder": (["echo ../x > .git/commondir"], "git log"),
    "objects of others": (["echo /x > .git/objects/info/alternates"], "git log"),
    "index hook": (["printf '#!/bin/sh\\n' > .git/hooks/post-index-change"], "git diff"),
    "worktree's configuration": (["printf '[core]\\nfsmonitor=x\\n' > .git/config.worktree"], "git status"),
    "submodule's configuration": (["mkdir -p .git/modules/x", "printf '[core]\\nfsmonitor=x\\n' > .git/modules/x/config"], "git status"),
    "submodule without one": (["mkdir -p .git/modules/x"], "git status"),
    "submodule with its own": ([_NESTED], "git status"),
    "submodule with its own in a split index": ([_NESTED, "git update-index --split-index"], "git diff"),
    "submodule with its own in a short index": ([_NESTED, "git update-index --index-version 4"], "git status"),
    "submodule that leads elsewhere": ([_NESTED, "mv sub/inner/.git ../elsewhere", "echo 'gitdir: ../../../elsewhere' > sub/inner/.git"], "git status"),
    "submodule's index hook": ([_NESTED, _ABSORBED, "touch .git/modules/inner/hooks/post-index-change"], "git status"),
    "submodule's own submodule": ([_NESTED, _ABSORBED, "mkdir .git/modules/inner/modules"], "git status"),
    "configuration is a link": (["mv .git/config .git/c", "ln -s c .git/config"], "git status"),
}


@pytest.mark.parametrize("name", REPOSITORIES)
def test_repository_that_is_not_plainly_the_workspaces_own_asks(name: str, own: Path) -> None:
    steps, command = REPOSITORIES[name]
    for step in steps:
        subprocess.run(["bash", "-c", step], cwd=own, check=True, capture_output=True)
    assert judged_in(own, command).outcome == "ask"


def test_folder_without_any_repository_does_not_ask(own: Path) -> None:
    shutil.rmtree(own / ".git")
    assert judged_in(own, "git status && cat README.md").outcome == "allow"
    assert judged_in(own, "cd src && git log --oneline | head -3").outcome == "allow"
    for command in ("git diff README.md docs/guide.md", "git grep TODO", "git config --get user.name", "git status; cd sub && git init"):
        assert judged_in(own, command).outcome == "ask"
    subprocess.run(["git", "init", "-q", str(own.parent)], check=True)
    assert judged_in(own, "git status").outcome == "ask", "the folder around it is a repository of somebody's"


def test_ordinary_submodule_does_not_ask(own: Path) -> None:
    subprocess.run(["bash", "-c", f"{_NESTED}\n{_ABSORBED}"], cwd=own, check=True, capture_output=True)
    assert (own / "sub/inner/.git").is_file()
    assert judged_in(own, "git status").outcome == "allow"


CHOICES = {
    "rust-toolchain.toml": ("cargo --version", '[toolchain]\npath = "./evil"\n'),
    "rust-toolchain": ("cargo -V", "nightly\n"),
    ".python-version": ("python3 --version", "../../evil\n"),
    ".tool-versions": ("jq . data/items.json", "jq path:./evil\n"),
    ".mise.toml": ("rg main", '[tools]\nripgrep = "path:./evil"\n'),
    "mise.toml": ("cd src && node --version", '[tools]\nnode = "path:./evil"\n'),
}


@pytest.mark.parametrize("name", CHOICES)
def test_program_that_a_file_of_the_repository_may_choose_asks(name: str, own: Path) -> None:
    command, text = CHOICES[name]
    assert judged_in(own, command).outcome == "allow"
    (own / name).write_text(text)
    assert judged_in(own, command).outcome == "ask"
    assert judged_in(own, "ls; grep main README.md; git --version").outcome == "allow"


FILES = {
    "--files0-from=x": "wc *",
    "-opwned": "sort *",
    "-exec": "find *",
    "--pre=sh": "rg x *",
    "-L": "ls *",
    "line\nbreak.pem": "cat *.pem",
    "id_rsa": "head id*",
    ".env.local": "cat .env.[a-z]*",
    "Ｓerver.ＫＥＹ": "cat *",
}


@pytest.mark.parametrize("name", FILES)
def test_name_that_a_pattern_stands_for_is_judged_as_if_typed(name: str, own: Path) -> None:
    (own / name).write_text("x")
    assert judged_in(own, FILES[name]).outcome != "allow"


def test_link_or_pipe_in_place_of_a_file_does_not_pass(own: Path) -> None:
    (own / "plain.txt").symlink_to("/etc/passwd")
    (own / "up").symlink_to("..")
    (own / "loop").symlink_to("loop")
    subprocess.run(["mkfifo", str(own / "pipe")], check=True)
    for command in ("cat plain.txt", "cat pl*", "ls up", "ls up/", "cat up/proj/README.md/../../x",
                    "cd up && ls", "cat loop", "wc -l < plain.txt", "[[ -f plain.txt ]]"):  # fmt: skip
        assert judged_in(own, command).outcome != "allow"
    for command in ("cat pipe", "cat < pipe", "grep x *", "head pi*"):
        assert judged_in(own, command).outcome != "allow"
    assert judged_in(own, "ls pipe").outcome == "allow"


def test_cd_is_followed_by_names_and_by_folders(own: Path) -> None:
    """Bash takes ``..`` from the name in PWD, programs take it from the real folder."""
    (own / "a/b/c").mkdir(parents=True)
    (own / "short").symlink_to("a/b/c")
    assert judged_in(own, "cd short && cat ../../../README.md").outcome == "allow"
    assert judged_in(own, "cd short && cat ../../../../x").outcome == "deny"
    assert judged_in(own, "cd short && cd .. && cat README.md").outcome == "allow"
    assert judged_in(own, "cd short && cd .. && cat ../x").outcome == "deny"
    assert judged_in(own, "cd short && cd -P .. && cat ../../README.md").outcome == "allow"
    assert judged_in(own, "cd short && cd ../.. && ls").outcome == "deny"
    assert judged_in(own, "cd src && ls $PWD/../..").outcome == "deny"


def test_pattern_that_another_language_reads_otherwise_asks(own: Path) -> None:
    """Where the person's locale is not installed, bash takes every byte for a character."""
    (own / "é").symlink_to("/etc/passwd")
    assert judged_in(own, "cat ??").outcome == "ask"
    (own / "é").unlink()
    (own / "é.md").write_text("x")
    assert judged_in(own, "cat ?.md").outcome == "ask"
    assert judged_in(own, "cat *.md [RX]*.md").outcome == "allow"


@pytest.mark.parametrize("wrapper", ["prlimit", "setarch", "numactl", "eatmydata", "valgrind", "ssh-agent", "unshare -r"])
def test_denied_program_behind_a_wrapper_is_denied(wrapper: str, own: Path) -> None:
    rules = RuleSet((ArgvRule(effect="deny", argv=("rm", "**")),))
    verdict = judge_command(f"{wrapper} rm README.md", folder=str(own), roots=Roots(workspace=Root(path=str(own))), disk=RealDisk(), rules=rules)
    assert verdict.outcome == "deny"
