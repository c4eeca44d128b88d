"""`workbench sessions` and `workbench inspect`: past sessions and what their requests were, byte for byte."""

from __future__ import annotations

import argparse
import datetime
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from workbench.cli.output import FINE, answer, answer_bytes, colour, flat, one_line, plain, print_json, say
from workbench.cli.places import add_json, data_folder
from workbench.conversation.events import (
    ApprovalResolved,
    Decided,
    Entry,
    Event,
    ExchangeClosed,
    ExchangeOpened,
    ModelResponded,
    ToolFinished,
    TurnFinished,
    UserMessageAdded,
)
from workbench.errors import UsageError
from workbench.inspection.costs import Spent
from workbench.store.session_store import SessionStore
from workbench.store.sessions import SessionSummary, find_session, list_sessions
from workbench.words import _, cost_words, duration, level_name, many, state_name, tell

RAW_PARTS = ("request", "response")


def add_sessions_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `sessions`."""
    parser.add_argument("--limit", type=int, default=0, metavar="N", help=_("show only the newest N"))
    add_json(parser)


def add_inspect_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `inspect`."""
    parser.add_argument("session", metavar="ID", help=_("a session's id or how it begins; “last” is the newest"))
    parser.add_argument("--request", type=int, metavar="N", help=_("show request number N whole"))
    parser.add_argument("--raw", choices=RAW_PARTS, metavar="PART", help=_("write only the exact bytes of the request's or response's body"))
    parser.add_argument("--events", action="store_true", help=_("show every fact of the journal"))
    add_json(parser)


def run_sessions(arguments: argparse.Namespace) -> int:
    """List the sessions, the newest first."""
    summaries = list_sessions(data_folder())
    if arguments.limit > 0:
        summaries = summaries[: arguments.limit]
    for summary in summaries:
        if arguments.json:
            print_json(_summary_json(summary))
        else:
            _print_summary(summary)
    if not summaries:
        say(_("There are no sessions yet."))
    return FINE


def run_inspect(arguments: argparse.Namespace) -> int:
    """Show a session's requests, one of them whole, or its facts."""
    if arguments.raw and arguments.request is None:
        raise UsageError("--raw needs --request N: which request's bytes?", message_id="cli.raw_needs_request")
    summary = session_named(arguments.session)
    store = SessionStore.open(summary.folder, read_only=True)
    try:
        if store.damage is not None:
            say(colour(tell(store.damage.error()), "amber"))
        entries = store.all_entries()
        if arguments.events:
            return _show_events(entries, as_json=arguments.json)
        exchanges = _exchanges(entries)
        if arguments.request is None:
            if not exchanges and store.damage is None:
                say(_("This session has sent no requests."))
            return _show_list(exchanges, as_json=arguments.json)
        return _show_one(_numbered(exchanges, arguments.request), store, arguments)
    finally:
        store.close()


def session_named(wanted: str) -> SessionSummary:
    """Return the session whose id is `wanted` or begins so; ``last`` is the newest. Blocking.

    Raises:
        UsageError: there is none, or there are several.
    """
    if wanted != "last":
        return find_session(data_folder(), wanted)
    newest = next(iter(list_sessions(data_folder())), None)
    if newest is None:
        raise UsageError("There are no sessions yet; `workbench run` makes one.", message_id="cli.no_sessions")
    return newest


@dataclass
class _Exchange:
    """What the journal says of one request."""

    opened: ExchangeOpened
    at: float
    closed: ExchangeClosed | None = None
    responded: ModelResponded | None = None


def _exchanges(entries: list[Entry]) -> list[_Exchange]:
    found: dict[str, _Exchange] = {}
    for entry in entries:
        match entry.event:
            case ExchangeOpened() as opened:
                found[opened.exchange_id] = _Exchange(opened, entry.at)
            case ExchangeClosed() as closed if closed.exchange_id in found:
                found[closed.exchange_id].closed = closed
            case ModelResponded() as responded if responded.exchange_id in found:
                found[responded.exchange_id].responded = responded
            case _:
                pass
    return list(found.values())


def _numbered(exchanges: list[_Exchange], number: int) -> _Exchange:
    for exchange in exchanges:
        if exchange.opened.number == number:
            return exchange
    raise UsageError(
        f"This session has {len(exchanges)} requests; there is no number {number}.",
        message_id="cli.no_such_request",
        values={"count": len(exchanges), "number": number},
    )


def _show_list(exchanges: list[_Exchange], *, as_json: bool) -> int:
    for exchange in exchanges:
        if as_json:
            print_json(_exchange_json(exchange))
        else:
            answer(_exchange_line(exchange))
    return FINE


def _exchange_json(exchange: _Exchange) -> dict[str, Any]:
    opened, closed = exchange.opened, exchange.closed
    usage = exchange.responded.message.usage if exchange.responded else None
    return {
        "number": opened.number,
        "exchange_id": opened.exchange_id,
        "turn_id": opened.turn_id,
        "step": opened.step,
        "attempt": opened.attempt,
        "method": opened.method,
        "url": opened.url,
        "dialect": opened.dialect,
        "model": opened.model,
        "at": exchange.at,
        "request_bytes": opened.body.size_bytes,
        "request_sha256": opened.body.sha256,
        "exact": opened.body.exact,
        "status": closed.status if closed else None,
        "first_byte_s": closed.first_byte_s if closed else None,
        "duration_s": closed.duration_s if closed else None,
        "response_bytes": closed.size_bytes if closed else 0,
        "error": closed.error if closed else "",
        "input_tokens": usage.input_tokens if usage else None,
        "cached_tokens": usage.cached_tokens if usage else None,
        "reasoning_tokens": usage.reasoning_tokens if usage else None,
        "output_tokens": usage.output_tokens if usage else None,
        "cost_usd": closed.cost.total_usd if closed and closed.cost else None,
    }


def _exchange_line(exchange: _Exchange) -> str:
    closed = exchange.closed
    usage = exchange.responded.message.usage if exchange.responded else None
    status = "…" if closed is None else str(closed.status or "—")
    facts = [f"#{exchange.opened.number}", status, _("step {n}").format(n=exchange.opened.step), f"{exchange.opened.body.size_bytes:,} B"]
    if closed and closed.duration_s is not None:
        facts.append(duration(closed.duration_s))
    if usage:
        counts = {"input": usage.input_tokens or 0, "cached": usage.cached_tokens or 0, "output": usage.output_tokens or 0}
        facts.append(_("{input:,} in ({cached:,} cached) · {output:,} out").format_map(counts))
    if closed and closed.cost:
        spent = Spent().with_cost(closed.cost)
        facts.append(cost_words(spent.amount, unknown=bool(spent.unknown)))
    if closed and closed.error:
        facts.append(one_line(tell(closed)))
    return "  ".join(facts)


def _show_one(exchange: _Exchange, store: SessionStore, arguments: argparse.Namespace) -> int:
    request = store.body(exchange.opened.body)
    response = b"".join(chunk.data for chunk in store.chunks(exchange.opened.exchange_id))
    if arguments.raw:
        answer_bytes(request if arguments.raw == "request" else response)
        return FINE
    if arguments.json:
        print_json(
            _exchange_json(exchange)
            | {
                "request_headers": exchange.opened.headers,
                "request_body": request.decode("utf-8", "replace"),
                "response_headers": exchange.closed.headers if exchange.closed else [],
                "response_body": response.decode("utf-8", "replace"),
            }
        )
        return FINE
    _print_one(exchange, request, response)
    return FINE


def _print_one(exchange: _Exchange, request: bytes, response: bytes) -> None:
    opened, closed = exchange.opened, exchange.closed
    answer(colour(f"{opened.method} {plain(opened.url)}", "bold", stream=sys.stdout))
    for name, value in opened.headers:
        answer(plain(f"{name}: {value}"))
    answer("\n" + plain(_laid_out(request)) + "\n")
    if not opened.body.exact:
        say(colour(_("A secret in this body was replaced when it was kept: it is not exact."), "amber"))
    if closed is None:
        say(colour(_("No end of the response was recorded: the program ended first."), "amber"))
        return
    answer(colour(f"{closed.http_version} {closed.status or _('no response')}", "bold", stream=sys.stdout))
    for name, value in closed.headers:
        answer(plain(f"{name}: {value}"))
    answer("\n" + plain(response.decode("utf-8", "replace")))
    if closed.error:
        say(colour(plain(tell(closed)), "amber"))


def _laid_out(body: bytes) -> str:
    """Return JSON with line breaks for reading, no value changed; anything else as it is."""
    with suppress(msgspec.DecodeError):
        body = msgspec.json.format(body, indent=2)
    return body.decode("utf-8", "replace")


def _show_events(entries: list[Entry], *, as_json: bool) -> int:
    for entry in entries:
        if as_json:
            print_json(flat(entry))
        else:
            answer(f"{entry.seq:>6}  {_moment(entry.at)}  {type(entry.event).__name__}  {_subject(entry.event)}")
    return FINE


def _subject(event: Event) -> str:
    """Return in a few words what a fact says."""
    match event:
        case ExchangeOpened():
            words: tuple[object, ...] = (f"#{event.number}", event.model, f"{event.body.size_bytes:,} B")
        case ExchangeClosed():
            words = (event.status or "", event.error)
        case UserMessageAdded(message=message) | ModelResponded(message=message):
            named = [*(call.name for call in message.calls()), *(result.name for result in message.results())]
            words = (message.role, message.text(), *(f"[{name}]" for name in named))
        case Decided():
            words = (event.tool, event.outcome, f"{event.danger} {level_name(event.danger)}")
        case ApprovalResolved():
            words = (event.answer, event.by, event.note)
        case ToolFinished():
            words = (event.tool, event.status, event.facts or event.kind)
        case TurnFinished():
            words = (event.end, event.text)
        case _:
            names = ("tool", "mode", "title", "model", "text", "step", "turn_id", "workspace")
            words = tuple(getattr(event, name) for name in names if getattr(event, name, ""))[:2]
    return one_line(" ".join(str(word) for word in words if word), 100)


def _summary_json(summary: SessionSummary) -> dict[str, Any]:
    return {
        "session_id": summary.session_id,
        "title": summary.title,
        "workspace": summary.workspace,
        "created_at": summary.created_at,
        "updated_at": summary.updated_at,
        "turns": summary.turns,
        "events": summary.events,
        "model": summary.model,
        "state": summary.state,
    }


def _print_summary(summary: SessionSummary) -> None:
    state = "" if summary.state == "idle" else f"  {state_name(summary.state)}"
    head = f"{summary.session_id}  {_moment(summary.updated_at)}  {many('{n} turn', '{n} turns', summary.turns)}{state}"
    answer(f"{head}\n    {one_line(summary.title) or _('(no title)')}  {colour(one_line(summary.workspace), 'faint', stream=sys.stdout)}")


def _moment(at: float) -> str:
    return datetime.datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
