"""Makes random shell commands out of the pieces that real and hostile ones are made of, for the fuzzer."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path

from workbench.permissions.commands_options import Form
from workbench.permissions.commands_readers import READERS
from workbench.permissions.git_reading import FORMS

PIECES: dict[str, list[str]] = json.loads((Path(__file__).parents[1] / "cases" / "command_pieces.json").read_text())
"""Programs, options, operands, joins, wraps (with a place for a command) and single signs."""

OPTIONS_SHARE = 0.45
SIGNS_SHARE = 0.7
TRAPS_SHARE = 0.3
KNOWN_FORMS: list[tuple[str, Form]] = sorted([*READERS.items(), *((f"git {verb}", allowed) for verb, allowed in FORMS.items())], key=lambda item: item[0])
_PIECES = re.compile(r"\s+|[;&|<>()]+|[^\s;&|<>()]+")


class CommandMaker:
    """Makes commands from a seed; the same seed makes the same commands.

    Args:
        seed: of the random numbers.
        known: commands that people and attackers wrote, whose pieces are put together anew.
    """

    def __init__(self, seed: int, known: Sequence[str]) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a test's
        self._known = known
        self._pieces = [_PIECES.findall(text) for text in known]

    def command(self) -> str:
        """Return the next command."""
        makers = (self._simple, self._simple, self._list, self._spliced, self._spliced, self._disturbed, self._wrapped, *(self._by_table,) * 3)
        made = self._random.choice(makers)
        return made()

    def _simple(self) -> str:
        pick = self._random
        operands = (pick.choice(PIECES["options" if pick.random() < OPTIONS_SHARE else "operands"]) for _ in range(pick.randrange(5)))
        return " ".join((pick.choice(PIECES["programs"]), *operands))

    def _by_table(self) -> str:
        """Return a command with options that its table knows, joined and valued in every way, between operands and traps."""
        pick = self._random
        name, allowed = pick.choice(KNOWN_FORMS)
        words = (self._option(allowed) if pick.random() < OPTIONS_SHARE + 0.15 else self._operand() for _ in range(pick.randint(1, 5)))
        return " ".join((name, *words))

    def _option(self, allowed: Form) -> str:
        pick = self._random
        known = sorted(allowed.flags | allowed.texts | allowed.paths | allowed.maybe) or ["help"]
        name = pick.choice(known)
        if len(name) > 1:
            return "--" + name + pick.choice(("", "", "=" + self._operand(), " " + self._operand()))
        letters = "".join(pick.choice([known_one for known_one in known if len(known_one) == 1]) for _ in range(pick.choice((0, 0, 0, 1, 2))))
        return "-" + letters + name + pick.choice(("", "", self._operand(), " " + self._operand()))

    def _operand(self) -> str:
        return self._random.choice(PIECES["traps" if self._random.random() < TRAPS_SHARE else "operands"])

    def _list(self) -> str:
        parts = [self._simple() if self._random.random() < 0.5 else self._random.choice(self._known) for _ in range(self._random.randint(2, 4))]
        return self._random.choice(PIECES["joins"]).join(parts)

    def _spliced(self) -> str:
        """Return a known command with some of its pieces replaced, dropped or added from others."""
        pick = self._random
        pieces = list(pick.choice(self._pieces))
        for _ in range(pick.randint(1, 3)):
            other = pick.choice(self._pieces)
            at, start = pick.randrange(len(pieces) + 1), pick.randrange(len(other))
            end = min(len(other), start + pick.randint(1, 4))
            pieces[at : at + pick.randrange(2)] = other[start:end]
        return "".join(pieces)

    def _disturbed(self) -> str:
        """Return a known command with single signs put in, doubled or taken out."""
        pick = self._random
        text = pick.choice(self._known)
        for _ in range(pick.randint(1, 3)):
            at = pick.randrange(len(text) + 1)
            text = text[:at] + (pick.choice(PIECES["marks"]) if pick.random() < SIGNS_SHARE else "") + text[at + pick.randrange(2) :]
        return text

    def _wrapped(self) -> str:
        inner = self._simple() if self._random.random() < 0.5 else self._random.choice(self._known)
        return self._random.choice(PIECES["wraps"]).format(inner)
