"""Which paths a command touches, and how: operands, option values and redirects, with globs and braces expanded against the disk.

For commands whose operands are known, patterns and other texts are left out; for all others every word that could be a path counts.
"""

from __future__ import annotations

import fnmatch
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from workbench.permissions.disk import Disk
from workbench.permissions.effort import TooTangled
from workbench.permissions.shell_danger import git_verb, has_long, letters
from workbench.permissions.shell_text import QUOTED, UNKNOWN, SimpleCommand, Word, plain
from workbench.permissions.shell_wrappers import program

Access: TypeAlias = Literal["read", "write", "run"]
"""``run`` means that it is not known whether the path is read or written."""

EXPANSION_LIMIT = 500
_BRACES_AT_MOST = 6
_PATTERN_CHARACTERS = 1_000
"""No name is as long; a glob that is takes longer to match than it is worth."""
_BRACES = re.compile(rf"(?<!{QUOTED})\{{((?:{QUOTED}.|[^{{}}{QUOTED}])*)\}}", re.DOTALL)
_COMMA = re.compile(rf"(?<!{QUOTED}),")

_TEXTS_ONLY = frozenset({
    "echo", "printf", "date", "yes", "seq", "sleep", "true", "false", "pwd", "whoami", "id", "nproc", "hostname", "uname", "basename", "dirname", "which",
    "type", "tr", ":", "set", "command", "export", "declare", "local", "unset", "alias", "kill", "wait", "exit", "return", "shift", "umask", "ulimit",
    "trap", "shopt", "read", "let", "in",
})  # fmt: skip
READERS = frozenset({
    "ls", "cat", "head", "tail", "wc", "nl", "tac", "rev", "sort", "uniq", "cut", "paste", "column", "diff", "cmp", "comm", "stat", "file", "du", "df",
    "md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum", "xxd", "od", "hexdump", "strings", "base64", "realpath", "readlink", "cd", "tree", "less", "more",
    "bat", "test", "[", "[[", "pushd", "popd", "zcat", "fold", "fmt", "expand", "join", "look", "tsort",
})  # fmt: skip
_PATTERN_FIRST: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack"), frozenset({"-e", "-f", "--regexp", "--file", "--files", "--type-list"})),
    "sed": frozenset({"-e", "-f", "--expression", "--file"}),
    **dict.fromkeys(("awk", "gawk", "mawk"), frozenset({"-f", "--file"})),
    "jq": frozenset({"-f", "--from-file"}),
    **dict.fromkeys(("fd", "fdfind"), frozenset({"--extension", "-e"})),
}
"""Commands whose first operand is a pattern, and the options that say it elsewhere."""
_TEXT_OPTIONS: Mapping[str, frozenset[str]] = {
    "cut": frozenset("dfcb"), "sort": frozenset("tkS"), "paste": frozenset("d"), "head": frozenset("nc"), "tail": frozenset("nc"), "column": frozenset("st"),
    "grep": frozenset("eABCm"), "egrep": frozenset("eABCm"), "fgrep": frozenset("eABCm"), "rg": frozenset("egtTrABCmjM"), "stat": frozenset("cf"),
    "tree": frozenset("IPL"), "ls": frozenset("I"), "fd": frozenset("eEtdS"), "sed": frozenset("e"), "awk": frozenset("Fv"), "xxd": frozenset("lscg"),
    "du": frozenset("dt"), "od": frozenset("AtNjw"), "hexdump": frozenset("nsef"), "diff": frozenset("IxU"), "jq": frozenset(), "test": frozenset(),
}  # fmt: skip
_TEXT_LONG_OPTIONS = frozenset({
    "include", "exclude", "exclude-dir", "format", "pretty", "grep", "author", "since", "until", "date", "glob", "regexp", "type", "printf", "label",
    "delimiter", "separator", "output-delimiter", "field-separator", "word-diff-regex", "message", "expression", "filter", "sort", "color", "colour",
})  # fmt: skip
_GIT_TEXTS = frozenset({"commit", "tag", "stash", "config", "grep", "notes"})
_WRITE_ALL = frozenset({
    "rm", "rmdir", "mkdir", "touch", "chmod", "chown", "chgrp", "truncate", "shred", "tee", "mkfifo", "mknod", "unlink", "split", "csplit", "patch", "unzip",
    "tar", "mv", "setfacl", "chattr", "bsdtar", "cpio", "gzip", "gunzip", "xz", "bzip2", "zip", "7z", "dd", "sponge",
})  # fmt: skip
_WRITE_LAST = frozenset({"cp", "install", "ln", "rsync", "scp"})
_OUTPUT_OPTIONS: Mapping[str, tuple[str, str]] = {
    "sort": ("o", "output"), "tree": ("o", "output"), "shuf": ("o", "output"), "iconv": ("o", "output"), "curl": ("o", "output"),
    "wget": ("O", "output-document"), "diff": ("\0", "output"), "git": ("\0", "output"), "gcc": ("o", "output"), "cc": ("o", "output"),
}  # fmt: skip
_FREE_DEVICES = re.compile(r"/dev/(null|stdin|stdout|stderr|fd/\d+)")
_SYSTEM_PROGRAM = re.compile(r"/(usr/(local/)?)?s?bin/[^/]+")
_FILE_TEST = re.compile(r"-[abcdefghkprstuwxGLNOS]")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


class Touched(NamedTuple):
    """A path text a command names, not resolved yet, and what it would do there; `certain` if it is surely used as a path."""

    path: str
    access: Access
    certain: bool = True


def touched(command: SimpleCommand, folder: str, disk: Disk) -> Iterator[Touched]:
    """Yield every path that a command names, globs expanded in `folder` (real path). Texts are left out where the command is known."""
    for redirect in command.redirects:
        for path in expanded(redirect.target, folder, disk):
            if path and not _FREE_DEVICES.fullmatch(path):
                yield Touched(path, "write" if redirect.writes else "read")
    if not command.words:
        return
    name = program(command.words[0].text)
    if "/" in command.words[0].text and not _SYSTEM_PROGRAM.fullmatch(command.words[0].text):
        yield Touched(command.words[0].text, "run")
    words = list(command.words[1:])
    for word, access, certain in _path_words(name, words):
        for text in expanded(word, folder, disk):
            path = _path_in(text)
            free = _FREE_DEVICES.fullmatch(path) or _URL.match(path) or (not certain and _SYSTEM_PROGRAM.fullmatch(path))
            if path and not free:
                yield Touched(path, access, certain)


def climbs(path: str) -> bool:
    """Say whether a text is absolute, starts at home, or has ``..`` as a component: what counts as a path wherever it stands."""
    return path.startswith(("/", "~")) or ".." in path.split("/")


def _path_in(text: str) -> str:
    """Return the path in an operand such as ``of=/dev/sda``, ``@file`` or ``--file=x``."""
    if text.startswith("-"):
        return text
    head, equals, value = text.partition("=")
    if equals and value and "/" not in head:
        return value
    return text[1:] if text.startswith("@") and len(text) > 1 else text


def _path_words(name: str, words: Sequence[Word]) -> Iterator[tuple[Word, Access, bool]]:
    """Yield the words that name paths, the access, and whether the command is known to take a path there."""
    if name in _TEXTS_ONLY or (name == "find" and not words):
        return
    if name == "find":
        yield from _find_words(words)
        return
    if name == "for":
        yield from ((word, "read", False) for word in words[2:])
        return
    if name == "git":
        yield from _git_words(words)
        return
    if name in {"test", "[", "[["}:
        yield from ((file, "read", True) for test, file in itertools.pairwise(words) if _FILE_TEST.fullmatch(test.text))
        return
    known = name in READERS or name in _PATTERN_FIRST
    texts = [word.text for word in words]
    plain_words, options = _split(name, words) if known else ([word for word in words if not _is_option(word)], [word for word in words if _is_option(word)])
    if name in _PATTERN_FIRST and plain_words and not _PATTERN_FIRST[name].intersection(_option_names(texts)):
        plain_words = plain_words[1:]
    for at, word in enumerate(plain_words):
        yield word, _access(name, texts, at, len(plain_words)), known or name in _WRITE_ALL or name in _WRITE_LAST
    for option in options:
        yield from _option_value(name, option, known=known)


def _access(name: str, texts: Sequence[str], at: int, count: int) -> Access:
    """Return what a command does with its operand number `at` of `count`."""
    if name in _WRITE_ALL or (name in _WRITE_LAST and (at == count - 1 or count == 1 or "t" in letters(texts))):
        return "write"
    if name in {"uniq", "xxd"} and at > 0:
        return "write"
    if name in {"sed", "perl"} and ("i" in letters(texts) or has_long(texts, "in-place")):
        return "write"
    if name in _OUTPUT_OPTIONS and (_OUTPUT_OPTIONS[name][0] in letters(texts) or has_long(texts, _OUTPUT_OPTIONS[name][1])):
        return "write"  # which operand is the output is not told apart
    return "read" if name in READERS or name in _PATTERN_FIRST or name in _WRITE_LAST else "run"


def _split(name: str, words: Sequence[Word]) -> tuple[list[Word], list[Word]]:
    """Return operands and options of a known reader; the separate values of options that take a text are left out."""
    operands: list[Word] = []
    options: list[Word] = []
    texts = _TEXT_OPTIONS.get(name, frozenset())
    at, only_operands = 0, False
    while at < len(words):
        word = words[at]
        text = word.text
        at += 1
        if text == "--" and not only_operands:
            only_operands = True
        elif only_operands or not _is_option(word):
            operands.append(word)
        else:
            options.append(word)
            if (text[0] == "-" and text[1:2] != "-" and text[-1] in texts) or (text in {"--arg", "--argjson"}):
                at += 2 if text in {"--arg", "--argjson"} else 1
            elif text[2:] in _TEXT_LONG_OPTIONS:
                at += 1
    return operands, options


def _is_option(word: Word) -> bool:
    return word.text.startswith("-") and len(word.text) > 1


def _option_names(texts: Sequence[str]) -> set[str]:
    names = {text.partition("=")[0] for text in texts if text.startswith("--")}
    return names | {f"-{letter}" for letter in letters(texts)}


def _option_value(name: str, option: Word, *, known: bool) -> Iterator[tuple[Word, Access, bool]]:
    """Yield the path glued to an option (``--file=/x``, ``-f/x``), if it looks like one."""
    text = option.text
    if text.startswith("--"):
        head, equals, value = text.partition("=")
        if not equals or head[2:] in _TEXT_LONG_OPTIONS:
            return
        output = name in _OUTPUT_OPTIONS and _OUTPUT_OPTIONS[name][1].startswith(head[2:])
    else:
        value, output = text[2:], text[1:2] == _OUTPUT_OPTIONS.get(name, ("\0", ""))[0]
        if known and text[1:2] in _TEXT_OPTIONS.get(name, frozenset()):
            return
    if output or climbs(value):
        yield Word(value, value), "write" if output else "read" if known else "run", output


def _find_words(words: Sequence[Word]) -> Iterator[tuple[Word, Access, bool]]:
    starts = list(itertools.takewhile(lambda word: not word.text.startswith("-") and word.text not in {"(", "!"}, words))
    deletes = any(word.text == "-delete" for word in words)
    for word in starts:
        yield word, "write" if deletes else "read", True
    for option, value in itertools.pairwise(words):
        if option.text in {"-fprint", "-fprint0", "-fprintf", "-fls"}:
            yield value, "write", True
        elif option.text in {"-newer", "-samefile", "-files0-from"}:
            yield value, "read", True


def _git_words(words: Sequence[Word]) -> Iterator[tuple[Word, Access, bool]]:
    """Git reads and writes what its operands name; a revision before a colon is left out, messages are texts."""
    verb, _rest = git_verb([word.text for word in words])
    for word in words:
        text = word.text
        if _is_option(word):
            yield from _option_value("git", word, known=False)
        elif verb in _GIT_TEXTS and not climbs(text):
            continue
        else:
            path = text.partition(":")[2] if ":" in text and not _URL.match(text) else text
            yield Word(path, path), "read", False


def expanded(word: Word, folder: str, disk: Disk) -> Iterator[str]:
    """Yield the words that bash would make of one: braces, then globs against the disk; the text itself where nothing matches."""
    for shape in itertools.islice(_braces(_rooted(word.shape)), EXPANSION_LIMIT):
        if _has_glob(shape) and UNKNOWN not in shape:
            matches = sorted(itertools.islice(_matches(shape, folder, disk), EXPANSION_LIMIT))
            yield from matches or [plain(shape)]
        else:
            yield plain(shape)


def _rooted(shape: str) -> str:
    """Keep ``$X/file`` from looking like ``/file``: where it leads is not known, so it only asks."""
    return "." + shape if shape.startswith(UNKNOWN) and plain(shape).startswith("/") else shape


def _braces(shape: str, depth: int = 0) -> Iterator[str]:
    """Expand ``{a,b}``, innermost ones first; ranges stay as they are, they hold no path separators."""
    found = next((braces for braces in _BRACES.finditer(shape) if _COMMA.search(braces[1])), None)
    if found is None or depth > _BRACES_AT_MOST:
        yield shape
        return
    if len(shape) > _PATTERN_CHARACTERS * _BRACES_AT_MOST:
        raise TooTangled
    for choice in _COMMA.split(found[1]):
        yield from _braces(shape[: found.start()] + choice + shape[found.end() :], depth + 1)


def _has_glob(shape: str) -> bool:
    return re.search(rf"(?<!{QUOTED})[*?\[]", shape) is not None


def _matches(shape: str, folder: str, disk: Disk) -> Iterator[str]:
    """Yield the paths that match a glob, spelled as the glob is (relative stays relative)."""
    if shape.startswith("~"):
        return
    absolute = shape.startswith("/")
    found = [""]
    for part in shape.strip("/").split("/"):
        if not _has_glob(part):
            found = [f"{path}/{plain(part)}" for path in found]
            continue
        if len(part) > _PATTERN_CHARACTERS:
            raise TooTangled
        pattern = re.compile(fnmatch.translate(re.sub(rf"{QUOTED}(.)", r"[\1]", part)))
        hidden = plain(part).startswith(".") or part.startswith("[")
        found = [
            f"{path}/{name}"
            for path in found
            for name in _names(disk, path if absolute else folder + path)
            if pattern.fullmatch(name) and (hidden or not name.startswith("."))
        ][:EXPANSION_LIMIT]
    yield from (path if absolute else path[1:] for path in found)


def _names(disk: Disk, folder: str) -> Sequence[str]:
    try:
        return disk.listdir(folder or "/")
    except OSError:
        return ()
