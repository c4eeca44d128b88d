"""A filter of system calls, built as the kernel's small machine reads it: what no command needs and what leads out of a sandbox is refused.

Numbers and structures: linux/seccomp.h, linux/filter.h and the tables of x86_64 and aarch64. A call by the 32-bit tables ends the process.
"""

from __future__ import annotations

import errno
import platform
import socket
import struct
from collections.abc import Iterable
from typing import NamedTuple

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCHITECTURE = 0, 4
_NAMESPACES = 0x00000080 | 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
"""CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_X32 = 0x40000000
_NETLINK = 16

_BOTH = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431,
    "fsmount": 432, "fspick": 433, "mount_setattr": 442, "pidfd_getfd": 438, "clone3": 435,
}  # fmt: skip
_X86_64 = {
    "ioctl": 16, "socket": 41, "clone": 56, "ptrace": 101, "pivot_root": 155, "adjtimex": 159, "chroot": 161, "acct": 163, "settimeofday": 164, "mount": 165,
    "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169, "sethostname": 170, "setdomainname": 171, "iopl": 172, "ioperm": 173, "init_module": 175,
    "delete_module": 176, "quotactl": 179, "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272, "kexec_load": 246, "vmsplice": 278,
    "perf_event_open": 298, "name_to_handle_at": 303, "open_by_handle_at": 304, "clock_adjtime": 305, "setns": 308, "process_vm_readv": 310,
    "process_vm_writev": 311, "finit_module": 313, "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323, "syslog": 103, "socketpair": 53,
}  # fmt: skip
_AARCH64 = {
    "ioctl": 29, "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "quotactl": 60, "vmsplice": 75, "acct": 89, "unshare": 97, "kexec_load": 104,
    "init_module": 105, "delete_module": 106, "syslog": 116, "ptrace": 117, "reboot": 142, "sethostname": 161, "setdomainname": 162, "settimeofday": 170,
    "adjtimex": 171, "socket": 198, "socketpair": 199, "add_key": 217, "request_key": 218, "keyctl": 219, "clone": 220, "swapon": 224, "swapoff": 225,
    "perf_event_open": 241, "name_to_handle_at": 264, "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268, "process_vm_readv": 270,
    "process_vm_writev": 271, "finit_module": 273, "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294,
}  # fmt: skip
_TABLES = {"x86_64": (0xC000003E, _X86_64 | _BOTH), "aarch64": (0xC00000B7, _AARCH64 | _BOTH), "arm64": (0xC00000B7, _AARCH64 | _BOTH)}
_JUDGED_BY_ARGUMENT = frozenset({"ioctl", "socket", "socketpair", "clone", "clone3"})


class Family(NamedTuple):
    """Which sockets may be made."""

    unix: bool
    internet: bool


def supported(machine: str | None = None) -> bool:
    """Say whether a filter can be built for a machine; None means this one."""
    return (machine or platform.machine()) in _TABLES


def seccomp_filter(family: Family, *, machine: str | None = None) -> bytes:
    """Return the filter as an array of ``struct sock_filter``, in the machine's byte order (little-endian on both).

    Args:
        family: sockets that may be made; socket pairs always may, other families never.
        machine: as `platform.machine` names it; None means this one.

    Raises:
        ValueError: there is no table for the machine.
    """
    name = machine or platform.machine()
    if name not in _TABLES:
        raise ValueError(f"there is no filter for {name}")
    architecture, numbers = _TABLES[name]
    program = _Program()
    program.add(_LOAD, value=_ARCHITECTURE)
    program.add(_JUMP_EQUAL, 1, 0, architecture)
    program.add(_RETURN, value=_KILL)
    program.add(_LOAD, value=_NUMBER)
    if name == "x86_64":
        program.refuse_if(_JUMP_AT_LEAST, _X32)
    for call, number in sorted(numbers.items(), key=lambda item: item[1]):
        if call not in _JUDGED_BY_ARGUMENT:
            program.refuse_if(_JUMP_EQUAL, number)
    program.refuse_if(_JUMP_EQUAL, numbers["clone3"], errno.ENOSYS)  # its flags cannot be seen; every C library then uses clone
    program.when(numbers["clone"], _low_word(0), [(_JUMP_ANY_BIT, _NAMESPACES)], otherwise=_ALLOW)
    program.when(numbers["ioctl"], _low_word(1), [(_JUMP_EQUAL, _TIOCSTI), (_JUMP_EQUAL, _TIOCLINUX)], otherwise=_ALLOW)
    program.only(numbers["socket"], _low_word(0), _families(family))
    program.add(_RETURN, value=_ALLOW)
    return program.bytes()


def _families(family: Family) -> list[int]:
    internet = [int(socket.AF_INET), int(getattr(socket, "AF_INET6", 10)), _NETLINK] if family.internet else []
    return ([1] if family.unix else []) + internet  # 1 is AF_UNIX


def _low_word(argument: int) -> int:
    """Return where the lower half of an argument stands in ``struct seccomp_data``; the kernel uses no more of these."""
    return 16 + 8 * argument


class _Program:
    def __init__(self) -> None:
        self._code: list[bytes] = []

    def add(self, code: int, true: int = 0, false: int = 0, value: int = 0) -> None:
        self._code.append(struct.pack("<HBBI", code, true, false, value))

    def refuse_if(self, jump: int, value: int, error: int = errno.EPERM) -> None:
        self.add(jump, 0, 1, value)
        self.add(_RETURN, value=_REFUSE | error)

    def when(self, number: int, argument: int, tests: Iterable[tuple[int, int]], *, otherwise: int) -> None:
        """Refuse a call if its argument meets a test."""
        cases = list(tests)
        self.add(_JUMP_EQUAL, 0, 2 * len(cases) + 2, number)
        self.add(_LOAD, value=argument)
        for jump, value in cases:
            self.refuse_if(jump, value)
        self.add(_RETURN, value=otherwise)

    def only(self, number: int, argument: int, values: list[int]) -> None:
        """Refuse a call unless its argument is one of some values."""
        self.add(_JUMP_EQUAL, 0, 2 * len(values) + 2, number)
        self.add(_LOAD, value=argument)
        for value in values:
            self.add(_JUMP_EQUAL, 0, 1, value)
            self.add(_RETURN, value=_ALLOW)
        self.add(_RETURN, value=_REFUSE | errno.EPERM)

    def bytes(self) -> bytes:
        return b"".join(self._code)
