"""Repairs of a request body: the edits of its findings, applied until nothing is left that a repair can mend.

A repair changes only what goes out. The same body and rules give the same bytes every time, so that prompt caches still hit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import json_bytes
from workbench.dialects.json_document import EditRefused, JsonDocument, pointer_names

Check: TypeAlias = Callable[[bytes], tuple[Finding, ...]]

_MOST_ROUNDS = 1_000


class Edited(NamedTuple):
    """A body after edits; `skipped` are those that lead to nothing in it, with the reason."""

    body: bytes
    skipped: tuple[tuple[Edit, str], ...]


class Mended(NamedTuple):
    """A body after repairs.

    Attributes:
        body: the exact bytes.
        applied: the findings that were mended, in the order in which that was done.
        left: all findings of the body as it is now.
        pieces: the body in pieces, one an element of a list of the request, as `EncodedRequest` has them.
    """

    body: bytes
    applied: tuple[Finding, ...]
    left: tuple[Finding, ...]
    pieces: tuple[bytes, ...]

    @property
    def mends(self) -> bool:
        """Whether nothing is left that a provider refuses."""
        return not any(finding.severity == "error" for finding in self.left)


class _Span(NamedTuple):
    """The elements of one list of the request that a finding's edits touch."""

    member: str
    first: int
    last: int


def is_error(finding: Finding) -> bool:
    """Say whether a provider refuses the request because of a finding."""
    return finding.severity == "error"


def with_edits(body: bytes, edits: Iterable[Edit]) -> Edited:
    """Return the body with the edits carried out in order; one that leads to nothing is left out and told."""
    document, skipped = JsonDocument(body), []
    for edit in edits:
        try:
            document.apply(edit)
        except EditRefused as reason:
            skipped.append((edit, str(reason)))
    return Edited(document.text(), tuple(skipped))


def mended(check: Check, body: bytes, *, wanted: Callable[[Finding], bool] = is_error, found: Sequence[Finding] | None = None) -> Mended:
    """Repair a body: mend what is found and wanted, check again, until nothing of it is left that has edits.

    In one round the first such finding is mended, and with it those of its rule whose edits touch other elements of the same list. Ends always:
    a repair that gives a body which was there before, or that cannot be carried out whole, is not tried again.

    Args:
        check: finds what is wrong with a body.
        body: a request.
        wanted: which findings are mended, of those with edits.
        found: what `check` says of `body`, where that is known.
    """
    findings = tuple(check(body) if found is None else found)
    applied: list[Finding] = []
    pieces: tuple[bytes, ...] = (body,)
    seen, useless = {_digest(body)}, set[tuple[str, str, bytes]]()
    for _ in range(_MOST_ROUNDS):
        wave = _wave([finding for finding in findings if finding.edits and wanted(finding) and _key(finding) not in useless])
        if not wave:
            break
        document = JsonDocument(body)
        broken = [finding for finding in wave if not _carried_out(document, finding)]
        changed = document.text()
        if broken or _digest(changed) in seen:  # half of a repair may be worse than none
            useless |= {_key(finding) for finding in broken or wave}
            continue
        seen.add(_digest(changed))
        body, pieces = changed, document.pieces()
        applied += reversed(wave)
        findings = check(body)
    return Mended(body, tuple(applied), findings, pieces)


def _wave(findings: Sequence[Finding]) -> list[Finding]:
    """Return the first finding and those of its rule that touch other elements of the same list.

    The last element comes first, so that the places of the others stay true. Repairs of two rules may be about the same call (a new id
    here, a result for the old one there), so they wait for a new look.
    """
    if not findings:
        return []
    first = _span(findings[0])
    if first is None:
        return [findings[0]]
    chosen = [(first, findings[0])]
    for finding in findings[1:]:
        span = _span(finding) if finding.rule == findings[0].rule else None
        if span is not None and span.member == first.member and all(span.last < other.first or other.last < span.first for other, _ in chosen):
            chosen.append((span, finding))
    return [finding for _, finding in sorted(chosen, key=lambda one: one[0].first, reverse=True)]


def _span(finding: Finding) -> _Span | None:
    """Return which elements of one list all edits of a finding touch; None if they are about something else too."""
    places: list[tuple[str, int]] = []
    for edit in finding.edits:
        for pointer in (edit.pointer, *((edit.source,) if edit.op == "move" else ())):
            try:
                names = pointer_names(pointer)
            except EditRefused:
                return None
            if len(names) < 2 or not names[1].isdecimal():
                return None
            places.append((names[0], int(names[1])))
    members = {member for member, _ in places}
    if len(members) != 1:
        return None
    return _Span(members.pop(), min(place for _, place in places), max(place for _, place in places))


def _carried_out(document: JsonDocument, finding: Finding) -> bool:
    """Carry out a finding's edits in order; False at the first that leads to nothing."""
    for edit in finding.edits:
        try:
            document.apply(edit)
        except EditRefused:
            return False
    return True


def _key(finding: Finding) -> tuple[str, str, bytes]:
    """Return what makes a finding and its repair the same again; findings with edits cannot be hashed, their values may be objects."""
    return finding.rule, finding.pointer, json_bytes(finding.edits)


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()
