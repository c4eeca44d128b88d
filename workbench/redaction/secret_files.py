"""Reads files that hold secrets (``.env``, ``.npmrc``, ``.netrc``, credentials): which values they keep, and what may be shown of them."""

from __future__ import annotations

import re

from workbench.redaction.known import SHORTEST_SECRET
from workbench.redaction.marks import MARK, mark
from workbench.redaction.redactor import Redacted

MOST_VALUES = 200
"""A file that lists more is not one of keys."""

_LINE = re.compile(
    r"(?P<head>\s*(?:\d+: )?\s*(?:#+ ?)?(?:export\s+|set\s+)?[\"']?(?P<name>[A-Za-z_/][\w./:@-]*?)[\"']?\s*(?:=>|=|:(?=\s|$))\s*)(?P<value>\S.*)?"
)
_NETRC = re.compile(r"(?P<head>.*?\b(?P<name>password|account)\s+)(?P<value>\S+)(?P<rest>.*)")
_NUMBERED = re.compile(r"\s*(?:\d+: )?")
_SHOWN = re.compile(r"\s*(?:\[[\w .:-]{1,80}\]|[\[\]{}(),]*|</?[a-z]+>)\s*")
_TELLING = re.compile(r"key|token|secret|passw|pwd|credential|auth|private|dsn|cert|salt|session|cookie|signature", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{1,20}|[\d.,:_-]+[A-Za-z%]{0,3}|(?:true|false|yes|no|on|off|none|null)", re.IGNORECASE)
_PATH = re.compile(r"(?:\.{0,2}|~)/\S*|[A-Za-z]:\\\S*")
_PLACE = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?(?:[\w-]+\.)*[A-Za-z][\w-]*(?::\d{1,5})?(?:/[^\s?#@]*)?", re.IGNORECASE)
_USER_INFO = re.compile(r"://[^/@\s:]*:([^/@\s]+)@")


def secret_values(text: str) -> dict[str, str]:
    """Return the values that a file of secrets keeps, each with its name; at most `MOST_VALUES`.

    Left out are values that are no secret by all appearances and would be found everywhere: words, numbers, paths and addresses without
    a password, unless their name says that they are one (``…KEY``, ``…TOKEN``, ``…PASSWORD``); and those of fewer than 8 characters.
    """
    found: dict[str, str] = {}
    for line in text.splitlines():
        if len(line) > 20_000 or len(found) >= MOST_VALUES:
            continue
        named = _NETRC.fullmatch(line) if " password " in f" {line}" and "=" not in line else None
        named = named or _LINE.fullmatch(line)
        if named is None or not named["value"]:
            continue
        name, value = named["name"].rpartition(":")[2].lstrip("_/") or "secret", _unquoted(named["value"])
        for password in _USER_INFO.findall(value):
            if len(password) >= SHORTEST_SECRET:
                found.setdefault(password, name)
        if is_secret_value(name, value):
            found.setdefault(value, name)
    return found


def is_secret_value(name: str, value: str) -> bool:
    """Say whether a named value of a file of secrets, or of the environment, is to be looked for."""
    return len(value) >= SHORTEST_SECRET and bool(_TELLING.search(name) or not _is_ordinary(value))


def names_only(text: str) -> Redacted:
    """Return a file of secrets with its names, its comments and its order; every value, and every line of another form, is replaced."""
    lines, count = [], 0
    for line in text.split("\n"):
        shown = _names_of(line)
        count += shown != line
        lines.append(shown)
    return Redacted("\n".join(lines), count)


def _names_of(line: str) -> str:
    if MARK.search(line):
        return line
    if named := _LINE.fullmatch(line) or _NETRC.fullmatch(line):
        value = named["value"] or ""
        return line if value in {"", "{", "["} else f"{named['head']}{mark(named['name'].rpartition(':')[2].lstrip('_/'))}{',' * value.endswith(',')}"
    number = _NUMBERED.match(line)
    start = number.end() if number else 0
    body = line[start:]
    if _SHOWN.fullmatch(body) or (body.lstrip().startswith(("#", ";", "//")) and not re.search(r"[=:]\s*\S|\S{24}", body)):
        return line
    return line[:start] + mark("line")


def _unquoted(value: str) -> str:
    """Return a value as programs have it: without quotes around it, or a comment behind it."""
    value = value.strip().removesuffix(",")
    if value[:1] in {'"', "'"} and (end := value.find(value[0], 1)) > 0:
        return value[1:end]
    return value.split(" #", 1)[0].strip()


def _is_ordinary(value: str) -> bool:
    return bool(_WORD.fullmatch(value) or _PATH.fullmatch(value) or (_PLACE.fullmatch(value) and not _looks_random(value)) or "${" in value)


def _looks_random(value: str) -> bool:
    """Say whether a value that could be the name of a host is more likely a key: without a dot or scheme, with letters and digits mixed."""
    return "://" not in value and "." not in value and ":" not in value and any(character.isdigit() for character in value)
