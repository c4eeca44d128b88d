"""Everything a person can command, once: menus, keys, the palette and tests all take it from here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Command:
    """One command.

    Attributes:
        command_id: stable name, e.g. ``session.new``.
        title: what a person reads, in the chosen language.
        keys: key sequence in Qt's portable spelling, e.g. ``Ctrl+N``; empty if it has none.
        run: does it; returns at once.
        why_not: a sentence saying why it cannot run now; empty if it can.
        icon: name of its icon, for the palette; empty for none.
        where: the part of the window that it belongs to, as people read it; empty if to none.
    """

    command_id: str
    title: str
    run: Callable[[], None]
    keys: str = ""
    why_not: Callable[[], str] = lambda: ""
    icon: str = ""
    where: str = ""


class Commands:
    """The commands of a window, in the order they were added."""

    def __init__(self) -> None:
        self._commands: dict[str, Command] = {}

    def add(self, command: Command) -> None:
        """Add a command.

        Raises:
            ValueError: its id or its keys are taken.
        """
        taken = next((other for other in self._commands.values() if command.keys and other.keys == command.keys), None)
        if command.command_id in self._commands or taken is not None:
            raise ValueError(f"{command.command_id} is there already, or {command.keys} belongs to another command")
        self._commands[command.command_id] = command

    def all(self) -> tuple[Command, ...]:
        """Return all commands."""
        return tuple(self._commands.values())

    def run(self, command_id: str) -> bool:
        """Run a command; False if it cannot run now.

        Raises:
            KeyError: there is no such command.
        """
        command = self._commands[command_id]
        if command.why_not():
            return False
        command.run()
        return True
