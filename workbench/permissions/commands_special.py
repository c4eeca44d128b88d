"""Readers whose arguments are a small language: what of it only reads is listed here, all else is not understood."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence

from workbench.permissions.commands_options import Look, form, given, options
from workbench.permissions.shell_syntax import NotUnderstood

_PRINTF_STORES = re.compile(r"%[-+ #'0-9.*hjlLtz]*n")
_SED_ADDRESS = r"(?:\d+|\$|\d+~\d+|/(?:[^/\\\n]|\\[^\n])*/I?)"
_SED_COMMAND = re.compile(rf"\s*(?:{_SED_ADDRESS}(?:\s*,\s*(?:{_SED_ADDRESS}|[+~]\d+))?)?\s*!?\s*(?:[p=]|q\d*)\s*")
_SED_SPLIT = re.compile(r"[;\n]")
_SED = form("-nErsuz quiet silent regexp-extended separate unbuffered null-data posix", "-e expression")
_JQ = options("-rcnSsaCMejR raw-output compact-output null-input slurp sort-keys ascii-output color-output monochrome-output exit-status join-output raw-input"
              " tab stream seq unbuffered version help")  # fmt: skip
_JQ_FORBIDDEN = re.compile(r"\b(env|ENV|import|include|modulemeta|get_search_list)\b")
_TREE_TESTS = frozenset({
    "-print", "-print0", "-prune", "-true", "-false", "-empty", "-depth", "-mount", "-xdev", "-ls", "-readable", "-writable", "-executable", "-not", "-a",
    "-and", "-o", "-or", "!", "(", ")", ",", "-daystart", "-nouser", "-nogroup", "-noleaf", "-quit", "-ignore_readdir_race", "-warn", "-nowarn",
})  # fmt: skip
_TREE_TEXTS = frozenset({
    "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-regextype", "-type", "-xtype", "-size", "-mtime", "-mmin",
    "-atime", "-amin", "-ctime", "-cmin", "-newermt", "-newerat", "-newerct", "-maxdepth", "-mindepth", "-perm", "-user", "-group", "-uid", "-gid", "-links",
    "-inum", "-printf", "-fstype", "-used", "-lname", "-ilname",
})  # fmt: skip
_TREE_PATHS = frozenset({"-newer", "-anewer", "-cnewer", "-samefile"})
_FILE_TESTS = frozenset(["-f", "-d", "-e", "-r", "-s", "-w", "-x", "-L", "-h", "-b", "-c", "-p", "-S", "-g", "-k", "-u", "-G", "-O", "-N"])
_TEXT_TESTS = frozenset({"-n", "-z"})
_COMPARISONS = frozenset({"=", "==", "!=", "<", ">"})
_NUMBER_COMPARISONS = frozenset({"-eq", "-ne", "-lt", "-gt", "-le", "-ge"})
_FILE_COMPARISONS = frozenset({"-nt", "-ot", "-ef"})
_NUMBER = re.compile(r"[+-]?\d{1,18}")
_REAL_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?")
_LONGEST_COUNT = 1_000_000
_SHELL_OPTIONS = re.compile(r"[-+][eux]+")

Arguments = Sequence[str]


def _echo(_arguments: Arguments) -> Look:
    return Look()


def _printf(arguments: Arguments) -> Look:
    rest = arguments[1:] if list(arguments[:1]) == ["--"] else arguments
    if not rest or rest[0].startswith("-"):
        raise NotUnderstood("an option of printf")
    if _PRINTF_STORES.search(rest[0]):
        raise NotUnderstood("a format that stores a value")
    return Look()


def _sequence(arguments: Arguments) -> Look:
    numbers = list(arguments)
    while numbers and numbers[0].startswith("-") and not _REAL_NUMBER.fullmatch(numbers[0]):
        option = numbers.pop(0)
        if option in {"-s", "-f", "--separator", "--format"} and numbers:
            numbers.pop(0)
        elif option not in {"-w", "--equal-width"} and not re.fullmatch(r"(-[sf].+|--(separator|format)=.*)", option, re.DOTALL):
            raise NotUnderstood(f"the option {option}")
    if not 1 <= len(numbers) <= 3 or not all(map(_REAL_NUMBER.fullmatch, numbers)):
        raise NotUnderstood("numbers to count")
    values = [float(number) for number in numbers]
    first, step, last = {1: (1.0, 1.0, values[0]), 2: (values[0], 1.0, values[-1]), 3: (values[0], values[len(values) // 2], values[-1])}[len(values)]
    if step == 0 or abs(last - first) / abs(step) > _LONGEST_COUNT:
        raise NotUnderstood("a very long count")
    return Look()


def _sed(arguments: Arguments) -> Look:
    said = given(arguments, _SED)
    scripts, operands = list(said.values("e", "expression")), list(said.operands)
    first = None if scripts else "".join(operands[:1])
    if not scripts:
        scripts, operands = operands[:1], operands[1:]
    if not said.has("n", "quiet", "silent") or not scripts:
        raise NotUnderstood("a sed script that is not only asked to print lines")
    if not all(_SED_COMMAND.fullmatch(command) for script in scripts for command in _SED_SPLIT.split(script) if command.strip(" ")):
        raise NotUnderstood("a sed script that does more than print lines")
    return Look(paths=tuple(operand for operand in operands if operand != "-"), pattern=first)


def _jq(arguments: Arguments) -> Look:
    rest, operands, paths = list(arguments), list[str](), list[str]()
    texts_follow = False
    while rest:
        argument = rest.pop(0)
        if argument in {"--arg", "--argjson", "--slurpfile", "--rawfile"}:
            if len(rest) < 2:
                raise NotUnderstood(f"the option {argument} without its values")
            paths += rest[1:2] if argument.endswith("file") else []
            del rest[:2]
        elif argument == "--indent":
            del rest[:1]
        elif argument in {"--args", "--jsonargs"}:
            texts_follow = True
        elif argument.startswith("-") and len(argument) > 1:
            known = argument[2:] in _JQ if argument.startswith("--") else all(letter in _JQ for letter in argument[1:])
            if not known or argument == "--":
                raise NotUnderstood(f"the option {argument}")
        elif not (texts_follow and operands):
            operands.append(argument)
    if not operands or _JQ_FORBIDDEN.search(operands[0]):
        raise NotUnderstood("a filter that may show the environment or load another")
    return Look(paths=(*operands[1:], *paths), pattern=operands[0])


def _find(arguments: Arguments) -> Look:
    rest, paths = list(arguments), list[str]()
    while rest[:1] == ["-P"]:
        rest.pop(0)
    while rest and not rest[0].startswith("-") and rest[0] not in {"(", "!", ")", ","}:
        paths.append(rest.pop(0))
    paths = paths or ["."]
    while rest:
        test = rest.pop(0)
        if test in _TREE_TESTS:
            continue
        if test not in _TREE_TEXTS | _TREE_PATHS or not rest:
            raise NotUnderstood(f"the test {test}")
        value = rest.pop(0)
        paths += [value] if test in _TREE_PATHS else []
    return Look(paths=tuple(paths))


def _test(arguments: Arguments) -> Look:
    return Look(paths=tuple(_tested(list(arguments))))


def _bracket(arguments: Arguments) -> Look:
    if not arguments or arguments[-1] != "]":
        raise NotUnderstood("a [ without ]")
    return _test(arguments[:-1])


def _tested(words: list[str]) -> list[str]:
    """Return the paths that a test looks at; each side of ``-a`` and ``-o`` is a test of its own."""
    if len(words) > 4 or (len(words) == 4 and words[0] != "!"):
        for at, word in enumerate(words):
            if word in {"-a", "-o"} and at:
                return _tested(words[:at]) + _tested(words[at + 1 :])
    if words[:1] == ["!"] and len(words) > 1:
        return _tested(words[1:])
    match words:
        case [] | [_] if not words or words[0] not in {"(", ")"}:
            return []
        case [test, value] if test in _FILE_TESTS:
            return [value]
        case [test, _value] if test in _TEXT_TESTS:
            return []
        case [left, comparison, right] if comparison in _FILE_COMPARISONS:
            return [left, right]
        case [left, comparison, right] if comparison in _NUMBER_COMPARISONS and _NUMBER.fullmatch(left) and _NUMBER.fullmatch(right):
            return []
        case [left, comparison, right] if comparison in _COMPARISONS and left not in {"(", "!"}:
            return []
        case _:
            raise NotUnderstood("a test")


def _set(arguments: Arguments) -> Look:
    rest = list(arguments)
    if not rest:
        raise NotUnderstood("a list of all variables")
    while rest:
        option = rest.pop(0)
        if option.endswith("o") and option.startswith(("-", "+")) and rest and rest.pop(0) == "pipefail":
            option = option[:-1]
            if len(option) == 1:
                continue
        if not _SHELL_OPTIONS.fullmatch(option):
            raise NotUnderstood("an option of the shell")
    return Look()


def _looked_up(allowed: str) -> Callable[[Arguments], Look]:
    """Return the look of a command that says what a name stands for."""

    def lookup(arguments: Arguments) -> Look:
        flags = list(itertools.takewhile(lambda argument: argument.startswith("-"), arguments))
        names = arguments[len(flags) :]
        if not names or not all(set(flag[1:]) <= set(allowed) and len(flag) > 1 for flag in flags) or (allowed == "vV" and not flags):
            raise NotUnderstood("a look-up of a name")
        return Look(paths=tuple(name for name in names if "/" in name and not re.fullmatch(r"/(usr/(local/)?)?bin/[\w.+-]+", name)))

    return lookup


SPECIAL: Mapping[str, Callable[[Arguments], Look]] = {
    "echo": _echo,
    "printf": _printf,
    "seq": _sequence,
    "sed": _sed,
    "jq": _jq,
    "find": _find,
    "test": _test,
    "[": _bracket,
    "set": _set,
    "command": _looked_up("vV"),
    "type": _looked_up("atpP"),
}
VERSIONS: Mapping[str, frozenset[str]] = {
    "python": frozenset({"--version", "-V"}),
    "python3": frozenset({"--version", "-V"}),
    "node": frozenset({"--version", "-v"}),
    "npm": frozenset({"--version", "-v"}),
    "cargo": frozenset({"--version", "-V"}),
    "git": frozenset({"--version"}),
}
"""Programs that may be asked for their version, and nothing else."""
CHOSEN: Mapping[str, str] = {
    "cargo": "rust", "python": "python", "python3": "python", "node": "node", "npm": "node", "jq": "jq", "rg": "ripgrep", "fd": "fd", "fdfind": "fd",
}  # fmt: skip
"""Programs that people have version managers run for them, and the word by which those know them."""
CHOOSERS: Mapping[str, tuple[str, ...]] = {
    "cargo": ("rust-toolchain", "rust-toolchain.toml"),
    "python": (".python-version",),
    "python3": (".python-version",),
    "node": (".node-version",),
    "npm": (".node-version", ".npmrc"),
}
"""Files by which rustup, pyenv and others pick the program that runs under a name: from a folder in the repository, or fetched first."""
CHOOSERS_OF_MANY = (".tool-versions", "mise.toml", ".mise.toml")
"""Files that do so for whatever programs they mention."""
