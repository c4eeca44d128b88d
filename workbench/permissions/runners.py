"""Programs that run the project's own code (test runners, checkers): which of their options are harmless once a person allowed the program.

A rule for ``pytest **`` means "run my tests", not "load this plugin" or "write over that file"; so an allowing rule covers only options
in these lists, and a runner without a rule asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from workbench.permissions.commands_options import Form, Look, form, given
from workbench.permissions.rules import ArgvRule, Scope
from workbench.permissions.shell_syntax import NotUnderstood

_PYTEST = form(
    "-qvxsl verbose quiet exitfirst showlocals lf last-failed ff failed-first nf new-first sw stepwise co collect-only no-header no-summary setup-show"
    " setup-plan fixtures markers strict-markers strict-config no-cov runxfail disable-warnings disable-pytest-warnings full-trace stepwise-skip"
    " fixtures-per-test cov-branch",
    "-kmrnpW maxfail tb durations durations-min capture color show-capture verbosity timeout numprocesses dist last-failed-no-failures deselect"
    " pythonwarnings ignore-glob reruns randomly-seed cov-report code-highlight",
    paths="ignore", maybe="cov",
)  # fmt: skip
_RUFF = form(
    "-qsve quiet silent verbose no-fix show-files show-settings statistics preview no-preview no-cache exit-zero diff no-respect-gitignore show-fixes isolated"
    " no-unsafe-fixes force-exclude",
    "select ignore extend-select output-format line-length target-version exclude extend-exclude per-file-ignores color",
)  # fmt: skip
_MYPY = form(
    "-v strict verbose pretty ignore-missing-imports show-error-codes hide-error-codes show-column-numbers show-error-context no-error-summary show-error-end"
    " no-incremental warn-unused-ignores warn-return-any warn-unreachable disallow-untyped-defs disallow-any-generics check-untyped-defs no-implicit-optional"
    " namespace-packages explicit-package-bases no-color-output color-output warn-redundant-casts no-warn-no-return show-traceback no-strict-optional",
    "-pm package module python-version platform follow-imports exclude disable-error-code enable-error-code",
)  # fmt: skip
_CARGO = form(
    "-qvr all all-targets all-features no-default-features workspace lib bins tests examples benches doc release quiet verbose no-run no-fail-fast locked"
    " offline frozen keep-going future-incompat-report",
    "-pFj package features bin test example bench exclude message-format color jobs profile", operands="texts",
)  # fmt: skip
_GO_FLAG = re.compile(r"--?(v|race|short|failfast|json|cover|x|n|benchmem|(run|skip|bench|count|timeout|parallel|cpu|covermode|tags|list|benchtime|p)=[^\n]*)")
_GO_VALUE_FLAG = re.compile(r"--?(run|skip|bench|count|timeout|parallel|cpu|tags|list|benchtime|p)")
_GO_PACKAGE = re.compile(r"\.(/[\w.@-]+)*(/\.\.\.)?/?")
_WARNINGS = re.compile(r"(error|ignore|default|always|module|once)(:[^:/]*(:(\w*Warning)?)?)?")
_SCRIPT_ARGUMENT = re.compile(r"--?[\w-]+(=[\w.,:-]*)?|[\w.@-][\w./@:-]*")
_SCRIPT_DANGER = re.compile(
    r"--?(fix|write|update\w*|u|o|out\w*|output\w*|config|c|require|r|import|loader|eval|e|exec|script-shell|prefix|globalSetup|setupFiles\w*|rootDir|w"
    r"|reporters?|env\w*|resolver|transform|runner|preset|plugin\w*|rulesdir|resolve-plugins-relative-to|ext|inspect\w*|node-arg\w*|coverageDirectory|cache\w*"
    r"|snapshot\w*|testEnvironment|haste|f|format)(=.*|$)",
    re.IGNORECASE,
)


def _options(allowed: Form) -> Callable[[Sequence[str]], Look]:
    def look(arguments: Sequence[str]) -> Look:
        said = given(arguments, allowed)
        _no_files_of_options(arguments)
        return Look(paths=(*said.operands, *said.values(*allowed.paths)) if allowed.operands == "paths" else ())

    return look


def _no_files_of_options(words: Sequence[str]) -> None:
    """Refuse ``@file``, which is replaced by what stands in that file wherever it is found, also where a value is expected."""
    if any(word.startswith("@") for word in words):
        raise NotUnderstood("a word that names a file of options")


def _pytest(arguments: Sequence[str]) -> Look:
    said = given(arguments, _PYTEST)
    _no_files_of_options(arguments)
    if not all(name.startswith("no:") for name in _plugins(arguments)):
        raise NotUnderstood("a plugin to load")
    if not all(_WARNINGS.fullmatch(value) for value in said.values("W", "pythonwarnings")):
        raise NotUnderstood("a warning class to load")
    if not all(re.fullmatch(r"|term(-missing)?(:skip-covered)?", value) for value in said.values("cov-report")):
        raise NotUnderstood("a report to write")
    names = [operand.partition("::")[0] for operand in said.operands]
    if any(operand.startswith("+") for operand in said.operands):
        raise NotUnderstood("an operand that names a file of options")
    return Look(paths=(*names, *said.values("ignore"), *(value for value in said.values("cov") if value)))


def _plugins(arguments: Sequence[str]) -> Iterator[str]:
    """Yield what pytest loads before it sorts its arguments: whatever follows a ``-p``, be it the value of another option or behind ``--``."""
    for at, word in enumerate(arguments):
        if word.startswith("-p"):
            yield word[2:] or "".join(arguments[at + 1 : at + 2])


def _ruff(arguments: Sequence[str]) -> Look:
    return _options(_RUFF)(arguments[1:])


def _cargo(arguments: Sequence[str]) -> Look:
    rest = list(arguments[1:])
    own = rest[: rest.index("--")] if "--" in rest else rest
    said = given(own, _CARGO)
    behind = rest[len(own) + 1 :]
    harmless = re.compile(r"--(nocapture|show-output|ignored|include-ignored|exact|list|test-threads=\d+|quiet)|-q|[\w:]+")
    if not all(harmless.fullmatch(word) for word in behind) or any("/" in operand for operand in said.operands):
        raise NotUnderstood("an option of the test program")
    return Look()


def _go(arguments: Sequence[str]) -> Look:
    rest = list(arguments[1:])
    while rest:
        word = rest.pop(0)
        if _GO_VALUE_FLAG.fullmatch(word) and rest:
            rest.pop(0)
        elif not _GO_FLAG.fullmatch(word) and not (_GO_PACKAGE.fullmatch(word) and "/../" not in word + "/"):
            raise NotUnderstood(f"what {word[:20]} does to go")
    return Look()


def _npm(arguments: Sequence[str]) -> Look:
    words = list(arguments)
    behind = words[words.index("--") + 1 :] if "--" in words else []
    own = words[: words.index("--")] if "--" in words else words
    silent = [word for word in own if word not in {"-s", "--silent"}]
    if silent not in (["test"], ["t"], ["run", "lint"], ["run", "test"], ["run-script", "lint"], ["run-script", "test"]):
        raise NotUnderstood("what npm is to do")
    if not all(_SCRIPT_ARGUMENT.fullmatch(word) and not _SCRIPT_DANGER.fullmatch(word) for word in behind):
        raise NotUnderstood("an option of the script")
    return Look(paths=tuple(word for word in behind if not word.startswith("-")))


def _make(arguments: Sequence[str]) -> Look:
    if [word for word in arguments if word not in {"-s", "-k", "--silent", "--keep-going"}] != ["test"]:
        raise NotUnderstood("what make is to do")
    return Look()


def _python(arguments: Sequence[str]) -> Look:
    return _pytest(arguments[2:])


_RUNNERS: Mapping[str, Callable[[Sequence[str]], Look]] = {
    "pytest": _pytest,
    "py.test": _pytest,
    "python": _python,
    "python3": _python,
    "npm": _npm,
    "make": _make,
    "cargo": _cargo,
    "go": _go,
    "ruff": _ruff,
    "mypy": _options(_MYPY),
}
_ACTIONS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "pytest": ((),),
    "py.test": ((),),
    "python": (("-m", "pytest"),),
    "python3": (("-m", "pytest"),),
    "npm": (("test",), ("t",), ("run", "lint"), ("run", "test"), ("run-script", "lint"), ("run-script", "test")),
    "make": (("test",),),
    "cargo": (("check",), ("test",)),
    "go": (("test",), ("vet",)),
    "ruff": (("check",),),
    "mypy": ((),),
}
"""What each runner is asked to do, so that its options are known; asked for anything else, it is a program like any other."""


def is_runner(argv: Sequence[str]) -> bool:
    """Say whether words start a runner whose harmless options are known."""
    return any(tuple(argv[1 : 1 + len(action)]) == action for action in _ACTIONS.get(argv[0], ()))


def is_named_like_one(name: str) -> bool:
    """Say whether a program is one of the runners, whatever it is asked to do."""
    return name in _RUNNERS


def runner_look(argv: Sequence[str]) -> Look:
    """Return the paths that a runner is given.

    Raises:
        NotUnderstood: an option is not known to be harmless.
    """
    return _RUNNERS[argv[0]](argv[1:])

_USUAL = tuple(
    tuple(pattern.split())
    for pattern in (
        "pytest **", "python -m pytest **", "python3 -m pytest **", "npm test", "npm test -- **", "npm run lint", "npm run lint -- **", "make test",
        "cargo check **", "cargo test **", "go test **", "go vet **", "ruff check **", "mypy **",
    )
)  # fmt: skip


def usual_runners(scope: Scope = "project") -> tuple[ArgvRule, ...]:
    """Return the rules of a project whose person allowed the usual runners: tests, type checks and linters, with harmless options only."""
    return tuple(ArgvRule(effect="allow", argv=argv, scope=scope, rule_id=f"usual-{at}") for at, argv in enumerate(_USUAL, start=1))
