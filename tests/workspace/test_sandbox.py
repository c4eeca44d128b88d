"""The table of what a sandbox must and cannot prevent, row by row, with real processes on both sides."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.workspace.holding import PYTHON, Den, Kind, program_folder, sandbox
from workbench.errors import ToolError
from workbench.workspace.process import CommandCancelled
from workbench.workspace.sandbox import Bounds, Sandbox, find_sandbox, people_homes
from workbench.workspace.sandbox_cage import hold

BOTH: tuple[Kind, ...] = ("bwrap", "landlock")


@pytest.fixture(params=BOTH)
def den(request: pytest.FixtureRequest, tmp_path: Path) -> Den:
    """A workspace on each kind of sandbox."""
    return Den(tmp_path / "ws", request.param)


@pytest.fixture
def walled(tmp_path: Path) -> Den:
    """A workspace in bubblewrap."""
    return Den(tmp_path / "ws", "bwrap")


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file outside; tests' folders are hidden, so it stands in a place that is only read-only."""
    place = Path("/var/lib") if os.access("/var/lib", os.W_OK) else tmp_path_factory.mktemp("outside")
    return place / f"workbench-test-{secrets.token_hex(4)}"


@pytest.fixture
def victim() -> Iterator[subprocess.Popen[bytes]]:
    """A process of this machine that nobody inside may end."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


async def test_commands_have_the_results_they_have_outside(den: Den) -> None:
    (den.folder / "sub").mkdir()
    outcome = await den.run("echo out; echo err >&2; cd sub; false | exit 4")
    assert (outcome.ended, outcome.exit_code, outcome.output.text) == ("exited", 4, "out\nerr\n")
    assert outcome.status is not None
    assert (outcome.status.pipeline, outcome.status.folder) == ((1, 4), den.folder / "sub")
    killed = await den.run("kill -9 $$")
    assert (killed.exit_code, killed.signal) == (137, "SIGKILL")
    assert (await den.run("sleep 60", timeout_s=0.2)).ended == "timed_out"


async def test_writing_outside_is_refused(den: Den, outside: Path) -> None:
    outcome = await den.run(f"echo x > {outside}")
    assert outcome.exit_code == 1
    assert outside not in set(outside.parent.iterdir())


@pytest.mark.parametrize(("kind", "works"), [("bwrap", False), ("landlock", True)])
def test_attributes_outside_are_covered_by_bubblewrap_alone(tmp_path: Path, outside: Path, kind: Kind, works: bool) -> None:
    den = Den(tmp_path / "ws", kind)
    outside.touch()
    try:
        before = outside.stat()
        asyncio.run(den.run(f"chmod 700 {outside}; touch -m -d 2001-01-01 {outside}"))
        after = outside.stat()
        assert (after.st_mode != before.st_mode, after.st_mtime != before.st_mtime) == (works, works)
    finally:
        outside.unlink()


@pytest.mark.parametrize("network", [False, True])
async def test_connections_leave_only_with_the_network(den: Den, network: bool) -> None:
    held = den.with_bounds(network=network)
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as packets:
        packets.bind(("127.0.0.1", 0))
        packets.setblocking(False)
        told = await held.says(f"(exec 3<>/dev/tcp/127.0.0.1/{server.getsockname()[1]}) 2>/dev/null && echo connected")
        await held.run(f"echo x > /dev/udp/127.0.0.1/{packets.getsockname()[1]}")
        try:
            arrived = packets.recv(8) == b"x\n"
        except BlockingIOError:
            arrived = False
    assert (told == "connected\n", arrived) == (network, network)


async def test_names_cannot_be_looked_up(den: Den) -> None:
    told = await den.python("import socket\ntry: print(socket.getaddrinfo('example.org', 80))\nexcept OSError as error: print(type(error).__name__)")
    assert told in {"gaierror\n", "PermissionError\n"}


async def test_sockets_of_other_programs_are_out_of_reach(den: Den, tmp_path: Path) -> None:
    place, abstract = tmp_path / "s", f"\0workbench-{secrets.token_hex(8)}"
    with socket.socket(socket.AF_UNIX) as named, socket.socket(socket.AF_UNIX) as unnamed:
        for listening, address in ((named, str(place)), (unnamed, abstract)):
            listening.bind(address)
            listening.listen()
        code = f"""import socket
for address in ({str(place)!r}, {abstract!r}):
    try: socket.socket(socket.AF_UNIX).connect(address); print("reached")
    except OSError as error: print("refused")
"""
        assert await den.python(code) == "refused\nrefused\n"


async def test_programs_outside_cannot_be_ended(den: Den, victim: subprocess.Popen[bytes]) -> None:
    await den.run(f"kill -9 {victim.pid}; kill -9 -1")
    assert victim.poll() is None


async def test_programs_outside_cannot_be_seen(walled: Den, victim: subprocess.Popen[bytes]) -> None:
    assert await walled.says(f"ls -d /proc/{victim.pid} 2>/dev/null; ls /proc | grep -c '^[0-9]'") in {"4\n", "5\n", "6\n"}


async def test_homes_are_empty_but_for_toolchains(den: Den) -> None:
    canary = f"canary-{secrets.token_hex(8)}"
    home = Path(os.environ["HOME"])
    for name in (".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/app/token", ".cargo/credentials.toml"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(canary)
    (home / ".cargo" / "bin").mkdir(exist_ok=True)
    (home / ".cargo" / "bin" / "tool").write_text("a tool")
    told = await den.says(f"grep -rs canary- {home}; cat {home}/.ssh/id_ed25519 ~/.netrc; cat {home}/.cargo/bin/tool")
    assert canary not in told
    assert told.endswith("a tool")


async def test_data_of_the_program_cannot_be_seen(den: Den, tmp_path: Path) -> None:
    data = den.folder / "data"  # even where it lies in a folder that may be changed
    (data / "permissions").mkdir(parents=True)
    (data / "permissions" / "user.json").write_text("the rules")
    held = den.with_bounds(hidden=(data,)) if den.kind == "bwrap" else Den(tmp_path / "other", "landlock", hidden=(data,))
    assert "the rules" not in await held.says(f"cat {data}/permissions/user.json")
    await held.run(f"echo broken > {data}/permissions/user.json")
    assert (data / "permissions" / "user.json").read_text() == "the rules"


async def test_outputs_can_be_read_though_the_data_around_them_is_hidden(den: Den, tmp_path: Path) -> None:
    outputs = tmp_path / "data" / "sessions" / "s1" / "outputs"
    outputs.mkdir(parents=True)
    (outputs / "call_1.txt").write_text("the whole output")
    held = den.with_bounds(hidden=(tmp_path / "data",), readable=(*den.bounds.readable, outputs))
    assert await held.says(f"cat {outputs}/call_1.txt") == "the whole output"
    await held.run(f"echo x > {outputs}/call_1.txt")
    assert (outputs / "call_1.txt").read_text() == "the whole output"


async def test_secret_files_show_nothing_unless_they_were_named(walled: Den) -> None:
    (walled.folder / "deep").mkdir()
    for name in (".env", "deep/server.pem"):
        (walled.folder / name).write_text("KEY=canary")
    assert "canary" not in await walled.says("cat .env deep/server.pem; grep -r canary .")
    named = walled.with_bounds(revealed=frozenset({str(walled.folder / ".env")}))
    assert await named.says("cat .env deep/server.pem 2>/dev/null") == "KEY=canary"


async def test_a_keyring_cannot_be_asked(den: Den) -> None:
    told = await den.says(
        "env | grep -E 'DBUS|XDG_RUNTIME|DISPLAY|SSH_|KEYRING'; ls /run/user 2>&1;"
        f' {str(PYTHON)!r} -c "import keyring; print(keyring.get_password(\'agent-workbench\', \'x\'))" 2>&1 | tail -1'
    )
    assert "DBUS" not in told
    assert told.splitlines()[-1].startswith(("None", "keyring.errors", "ModuleNotFoundError"))


async def test_child_environment_has_no_key(den: Den, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "DATABASE_URL", "SSH_AUTH_SOCK", "WORKBENCH_SECRET", "LD_PRELOAD", "GIT_DIR", "PYTHONSTARTUP"):
        monkeypatch.setenv(name, "canary")
    fresh = Den(den.folder, den.kind)
    told = await fresh.says("env; cat /proc/self/environ | tr '\\0' '\\n'; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'")
    assert "PATH=" in told
    assert "canary" not in told


@pytest.mark.parametrize("text", ["unshare -U true", "unshare -m true", "mount -t tmpfs x /mnt", "chroot / true"])
async def test_namespaces_and_mounts_are_refused(den: Den, text: str) -> None:
    assert (await den.run(text)).exit_code not in {0, 127}


async def test_system_calls_that_lead_out_are_refused(den: Den) -> None:
    code = """import ctypes, fcntl, platform, socket
libc = ctypes.CDLL(None, use_errno=True)
x86 = platform.machine() == "x86_64"
for name, number in {"keyctl": 250 if x86 else 219, "io_uring_setup": 425, "bpf": 321 if x86 else 280, "ptrace": 101 if x86 else 117,
                     "perf_event_open": 298 if x86 else 241, "userfaultfd": 323 if x86 else 282}.items():
    if libc.syscall(number, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != 1: print(name)
for request in (0x5412, 0x541C):
    try: fcntl.ioctl(0, request, b"x")
    except OSError as error:
        if error.errno != 1: print(request, error)
for family in (17, 38, 40):
    try: socket.socket(family, socket.SOCK_RAW); print(family)
    except OSError: pass
socket.socketpair()
print("tried")
"""
    assert await den.python(code) == "tried\n"


@pytest.mark.parametrize("place", ["/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/kernel/modprobe", "/sys/kernel/uevent_helper"])
async def test_settings_of_the_kernel_are_read_only(den: Den, place: str) -> None:
    outcome = await den.run(f'value=$(cat {place}); echo "$value" > {place}')  # what stands there already: nothing is broken if it works
    assert outcome.exit_code == 1


@pytest.mark.parametrize("text", ["mknod disk b 254 0", "mknod zero c 1 5", "chown 1234 file", "dmesg --read-clear"])
async def test_even_root_has_no_special_rights_inside(den: Den, text: str) -> None:
    (den.folder / "file").touch()
    assert (await den.run(text)).exit_code not in {0, 127}


async def test_groups_of_the_kernel_are_read_only(den: Den) -> None:
    files = "find /sys/fs/cgroup -maxdepth 2 ( -name release_agent -o -name cgroup.procs )".replace("(", "'('").replace(")", "')'")
    assert await den.says(f'{files} | while read f; do echo 0 > "$f" && echo "$f"; done 2>/dev/null') == ""


async def test_what_left_its_session_is_gone_after_a_cancel(den: Den) -> None:
    length = f"4{secrets.randbelow(10**6):06d}.5"
    up = asyncio.Event()
    text = f"nohup setsid sleep {length} >/dev/null 2>&1 & disown -a; (env -i setsid sleep {length} &) ; echo up; sleep 60"
    async with asyncio.TaskGroup() as group:
        task = group.create_task(den.run(text, on_text=lambda _text: up.set()))
        await up.wait()
        task.cancel()
    with pytest.raises(CommandCancelled):
        await task
    if den.kind == "bwrap":  # without a namespace something that drops session, environment and parent is not found again
        assert not [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == ["sleep", length]]
    for one in psutil.process_iter(["cmdline"]):
        if one.info["cmdline"] == ["sleep", length]:
            one.kill()


async def test_all_inside_ends_when_bubblewrap_is_killed(walled: Den) -> None:
    length = f"5{secrets.randbelow(10**6):06d}.5"
    up = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(walled.run(f"setsid nohup sleep {length} & echo up; sleep 60", on_text=lambda _text: up.set()))
        await up.wait()
        top = next(one for one in psutil.Process().children() if one.name() in {"bwrap", "sh"})
        top.kill()
    assert (await task).ended == "exited"
    assert not [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == ["sleep", length]]


async def test_a_fork_bomb_is_bounded_and_gone(walled: Den) -> None:
    if os.geteuid() == 0 and not walled.sandbox.prefix:
        pytest.skip("root has no limit of processes here: there is no group of the kernel for it")
    bomb = "i=0; while [ $i -lt 4000 ]; do sleep 61.25 & i=$((i + 1)); done 2>/dev/null; echo \"$(ls /proc | grep -c '^[0-9]')\""
    outcome = await walled.run(bomb, timeout_s=6)
    assert outcome.ended in {"timed_out", "exited"}
    await walled.jobs.aclose()
    assert not [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == ["sleep", "61.25"]]
    counted = [int(word) for word in outcome.output.text.split() if word.isdigit()]
    assert all(number < 3000 for number in counted)


async def test_jobs_go_on_inside_and_end_with_the_session(den: Den) -> None:
    outcome = await den.run("sleep 62.5 & echo started")
    assert [process.command for process in outcome.survivors] == ["sleep 62.5"]
    (job,) = await den.jobs.running()
    assert [process.command for process in job.processes] == ["sleep 62.5"]
    await den.jobs.aclose()
    assert not [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == ["sleep", "62.5"]]


async def test_scratch_can_be_written_and_is_new_each_time(den: Den) -> None:
    assert await den.says('echo a > "$TMPDIR/x" && cat "$TMPDIR/x"; touch ~/y && echo home') == "a\nhome\n"
    assert await den.says('ls "$TMPDIR/x" ~/y 2>/dev/null; echo none') == "none\n"


@pytest.mark.parametrize("name", ["with space", "ünï 漢字", "a\nb", "-rf", "'\"$(x)"])
async def test_any_name_of_a_workspace_will_do(tmp_path: Path, name: str) -> None:
    den = Den(tmp_path / name, "bwrap")
    (den.folder / ".git").mkdir()
    (den.folder / "AGENTS.md").write_text("x")

    outcome = await den.run("echo made > file && cat file")
    assert (outcome.output.text, (den.folder / "file").read_text()) == ("made\n", "made\n")


async def test_a_workspace_in_a_home_is_seen_and_nothing_beside_it(tmp_path: Path) -> None:
    home = Path(os.environ["HOME"])
    (home / "beside").write_text("canary")
    den = Den(home / "projects" / tmp_path.name, "bwrap")
    assert await den.says("echo x > file; ls; ls ..; cat ../../beside 2>/dev/null") == f"file\n{tmp_path.name}\n"


async def test_granted_folders_are_as_they_were_granted(den: Den, tmp_path: Path) -> None:
    read, write = tmp_path / "library", tmp_path / "other"
    for folder in (read, write):
        folder.mkdir()
        (folder / "file").write_text("content\n")
    held = den.with_bounds(readable=(*den.bounds.readable, read), writable=(write,))
    assert await held.says(f"cat {read}/file; echo new > {write}/file; echo new > {read}/file") != ""
    assert ((read / "file").read_text(), (write / "file").read_text()) == ("content\n", "new\n")


async def test_a_folder_that_cannot_be_entered_is_told_and_nothing_runs(walled: Den, tmp_path: Path) -> None:
    hidden = tmp_path / "elsewhere"
    hidden.mkdir()
    with pytest.raises(ToolError) as failed:
        await walled.run("touch made", workdir=hidden)
    assert failed.value.kind == "sandbox_failed"
    assert "chdir" in failed.value.text
    assert not (hidden / "made").exists()


async def test_without_bubblewrap_there_is_less_and_it_says_so(tmp_path: Path) -> None:
    found = await find_sandbox({**os.environ, "PATH": str(program_folder(tmp_path / "bin"))})
    assert found.rung in {"landlock", "none"}
    assert "bubblewrap" in found.report.problem


async def test_a_sandbox_that_does_not_hold_is_none(tmp_path: Path) -> None:
    folder = program_folder(tmp_path / "bin")
    fake = folder / "bwrap"
    fake.write_text('#!/bin/bash\nwhile [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done; shift; exec "$@"\n')
    fake.chmod(0o755)
    found = await find_sandbox({**os.environ, "PATH": str(folder)})
    assert found.rung in {"landlock", "none"}
    assert found.report.problem.startswith("The sandbox does not hold: ")


async def test_a_sandbox_that_cannot_start_says_why(tmp_path: Path) -> None:
    folder = program_folder(tmp_path / "bin")
    fake = folder / "bwrap"
    fake.write_text("#!/bin/bash\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    fake.chmod(0o755)
    found = await find_sandbox({**os.environ, "PATH": str(folder)})
    assert "AppArmor" in found.report.problem


def test_nothing_runs_where_there_is_no_sandbox(tmp_path: Path) -> None:
    with pytest.raises(ToolError) as refused:
        hold(Sandbox(), Bounds(workspace=tmp_path))
    assert refused.value.kind == "sandbox_unavailable"


async def test_the_result_is_kept_until_something_changes() -> None:
    first = await find_sandbox(os.environ)
    assert await find_sandbox(os.environ) is first
    assert await find_sandbox(os.environ, fresh=True) is not first


def test_homes_of_people_are_known() -> None:
    assert Path(os.path.realpath(os.environ["HOME"])) in people_homes(os.environ)
    assert Path("/") not in people_homes({"HOME": "/"})


@pytest.mark.parametrize("kind", BOTH)
def test_all_checks_of_the_self_test_pass(kind: Kind) -> None:
    report = sandbox(kind).report
    assert len(report.checks) >= 7
    assert all(check.passed for check in report.checks)


def test_socket_of_another_program_is_out_of_reach_wherever_it_stands(walled: Den, outside: Path) -> None:
    """A read-only mount does not stop a connection."""
    connects = f"{PYTHON} -c \"import socket; socket.socket(socket.AF_UNIX).connect({str(outside)!r})\""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(outside))
        try:
            outside.chmod(0o777)
            listening.listen()
            outcome = asyncio.run(walled.run(connects))
        finally:
            outside.unlink()
    assert (outcome.exit_code, "ConnectionRefusedError" in outcome.output.text) == (1, True)


async def test_socket_in_the_workspace_is_the_projects_own(walled: Den) -> None:
    place = walled.folder / "own.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))
        listening.listen()
        outcome = await walled.run(f"{PYTHON} -c \"import socket; socket.socket(socket.AF_UNIX).connect('own.sock')\"")
    assert outcome.exit_code == 0, outcome.output.text


async def test_shared_memory_has_a_bound_and_devices_are_not_a_place_to_write(walled: Den) -> None:
    outcome = await walled.run("echo x > /dev/new; echo x > /dev/null && df -B1 --output=size /dev/shm | tail -1")
    assert outcome.exit_code == 0
    assert "Read-only" in outcome.output.text
    if "--size" in walled.sandbox.options:
        assert outcome.output.text.split()[-1] == str(2 * 1024**3)
    assert (await walled.run(f"{PYTHON} -c 'import multiprocessing; multiprocessing.Lock()'")).exit_code == 0
