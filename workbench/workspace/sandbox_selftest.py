"""Finds out whether a sandbox holds: everything it must prevent is tried from inside, with what the trial needs standing ready outside.

The trial goes the very way every later command goes, so that it also finds what keeps commands from running at all.
"""

from __future__ import annotations

import contextlib
import os
import platform
import secrets
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.errors import ToolError
from workbench.workspace.environment import child_environment
from workbench.workspace.jobs import Jobs
from workbench.workspace.process import Command, run_command
from workbench.workspace.sandbox_bwrap import NEWER_OPTIONS
from workbench.workspace.sandbox_cage import hold
from workbench.workspace.sandbox_landlock import OLDEST_ABI, landlock_abi
from workbench.workspace.sandbox_limits import limiting_prefix
from workbench.workspace.sandbox_seatbelt import PROGRAM as SANDBOX_EXEC
from workbench.workspace.sandbox_seccomp import supported
from workbench.workspace.sandbox_shape import Bounds, GuardedNames, Rung, Sandbox, SelfCheck, SelfTestReport, people_homes
from workbench.workspace.worker import finished, in_thread

TRIAL_S = 20.0

_SENTENCES = {
    "write_inside": ("A command can write in the workspace.", "A command cannot even write in the workspace."),
    "write_outside": ("Writing outside the workspace is refused.", "A command could write outside the workspace."),
    "read_home": ("Files in the home folder cannot be read.", "A command could read a file in the home folder."),
    "tcp": ("A TCP connection to this machine is refused.", "A command could open a TCP connection."),
    "udp": ("A UDP packet does not leave.", "A command could send a UDP packet."),
    "unix_socket": ("Sockets of other programs are hidden.", "A command could reach the socket of another program."),
    "kill_host": ("Other programs cannot be ended.", "A command could end another program."),
    "see_host": ("Other programs cannot be seen.", "A command could see other programs."),
    "namespaces": ("New namespaces are refused.", "A command could make a namespace of its own."),
    "kernel_settings": ("Settings of the kernel cannot be changed.", "A command could change settings of the kernel."),
    "git_hooks": ("Hooks of git cannot be written, nor .git moved away.", "A command could plant a hook of git."),
    "secret_file": ("Secret files in the workspace are hidden.", "A command could read a secret file in the workspace."),
}
_PARTLY = frozenset({"write_inside", "write_outside", "read_home", "tcp", "udp", "kill_host", "namespaces", "kernel_settings"})
"""What Landlock has to hold as well; the rest it cannot."""

_SCRIPT = """
tell() {{ if eval "$2"; then echo "$1=yes"; else echo "$1=no"; fi; }} 2>/dev/null
tell write_inside '> inside'
tell write_outside '> {outside}'
tell read_home '[ "$(cat {canary})" = {token} ]'
> {canary}
tell tcp '(exec 3<>/dev/tcp/127.0.0.1/{tcp})'
(echo x > /dev/udp/127.0.0.1/{udp}) 2>/dev/null
tell unix_socket '[ -e {unix} ]'
kill -KILL {pid}
tell see_host '[ -d /proc/{pid} ]'
tell namespaces 'unshare -U true'
tell kernel_settings 'value=$(cat /proc/sys/kernel/core_pattern); echo "$value" > /proc/sys/kernel/core_pattern'
tell git_hooks '> .git/hooks/pre-commit || mv .git moved'
tell secret_file 'grep -q {token} .env'
"""

_KNOWN_PROBLEMS = {
    "setting up uid map: Permission denied": (
        "This system lets no program but named ones make user namespaces (AppArmor); the system's own /usr/bin/bwrap can."
    ),
    "No permissions to create new namespace": "This system lets ordinary users make no namespaces (kernel.unprivileged_userns_clone).",
    "Can't mount proc": "This seems to be a container inside which no further one can be made.",
    "Creating new namespace failed": "This system does not let this user make namespaces.",
    "Unknown option": "This version of bubblewrap is too old; 0.6 or newer is needed.",
    "seccomp": "The kernel refuses the filter of system calls.",
}
_NOT_INSTALLED = "bubblewrap is not installed (package “bubblewrap”)."
_found: dict[tuple[str, ...], Sandbox] = {}


async def best_sandbox(environment: Mapping[str, str], *, fresh: bool) -> Sandbox:
    """Return the best sandbox that holds; see `sandbox.find_sandbox`."""
    key = await in_thread(lambda: what_it_depends_on(environment))
    if fresh or key not in _found:
        _found[key] = await _best(environment)
    return _found[key]


def likely_rung(environment: Mapping[str, str]) -> Rung:
    """Return what a self-test would probably find, by what is installed alone. Blocking; a millisecond."""
    if not _missing(environment):
        return "seatbelt" if sys.platform == "darwin" else "bwrap"
    return "landlock" if landlock_abi() >= OLDEST_ABI and supported() else "none"


def what_it_depends_on(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return what the result of a self-test depends on: kernel, program, search path and homes. Blocking; a millisecond."""
    program = _program(environment)
    built = str(program.stat().st_mtime_ns) if program else ""
    return (platform.release(), str(program), built, environment.get("PATH", ""), *map(str, people_homes(environment)))


async def _best(environment: Mapping[str, str]) -> Sandbox:
    homes = people_homes(environment)
    checks: tuple[SelfCheck, ...] = ()
    problem = await in_thread(lambda: _missing(environment))
    program = await in_thread(lambda: _program(environment))
    if program is not None and not problem:
        prefix = await in_thread(lambda: limiting_prefix(environment))
        options = await in_thread(lambda: _options(program))
        rung = "seatbelt" if sys.platform == "darwin" else "bwrap"
        candidate = Sandbox(rung="seatbelt" if rung == "seatbelt" else "bwrap", program=program, homes=homes, prefix=prefix, options=options)
        checks, problem = await _trial(candidate, environment)
        if not problem:
            return replace(candidate, report=SelfTestReport(candidate.rung, checks))
    abi = landlock_abi()
    if abi >= OLDEST_ABI and supported():
        partly = Sandbox(rung="landlock", homes=homes, abi=abi)
        found, failed = await _trial(partly, environment)
        if not failed:
            return replace(partly, report=SelfTestReport("landlock", found, problem))
        checks = checks or found
    return Sandbox(homes=homes, report=SelfTestReport("none", checks, problem or "Nothing on this system can confine commands."))


def _program(environment: Mapping[str, str]) -> Path | None:
    """Return the program that makes the sandbox; the system's own bubblewrap before others, for AppArmor knows it by its path."""
    if sys.platform == "darwin":
        return SANDBOX_EXEC if SANDBOX_EXEC.is_file() else None
    folders = [folder for folder in environment.get("PATH", "").split(os.pathsep) if Path(folder).is_absolute()]
    folders.sort(key=lambda folder: os.path.realpath(folder) not in {"/usr/bin", "/bin"})
    found = shutil.which("bwrap", path=os.pathsep.join(folders)) if folders else None
    return Path(os.path.realpath(found)) if found else None


def _options(program: Path) -> frozenset[str]:
    """Return which of the newer options the program has. Blocking."""
    try:
        told = subprocess.run([program, "--help"], stdin=subprocess.DEVNULL, capture_output=True, timeout=TRIAL_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return frozenset()
    return frozenset(option for option in NEWER_OPTIONS if option.encode() in told.stdout + told.stderr)


def _missing(environment: Mapping[str, str]) -> str:
    if sys.platform == "darwin":
        return "" if _program(environment) else "/usr/bin/sandbox-exec is not there, so commands are not confined."
    if not sys.platform.startswith("linux"):
        return "There is no sandbox for this system yet, so commands are not confined."
    if not supported():
        return f"There is no filter of system calls for machines like this one ({platform.machine()})."
    return "" if _program(environment) else _NOT_INSTALLED


@dataclass(frozen=True)
class _Outside:
    """What stands ready outside: nothing inside may reach it."""

    workspace: Path
    canary: Path
    token: str
    beside: Path
    tcp: socket.socket
    udp: socket.socket
    unix: Path
    victim: subprocess.Popen[bytes]

    def script(self) -> str:
        quoted = {"canary": self.canary, "token": self.token, "outside": self.beside, "unix": self.unix}
        numbers = {"tcp": self.tcp.getsockname()[1], "udp": self.udp.getsockname()[1], "pid": self.victim.pid}
        return _SCRIPT.format(**{name: shlex.quote(str(value)) for name, value in quoted.items()}, **numbers)

    def reached(self) -> set[str]:
        """Return what was reached all the same, as seen from here."""
        reached = {"write_outside"} if self.beside.exists() or self.canary.read_text() != self.token else set()
        with contextlib.suppress(BlockingIOError):
            self.udp.recv(16)
            reached.add("udp")
        if self.victim.poll() is not None:
            reached.add("kill_host")
        return reached


@contextlib.contextmanager
def _outside(homes: tuple[Path, ...]) -> Iterator[_Outside]:
    """Make what the trial needs, and remove it. Blocking."""
    token = secrets.token_hex(16)
    with contextlib.ExitStack() as stack:
        workspace = Path(os.path.realpath(stack.enter_context(tempfile.TemporaryDirectory(prefix="workbench-selftest-"))))
        (workspace / ".git" / "hooks").mkdir(parents=True)
        (workspace / ".env").write_text(f"KEY={token}\n")
        home = next((home for home in homes if os.access(home, os.W_OK)), workspace.parent)
        canary = Path(stack.enter_context(tempfile.NamedTemporaryFile("w", prefix=".workbench-selftest-", dir=home)).name)
        canary.write_text(token)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        running = os.environ.get("XDG_RUNTIME_DIR", "")
        shown = running if running and len(running) < 60 and Path(running).is_dir() else None
        place = stack.enter_context(tempfile.TemporaryDirectory(prefix="wb-", dir=shown))
        unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        unix.bind(str(Path(place, "socket")))
        victim = stack.enter_context(subprocess.Popen(["/bin/sleep", "60"], stdin=subprocess.DEVNULL))
        stack.callback(victim.kill)
        beside = canary.with_name(canary.name + "-beside") if sys.platform == "darwin" else Path("/", f".workbench-{token}")
        yield _Outside(workspace, canary, token, beside, tcp, udp, Path(place, "socket"), victim)
        beside.unlink(missing_ok=True)


async def _trial(sandbox: Sandbox, environment: Mapping[str, str]) -> tuple[tuple[SelfCheck, ...], str]:
    """Try everything from inside; return what was found and, if it does not hold, one sentence."""
    if os.name == "nt":
        return (), "There is no sandbox for this system yet."
    with contextlib.ExitStack() as stack:
        try:
            outside = await finished(in_thread(lambda: stack.enter_context(_outside(sandbox.homes))))  # else what stands ready would be left
            names = GuardedNames(lambda path: Path(path).name == ".git", lambda path: Path(path).name == ".env")
            bounds = Bounds(workspace=outside.workspace, names=names)
            held = await finished(in_thread(lambda: hold(sandbox, bounds)))
            command = Command(
                text=outside.script(), folder=outside.workspace, environment=child_environment(environment), log=outside.workspace / "log",
                timeout_s=TRIAL_S, cage=held.cage,
            )  # fmt: skip
            outcome = await run_command(command, jobs=Jobs(), on_text=lambda _text: None)
        except ToolError as error:
            return (), _explained(error.text)
        except OSError as error:
            return (), f"The sandbox could not be tested: {error.strerror or error}."
        answers = dict(line.split("=", 1) for line in outcome.output.text.splitlines() if line.count("=") == 1)
        checks = _checks(sandbox, answers, await in_thread(outside.reached))
        await in_thread(stack.close)
    failed = [check.sentence for check in checks if not check.passed]
    problem = f"The sandbox does not hold: {failed[0]}" if failed else ""
    return checks, problem


def _checks(sandbox: Sandbox, answers: Mapping[str, str], reached: set[str]) -> tuple[SelfCheck, ...]:
    checks = []
    for name, (good, bad) in _SENTENCES.items():
        if sandbox.rung == "landlock" and name not in _PARTLY:
            continue
        wanted = "yes" if name == "write_inside" else "no"
        passed = answers.get(name, wanted if name in {"udp", "kill_host"} else "") == wanted and name not in reached
        checks.append(SelfCheck(name, passed, good if passed else bad))
    return tuple(checks)


def _explained(problem: str) -> str:
    for text, sentence in _KNOWN_PROBLEMS.items():
        if text.lower() in problem.lower():
            return sentence
    return problem
