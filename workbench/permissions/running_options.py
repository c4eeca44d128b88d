"""Options by which a program loads, runs or writes something else than what it is asked to work on.

A rule with ``**`` means "this action, on whatever"; it never stands for such an option, unless it names it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence


def _options(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RUNNING_OPTIONS: Mapping[str, frozenset[str]] = {
    "pytest": _options("-p -c -o --config-file --override-ini --rootdir --confcutdir --pyargs --basetemp --pdb --pdbcls --trace --import-mode --debug"),
    "mypy": _options("--config-file --python-executable --install-types --custom-typeshed-dir --shadow-file --cache-dir --junit-xml"),
    "ruff": _options("--config --cache-dir --output-file"),
    "cargo": _options("--config --manifest-path --target-dir -Z -C"),
    "go": _options("-exec -toolexec -vettool -overlay -modfile -o -C -ldflags -gcflags -asmflags -coverprofile"),
    "npm": _options("--prefix --script-shell --node-options --userconfig --globalconfig -C --ignore-scripts"),
    "pnpm": _options("--prefix --script-shell --node-options -C --dir"),
    "yarn": _options("--cwd --script-shell --use-yarnrc"),
    "make": _options("-f --file --makefile -C --directory -I --eval -E"),
    "gmake": _options("-f --file --makefile -C --directory -I --eval -E"),
    "ninja": _options("-f -C -t"),
    "tsc": _options("-p --project --build -b --outDir --outFile"),
    "eslint": _options("-c --config --rulesdir --resolve-plugins-relative-to --plugin --parser -f --format -o --output-file"),
    "prettier": _options("--config --plugin --plugin-search-dir"),
    "jest": _options("-c --config --rootDir --globalSetup --setupFiles --transform --runner"),
    "vitest": _options("-c --config -r --root --dir --globalSetup"),
}
"""Options by which these programs load, run or write something else than what they are asked to look at."""
_RUNNING_WORDS = _options("exec eval command cmd shell plugin plugins loader require import script hook hooks pager editor config rcfile init preload")
_VALUE_OPTIONS = frozenset({"-c", "-e", "-x", "-E", "-r"})

_PASSING_ON = frozenset({"npm", "pnpm", "yarn"})
"""Programs that give what follows a bare ``--`` to a script, as its options."""


def runs_more(words: Sequence[str], but: Collection[str] = ()) -> bool:
    """Say whether an option makes a program load or run something else; what follows a bare ``--`` is no option.

    Args:
        words: the command, the program's name first.
        but: options that are meant, whatever they do.
    """
    name = words[0].rpartition("/")[2] if words else ""
    own = _RUNNING_OPTIONS.get(name)
    for word in words[1:]:
        if word == "--" and name not in _PASSING_ON:
            return False
        if word.startswith("-") and word not in but and _runs(word, own):
            return True
    return False


def _runs(word: str, own: frozenset[str] | None) -> bool:
    name = word.partition("=")[0]
    if own is None:
        return word[:2] in _VALUE_OPTIONS or _tells(name)
    if name in own or (word[:2] in own and not word.startswith("--")):
        return True  # -pname is -p name
    abbreviates = len(name) > 3 and any(option.startswith(name) for option in own if name.startswith("--"))
    return abbreviates or _tells(name)


def _tells(name: str) -> bool:
    return bool(_RUNNING_WORDS.intersection(name.lstrip("-").casefold().replace("_", "-").split("-")))
