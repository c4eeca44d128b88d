"""The window opens a hostile folder without any of it taking effect: nothing is started in it, and nothing but what is listed is opened."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.settings.projects import put
from tests.settings.test_trust import HOSTILE
from tests.ui.gui import Gui
from tests.ui.windows import window_in

SEEN: list[tuple[str, str]] = []
_spying: list[str] = []
STARTS = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system")
GIT = "[core]\n\tfsmonitor = touch started\n\thooksPath = hooks\n\tpager = touch started\n[include]\n\tpath = evil\n"


def _spy(event: str, arguments: tuple[object, ...]) -> None:
    if _spying and arguments and (event == "open" or event in STARTS):
        SEEN.append((event, " ".join(map(str, arguments))))


async def test_a_hostile_folder_opens_without_any_effect(gui: Gui, tmp_path: Path) -> None:
    ws = tmp_path / "ws"
    for name, text in {**HOSTILE, ".git/HEAD": "ref: refs/heads/evil\n", ".git/config": GIT, ".git/hooks/post-checkout": "touch started\n"}.items():
        put(ws, name, text)
    for name in (".envrc", ".git/hooks/post-checkout"):
        if (ws / name).exists():
            (ws / name).chmod(0o755)
    sys.addaudithook(_spy)
    async with window_in(gui, tmp_path) as window:
        _spying.append("on")
        try:
            assert await window.desk.open_folder(ws)
            await window.desk.trust.look()
            await gui.until(lambda: window.frame.trust.isVisible())
            window.resize(900, 700)
            await gui.settle()
            gui.picture(window)
        finally:
            _spying.clear()
        listed = {str(ws / item.name) for item in window.desk.trust.shipped.items} | {item.name for item in window.desk.trust.shipped.items}
        assert window.desk.branch == "evil", "the branch is read as a plain file"
        started = [what for event, what in SEEN if event in STARTS and str(ws) in what]
        assert started == [], "nothing was started with anything of it"
        opened = {what.partition(" ")[0] for event, what in SEEN if event == "open" and str(ws) in what.partition(" ")[0]}
        assert str(ws / ".git" / "HEAD") in opened, "the spy sees what is opened"
        files = {str(ws / name) for name in (*HOSTILE, ".git/config", ".git/hooks/post-checkout")}
        assert opened & files <= listed, "what is listed is read to be listed; the window itself reads nothing of it"
        assert not (ws / "started").exists()
        assert window.desk.bridge.opened is not None
        assert all(rule.effect != "allow" for rule in window.desk.bridge.opened.bench.gatekeeper.rules.rules)
