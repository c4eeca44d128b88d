"""Git commands that only read: sub-commands and options by allow-list, from git's manual pages (https://git-scm.com/docs).

Whether the repository's own configuration would run something is a question for `git_repository`.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from workbench.permissions.commands_options import Form, Given, Look, form, given
from workbench.permissions.shell_syntax import NotUnderstood

GLOBAL_FLAGS = frozenset({"--no-pager", "-P", "--no-optional-locks"})
_TELLING_NAMES = (".env", ".env.local", ".netrc", ".npmrc", ".pypirc", "id_rsa", "server.key", "server.pem")
_RUNS_GPG = re.compile(r"%G|%\(\*?signature")
_SORTS_BY_GPG = re.compile(r"-?\*?(?:version:|v:)?signature")
_SHOWS_MERGES = re.compile(r"off|none|on|first-parent|1|separate|m|combined|c|dense-combined|cc")
_SECRET_KEYS = re.compile(r"credential|extraheader|token|password|secret|cookie|proxy|sslkey|sslcert", re.IGNORECASE)
_DIFF_FLAGS = (
    " -psRabwzuW patch no-patch stat shortstat numstat summary name-only name-status raw minimal patience histogram check full-index binary no-renames no-color"
    " ignore-space-change ignore-all-space ignore-blank-lines ignore-space-at-eol ignore-cr-at-eol function-context text exit-code quiet no-ext-diff"
    " no-textconv no-prefix default-prefix cumulative compact-summary patch-with-stat patch-with-raw pickaxe-regex pickaxe-all indent-heuristic"
    " no-indent-heuristic irreversible-delete find-copies-harder no-color-moved no-relative ita-visible-in-index ita-invisible-in-index"
)
_DIFF_TEXTS = (
    " -SGl diff-filter stat-width stat-name-width stat-count word-diff-regex ws-error-highlight inter-hunk-context diff-algorithm src-prefix"
    " dst-prefix line-prefix anchored output-indicator-new output-indicator-old output-indicator-context"
)
_DIFF_MAYBE = (
    " -MCBDXU unified stat color color-words word-diff submodule ignore-submodules relative find-renames find-copies break-rewrites dirstat color-moved"
    " color-moved-ws abbrev rotate-to skip-to"
)
_LOG_FLAGS = (
    " -iEFPgcmtrq oneline graph all merges no-merges first-parent reverse follow date-order topo-order author-date-order no-decorate abbrev-commit"
    " no-abbrev-commit parents children left-right left-only right-only cherry cherry-pick cherry-mark boundary simplify-by-decoration simplify-merges"
    " full-history dense sparse regexp-ignore-case extended-regexp fixed-strings perl-regexp basic-regexp all-match invert-grep relative-date cc full-diff"
    " walk-reflogs no-notes clear-decorations source no-mailmap use-mailmap mailmap remove-empty no-min-parents no-max-parents ignore-missing"
    " combined-all-paths dd no-diff-merges merge show-pulls no-expand-tabs expand-tabs no-graph"
)
_LOG_TEXTS = (
    " -nL format date since until after before author committer grep max-count skip decorate-refs decorate-refs-exclude exclude glob min-parents max-parents"
    " grep-reflog encoding since-as-filter diff-merges"
)
_LOG_MAYBE = " decorate pretty branches tags remotes no-walk ancestry-path notes show-linear-break"


def _only_shows(said: Given) -> None:
    if any(_RUNS_GPG.search(value) for value in said.values("format", "pretty", "sort")):
        raise NotUnderstood("a format that checks signatures")
    if any(map(_SORTS_BY_GPG.match, said.values("sort"))):
        raise NotUnderstood("an order that checks signatures")
    if any(not _SHOWS_MERGES.fullmatch(value) for value in said.values("diff-merges")):
        raise NotUnderstood("a merge to be made anew, which writes objects")
    if not set(said.values("submodule")) <= {"", "log", "short"}:
        raise NotUnderstood("a comparison inside submodules, which runs git there")


def _names_a_range(said: Given) -> None:
    _only_shows(said)
    if not said.operands and not said.has("all"):
        raise NotUnderstood("a summary of what is typed in")


def _lists_branches(said: Given) -> None:
    _only_shows(said)
    if said.operands and not said.has("list", "l", "contains", "no-contains", "merged", "no-merged", "points-at"):
        raise NotUnderstood("a branch to make")


def _lists_tags(said: Given) -> None:
    _only_shows(said)
    if said.operands and not said.has("list", "l", "contains", "no-contains", "merged", "no-merged", "points-at"):
        raise NotUnderstood("a tag to make")


def _shows_reflog(said: Given) -> None:
    _only_shows(said)
    if said.operands and said.operands[0] in {"expire", "delete", "exists", "drop", "list", "write"}:
        raise NotUnderstood("a change of the reflog")


def _gets_a_value(said: Given) -> None:
    if not said.has("get", "get-all") or not 1 <= len(said.operands) <= 2 or _SECRET_KEYS.search(said.operands[0]):
        raise NotUnderstood("a configuration key that may be secret, or a change of it")


def _one_object(said: Given) -> None:
    if not said.has("p", "t", "s", "e") and said.operands[:1] not in (("blob",), ("tree",), ("commit",), ("tag",)):
        raise NotUnderstood("an object of no known type")


def _only(*verbs: str) -> Callable[[Given], None]:
    def check(said: Given) -> None:
        _only_shows(said)
        if said.operands[: len(verbs)] != verbs or (len(verbs) == 0 and said.operands):
            raise NotUnderstood("a change")

    return check


def _git(flags: str = "", texts: str = "", maybe: str = "", check: Callable[[Given], None] | None = None, *, digits: bool = False) -> Form:
    made = form(flags, texts, maybe=maybe, digits=digits, check=check)
    return replace(made, flags=made.flags - {"help", "version"}, strict=True)


_LOG = _git(_LOG_FLAGS + _DIFF_FLAGS, _LOG_TEXTS + _DIFF_TEXTS, _LOG_MAYBE + _DIFF_MAYBE, _only_shows, digits=True)
_REF_LIST = " points-at sort format"
_REF_MAYBE = " contains no-contains merged no-merged"

FORMS: Mapping[str, Form] = {
    "status": _git("-sbvz short branch long verbose show-stash ahead-behind no-ahead-behind renames no-renames no-column null",
                   maybe="-u porcelain untracked-files ignored ignore-submodules column find-renames"),
    "diff": _git(_DIFF_FLAGS + " cached staged merge-base", _DIFF_TEXTS, _DIFF_MAYBE, _only_shows),
    "log": _LOG,
    "show": _LOG,
    "branch": _git("-arvliq all remotes verbose list show-current no-color no-column ignore-case omit-empty", _REF_LIST, "color column abbrev" + _REF_MAYBE,
                   _lists_branches),
    "blame": _git("-bstlefnpwckr porcelain line-porcelain incremental show-stats show-name show-number show-email root minimal color-lines color-by-age",
                  "-L since date abbrev ignore-rev", "-MC"),
    "rev-parse": _git(
        "-q show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository"
        " is-shallow-repository verify quiet symbolic symbolic-full-name all revs-only no-revs flags no-flags show-superproject-working-tree"
        " show-object-format",
        "default", "abbrev-ref short branches tags remotes",
    ),
    "rev-list": _git(_LOG_FLAGS + " count objects objects-edge unpacked header timestamp no-commit-header", _LOG_TEXTS, _LOG_MAYBE + " abbrev disk-usage",
                     _only_shows, digits=True),
    "ls-files": _git("-cdmosuktvzif cached deleted modified others stage unmerged killed ignored exclude-standard full-name error-unmatch deduplicate directory"
                     " no-empty-directory eol debug", "-x exclude format", "abbrev"),
    "ls-tree": _git("-drtlz name-only name-status long full-name full-tree object-only", "format", "abbrev"),
    "describe": _git("all tags long always exact-match first-parent debug contains", "match exclude candidates", "dirty broken abbrev"),
    "remote": _git("-v verbose", check=_only()),
    "stash": _git(_LOG_FLAGS + _DIFF_FLAGS, _LOG_TEXTS + _DIFF_TEXTS, _LOG_MAYBE + _DIFF_MAYBE, _only("list"), digits=True),
    "tag": _git("-li list ignore-case no-column", _REF_LIST, "-n color column" + _REF_MAYBE, _lists_tags),
    "shortlog": _git("-snec summary numbered email committer all no-merges merges", "group format since until after before author grep", "-w", _names_a_range),
    "reflog": replace(_LOG, check=_shows_reflog),
    "merge-base": _git("-a all octopus is-ancestor independent fork-point"),
    "grep": _git(
        "-ivwnlLchHoEFGPIapqWz ignore-case invert-match word-regexp line-number name-only files-with-matches files-without-match count no-color quiet"
        " extended-regexp basic-regexp perl-regexp fixed-strings text heading break column only-matching show-function function-context all-match and or not"
        " cached full-name null",
        "-eABCm after-context before-context context max-count max-depth threads", "color", digits=True,
    ),
    "config": replace(_git("-z get get-all local global system worktree bool int path null show-origin show-scope includes no-includes", "type default",
                   check=_gets_a_value), in_front=True),
    "cat-file": _git("-ptse", check=_one_object),
    "show-ref": _git("-dsq heads tags branches dereference verify quiet head", maybe="hash abbrev"),
    "name-rev": _git("name-only tags all always no-undefined", "refs exclude"),
    "check-ignore": _git("-vqn verbose quiet non-matching no-index"),
    "worktree": _git("-vz verbose porcelain", check=_only("list")),
}  # fmt: skip
_TEXT_OPERANDS = frozenset({"branch", "tag", "config", "remote", "stash", "worktree", "describe", "merge-base", "show-ref"})


def git_look(arguments: Sequence[str]) -> Look:
    """Return what a git command reads, if it is known to change nothing.

    Args:
        arguments: everything behind ``git``.

    Raises:
        NotUnderstood: it is not in the list of readers, or an option of it is not.
    """
    verb, rest = git_command(arguments)
    allowed = FORMS.get(verb)
    if allowed is None:
        raise NotUnderstood(f"git {verb}")
    dashes = rest.index("--") if "--" in rest else len(rest)
    said = given(rest, allowed)
    if allowed.check:
        allowed.check(said)
    if verb in _TEXT_OPERANDS:
        return Look()
    certain = len(rest) - dashes - 1 if dashes < len(rest) else 0
    operands = list(said.operands)
    if verb == "grep" and not said.has("e") and operands:
        operands = operands[1:] if len(operands) > certain else operands
    first_path = max(0, len(operands) - certain)
    revisions, paths = operands[:first_path], operands[first_path:]
    names = [name for revision in revisions for name in _names_in(revision)]
    names += [value.rpartition(":")[2] for value in said.values("L") if ":" in value]
    if verb in {"log", "show", "diff", "grep", "blame", "cat-file", "rev-list", "stash", "reflog"}:
        _no_hidden_secret([*names, *paths])
    plain = [path for path in paths if not path.startswith(":")]
    return Look(paths=(*plain, *(revision for revision in revisions if _may_be_path(revision))), names=(*names, *paths))


def git_command(arguments: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the sub-command and what follows it.

    Raises:
        NotUnderstood: a global option stands in front that is not known to be harmless.
    """
    at = 0
    while at < len(arguments) and arguments[at] in GLOBAL_FLAGS:
        at += 1
    if at == len(arguments) or not re.fullmatch(r"[a-z][a-z-]*", arguments[at]):
        raise NotUnderstood("a global option of git")
    return arguments[at], arguments[at + 1 :]


def _names_in(revision: str) -> list[str]:
    """Return the file names in ``HEAD:src/x`` or ``:(top)x``; a plain word may be a file as well."""
    return [revision.rpartition(":")[2].rpartition(")")[2]] if ":" in revision else [revision]


def _may_be_path(revision: str) -> bool:
    return ":" not in revision and not revision.startswith("^")


def _no_hidden_secret(names: Sequence[str]) -> None:
    """Git expands patterns itself, over names that are on no disk any more."""
    for name in names:
        last = name.rstrip("/").rpartition("/")[2]
        if set(last) & set("*?[") and any(fnmatch.fnmatchcase(secret, last) for secret in _TELLING_NAMES):
            raise NotUnderstood("a pattern that may match a file with secrets")
