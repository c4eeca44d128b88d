"""A word through the desktop when something waits and another program has the screen.

It goes through the desktop portal (org.freedesktop.portal.Notification), whose body is plain text by its definition: a title or path that a
model wrote cannot become markup there. Where there is no session bus or no portal nothing happens; the window's own sign stays.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

SERVICE = "org.freedesktop.portal.Desktop"
PLACE = "/org/freedesktop/portal/desktop"
INTERFACE = "org.freedesktop.portal.Notification"


class DesktopNotifications:
    """Shows one notice of the program at a time on the desktop.

    Args:
        environment: says whether there is a session bus; Qt would start one where there is none.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._present = has_session_bus(environment)
        self._shown = False

    def show(self, title: str, body: str) -> None:
        """Show a notice, in place of the one before; returns at once and raises nothing."""
        self._shown = self._call("AddNotification", [NOTICE_ID, {"title": title, "body": body, "priority": "high"}])

    def withdraw(self) -> None:
        """Take the notice back, because what it told of is over."""
        if self._shown:
            self._shown = not self._call("RemoveNotification", [NOTICE_ID])

    def _call(self, method: str, arguments: list[object]) -> bool:
        if not self._present:
            return False
        from PySide6.QtDBus import QDBusConnection, QDBusMessage

        bus = QDBusConnection.sessionBus()
        message = QDBusMessage.createMethodCall(SERVICE, PLACE, INTERFACE, method)
        message.setArguments(arguments)
        return bus.isConnected() and bus.send(message)


NOTICE_ID = "question"


def has_session_bus(environment: Mapping[str, str]) -> bool:
    """Say whether the environment names a session bus or its usual socket is there."""
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    return bool(environment.get("DBUS_SESSION_BUS_ADDRESS")) or bool(runtime and (Path(runtime) / "bus").exists())
