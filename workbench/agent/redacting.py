"""Takes secrets out of what a tool gives back, before the model and the journal get it, and says how many there were."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from workbench.agent.slots import READ_ONLY, Ready
from workbench.permissions.danger import Badge
from workbench.redaction.redactor import Redactor
from workbench.tools.base import Result, Tool, ToolContext

_CHUNK_BYTES = 1 << 20


class Cleaned(NamedTuple):
    """A value without secrets, and how many were replaced."""

    value: Any
    replaced: int


def redacted(result: Result, redactor: Redactor, ready: Ready | None = None) -> Result:
    """Return a result without secrets; the same object if there are none.

    Args:
        result: what the tool gave.
        redactor: finds them.
        ready: the call, if it came so far: one that touches files of secrets shows only the names in lines ``NAME=value``, and one that a
            person let show them shows all.
    """
    if result.shows_secrets and ready is not None and ready.by != "auto":
        return result
    secret_lines = ready is not None and Badge.SECRET in ready.decision.badges
    text, replaced = redactor.text(result.text, secret_lines=secret_lines)
    facts, in_facts = redactor.text(result.facts)
    ui, in_ui = _without(result.ui, redactor, secret_lines=secret_lines)
    replaced += result.secrets_replaced
    if not (replaced or in_facts or in_ui):
        return result
    words = "1 secret replaced" if replaced == 1 else f"{replaced} secrets replaced"
    told = replace(result, facts=" · ".join(filter(None, (facts, words if replaced else ""))), ui={**ui, "secrets_replaced": replaced})
    return replace(told, text=f"{text}\n{_note(replaced)}" if replaced else text, secrets_replaced=replaced)


def redact_kept(result: Result, tool: Tool, context: ToolContext) -> None:
    """Learn what a call may have brought, and take secrets out of the file that keeps its whole output. Blocking."""
    if tool.tool_class not in READ_ONLY:
        context.redactor.refresh(True)
    if result.output_file and tool.tool_class != "exec":  # which filters what it keeps while it comes
        redact_file(context.outputs / result.output_file, context.redactor)


def redact_file(path: Path, redactor: Redactor) -> int:
    """Take secrets out of a file that keeps a whole output, and return how many there were. Blocking.

    The file is replaced at once, so that nobody reads half of it; one that cannot be read or written is removed: better none than one
    with secrets.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    stream = redactor.stream()
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with path.open("rb") as source, os.fdopen(descriptor, "wb") as target:
            target.writelines(stream.feed(chunk) for chunk in _chunks(source))
            target.write(stream.end())
        if stream.replaced:
            draft.replace(path)
    except OSError:
        path.unlink(missing_ok=True)
    finally:
        draft.unlink(missing_ok=True)
    return stream.replaced


def _chunks(source: Any) -> Iterator[bytes]:
    while chunk := source.read(_CHUNK_BYTES):
        yield chunk


def _note(replaced: int) -> str:
    what = "1 secret was" if replaced == 1 else f"{replaced} secrets were"
    return f"({what} replaced by [REDACTED:NAME]; never write such a mark into a file. The values are not needed to use them by name.)"


def _without(value: Any, redactor: Redactor, *, secret_lines: bool) -> Cleaned:
    match value:
        case str():
            return Cleaned(*redactor.text(value, secret_lines=secret_lines))
        case list():
            items = [_without(item, redactor, secret_lines=secret_lines) for item in value]
            return Cleaned([item.value for item in items], sum(item.replaced for item in items))
        case dict():
            members = {name: _without(item, redactor, secret_lines=secret_lines) for name, item in value.items()}
            return Cleaned({name: item.value for name, item in members.items()}, sum(item.replaced for item in members.values()))
        case _:
            return Cleaned(value, 0)
