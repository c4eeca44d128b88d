"""`workbench translate`: a request body in another dialect, and what is lost on the way."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, NamedTuple

from workbench.cli.decode import read_input
from workbench.cli.output import FINE, answer_bytes, plain, print_json, say
from workbench.cli.places import add_json
from workbench.cli.sessions import session_named
from workbench.conversation.checks import Finding
from workbench.conversation.events import ExchangeOpened
from workbench.conversation.messages import DialectName
from workbench.conversation.values import json_bytes
from workbench.dialects.registry import names
from workbench.errors import UsageError
from workbench.inspection.translate import Translated, sentence, translated
from workbench.store.session_store import SessionStore
from workbench.words import _, tell_text


class Given(NamedTuple):
    """A request as it was given: its body, and where it was sent and in which dialect, as far as that is known."""

    body: bytes
    path: str = ""
    dialect: DialectName | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", metavar="FILE", help=_("a request body, a captured request, or a session's id (its last request); - reads standard input"))
    parser.add_argument("--to", required=True, choices=names(), metavar="DIALECT", help=_("the dialect to write: {names}").format(names=", ".join(names())))
    parser.add_argument("--from", dest="source", choices=names(), metavar="DIALECT", help=_("the dialect it is in (default: told from its members)"))
    parser.add_argument("--model", default="", metavar="MODEL", help=_("the model to ask instead"))
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the translated body on stdout, and on stderr what is lost and what its provider would still find wrong."""
    given = read_request(arguments.file)
    done = translated(given.body, arguments.to, source=arguments.source or given.dialect, path=given.path, model=arguments.model)
    if arguments.json:
        print_json(_json(done))
    else:
        answer_bytes(done.body + b"\n")
        _tell(done)
    return FINE


def read_request(name: str) -> Given:
    """Return the request that a person means: a file, standard input, or the last request of a session.

    Raises:
        UsageError: it cannot be read, or there is none.
    """
    if name != "-" and not Path(name).exists():
        return _of_session(name)
    data = read_input(name)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return Given(data)
    if isinstance(value, dict) and isinstance(value.get("path"), str) and isinstance(value.get("body"), dict | str):
        body = value["body"]
        return Given(body.encode() if isinstance(body, str) else json_bytes(body), value["path"])
    return Given(data)


def _of_session(name: str) -> Given:
    try:
        summary = session_named(name)
    except UsageError as error:
        text = f"{name} is neither a file nor a session: {error}"
        raise UsageError(text, message_id="cli.no_request", values={"name": name, "reason": str(error)}) from error
    store = SessionStore.open(summary.folder, read_only=True)
    try:
        opened = next((entry.event for entry in reversed(store.all_entries()) if isinstance(entry.event, ExchangeOpened)), None)
        if opened is None:
            raise UsageError("This session has sent no requests.", message_id="cli.session_without_requests")
        return Given(store.body(opened.body), "/" + opened.url.partition("://")[2].partition("/")[2], opened.dialect)
    finally:
        store.close()


def _tell(done: Translated) -> None:
    for loss in done.losses:
        rule, _colon, _text = sentence(loss).partition(": ")
        say(plain(f"{rule}: {tell_text(loss.text)}"), fold=False)
    for word, findings in ((_("repaired"), done.repairs), (_("still wrong"), done.left)):
        for finding in findings:
            say(plain(f"{word}: {finding.rule} {finding.pointer}: {tell_text(finding.message)}"), fold=False)


def _json(done: Translated) -> dict[str, Any]:
    return {
        "from": done.source,
        "to": done.target,
        "path": done.path,
        "body": json.loads(done.body),
        "losses": [{"rule": loss.rule, "message": loss.message, "part": loss.part, "text": loss.text} for loss in done.losses],
        "repairs": [_finding(finding) for finding in done.repairs],
        "findings": [_finding(finding) for finding in done.left],
    }


def _finding(finding: Finding) -> dict[str, str]:
    return {"rule": finding.rule, "severity": finding.severity, "pointer": finding.pointer, "message": finding.message, "fix": finding.fix}
