"""Commands that only read, and the options with which they still do: tables, by the manuals of GNU coreutils, grep, ripgrep, fd and others.

Left out on purpose are options that write (``-o``), run something (``--pre``, ``--compress-program``, ``-l`` of fd), follow links
(``-L``, ``-R`` of grep), or take names from a file (``-f``, ``--files0-from``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench.permissions.commands_options import Form, Given, form
from workbench.permissions.shell_syntax import NotUnderstood

_DURATION = re.compile(r"(\d{1,3}(?:\.\d*)?|\.\d+)s?")
_SUMS = form("-btz binary text tag zero")
_LONGEST_SLEEP_S = 600


def _no_response_files(said: Given) -> None:
    if any(word.startswith("@") for word in (*said.operands, *(value for _name, value in said.options))):
        raise NotUnderstood("an operand that names a file of options")


def _not_by_old_rules(said: Given) -> None:
    """``tail +1f FILE`` is ``tail -f -n +1 FILE``."""
    if any(operand.startswith("+") for operand in said.operands):
        raise NotUnderstood("an operand that may be an option in an old spelling")


def _widths(said: Given) -> None:
    """Elsewhere these letters take no value: what follows is a folder."""
    if not all(value.isdigit() for value in said.values("w", "T")) or any("/" in value or value.startswith(("..", "~")) for value in said.values("I")):
        raise NotUnderstood("a folder in place of a width")


def _short_sleep(said: Given) -> None:
    times = [_DURATION.fullmatch(operand) for operand in said.operands]
    if not all(times) or sum(float(time[1]) for time in times if time) > _LONGEST_SLEEP_S:
        raise NotUnderstood("a long sleep")


def _date_format(said: Given) -> None:
    if any(not operand.startswith("+") for operand in said.operands):
        raise NotUnderstood("a date to set")


def _without_following(said: Given) -> None:
    if said.has("r", "recursive") and not said.has("no-dereference"):
        raise NotUnderstood("a comparison that follows links")


def _programs(said: Given) -> None:
    if any("/" in operand and not re.fullmatch(r"/(usr/(local/)?)?s?bin/[\w.+-]+", operand) for operand in said.operands):
        raise NotUnderstood("a path in place of a program's name")


def _file_starts(said: Given) -> None:
    if any("\n" in operand for operand in said.operands):
        raise NotUnderstood("a name of several lines")


_GREP = form(
    "-EFGPivwxclLqsonbHhIraZzUTy extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count"
    " files-with-matches files-without-match quiet silent no-messages only-matching line-number byte-offset with-filename no-filename text recursive null"
    " null-data line-buffered initial-tab binary",
    "-eABCm regexp after-context before-context context max-count include exclude exclude-dir binary-files label",
    maybe="color colour", digits=True, operands="pattern", no_pattern="-e regexp",
)  # fmt: skip

READERS: Mapping[str, Form] = {
    "ls": form(
        "-aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ1 all almost-all author escape ignore-backups directory file-type human-readable si inode kibibytes"
        " numeric-uid-gid literal no-group hide-control-chars show-control-chars quote-name reverse recursive size full-time group-directories-first",
        "-IwT ignore hide width tabsize time-style sort time format indicator-style quoting-style block-size",
        maybe="color hyperlink classify", check=_widths,
    ),
    "cat": form("-AbeEnstTuv show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting"),
    "head": form("-qvz quiet silent verbose zero-terminated", "-nc lines bytes", digits=True),
    "tail": form("-qvz quiet silent verbose zero-terminated", "-nc lines bytes", digits=True, check=_not_by_old_rules),
    "wc": form("-clmwL bytes chars lines words max-line-length", "total"),
    "nl": form(
        "-p no-renumber", "-bdfhilnsvw body-numbering section-delimiter footer-numbering header-numbering line-increment join-blank-lines number-format"
        " number-separator starting-line-number number-width",
    ),
    "tac": form("-br before regex", "-s separator"),
    "rev": form("-0"),
    "sort": form(
        "-bdfgiMhnRrVcCmsuz ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort"
        " numeric-sort random-sort reverse version-sort merge stable unique zero-terminated debug",
        "-ktS key field-separator buffer-size sort parallel batch-size", maybe="check", check=_not_by_old_rules,
    ),
    "uniq": form(
        "-cdDuiz count repeated unique ignore-case zero-terminated", "-fsw skip-fields skip-chars check-chars",
        maybe="all-repeated group", at_most=1, in_front=True,
    ),
    "cut": form("-szn only-delimited complement zero-terminated", "-bcdf bytes characters delimiter fields output-delimiter"),
    "paste": form("-sz serial zero-terminated", "-d delimiters"),
    "column": form("-txedJ table fillrows json", "-socNHRTWOln separator"
                   " output-separator table-columns table-right table-hide table-wrap table-name output-width"),
    "tr": form("-cCdst complement delete squeeze-repeats truncate-set1", operands="texts", at_most=2),
    "diff": form(
        "-abBcdeEiNnpqrsTtuwyZ brief report-identical-files side-by-side ignore-case ignore-all-space ignore-space-change ignore-blank-lines"
        " ignore-trailing-space ignore-tab-expansion text strip-trailing-cr minimal speed-large-files new-file suppress-common-lines expand-tabs"
        " no-dereference show-c-function recursive normal left-column",
        "-UCIWFx width label exclude ignore-matching-lines show-function-line tabsize horizon-lines", maybe="unified context color", at_most=2,
        check=_without_following,
    ),
    "cmp": form("-bls print-bytes verbose silent quiet", "-in ignore-initial bytes", at_most=2),
    "comm": form("-123z check-order nocheck-order zero-terminated total", "output-delimiter", at_most=2),
    "stat": form("-ft file-system terse", "-c format printf"),
    "file": form("-bikhnNrE0 brief mime mime-type mime-encoding keep-going no-dereference extension no-buffer no-pad print0", "-Fe separator exclude"),
    "du": form(
        "-abchklmsSx0 all apparent-size bytes total human-readable summarize separate-dirs one-file-system si inodes null", "-tdB max-depth threshold"
        " block-size exclude time-style", maybe="time", default=".",
    ),
    "df": form("-ahHiklPT all human-readable si inodes local portability print-type total", "-txB type exclude-type block-size", maybe="output"),
    **dict.fromkeys(("md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "cksum", "b2sum"), _SUMS),
    "xxd": form("-abCdeEipu", "-cglso", at_most=1, alone=True),
    "od": form("-abcdfhilosxv output-duplicates", "-AjNt address-radix skip-bytes read-bytes format", maybe="-wS width strings"),
    "hexdump": form("-bcCdovx canonical one-byte-octal one-byte-hex one-byte-char two-bytes-hex no-squeezing", "-ns length skip"),
    "strings": form("-afow print-file-name include-all-whitespace all", "-ntes bytes radix encoding output-separator", digits=True, check=_no_response_files),
    "base64": form("-d decode ignore-garbage", "-w wrap", at_most=1),
    "base32": form("-d decode ignore-garbage", "-w wrap", at_most=1),
    "realpath": form(
        "-emPqsz canonicalize-existing canonicalize-missing physical quiet strip no-symlinks zero", paths="relative-to relative-base"
    ),
    "readlink": form("-femnqsvz canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero"),
    "basename": form("-az multiple zero", "-s suffix", operands="texts"),
    "dirname": form("-z zero", operands="texts"),
    "which": form("-as", operands="texts", check=_programs),
    "uname": form("-asnrvmpio all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system", operands="none"),
    "whoami": form(operands="none"),
    "id": form("-ugGnrzaZ user group groups name real zero context", operands="texts", at_most=1),
    "nproc": form("all", "ignore", operands="none"),
    "hostname": form("-s short", operands="none"),
    "sleep": form(operands="texts", check=_short_sleep),
    "true": form(operands="texts"),
    "false": form(operands="texts"),
    "pwd": form("-LP logical physical", operands="none"),
    "date": form("-uR utc universal rfc-email", "-d date", paths="-r reference", maybe="-I iso-8601 rfc-3339", operands="texts", at_most=1, check=_date_format),
    "yes": form(operands="texts"),
    "tree": form(
        "-adfiqNQpshugDFJXrtcUSAC noreport dirsfirst filesfirst prune du si inodes device nolinks gitignore matchdirs",
        "-LPI filelimit sort charset timefmt", maybe="sort", default=".", apart=True,
    ),
    **dict.fromkeys(("grep", "egrep", "fgrep"), _GREP),
    "rg": form(
        "-iSsvwxclonNHIpFUaq.0bPu unrestricted ignore-case smart-case case-sensitive invert-match word-regexp line-regexp count count-matches"
        " files-with-matches files-without-match only-matching line-number no-line-number with-filename no-filename pretty fixed-strings"
        " multiline multiline-dotall text quiet files type-list hidden no-hidden no-ignore no-ignore-vcs no-ignore-parent no-ignore-dot no-heading"
        " heading stats json column byte-offset trim null"
        " crlf passthru null-data no-messages no-config pcre2 unicode no-unicode vimgrep sort-files one-file-system no-follow max-columns-preview"
        " include-zero glob-case-insensitive auto-hybrid-regex no-column no-text line-buffered block-buffered",
        "-egtTABCmMrjEd regexp glob iglob type type-not after-context before-context context max-count max-columns replace threads encoding max-depth maxdepth"
        " sort sortr color colors context-separator field-match-separator field-context-separator max-filesize path-separator engine dfa-size-limit"
        " regex-size-limit",
        operands="pattern", no_pattern="-e regexp files type-list", default=".",
    ),
    **dict.fromkeys(
        ("fd", "fdfind"),
        form(
            "-HIusigFap01q hidden no-ignore no-ignore-vcs no-ignore-parent unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path"
            " full-path print0 quiet prune one-file-system strip-cwd-prefix no-follow show-errors",
            "-dtEeScj max-depth min-depth exact-depth type exclude extension size color threads max-results changed-within changed-before changed-after"
            " older newer owner and",
            operands="pattern", default=".",
        ),
    ),
}  # fmt: skip
"""`sed`, `find`, `jq`, `test`, `echo`, `printf`, `seq`, `set` and git have a language of their own: see `commands_special` and `git_reading`."""
