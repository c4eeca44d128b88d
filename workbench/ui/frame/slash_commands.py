"""The commands that ``/`` offers in the composer: each by a short word made from its id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from workbench.ui.commands import Command
from workbench.ui.kit.matching import fit
from workbench.ui.kit.popup_list import Entry

ROWS = 50


def slash_words(commands: Sequence[Command]) -> dict[str, Command]:
    """Return the commands by their words: the last part of the id (``new`` of ``session.new``), the whole id where two would be the same."""
    last = Counter(command.command_id.rpartition(".")[2] for command in commands)
    words = ((command.command_id.rpartition(".")[2], command) for command in commands)
    return {word if last[word] == 1 else command.command_id: command for word, command in words}


def command_entries(query: str, commands: Sequence[Command]) -> tuple[Entry, ...]:
    """Return the commands whose word begins with the query, then those whose word or title fits in another way; the entry's id is the command's."""
    found = []
    for word, command in slash_words(commands).items():
        fits = fit(query, f"{word} {command.title}")
        if fits is not None:
            found.append((not word.startswith(query.casefold()), fits.rank, word, command))
    found.sort(key=lambda row: row[:3])
    return tuple(
        Entry(
            entry_id=command.command_id,
            title=f"/{word}",
            note=command.title + (f"  {command.keys}" if command.keys else ""),
            why_not=command.why_not(),
        )
        for _, _, word, command in found[:ROWS]
    )
