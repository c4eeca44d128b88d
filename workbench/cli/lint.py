"""`workbench lint`: what a provider would refuse in a request body, and the body repaired."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from workbench.cli.output import FINE, NO, answer, answer_bytes, colour, plain, print_json, say
from workbench.cli.places import add_json, data_folder
from workbench.cli.translate import Given, read_request
from workbench.conversation.checks import Finding
from workbench.conversation.messages import DialectName
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.json_text import read_json
from workbench.dialects.registry import dialect, names
from workbench.dialects.repairs import is_error, mended
from workbench.dialects.shapes import detect
from workbench.errors import UsageError
from workbench.providers.known_profiles import KNOWN_PROFILES
from workbench.providers.model_quirks import quirks_for
from workbench.providers.profiles import Profile, no_profile
from workbench.settings.files import load_settings
from workbench.words import _, tell_text

SETTINGS_FILE = "settings.toml"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", metavar="FILE", help=_("a request body, a captured request, or a session's id (its last request); - reads standard input"))
    parser.add_argument("--dialect", choices=names(), metavar="DIALECT", help=_("the dialect it is in (default: told from its members)"))
    parser.add_argument("--profile", metavar="NAME", help=_("the provider whose rules count, by the name of its profile"))
    parser.add_argument("--fix", action="store_true", help=_("write the repaired body on standard output, what was found on standard error"))
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print what is found; status 1 if a provider would refuse the request (with --fix: as it is repaired).

    Raises:
        UsageError: the file cannot be read, or is no request of a known dialect.
    """
    given = read_request(arguments.file)
    profile = _profile(arguments.profile) if arguments.profile else None
    name = arguments.dialect or given.dialect or _detected(given, arguments.file) or (profile.dialect if profile else None)
    body = _value(given, arguments.file)
    if name is None:
        text = f"{arguments.file} is no request of a known dialect; --dialect says which it is."
        raise UsageError(text, message_id="cli.unknown_dialect", values={"name": arguments.file})
    quirks = quirks_for(profile, _model(body, given.path)) if profile else NORM
    return _fix(given.body, name, quirks) if arguments.fix else _show(given.body, name, quirks, as_json=arguments.json)


def _show(body: bytes, name: DialectName, quirks: Quirks, *, as_json: bool) -> int:
    findings = dialect(name).check(body, quirks)
    for finding in findings:
        if as_json:
            print_json(finding_json(finding))
        else:
            _print(finding)
    if not findings and not as_json:
        say(_("Nothing is wrong with this request."))
    return NO if any(map(is_error, findings)) else FINE


def _fix(body: bytes, name: DialectName, quirks: Quirks) -> int:
    done = mended(lambda text: dialect(name).check(text, quirks), body)
    answer_bytes(done.body if done.body.endswith(b"\n") else done.body + b"\n")
    for word, findings in ((_("repaired"), done.applied), (_("still wrong"), tuple(filter(is_error, done.left)))):
        for finding in findings:
            say(plain(f"{word}: {finding.rule} {finding.pointer}: {tell_text(finding.message)}"), fold=False)
    return FINE if done.mends else NO


def finding_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as it is written for programs; `mends` says whether there is a repair."""
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "pointer": finding.pointer,
        "message": finding.message,
        "fix": finding.fix,
        "mends": bool(finding.edits),
    }


def _print(finding: Finding) -> None:
    tint = "red" if finding.severity == "error" else "amber"
    word = _("error") if finding.severity == "error" else _("warning")
    answer(f"{colour(word, tint, stream=sys.stdout)}  {plain(finding.rule)}  {plain(finding.pointer) or _('(the whole request)')}")
    answer(f"    {plain(tell_text(finding.message))}")
    if finding.fix:
        how = _(" (--fix does it)") if finding.edits and is_error(finding) else ""
        answer(colour(f"    → {plain(tell_text(finding.fix))}{how}", "faint", stream=sys.stdout))


def _detected(given: Given, name: str) -> DialectName | None:
    _value(given, name)
    return detect(given.path, given.body)


def _value(given: Given, name: str) -> Any:
    try:
        return read_json(given.body)
    except ValueError as error:
        text = f"{name} is not JSON: {error}."
        raise UsageError(text, message_id="cli.not_json", values={"name": name, "reason": str(error)}) from error


def _profile(name: str) -> Profile:
    """Return a profile of the settings, or a known one.

    Raises:
        UsageError: there is none of this name.
    """
    profiles = (*load_settings(data_folder() / SETTINGS_FILE).settings.profiles, *KNOWN_PROFILES)
    for profile in profiles:
        if profile.name == name:
            return profile
    raise no_profile(name, (profile.name for profile in profiles))


def _model(body: Any, path: str) -> str:
    """Return the model that a request asks; Gemini's stands in the address."""
    named = body.get("model") if isinstance(body, dict) else None
    return named if isinstance(named, str) else path.partition("models/")[2].partition(":")[0]
