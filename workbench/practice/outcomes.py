"""What a tool's result says about the call: it worked, failed, was refused by a person or a rule, or ran in another form.

A model on the wire sees only the text of a result, so this reads the text, by the form that the tools' results have:
``Error (kind): what happened.`` and, on the next line, what to do.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

OutcomeKind: TypeAlias = Literal["ok", "rejected", "denied", "cancelled", "error", "missing"]

READ_AT_MOST = 20_000
"""Characters of a result that are searched for an error, a note or an edit: they stand at its start."""

_ERROR = re.compile(r"\s*Error \((?P<kind>\w+)\):[ \t]*(?P<what>[^\n]*)(?P<more>(?s:.*))")
_IN_REACT = re.compile(r"\s*(?P<what>.{1,200} is not a valid tool, try one of \[|Invalid Format: )")
"""What ReAct's own words for a call that did not run begin with; that dialect has no flag for errors."""
_BY_PERSON = re.compile(
    r"\b(?:user|person|human)\b[^.\n]{0,20}\b(?:rejected|declined|refused)\b|\b(?:rejected|declined) by (?:the )?(?:user|person|human)\b",
    re.IGNORECASE)
_NOTE = re.compile(
    r"\b(?:note|reason|said|says|wrote|comment|feedback)\b[^:：\n]{0,40}[:：]\s*(?P<note>.+?)\s*(?:\n(?:Do not retry|Do not repeat)|\Z)",
    re.IGNORECASE | re.DOTALL)
_EDITED = re.compile(r"The user (?:edited|changed) [^\n]*", re.IGNORECASE)
_MEANT = re.compile(r"did you mean:?\s+(?P<names>[^\n]+?)\s*\?(?:\s|$)", re.IGNORECASE)
_SIMILAR = re.compile(r"(?:similar|suggest|nearest|closest)[^:\n]*:(?P<names>[^\n]*(?:\n[ \t]*[-*•][^\n]*)*)", re.IGNORECASE)


class Outcome(NamedTuple):
    """How a call ended.

    Attributes:
        error: the stable kind of an error, e.g. ``file_not_found``.
        what: the error's sentence.
        more: what stands below it.
        note: what a person wrote when rejecting.
        edited: the line that says what a person changed before the call ran.
    """

    kind: OutcomeKind
    error: str = ""
    what: str = ""
    more: str = ""
    note: str = ""
    edited: str = ""


def outcome_of(result: str | None, decision: str = "none") -> Outcome:
    """Read a result's text; None means that no result came back. `decision` is the neutral part's, where the dialect carries it."""
    if result is None:
        return Outcome("missing")
    head = result[:READ_AT_MOST]
    found = _ERROR.match(head)
    if found is None and (told := _IN_REACT.match(head)):
        error = "invalid_json" if told["what"].startswith("Invalid") else "unknown_tool"
        return Outcome("error", error, head.strip().partition("\n")[0])
    if found is None:
        edited = _EDITED.match(head)
        return Outcome("ok", edited=edited[0].strip() if edited else "")
    error, what, more = found["kind"], found["what"].strip(), found["more"].strip()
    kind = _error_kind(error, what, decision)
    said = _NOTE.search(f"{what}\n{more}") if kind == "rejected" else None
    changed = _EDITED.search(more)
    return Outcome(kind, error, what, more, note=said["note"].strip("\"“”「」 ") if said else "", edited=changed[0].strip() if changed else "")


def text_below_edit(result: str) -> str:
    """Return a result without the line by which the program tells that a person changed the call."""
    return _EDITED.sub("", result, count=1).removeprefix("\n") if _EDITED.match(result) else result


def _error_kind(error: str, what: str, decision: str) -> OutcomeKind:
    if error == "cancelled" or decision == "cancelled":
        return "cancelled"
    if error == "rejected" or decision == "rejected" or (error == "denied" and _BY_PERSON.search(what)):
        return "rejected"
    return "denied" if error == "denied" else "error"


def suggested_paths(outcome: Outcome) -> list[str]:
    """Return the paths an error offers instead of the one that is not there, at most three."""
    words = f"{outcome.what}\n{outcome.more}"
    if meant := _MEANT.search(words):
        names = re.split(r",?\s+or\s+|,\s+", meant["names"])
    else:
        similar = _SIMILAR.search(words)
        names = re.split(r"[,，、\n]", similar["names"]) if similar else []
    paths = [name.strip(" \t`'\"“”()*•").removeprefix("- ") for name in names]
    return list(dict.fromkeys(path for path in paths if path))[:3]
