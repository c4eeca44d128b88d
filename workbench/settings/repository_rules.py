"""Rules that a repository ships: those that refuse or ask hold at once, since they only tighten; those that allow are only shown.

They stand in ``.workbench/permissions.json`` (``{"rules": […]}``) and in ``workbench.toml`` (``[permissions]``, ``rules = […]``).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from workbench.errors import SettingsError, WorkbenchError
from workbench.permissions.rules import Rule, rule_from
from workbench.settings.repository_files import ShippedFile, read_shipped

RULES_JSON = ".workbench/permissions.json"
WORKBENCH_TOML = "workbench.toml"
LIMIT_BYTES = 256 * 1024
RULES_AT_MOST = 500

_PROBLEMS: Mapping[str, str] = {
    "link": "it is a link",
    "special": "it is no regular file",
    "large": f"it is larger than {LIMIT_BYTES // 1024} KB",
    "unreadable": "it cannot be read",
}


class RepositoryRules(NamedTuple):
    """What a repository's files of rules say.

    Attributes:
        tightening: rules that refuse or ask; they hold at once.
        offered: rules that allow; they hold only as a person's own copy.
        warnings: what could not be used, one sentence each.
    """

    tightening: tuple[Rule, ...] = ()
    offered: tuple[Rule, ...] = ()
    warnings: tuple[WorkbenchError, ...] = ()


def repository_rules(root: Path) -> RepositoryRules:
    """Return what a repository's files of rules say. Blocking; no link is followed, and a broken file is only a warning.

    Args:
        root: real path of the repository's folder.
    """
    rules: list[Rule] = []
    warnings: list[WorkbenchError] = []
    for name, parse in ((RULES_JSON, _json_rules), (WORKBENCH_TOML, _toml_rules)):
        shipped = read_shipped(root, name, limit_bytes=LIMIT_BYTES)
        if shipped is None:
            continue
        try:
            entries = parse(_text(shipped))
        except SettingsError as error:
            warnings.append(error)
            continue
        rules += _rules(name, entries, warnings)
    return RepositoryRules(
        tightening=tuple(rule for rule in rules if rule.effect != "allow"),
        offered=tuple(rule for rule in rules if rule.effect == "allow"),
        warnings=tuple(warnings),
    )


def _text(shipped: ShippedFile) -> str:
    if shipped.content is None:
        raise _unusable(shipped.name, _PROBLEMS.get(shipped.problem, shipped.problem))
    try:
        return shipped.content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unusable(shipped.name, "it is not UTF-8 text") from error


def _json_rules(text: str) -> list[Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unusable(RULES_JSON, f"it is not JSON ({error})") from error
    return _entries(RULES_JSON, value)


def _toml_rules(text: str) -> list[Any]:
    try:
        value = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _unusable(WORKBENCH_TOML, f"it is not TOML ({error})") from error
    return _entries(WORKBENCH_TOML, value["permissions"]) if "permissions" in value else []


def _entries(name: str, value: Any) -> list[Any]:
    entries = value.get("rules", []) if isinstance(value, dict) else value
    if not isinstance(entries, list):
        raise _unusable(name, "its rules are not a list")
    if len(entries) > RULES_AT_MOST:
        raise _unusable(name, f"it has more than {RULES_AT_MOST} rules")
    return entries


def _rules(name: str, entries: list[Any], warnings: list[WorkbenchError]) -> list[Rule]:
    found: list[Rule] = []
    for number, entry in enumerate(entries, 1):
        try:
            if not isinstance(entry, dict):
                raise _unusable(name, f"rule {number} is not a table")
            found.append(rule_from(entry, scope="project", rule_id=f"{name}:{number}"))
        except SettingsError as error:
            text = f"Rule {number} of {name} is ignored. {error.text}"
            warnings.append(SettingsError(text, message_id="rules.repository_rule", values={"file": name, "number": number, "reason": error.text}))
    return found


def _unusable(name: str, reason: str) -> SettingsError:
    text = f"The rules in the project's file {name} cannot be used, because {reason}. None of them holds."
    return SettingsError(text, message_id="rules.repository_file", values={"file": name, "reason": reason})
