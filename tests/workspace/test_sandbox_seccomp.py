"""The filter of system calls, read back by the rules of the kernel's small machine."""

from __future__ import annotations

import errno
import struct

import pytest

from workbench.workspace.sandbox_seccomp import Family, seccomp_filter, supported

ALLOW, EPERM, ENOSYS, KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS, 0x80000000
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NUMBERS = {
    "x86_64": {"read": 0, "ioctl": 16, "socket": 41, "socketpair": 53, "clone": 56, "clone3": 435, "mount": 165, "bpf": 321, "unshare": 272, "keyctl": 250},
    "aarch64": {"read": 63, "ioctl": 29, "socket": 198, "socketpair": 199, "clone": 220, "clone3": 435, "mount": 40, "bpf": 280, "unshare": 97, "keyctl": 219},
}


def verdict(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """Run a filter on a call as linux/bpf.h says."""
    data = struct.pack("<iIQ6Q", number, architecture, 0, *(*arguments, *([0] * (6 - len(arguments)))))
    code = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    at = accumulator = 0
    while True:
        operation, true, false, value = code[at]
        match operation:
            case 0x20:
                (accumulator,) = struct.unpack_from("<I", data, value)
                step = 0
            case 0x15:
                step = true if accumulator == value else false
            case 0x35:
                step = true if accumulator >= value else false
            case 0x45:
                step = true if accumulator & value else false
            case 0x06:
                return int(value)
            case _:
                raise AssertionError(f"{operation:#x} is no instruction of ours")
        at += 1 + step


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ("read", (0,), ALLOW),
        ("mount", (), EPERM),
        ("bpf", (), EPERM),
        ("unshare", (0x10000000,), EPERM),
        ("keyctl", (), EPERM),
        ("clone3", (), ENOSYS),
        ("clone", (0x00010F00,), ALLOW),
        ("clone", (0x10000011,), EPERM),
        ("clone", (0x20000011,), EPERM),
        ("ioctl", (0, 0x5401), ALLOW),
        ("ioctl", (0, 0x5412), EPERM),
        ("ioctl", (0, 0x541C), EPERM),
        ("ioctl", (0, (1 << 32) | 0x5412), EPERM),
        ("socket", (1,), ALLOW),
        ("socket", (2,), EPERM),
        ("socket", (10,), EPERM),
        ("socket", (40,), EPERM),
        ("socketpair", (1,), ALLOW),
    ],
)
def test_calls_are_judged(machine: str, call: str, arguments: tuple[int, ...], expected: int) -> None:
    program = seccomp_filter(Family(unix=True, internet=False), machine=machine)
    assert verdict(program, ARCHITECTURES[machine], NUMBERS[machine][call], *arguments) == expected


@pytest.mark.parametrize(("family", "allowed"), [(Family(True, True), {1, 2, 10, 16}), (Family(False, True), {2, 10, 16}), (Family(False, False), set())])
def test_only_the_sockets_asked_for_can_be_made(machine: str, family: Family, allowed: set[int]) -> None:
    program = seccomp_filter(family, machine=machine)
    found = {number for number in range(64) if verdict(program, ARCHITECTURES[machine], NUMBERS[machine]["socket"], number) == ALLOW}
    assert found == allowed


def test_calls_by_other_tables_are_refused() -> None:
    program = seccomp_filter(Family(True, True), machine="x86_64")
    assert verdict(program, 0x40000003, 1) == KILL
    assert verdict(program, ARCHITECTURES["x86_64"], 0x40000000 | 41, 2) == EPERM


def test_a_machine_without_a_table_is_said() -> None:
    assert not supported("riscv64")
    with pytest.raises(ValueError, match="riscv64"):
        seccomp_filter(Family(True, True), machine="riscv64")
