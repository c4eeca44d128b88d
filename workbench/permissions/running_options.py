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
    "tsc": _options("-p --project --build -b --outDir --outFile --rootDir --typeRoots --generateTrace --generateCpuProfile --tsBuildInfoFile --declarationDir"),
    "eslint": _options("-c --config --rulesdir --resolve-plugins-relative-to --plugin --parser -f --format -o --output-file"),
    "prettier": _options("--config --plugin --plugin-search-dir"),
    "jest": _options(
        "-c --config --rootDir --roots --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --transform --runner --testRunner --testEnvironment"
        " --reporters --resolver --dependencyExtractor --filter --haste --moduleNameMapper --modulePaths --preset --prettierPath --projects"
        " --snapshotSerializers --testResultsProcessor --testSequencer --watchPlugins --env --cacheDirectory --outputFile"
    ),
    "vitest": _options(
        "-c --config -r --root --dir --globalSetup --environment --pool --reporter --runner --coverage.customProviderModule --browser --api --workspace"
        " --snapshotEnvironment --outputFile --execArgv --typecheck.checker"
    ),
    "nox": _options("-f --noxfile"),
    "tox": _options("-c --conf --workdir --root -x --override"),
    "invoke": _options("-c --collection -r --search-root -f --config"),
    "rake": _options("-f --rakefile -r --require -I --libdir -e --execute -E --execute-continue -p -R --rakelibdir -C --directory"),
    "just": _options("-f --justfile -d --working-directory --shell --shell-arg -c --command --set --dotenv-path"),
    "gradle": _options("-I --init-script -b --build-file -c --settings-file -p --project-dir -D -P -g --gradle-user-home --include-build"),
    "mvn": _options("-f --file -s --settings -gs --global-settings -t --toolchains -D --define -P"),
    "ctest": _options("-S --script -SP -D --dashboard --build-and-test --test-dir --test-command --build-makeprogram -T -M"),
    "rspec": _options("-r --require -I -O --options -f --format -o --out --default-path"),
    "phpunit": _options("-c --configuration --bootstrap --prepend --loader --printer --extension --include-path -d"),
}
"""Options by which these programs load, run or write something else than what they are asked to look at."""
_RUNNING_WORDS = _options("exec eval command cmd shell plugin plugins loader require import script hook hooks pager editor config rcfile init preload")
_VALUE_OPTIONS = frozenset({"-c", "-e", "-x", "-E", "-r"})

_SETS_VARIABLES = frozenset({"make", "gmake", "just", "rake"})
"""Programs for which ``NAME=value`` sets what their recipes run, such as ``SHELL`` and ``CC``."""
_READS_OPTIONS_FROM_FILES = frozenset({"pytest", "py.test", "mypy", "ruff", "tsc", "javac", "gcc", "g++", "clang", "clang++", "rustc", "gradle"})
"""Programs for which ``@file`` stands for the words in that file."""

_PASSING_ON = frozenset({"npm", "pnpm", "yarn"})
"""Programs that give what follows a bare ``--`` to a script, as its options."""


def runs_more(words: Sequence[str], but: Collection[str] = ()) -> bool:
    """Say whether an option makes a program load or run something else; what follows a bare ``--`` is no option.

    Args:
        words: the command, the program's name first.
        but: words that are meant, whatever they do: those of a rule. Against a rule, variables and files of options count as well.
    """
    name = words[0].rpartition("/")[2] if words else ""
    own = _RUNNING_OPTIONS.get(name)
    if but and any(_is_more_than_an_operand(name, word) and word not in but for word in words[1:]):
        return True
    for word in words[1:]:
        if word == "--" and name not in _PASSING_ON:
            return False
        if word.startswith("-") and word not in but and _runs(word, own):
            return True
    return False


def _is_more_than_an_operand(name: str, word: str) -> bool:
    return (name in _SETS_VARIABLES and "=" in word and not word.startswith("-")) or (name in _READS_OPTIONS_FROM_FILES and word.startswith("@"))


def _runs(word: str, own: frozenset[str] | None) -> bool:
    name = word.partition("=")[0]
    if own is None:
        return word[:2] in _VALUE_OPTIONS or _tells(name)
    if name in own or (word[:2] in own and not word.startswith("--")):
        return True  # -pname is -p name
    abbreviates = len(name) > 3 and any(option.startswith(name) for option in own if name.startswith("--") and "." not in option)
    return abbreviates or _spelled(name) in {_spelled(option) for option in own if len(option) > 2} or _tells(name)


def _spelled(option: str) -> str:
    """Return an option in one spelling: go takes one dash or two, tsc any case, jest ``--root-dir`` for ``--rootDir``."""
    return option.lstrip("-").casefold().replace("-", "")


def _tells(name: str) -> bool:
    return bool(_RUNNING_WORDS.intersection(name.lstrip("-").casefold().replace("_", "-").split("-")))
