"""What the tool bash makes of a sandbox: how far a command may reach, what kept it from something, and what it left that was moved away."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from workbench.conversation.calls import Confinement
from workbench.conversation.values import clean_text
from workbench.errors import ToolError
from workbench.permissions.names import is_secret, protection
from workbench.tools.base import Result, ToolContext
from workbench.workspace.process import Outcome
from workbench.workspace.sandbox_cage import Held, hold
from workbench.workspace.sandbox_shape import Bounds, GuardedNames, Rung
from workbench.workspace.sandbox_survey import ENTRIES_AT_MOST
from workbench.workspace.sandbox_watch import PutAside
from workbench.workspace.worker import finished, in_thread

QUARANTINE = "quarantine"
"""Folder beside a session's whole outputs that takes what commands may not leave in the workspace."""

DENIED_AT_MOST = 8

_NAMES = GuardedNames(protected=lambda path: protection(path) is not None, secret=is_secret)
_QUOTED = r"(?:'(?P<quoted>[^'\n]+)'|(?P<bare>[^\s:'\"][^:'\"\n]*))"
_WRITE = re.compile(
    rf"{_QUOTED}: (?:Read-only file system|Device or resource busy)|EROFS[^\n]*?'(?P<node>[^'\n]+)'|Read-only file system: '(?P<python>[^'\n]+)'"
)
_REFUSED = re.compile(rf"{_QUOTED}: Permission denied|EACCES[^\n]*?'(?P<node>[^'\n]+)'|Permission denied: '(?P<python>[^'\n]+)'")
_MISSING = re.compile(rf"{_QUOTED}: No such file or directory|ENOENT[^\n]*?'(?P<node>[^'\n]+)'|No such file or directory: '(?P<python>[^'\n]+)'")
_NETWORK = re.compile(
    r"Network is unreachable|network is unreachable|Temporary failure in name resolution|Could not resolve host|Name or service not known|ENETUNREACH"
    r"|EAI_AGAIN|getaddrinfo ENOTFOUND|nodename nor servname|No address associated with hostname|Cannot assign requested address|unable to resolve host"
    r"|Failed to resolve|socket: Operation not permitted|dial tcp: lookup [^\n]*|dns error",
)
_HOST = re.compile(r"(?:resolve host:? |lookup |ENOTFOUND |host=')([A-Za-z0-9.-]+)")
_NOT_PERMITTED = re.compile(r"(?:([^:\n]+): )?(?:Operation not permitted|EPERM)")
_SCRATCH_LOST = re.compile(r"(?:^|[\s'\"])(?:/var)?/tmp/\S+: No such file or directory|No such file or directory: '(?:/var)?/tmp/", re.MULTILINE)
_FILTERED = re.compile(r"unshare|mount|ptrace|strace|gdb|keyctl|perf|bpf|io_uring|setns|nsenter|clone|chroot|userfaultfd|podman|docker|bwrap", re.IGNORECASE)
"""What the filter of system calls stands in the way of; everything else that is not permitted is so outside, too."""


class Denial(NamedTuple):
    """Something the sandbox kept a command from, as far as its words tell: ``write``, ``read``, ``network`` or ``other``, and what."""

    kind: str
    subject: str


async def held_by(context: ToolContext) -> Held | None:
    """Return what a command of this call runs in; None if it was decided that nothing holds it.

    A call without a decision is confined wherever a session has a sandbox.

    Raises:
        ToolError: it must be held and cannot be (``sandbox_unavailable``, ``sandbox_refused``); it must not be run then.
    """
    if context.confinement == "unconfined" or (not context.confinement and context.sandbox is None):
        return None
    if context.sandbox is None:
        raise ToolError("sandbox_unavailable", "The command was not run, since there is no sandbox here to confine it.", "Tell the user.")
    sandbox = await context.sandbox()
    return await finished(in_thread(lambda: hold(sandbox, _bounds(context))))


def _bounds(context: ToolContext) -> Bounds:
    workspace = context.workspace
    return Bounds(
        workspace=workspace.path,
        writable=tuple(root.path for root in workspace.extra if root.writable),
        readable=(*(root.path for root in workspace.extra if not root.writable), Path(os.path.realpath(context.outputs))),
        hidden=() if context.data_folder is None else (context.data_folder,),
        names=_NAMES,
        revealed=context.revealed,
        network=context.confinement == "network",
    )


def quarantine_of(context: ToolContext) -> Path:
    """Return the folder that takes what a call's command may not leave."""
    return context.outputs / QUARANTINE / re.sub(r"[^A-Za-z0-9_-]", "_", context.call_id)[:80]


def moving_away(held: Held | None, context: ToolContext) -> asyncio.Future[tuple[PutAside, ...]]:
    """Begin to move what a command left and must not out of the workspace; see `worker.finished`."""
    return in_thread(lambda: held.put_aside(quarantine_of(context)) if held is not None else ())


async def rung_here(context: ToolContext) -> Rung:
    """Return what could hold a command here, even if nothing holds this one."""
    return (await context.sandbox()).rung if context.sandbox is not None else "none"


def with_sandbox(result: Result, outcome: Outcome, held: Held | None, aside: tuple[PutAside, ...], rung: Rung, confinement: Confinement) -> Result:
    """Return a command's result with what its sandbox has to do with it, for the model and for people."""
    if held is None:
        return replace(result, ui={**result.ui, "sandbox": _ui("unconfined", rung, (), (), held)}) if confinement else result
    failed = outcome.ended == "exited" and (outcome.exit_code != 0 or bool(outcome.status and any(outcome.status.pipeline)))
    denied = tuple(dict.fromkeys(_denials(outcome.output.text, held)))[:DENIED_AT_MOST] if failed else ()
    lines = [_denied_line(denied)] if denied else []
    if failed and _SCRATCH_LOST.search(outcome.output.text):
        lines.append("[/tmp is new for each command: keep files that are needed again in the workspace]")
    if not held.before.complete:
        lines.append(f"[there are more than {ENTRIES_AT_MOST:,} files in the workspace: not all that steer what runs later could be guarded, tell the user]")
    lines += [aside_line(one, held.bounds.workspace) for one in aside]
    network = bool(held.bounds.network)
    return replace(
        result,
        text="\n".join([result.text, *lines]),
        ui={**result.ui, "sandbox": _ui("network" if network else "confined", held.sandbox.rung, denied, aside, held)},
        stopped_by_sandbox=_needed(denied) if outcome.exit_code else "",
    )


def _needed(denied: tuple[Denial, ...]) -> Confinement:
    """Return what would have let a command through that failed; nothing if the sandbox kept it from nothing."""
    kinds = {one.kind for one in denied}
    if not kinds:
        return ""
    return "network" if kinds == {"network"} else "unconfined"


def _denials(text: str, held: Held) -> Iterator[Denial]:
    for line in text.splitlines():
        if found := _WRITE.search(line):
            yield Denial("write", _subject(found))
        elif (found := _REFUSED.search(line)) and _is_secret_here(_subject(found), held):
            yield Denial("read", _subject(found))
        elif (found := _REFUSED.search(line)) and held.sandbox.rung in {"landlock", "seatbelt"} and _is_outside(_subject(found), held):
            yield Denial("write" if "cannot create" in line or "cannot touch" in line else "read", _subject(found))
        elif (found := _MISSING.search(line)) and _is_hidden(_subject(found), held):
            yield Denial("read", _subject(found))
        elif not held.bounds.network and (found := _NETWORK.search(line)):  # with the network open, it was not the sandbox
            host = _HOST.search(line)
            yield Denial("network", host[1] if host else "")
        elif (found := _NOT_PERMITTED.search(line)) and (_FILTERED.search(line) or ("chown" in line and os.geteuid() == 0)):
            yield Denial("other", clean_text((found[1] or "").strip()[-200:]))


def _subject(found: re.Match[str]) -> str:
    named = next((value for value in found.groupdict().values() if value), "")
    return clean_text(named.strip()[:300])


def _is_hidden(path: str, held: Held) -> bool:
    """Say whether a path lies in somebody's home, which a held command sees empty, and something stands there."""
    place = Path(os.path.expanduser(path))  # noqa: PTH111 - a user name in it must not raise
    return place.is_absolute() and any(place.is_relative_to(home) for home in held.sandbox.homes) and os.path.lexists(place)


def _is_secret_here(path: str, held: Held) -> bool:
    """Say whether a path is a secret file in the workspace, which a held command cannot open."""
    return any(secret.name == Path(path).name for secret in held.before.secrets)


def _is_outside(path: str, held: Held) -> bool:
    place = Path(path)
    roots = (held.bounds.workspace, *held.bounds.writable)
    return place.is_absolute() and not any(place.is_relative_to(root) for root in roots)


def _denied_line(denied: tuple[Denial, ...]) -> str:
    what = {
        "write": "it may change nothing but the workspace, and there no file that steers later runs",
        "read": "it sees no home folders and no files of secrets",
        "network": "it has no network",
        "other": "some system calls are refused",
    }
    reasons = "; ".join(dict.fromkeys(what[one.kind] for one in denied))
    subjects = ", ".join(dict.fromkeys(one.subject for one in denied if one.subject))
    return f"[the command runs in a sandbox: {reasons}{f' (it tried: {subjects})' if subjects else ''}]"


def aside_line(one: PutAside, workspace: Path, who: str = "the command") -> str:
    """Return what the model is told of something that was moved away."""
    shown = _shown(one.path, workspace)
    if one.restored:
        return f"[{shown} steers what runs later: what {who} wrote there was taken back]"
    left = "" if who == "the command" else f"; {who} left it"
    return f"[{shown} would steer what runs later or leads out of the workspace: it was moved away, the user can look at it{left}]"


def aside_entry(one: PutAside, workspace: Path) -> dict[str, str]:
    """Return the same for people."""
    return {"path": _shown(one.path, workspace), "kept": clean_text(str(one.kept))}


def _shown(path: Path, workspace: Path) -> str:
    return clean_text(str(path.relative_to(workspace) if path.is_relative_to(workspace) else path))


def _ui(confinement: Confinement, rung: str, denied: tuple[Denial, ...], aside: tuple[PutAside, ...], held: Held | None) -> dict[str, Any]:
    return {
        "confinement": confinement,
        "rung": rung,
        "denied": [{"kind": one.kind, "subject": one.subject} for one in denied],
        "quarantined": [aside_entry(one, held.bounds.workspace) for one in aside] if held else [],
    }
