#!/usr/bin/env python3
"""Set up and start Agent Workbench from a clone.

Standard library only, and old syntax, so that an old Python can say why it stops. What a ready start does not need is
imported inside functions: the second start costs about 50 ms.
"""
import sys

sys.path[:] = [entry for entry in sys.path if not entry.rstrip("/\\").endswith("packaging")]  # nothing here is a module

import contextlib
import hashlib
import os
import subprocess
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Optional, Tuple

USAGE = """\
usage: python3 packaging/dev.py COMMAND [ARGUMENTS]

  run [FOLDER]                  open Agent Workbench on a folder (a sample project if none is named)
  test [--python PATH] [...]    run every test; further arguments go to pytest
  lint                          check style and types
  bench [--json PATH] [NAME..]  measure, and compare with other programs
  shots [...]                   write pictures of the window's main states
  lock [--upgrade]              write the lock files anew

The first start makes .venv (WORKBENCH_VENV names another place) with what packaging/lock.txt lists.
"""

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WINDOWS, LINUX = os.name == "nt", sys.platform.startswith("linux")
LOCKS = {"run": "lock.txt", "dev": "lock-dev.txt"}
SUPPORTED = [(3, 13), (3, 12), (3, 11)]

QT_FILES = ["Qt/lib/libQt6Widgets.so.6", "Qt/plugins/platforms/libqxcb.so", "Qt/plugins/platforms/libqoffscreen.so"]
PACKAGE_OF = {  # soname: Debian package; apt finds a newer release's t64 name through Provides
    "libEGL.so.1": "libegl1", "libGL.so.1": "libgl1", "libX11.so.6": "libx11-6", "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3", "libfontconfig.so.1": "libfontconfig1", "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0", "libgthread-2.0.so.0": "libglib2.0-0", "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0", "libxcb.so.1": "libxcb1", "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4", "libxcb-image.so.0": "libxcb-image0", "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0", "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0", "libxcb-shape.so.0": "libxcb-shape0", "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1", "libxcb-util.so.1": "libxcb-util1", "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}
TEST_PROGRAMS = {"Xvfb": "xvfb", "xdotool": "xdotool", "openbox": "openbox", "import": "imagemagick", "bwrap": "bubblewrap", "git": "git"}
TEST_FONTS = {"DejaVuSans.ttf": "fonts-dejavu-core", "wqy-microhei.ttc": "fonts-wqy-microhei"}
FONT_FOLDERS = ["/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts"]


class Stop(Exception):
    """One sentence for the user; ends the program with status 2."""


def say(text: str) -> None:
    """Tell the user something, on stderr."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


# ---- the interpreter


def interpreter() -> str:
    """Return a Python that the locked packages support: the one behind this process, else one found on PATH."""
    if sys.version_info[:2] in SUPPORTED:
        return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)  # never the one inside .venv
    import shutil

    for version in SUPPORTED:
        found = shutil.which("python%d.%d" % version)
        if found and version_of(found) == version:
            return os.path.realpath(found)
    raise Stop("Python 3.11, 3.12 or 3.13 is needed; this is %s (%s)." % (sys.version.split()[0], sys.executable))


def named_interpreter(path: str) -> str:
    """Return the Python that the user named, if the locked packages support it."""
    if version_of(path) not in SUPPORTED:
        raise Stop("%s is not a Python 3.11, 3.12 or 3.13 that runs: name another one after --python." % path)
    import shutil

    return os.path.realpath(shutil.which(path) or path)


def version_of(python: str) -> "Optional[Tuple[int, ...]]":
    """Return (major, minor); None if it does not run, like a pyenv shim with nothing behind it."""
    try:
        probe = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return None
    return tuple(map(int, probe.stdout.split())) if probe.returncode == 0 else None


def bad_pair(python: "Tuple[int, ...]", pyside: str) -> "Optional[str]":
    """Return why a Python and a PySide6 must not meet, in a sentence; None if they may."""
    if python[:2] < (3, 12) and tuple(map(int, pyside.split(".")[:2])) >= (6, 12):
        return "PySide6 %s ends the process on Python %d.%d (it loses references to None): use PySide6 6.11 or Python 3.12." % (pyside, python[0], python[1])
    return None


# ---- what the system has to have


def missing_packages(group: str, python: str) -> "List[str]":
    """Return the Debian packages without which the program cannot start, known before anything is downloaded."""
    if not LINUX:
        return []
    needed = {package for soname, package in PACKAGE_OF.items() if not loads(soname)}
    if subprocess.run([python, "-c", "import ensurepip"], stderr=subprocess.DEVNULL).returncode:
        needed.add("python3-venv")
    return sorted(needed.union(missing_for_tests() if group == "dev" else ()))


def missing_for_tests() -> "List[str]":
    """Return the packages of the programs and fonts that tests use; without apt the tests that need them are skipped."""
    import shutil

    if not shutil.which("apt-get"):
        return []
    fonts = {name for folder in FONT_FOLDERS for _, _, names in os.walk(os.path.expanduser(folder)) for name in names}
    programs = [package for program, package in TEST_PROGRAMS.items() if not shutil.which(program)]
    return programs + [package for font, package in TEST_FONTS.items() if font not in fonts]


def loads(soname: str) -> bool:
    """Say whether the loader finds a shared library."""
    import ctypes

    with contextlib.suppress(OSError):
        ctypes.CDLL(soname)
        return True
    return False


def apt(packages: "List[str]") -> None:
    """Install Debian packages if this is root on Debian or Ubuntu; else stop with the one command to type."""
    if not packages:
        return
    import shutil

    if not shutil.which("apt-get"):
        raise Stop("Some system packages are missing. Install what your system calls: %s." % " ".join(packages))
    if os.geteuid() != 0:
        install = "apt-get install -y --no-install-recommends " + " ".join(packages)
        raise Stop("Some system packages are missing. Type this, then start again:\n  sudo apt-get update && sudo " + install)
    say("Installing system packages: " + " ".join(packages))
    quiet = ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=120", "-o", "Dpkg::Use-Pty=0"]
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    subprocess.run(["dpkg", "--configure", "-a"], env=environment, stdout=subprocess.DEVNULL)  # what a kill left half done
    subprocess.run([*quiet, "update"], env=environment)
    if subprocess.run([*quiet, "install", "-y", "--no-install-recommends", *packages], env=environment, stdout=subprocess.DEVNULL).returncode:
        raise Stop("apt-get could not install them (see above).")


# ---- the environment


class Environment:
    """A virtual environment: the interpreter it is made with, where it is, and what says that it is complete."""

    def __init__(self, python: "Optional[str]" = None) -> None:
        """Choose the place: .venv, or one of its own for a Python that the user names."""
        self.base = named_interpreter(python) if python else interpreter()
        name = ".venv-%d.%d" % (version_of(self.base) or (3, 0)) if python else ".venv"
        self.folder = os.path.abspath(os.environ.get("WORKBENCH_VENV") or os.path.join(ROOT, name))
        self.programs = os.path.join(self.folder, "Scripts" if WINDOWS else "bin")
        self.python = os.path.join(self.programs, "python.exe" if WINDOWS else "python")
        self.stamp = os.path.join(self.folder, "ready")

    def content(self) -> "List[str]":
        """Return what the stamp says after the group: the place with its packages, and the metadata of this checkout."""
        place = "%s\0%s\0%s" % (ROOT, self.base, self.folder)
        return [digest_of(place, "packaging/lock.txt", "packaging/lock-dev.txt"), digest_of("", "pyproject.toml")]

    def stamped(self) -> "List[str]":
        """Return what the stamp says: group, place and metadata; nothing if a set-up was not finished."""
        try:
            with open(self.stamp) as file:
                return file.read().split()
        except OSError:
            return ["", "", ""]

    def is_ready(self, group: str) -> bool:
        """Say whether it is complete; the environment of the tests also serves to run."""
        stamped = self.stamped()
        return stamped[0] in (group, "dev") and stamped[1:] == self.content()

    @contextlib.contextmanager
    def only_one_set_up(self) -> "Iterator[None]":
        """Let one set-up run at a time; a second start waits.

        The lock goes with the process however it ends, and with its children: pip outlives a kill.
        """
        os.makedirs(os.path.dirname(self.folder), exist_ok=True)
        with open(self.folder + ".lock", "w") as file:
            if not WINDOWS:
                import fcntl

                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    say("Another start is setting up %s: waiting for it." % self.folder)
                    fcntl.flock(file, fcntl.LOCK_EX)
                os.set_inheritable(file.fileno(), True)
            yield

    def set_up(self, group: str) -> None:
        """Make the environment if it is not there, not complete, or not as the lock says."""
        if self.is_ready(group):
            return
        with self.only_one_set_up():
            if self.is_ready(group):
                return
            started = time.time()
            apt(missing_packages(group, self.base))
            say("Setting up %s (about %s, once) ..." % (self.folder, "0.4 GB" if group == "run" else "0.7 GB"))
            if self.stamped()[1:2] != self.content()[:1]:  # packages that are right stay: a window may be open on them
                subprocess.run([self.base, "-m", "venv", "--clear", self.folder], check=True, close_fds=False)
            self.install(group)
            self.check_qt()
            with open(self.stamp, "w") as file:
                file.write(" ".join([group, *self.content()]))
            say("Ready after %.0f s." % (time.time() - started))

    def install(self, group: str) -> None:
        """Install the locked wheels, then this checkout itself."""
        pip = [self.python, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet", "--no-deps"]
        environment = dict(os.environ, PIP_USER="0")
        lock = os.path.join(ROOT, "packaging", LOCKS[group])
        if subprocess.run([*pip, "--require-hashes", "--only-binary", ":all:", "-r", lock], env=environment, close_fds=False).returncode:
            offline = "Without a network: put the wheels into a folder and set PIP_NO_INDEX=1 and PIP_FIND_LINKS."
            raise Stop("The packages could not be installed (see above). " + offline)
        subprocess.run([*pip, "--no-index", "--no-build-isolation", "--editable", ROOT], env=environment, check=True, close_fds=False)

    def check_qt(self) -> None:
        """Refuse a PySide6 that this Python does not survive; find out whether the table of libraries is older than Qt."""
        code = "import sys, PySide6; print(*sys.version_info[:2]); print(PySide6.__version__); print(PySide6.__path__[0])"
        told = subprocess.run([self.python, "-I", "-c", code], check=True, stdout=subprocess.PIPE).stdout.decode("utf-8", "surrogateescape")
        python, pyside, where = told.splitlines()
        refusal = bad_pair(tuple(map(int, python.split())), pyside)
        if refusal:
            raise Stop(refusal)
        apt(sorted({PACKAGE_OF[name] for name in libraries_not_found(where) if name in PACKAGE_OF}))
        lacking = libraries_not_found(where)
        if lacking:
            raise Stop("Qt still lacks %s: install the packages that hold them." % ", ".join(lacking))

    def call(self, arguments: "List[str]") -> int:
        """Run the environment's Python in the project's folder and return its status; -P keeps that folder out of sys.path."""
        return subprocess.call([self.python, "-P", *arguments], cwd=ROOT)


def digest_of(text: str, *paths: str) -> str:
    """Return a digest of a text and of files of this checkout."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape"))
    for path in paths:
        with open(os.path.join(ROOT, path), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def libraries_not_found(pyside: str) -> "List[str]":
    """Ask ldd which shared libraries the Qt files that were installed lack."""
    import shutil

    if not LINUX or not shutil.which("ldd"):
        return []
    asked = [subprocess.run(["ldd", os.path.join(pyside, name)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for name in QT_FILES]
    lines = [line for done in asked for line in done.stdout.decode("utf-8", "replace").splitlines()]
    return sorted({line.split()[0] for line in lines if "not found" in line and ".so" in line})


# ---- the display


def environment_with_live_displays() -> "Dict[str, str]":
    """Return the environment without displays that do not answer, and say which: Qt would end the process on such a one."""
    environment = dict(os.environ)
    if not LINUX or environment.get("QT_QPA_PLATFORM"):
        return environment
    for name, answers in (("DISPLAY", x_server_answers), ("WAYLAND_DISPLAY", wayland_answers)):
        if environment.get(name) and not answers():
            say("The display %s=%s does not answer." % (name, environment.pop(name)))
    return environment


def x_server_answers() -> bool:
    """Say whether the X server that DISPLAY names takes a connection."""
    import ctypes

    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return False
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    failed = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not failed


def wayland_answers() -> bool:
    """Say whether the compositor that WAYLAND_DISPLAY names takes a connection."""
    import socket

    path = os.path.join(os.environ.get("XDG_RUNTIME_DIR", ""), os.environ["WAYLAND_DISPLAY"])
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as client:
        return client.connect_ex(path) == 0


# ---- commands


def run(rest: "List[str]") -> int:
    """Open the program on a folder. Without a display it goes on in the terminal by itself."""
    environment = Environment()
    environment.set_up("run")
    program = [os.path.join(environment.programs, "workbench"), *rest]
    variables = environment_with_live_displays()
    if not WINDOWS:
        os.execve(program[0], program, variables)
    return subprocess.call(program, env=variables)


def test(rest: "List[str]") -> int:
    """Run every test, or what pytest's arguments choose."""
    python = None
    for index, word in enumerate(rest):
        if word == "--python" or word.startswith("--python="):
            python = word.partition("=")[2] or "".join(rest[index + 1 : index + 2])
            rest = rest[:index] + rest[index + (1 if "=" in word else 2) :]
            break
    environment = Environment(python)
    environment.set_up("dev")
    if LINUX and os.geteuid() == 0:
        apt(missing_for_tests())  # what was removed since the set-up: without bubblewrap nothing would try to escape from it
    environment.call([os.path.join("packaging", "model_mocks.py")])
    return environment.call(["-m", "pytest", *rest])


def lint(rest: "List[str]") -> int:
    """Check style and types; both say all they have to say."""
    environment = Environment()
    environment.set_up("dev")
    return max(environment.call(["-m", "ruff", "check", *rest]), environment.call(["-m", "mypy", *rest]))


def bench(rest: "List[str]") -> int:
    """Measure."""
    environment = Environment()
    environment.set_up("dev")
    return environment.call([os.path.join("packaging", "bench", "run.py"), *rest])


def shots(rest: "List[str]") -> int:
    """Write pictures of the window."""
    if not os.path.exists(os.path.join(ROOT, "workbench", "ui", "shots.py")):
        raise Stop("The window is not there yet, so no pictures of it can be made.")
    environment = Environment()
    environment.set_up("dev")
    return environment.call(["-m", "workbench.ui.shots", *rest])


def lock(rest: "List[str]") -> int:
    """Write both lock files anew."""
    return subprocess.call([interpreter(), "-P", os.path.join(ROOT, "packaging", "write_locks.py"), *rest])


COMMANDS = {"run": run, "test": test, "lint": lint, "bench": bench, "shots": shots, "lock": lock}


def main(arguments: "List[str]") -> int:
    """Do what the command line says; return the status."""
    if {"-h", "--help"}.intersection(arguments[:2]):
        sys.stdout.write(USAGE)
        return 0
    if not arguments or arguments[0] not in COMMANDS:
        say("%s: choose one of %s." % ("There is no command %s" % arguments[0] if arguments else "A command is missing", ", ".join(COMMANDS)))
        return 2
    try:
        return COMMANDS[arguments[0]](arguments[1:])
    except Stop as stop:
        say(str(stop))
        return 2
    except subprocess.CalledProcessError as error:
        say("This command failed (see above): %s" % " ".join(error.cmd))
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
