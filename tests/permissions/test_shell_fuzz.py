"""Random commands: whatever the gate lets run unasked is run for real, in a box with a throw-away copy, and must change and leak nothing."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import stat
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

from tests.permissions.random_commands import CommandMaker
from workbench.agent.disk import RealDisk
from workbench.permissions.places import Root, Roots
from workbench.permissions.rules import RuleSet
from workbench.permissions.shell import judge_command

CASES = Path(__file__).parents[1] / "cases"
WRITTEN_AT = "/srv/ws/proj"
SECONDS = float(os.environ.get("FUZZ_SECONDS", "10"))
BATCH = 60
Snapshot: TypeAlias = dict[str, tuple[int, int, str]]
OUTSIDE = "outside-canary-7c1f"
SECRET = "not-a-real-token"  # noqa: S105 - of the fixture
RUN_ALL = """
while IFS= read -r -d '' command; do
  n=$((n + 1))
  timeout -k 1 3 /bin/bash --noprofile --norc -c "$command" </dev/null 2>&1 | head -c 20000 > "$OUTPUTS/$n"
done < "$OUTPUTS/commands"
"""


class Yard(NamedTuple):
    """A workspace to run in, what lies around it, where outputs go, and a copy of the workspace."""

    workspace: Path
    around: Path
    outputs: Path
    spare: Path

    @property
    def roots(self) -> Roots:
        home = self.around / "home"
        return Roots(workspace=Root(path=str(self.workspace)), home=str(home), data_folder=str(home / ".local/share/agent-workbench"))


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Yard:
    around = tmp_path_factory.mktemp("yard").resolve()
    made = Yard(around / "ws/proj", around, around / "outputs", tmp_path_factory.mktemp("spare") / "proj")
    made.outputs.mkdir()
    subprocess.run(["bash", str(CASES / "commands_fixture.sh"), str(made.workspace)], check=True, capture_output=True)
    for name in ("outside", "ws/proj-evil", "home/.ssh"):
        (around / name).mkdir(parents=True)
        (around / name / "secret").write_text(OUTSIDE)
    link = made.workspace / "sub/link_out"
    link.unlink()
    link.symlink_to(around / "outside")
    shutil.copytree(made.workspace, made.spare, symlinks=True)
    return made


def known_commands(yard: Yard) -> list[str]:
    lines = (CASES / "commands.jsonl").read_text().splitlines()
    texts = [json.loads(line)["command"].replace(WRITTEN_AT, str(yard.workspace)).replace("/srv/outside", str(yard.around / "outside")) for line in lines]
    return [text for text in texts if len(text) < 500]


def test_what_is_allowed_changes_and_leaks_nothing(yard: Yard) -> None:
    if not _boxes_work():
        pytest.skip("bubblewrap is not there or may not make a box")
    seed = int(os.environ.get("FUZZ_SEED", random.SystemRandom().randrange(1 << 30)))
    allowed = list(_allowed(CommandMaker(seed, known_commands(yard)), yard, SECONDS * 0.4))
    before, deadline, ran = _snapshot(yard), time.monotonic() + SECONDS * 0.6, 0
    for start in range(0, len(allowed), BATCH):
        batch = allowed[start : start + BATCH]
        _run(batch, yard)
        ran += len(batch)
        if changed := _differences(before, _snapshot(yard)):
            pytest.fail(f"seed {seed}: changed {changed} by one of {_guilty(batch, yard)!r}")
        leaks = [command for n, command in enumerate(batch, 1) if _leaks(command, yard.outputs / str(n))]
        assert leaks == [], f"seed {seed}"
        if time.monotonic() > deadline:
            break
    assert ran > 20, f"seed {seed}: hardly anything was allowed, so nothing was tried"


def _allowed(maker: CommandMaker, yard: Yard, seconds: float) -> Iterator[str]:
    disk, deadline, seen = RealDisk(), time.monotonic() + seconds, set[str]()
    while time.monotonic() < deadline:
        text = maker.command()
        if text in seen or "\0" in text:
            continue
        seen.add(text)
        verdict = judge_command(text, folder=str(yard.workspace), roots=yard.roots, disk=disk, rules=RuleSet())
        if verdict.outcome == "allow":
            yield text


def _boxes_work() -> bool:
    bwrap = shutil.which("bwrap")
    return bool(bwrap) and subprocess.run([str(bwrap), "--ro-bind", "/", "/", "--unshare-all", "true"], capture_output=True, check=False).returncode == 0


def _run(commands: Sequence[str], yard: Yard) -> None:
    for old in yard.outputs.iterdir():
        old.unlink()
    (yard.outputs / "commands").write_bytes(b"".join(command.encode("utf-8", "surrogatepass") + b"\0" for command in commands))
    settings = {
        "PATH": os.environ.get("FUZZ_PATH", "/usr/local/bin:/usr/bin:/bin"),
        "HOME": str(yard.around / "home"), "USER": "u", "LANG": "C.UTF-8", "TERM": "dumb", "PAGER": "cat",
        "GIT_PAGER": "cat", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "OUTPUTS": str(yard.outputs),
    }  # fmt: skip
    around = str(yard.around)
    box = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", around, around]
    for name, value in settings.items():
        box += ["--setenv", name, value]
    box += ["--chdir", str(yard.workspace), "--", "/bin/bash", "--noprofile", "--norc", "-c", RUN_ALL]
    subprocess.run(box, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _differences(before: Snapshot, after: Snapshot) -> list[str]:
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def _snapshot(yard: Yard) -> Snapshot:
    """Return kind and mode, links, and content of everything around; git refreshes its index even for reading."""
    found = {}
    for folder, folders, files in os.walk(yard.around):
        if folder == str(yard.outputs):
            continue
        for name in (*folders, *files):
            path = Path(folder, name)
            status = path.lstat()
            if path.name != "index" and path != yard.outputs:
                links = 0 if stat.S_ISDIR(status.st_mode) else status.st_nlink
                found[str(path)] = (status.st_mode, links, hashlib.sha256(_content(path, status.st_mode)).hexdigest())
    return found


def _content(path: Path, mode: int) -> bytes:
    if stat.S_ISREG(mode):
        return path.read_bytes()
    return bytes(path.readlink()) if stat.S_ISLNK(mode) else b""


def _guilty(batch: Sequence[str], yard: Yard) -> list[str]:
    """Return the commands of a batch after which something is another, each run alone in a workspace as it was."""
    guilty = []
    for command in batch:
        shutil.rmtree(yard.workspace)
        shutil.copytree(yard.spare, yard.workspace, symlinks=True)
        before = _snapshot(yard)
        _run([command], yard)
        if _differences(before, _snapshot(yard)):
            guilty.append(command)
    return guilty or list(batch)


def _leaks(command: str, output: Path) -> bool:
    """Say whether a command printed what lies outside or the secret; a history shows what was once in it (that is replaced before it is passed on)."""
    text = output.read_bytes() if output.exists() else b""
    return OUTSIDE.encode() in text or (SECRET.encode() in text and "git" not in command)
