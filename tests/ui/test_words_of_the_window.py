"""The whole window is in the chosen language: nothing that its code says, shown, painted or told to screen readers, stays English in Chinese.

Every widget and everything a screen reader can reach is read in both languages, in the states a person meets. A text that is the same in
both, and is words, was not translated; so was one that holds a sentence of the code within Chinese.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from tests.packaging.scripts import english_texts
from tests.ui.desks import FAST, said
from tests.ui.gui import Gui
from tests.ui.trust.folders import bringing
from tests.ui.windows import window_in
from workbench.ui.frame.confinement_card import ConfinementCard
from workbench.ui.inspector.requests_tab import PARTS
from workbench.ui.inspector.stream_model import StreamColumn
from workbench.ui.inspector.stream_view import StreamTable
from workbench.ui.kit.overlay import Overlay
from workbench.ui.main_window import MainWindow
from workbench.ui.settings.rule_trial import RuleTrial
from workbench.ui.settings.verdict_view import VerdictView
from workbench.workspace.sandbox import Rung, Sandbox, SelfCheck, SelfTestReport
from workbench.workspace.sandbox_selftest import _SENTENCES as SELF_TEST

MESSAGES = {
    "en": ("Introduce this project", "Drill: unknown tool", "replace hello with goodbye in README.md", "run ls && rm -rf build"),
    "zh_CN": ("介绍一下这个项目", "演练：未知工具", "把 README.md 里的 hello 改成 goodbye", "运行 ls && rm -rf build"),
}
"""What is said: two turns that end by themselves, an edit, and a command of several parts."""

SAME = re.compile(
    r"""
    Agent\ Workbench | README(\.md)? | ws | src | practice | Practice | chat(_|\ )completions | Chat\ Completions | http\S* | /\S* | (call|msg)_\S* | …\S*
    | (OpenAI\ )?Responses | Anthropic(\ Messages)? | (Google\ )?Gemini | \bChat(\ functions)?\b | \bxAI\b
    | Landlock | bubblewrap | sandbox-exec | sudo\ .* | Debian,?(\ Ubuntu)? | Ubuntu | Fedora | Arch
    | \.?[\w/-]+\.(md|json) | \.husky/pre-commit | ^\.\w+$ | (make|git\ push)\ …
    | OpenAI | DeepSeek | DashScope | Qwen | Moonshot | Kimi | Mistral | Groq | OpenRouter | Ollama | llama\.cpp | LM\ Studio | vLLM | [\w.-]+\.(com|ai|cn)\S*
    | English | JSON | SHA-\d+ | HTTP | POST | curl | token | tokens?/s | CRLF | LF | [0-9a-f]{8,}
    | \b(ms|min|kB|MB|Ctrl|Alt|Shift|Esc|Enter|End|Home|Del|Tab|F\d+)\b
    | ^(Host|Accept|Authorization|identity|chunked|no-cache|charset=.*|agent-workbench|[A-Z][a-z]+(-[A-Z][a-z]+)+|(text|application)/[-a-z]+(;.*)?)$
    | ^(list|read|edit|bash|pytest|git|ls|glob|grep|write|calculator|teleport|get_weather)\b.* | ^["{}#+-].*
    | ^(chat|command|description|timeout|workdir|background|true|hello|goodbye|[a-z]+(_[a-z]+)+|ls\ &&\ rm\ -rf\ build|Markdown|denied)$
    """,
    re.VERBOSE | re.DOTALL,
)
"""The same in every language: names of models, providers and protocols, keys and units, headers, calls, the project and what is said of it."""

FOREIGN = re.compile(r"“?Error \(\w+\): .*", re.DOTALL)
"""What a model is told of a call that failed."""

JOINTS = re.compile(r"[，、：；（）。·\n]|[,:;.] | \(|\)")
"""What stands between the pieces of a text in either language."""

CHINESE = re.compile("[\u4e00-\u9fff]")
WORD = re.compile(r"[A-Za-z]{2,}")
TRIED = "pytest -q && rm -rf build; git log > x; ls $(pwd)"
RUNGS: dict[Rung, str] = {"bwrap": "", "landlock": "bubblewrap is not installed (package “bubblewrap”).", "none": "There is no sandbox for this system yet."}
DEEPEST = 14
WIDEST = 400


# What can be read


def read(window: QWidget) -> Iterator[str]:
    """Yield every text of a window that can be seen or is told to a screen reader."""
    for widget in (window, *window.findChildren(QWidget)):
        if widget.isVisible() and not widget.objectName().startswith("qt_"):
            yield from (widget.windowTitle(), plain(widget.toolTip()), widget.accessibleName(), widget.accessibleDescription())
            if isinstance(widget, QLineEdit | QPlainTextEdit):
                yield widget.placeholderText()
            else:
                yield from (str(text()) for text in (getattr(widget, "text", None),) if callable(text))
    interface = QAccessible.queryAccessibleInterface(window)
    assert interface is not None
    yield from told(interface)


def told(interface: QAccessibleInterface, depth: int = 0) -> Iterator[str]:
    """Yield what a screen reader says of something and all that is in it; contents of editors, calls and events are not the program's words."""
    yield from (interface.text(kind) for kind in (QAccessible.Text.Name, QAccessible.Text.Description))
    foreign = len(StreamColumn) + 1 if isinstance(interface.object(), StreamTable) else None
    for place in range(min(interface.childCount(), WIDEST) if depth < DEEPEST else 0):
        if foreign and place > foreign and place % foreign == StreamColumn.DATA + 1:
            continue
        child = interface.child(place)
        if child is not None and child.isValid() and not child.state().invisible:
            yield from told(child, depth + 1)


def plain(tip: str) -> str:
    """Return the words of a tool tip."""
    return re.sub(r"<[^>]*>", "", tip)


def is_words(text: str) -> bool:
    """Say whether a text has Latin words left when names are taken out, and nothing Chinese."""
    return not CHINESE.search(text) and WORD.search(SAME.sub(" ", text)) is not None


# The states in which it is read


class Reader:
    """Collects texts and the pieces they are put together of, each with the first state it was read in. Figures are all the same."""

    def __init__(self, gui: Gui, window: MainWindow) -> None:
        self._gui, self._window = gui, window
        self.texts: dict[str, str] = {}

    async def read(self, state: str, *windows: QWidget) -> None:
        """Read windows, without any the main window."""
        await self._gui.settle()
        for window in windows or (self._window,):
            for text in (FOREIGN.sub("", text) for text in read(window)):
                for piece in (text, *JOINTS.split(text)):
                    self.texts.setdefault(re.sub(r"\d+(?:[.,]\d+)*", "0", piece.strip()), state)


async def everything(gui: Gui, folder: Path, language: str) -> dict[str, str]:
    """Return every text of the window in the states a person meets, each with one of these states."""
    introduce, drill, replace, command = MESSAGES[language]
    await asyncio.to_thread(folder.mkdir)
    await asyncio.to_thread(bringing, folder)
    async with window_in(gui, folder, settings=f'{FAST}[appearance]\nlanguage = "{language}"\n') as window:
        reader = Reader(gui, window)
        await of_trust_and_confinement(gui, reader, window)
        await reader.read("nothing was said yet")
        await said(gui, window.desk, introduce)
        await said(gui, window.desk, drill)
        await reader.read("two turns have ended")
        await of_inspector(gui, reader, window)
        await of_settings(gui, reader, window)
        await of_popups(gui, reader, window)
        await of_question(gui, reader, window, replace)
        await of_question(gui, reader, window, command)
        await reader.read("calls were rejected")
    return reader.texts


async def of_trust_and_confinement(gui: Gui, reader: Reader, window: MainWindow) -> None:
    """Read what is asked of a folder that brings things, and the self-test's card where the sandbox holds, does so partly, and is lacking."""
    await gui.until(window.frame.trust.isVisible)
    await reader.read("the folder is asked about")
    window.frame.trust.hide()
    desk = window.desk
    await gui.until(lambda: not desk.confinement.testing)
    card = ConfinementCard(desk.confinement, window.frame.composer)
    card.present()
    for rung, lacks in RUNGS.items():
        checks = tuple(SelfCheck(name, passed, sentence) for name, told in SELF_TEST.items() for passed, sentence in zip((True, False), told, strict=True))
        desk.app.confining._take(Sandbox(rung=rung, report=SelfTestReport(rung, checks, lacks)))
        desk.confinement.lacks = lacks
        desk.confinement.changed.emit()
        await reader.read(f"the sandbox is {rung}")
    card.dismiss()
    await gui.settle()


async def of_inspector(gui: Gui, reader: Reader, window: MainWindow) -> None:
    requests = window.frame.inspector.requests
    complete: dict[str, Callable[[], object]] = {
        "requests.body": lambda: requests.body._read,
        "requests.stream": lambda: requests.stream._complete and not requests.stream._waiting,
        "requests.response": lambda: requests.response._response,
    }
    for part in ("messages", *(f"requests.{part}" for part in PARTS)):
        window.show_inspector(part)
        await gui.until(complete.get(part, lambda: True))
        await reader.read(f"the inspector shows {part}")
    window.show_inspector("messages")


async def of_settings(gui: Gui, reader: Reader, window: MainWindow) -> None:
    for page in ("providers", "limits", "permissions", "appearance"):
        dialog = window.settings_shown(page)
        await reader.read(f"the settings show {page}", dialog)
        if page == "permissions":
            await of_trial(gui, reader, dialog)
    window.settings_shown().hide()
    await gui.settle()


async def of_trial(gui: Gui, reader: Reader, dialog: QWidget) -> None:
    """Read what would be decided on a command."""
    trial, verdict = dialog.findChildren(RuleTrial)[0], dialog.findChildren(VerdictView)[0]
    gui.type(trial.field.edit, TRIED)
    gui.keys(trial.field.edit, "Return")
    await gui.until(verdict.isVisible)
    await reader.read("a command is tried", dialog)


async def of_popups(gui: Gui, reader: Reader, window: MainWindow) -> None:
    openers: dict[str, Callable[[], None]] = {
        "the palette is open": window.open_palette,
        "the menu of modes is open": window.open_mode_menu,
        "the menu of models is open": window.open_model_menu,
        "the chat is searched": window.find_in_chat,
    }
    for state, open_it in openers.items():
        open_it()
        await reader.read(state)
        for popup in window.findChildren(Overlay):
            popup.close()
        await gui.settle()


async def of_question(gui: Gui, reader: Reader, window: MainWindow, text: str) -> None:
    """Read the approval dialog with each of its tabs and while a note is written, then reject."""
    dialog = window.questions.dialog
    window.frame.composer.put(text)
    window.frame.composer.submit()
    await gui.until(lambda: window.desk.bridge.pending and dialog.isVisible() and dialog.guard.is_open)
    for place in range(len(dialog.content.tabs.buttons)):
        dialog.content.tabs.choose(place)
        await reader.read(f"it is asked: {text}", dialog, window)
    window.reject_front()
    await gui.until(lambda: not window.desk.bridge.running)


async def test_no_text_of_the_window_stays_english_in_chinese(gui: Gui, tmp_path: Path) -> None:
    english = await everything(gui, tmp_path / "en", "en")
    chinese = await everything(gui, tmp_path / "zh", "zh_CN")
    assert len(english) > 300
    assert len(chinese) > 300
    same = [f"{text!r} when {state}" for text, state in chinese.items() if text in english and is_words(text)]
    same += [f"{said!r} in {text!r} when {state}" for text, state in chinese.items() if CHINESE.search(text) for said in english_texts() if said in text]
    assert not same, "English in Chinese:\n" + "\n".join(same)
