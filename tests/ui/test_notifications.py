"""What waits is told through the desktop's portal, as plain text, and taken back; without a session bus nothing happens."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.ui.notifications import DesktopNotifications, has_session_bus

TELL = """
from PySide6.QtCore import QCoreApplication
from workbench.ui.notifications import DesktopNotifications
app = QCoreApplication([])
told = DesktopNotifications()
told.show("1 call waits for you", "sample <b>&</b>")
told.withdraw()
told.withdraw()
"""
WATCH = """
dbus-monitor --session "interface=org.freedesktop.portal.Notification" > "$1" &
monitor=$!
until grep -q NameAcquired "$1"; do sleep 0.02; done
"$2" -c "$3"
until grep -q RemoveNotification "$1"; do sleep 0.02; done
kill $monitor
"""


@pytest.mark.skipif(not (shutil.which("dbus-run-session") and shutil.which("dbus-monitor")), reason="needs a D-Bus of its own")
def test_notice_reaches_the_portal_and_goes(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    command = ["dbus-run-session", "--", "bash", "-c", WATCH, "watch", str(seen), sys.executable, TELL]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, timeout=100, env={**os.environ, "PYTHONSAFEPATH": "1"})
    calls = seen.read_text()
    assert calls.count("member=AddNotification") == calls.count("member=RemoveNotification") == 1
    assert 'string "1 call waits for you"' in calls
    assert 'string "sample <b>&</b>"' in calls
    assert "body-markup" not in calls


def test_without_a_session_bus_nothing_happens(tmp_path: Path) -> None:
    assert not has_session_bus({"XDG_RUNTIME_DIR": str(tmp_path)})
    told = DesktopNotifications({})
    told.show("1 call waits for you", "sample")
    told.withdraw()


def test_usual_socket_counts_as_a_session_bus(tmp_path: Path) -> None:
    (tmp_path / "bus").touch()
    assert has_session_bus({"XDG_RUNTIME_DIR": str(tmp_path)})
    assert has_session_bus({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"})
