"""`workbench decode`: a recorded response, whole or streamed, as the neutral message."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from workbench.cli.output import FINE, NO, answer, colour, plain, print_json
from workbench.cli.places import input_lines
from workbench.conversation.assembler import Assembler
from workbench.conversation.messages import DialectName, Message
from workbench.dialects.registry import dialect, names
from workbench.errors import UsageError
from workbench.words import _, state_name, tell_text

LIMIT_BYTES = 256 << 20
STOPS = {"end": "end", "stop_sequence": "end", "tool_use": "tool", "length": "length", "incomplete": "incomplete"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", metavar="FILE", help=_("a recorded body or stream (SSE, NDJSON or JSON); - reads standard input"))
    parser.add_argument("--dialect", choices=names(), default="chat_completions", help=_("the wire shape of the recording"))
    parser.add_argument("--json", action="store_true", help=_("print one JSON object"))


def run(arguments: argparse.Namespace) -> int:
    """Decode the file and print the message; status 1 if the response is an error or was cut off."""
    decoded = decode(read_input(arguments.file), arguments.dialect)
    if arguments.json:
        print_json(decoded)
    else:
        _print(decoded)
    return FINE if decoded["stop"] in ("end", "tool", "length") else NO


def read_input(name: str) -> bytes:
    """Return a file's bytes, standard input's for ``-``.

    Raises:
        UsageError: it cannot be read, or is larger than `LIMIT_BYTES`.
    """
    try:
        if name == "-":
            data = input_lines().read(LIMIT_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(LIMIT_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"{name} cannot be read: {error.strerror or error}.", message_id="cli.unreadable", values={"name": name, "reason": error.strerror or str(error)}
        ) from error
    if len(data) > LIMIT_BYTES:
        size = LIMIT_BYTES >> 20
        raise UsageError(f"{name} is larger than {size} MB, which no response is.", message_id="cli.too_large", values={"name": name, "size_mb": size})
    return data


def decode(data: bytes, name: DialectName) -> dict[str, Any]:
    """Return the normal form of a response: text, reasoning, calls, stop, usage, problems.

    Raises:
        ResponseUnreadable: the bytes are no response of this dialect.
    """
    decoder, assembler = dialect(name).stream_decoder(), Assembler()
    for event in (*decoder.feed(data), *decoder.finish()):
        assembler.add(event)
    message = assembler.message("decoded")
    problems = [problem.text for problem in assembler.problems]
    if assembler.failure:
        problems.append(assembler.failure.text)
    return {
        "text": message.text(),
        "reasoning": message.reasoning(),
        "calls": [_call(call.call_id, call.wire_id, call.name, call.arguments(), call.arguments_raw) for call in message.calls()],
        "stop": "error" if assembler.failure else STOPS.get(message.finish_reason or "incomplete", "error"),
        "usage": _usage(message),
        "problems": problems,
    }


def _call(call_id: str, wire_id: str, name: str, arguments: dict[str, Any] | None, raw: str) -> dict[str, Any]:
    return {"id": wire_id or call_id, "name": name, "args": raw if arguments is None else arguments}


def _usage(message: Message) -> dict[str, int | None] | None:
    usage = message.usage
    if usage is None:
        return None
    return {"input_total": usage.input_tokens, "cached": usage.cached_tokens, "output": usage.output_tokens}


def _figures(usage: dict[str, int | None]) -> list[str]:
    counts = ((_("{n:,} in"), usage.get("input_total")), (_("{n:,} cached"), usage.get("cached")), (_("{n:,} out"), usage.get("output")))
    return [words.format(n=count) for words, count in counts if count is not None]


def _print(decoded: dict[str, Any]) -> None:
    if decoded["reasoning"]:
        answer(colour(plain(decoded["reasoning"]), "faint", stream=sys.stdout))
    if decoded["text"]:
        answer(plain(decoded["text"]))
    for call in decoded["calls"]:
        answer(plain(f"→ {call['name']} {call['args']}  ({call['id']})"))
    answer(" · ".join([state_name(decoded["stop"]), *_figures(decoded["usage"] or {})]))
    for problem in decoded["problems"]:
        answer(plain(f"! {tell_text(problem)}"))
