"""Who serves the models: the list, one provider's form, its test, and what becomes of them in settings and keyring."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget
from shiboken6 import isValid
from typing_extensions import override

from workbench.settings.profiles import KNOWN_PROFILES, PRACTICE
from workbench.ui.desk import Desk
from workbench.ui.kit.buttons import Button
from workbench.ui.kit.layout import Ground, column, line
from workbench.ui.kit.popup import Entry, PopupMenu
from workbench.ui.kit.theme import theme
from workbench.ui.settings.local_search import LocalSearch
from workbench.ui.settings.provider_actions import Problems, ProviderActions
from workbench.ui.settings.provider_form import ProviderForm
from workbench.ui.settings.provider_list import ProviderList, rows_of
from workbench.ui.settings.provider_test import ProviderTest
from workbench.ui.settings.provider_values import Provider, ProvidersState, providers_of, values_of
from workbench.ui.settings.result_lines import ResultLine
from workbench.ui.settings.rows import ENDLESS, INSET, ROOMY, PageTitle, page
from workbench.ui.settings.saving import Saving
from workbench.ui.settings.strip import Action as StripAction
from workbench.ui.settings.strip import Strip
from workbench.words import _

LIST_WIDE, LIST_LEAST = 19.875, 18.5
"""Usual and least width of the list in lines of text: 318 and 296 pixels at 100 %."""
EMPTY = "empty"
Action: TypeAlias = Callable[[Provider], Awaitable[Problems]]
"""Does something with a provider; returns what is refused in its form."""


class ProvidersPage(QWidget):
    """The page.

    Args:
        desk: models, settings and keys.
        saving: saves changes in turn.
        state: what was typed and tested; kept by whoever builds the page anew.
    """

    def __init__(self, desk: Desk, saving: Saving, state: ProvidersState) -> None:
        super().__init__()
        self._desk, self._state = desk, state
        self._actions = ProviderActions(desk, saving, state)
        self._providers: tuple[Provider, ...] = ()
        self._keyless: frozenset[str] = frozenset()
        self._list, self._form, self._test, self._search = ProviderList(), ProviderForm(), ProviderTest(desk), LocalSearch(desk)
        self._deleted = Strip(inset=12)
        self._make_buttons()
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(0)
        words = _("Who serves the models. Keys live in the keyring or in environment variables, never in a file.")
        stack.addWidget(PageTitle(_("Providers"), words))
        self._left_part, right = self._left(), self._right()
        self._halves = QHBoxLayout()
        self._halves.setSpacing(0)
        self._halves.addWidget(self._left_part, 3)
        self._halves.addWidget(right, 5)
        stack.addLayout(self._halves, 1)
        self._connect()
        self._show_deleted()

    # Building

    def _make_buttons(self) -> None:
        self._add = Button(_("Add a provider…"), small=True, icon_name="plus")
        self._delete = Button(_("Delete"), "quiet")
        self._use = Button(_("Use this model"))
        self._revert = Button(_("Revert"))
        self._save = Button(_("Save"), "primary")
        self._add.clicked.connect(self._open_presets)
        self._revert.clicked.connect(self._revert_chosen)
        self._delete.clicked.connect(lambda: self._run(self._actions.delete, "delete a provider"))
        self._use.clicked.connect(lambda: self._run(self._actions.use, "use a model"))
        self._save.clicked.connect(lambda: self._run(self._actions.save, "save a provider"))

    def _left(self) -> QWidget:
        left = Ground("base", "tr")
        stack = QVBoxLayout(left)
        stack.setContentsMargins(0, 1, 1, 0)
        stack.setSpacing(0)
        stack.addWidget(self._list, 1)
        stack.addWidget(self._deleted)
        stack.addWidget(self._search)
        stack.addWidget(line(self._add, self._search.button, None, margins=(12, 8, 12, 12), gap=8))
        return left

    def _right(self) -> QWidget:
        right = Ground("base", "t")
        footer = line(self._delete, None, self._use, self._revert, self._save, margins=(20, 12, INSET, 16))
        body = page(line((column(self._form, 16, self._test, None), 1), margins=(20, 16, INSET, 8)), None)
        stack = QVBoxLayout(right)
        stack.setContentsMargins(0, 1, 0, 0)
        stack.setSpacing(0)
        stack.addWidget(body, 1)
        stack.addWidget(footer)
        return right

    def _connect(self) -> None:
        self._list.chosen.connect(self.choose)
        self._form.edited.connect(self._note_edit)
        self._form.key_removed.connect(lambda: self._run(self._actions.forget_key, "remove a key"))
        self._test.wanted.connect(self.test)
        self._test.found.connect(self._note_lines)
        self._test.listed.connect(self._note_models)
        self._desk.settings_changed.connect(self._look_again)
        self._desk.models_changed.connect(self._look_again)
        self._desk.bridge.state_changed.connect(self._follow_session)

    # What the dialog asks

    def test(self) -> None:
        """Test the provider that is shown, as its form stands."""
        provider = self._chosen()
        if provider is None or self._test.running:
            return
        if provider.kind == "practice":
            self._test.start(provider.key, provider.profile, "")
            return
        reading = self._actions.read(provider)
        self._form.show_problems({name: text for name, text in reading.problems.items() if name != "title"})
        if not set(reading.problems) - {"title"}:
            self._test.start(provider.key, reading.profile, reading.secret.reveal() if reading.secret else "")

    def unsaved(self) -> int:
        """Return how many providers have changes that are not saved."""
        return len(self._state.drafts)

    async def save_all(self) -> bool:
        """Save all of them; False after the first that was refused is shown with the reason."""
        for provider in [known for known in self._providers if known.key in self._state.drafts]:
            if not await self._do(provider, self._actions.save):
                return False
        return True

    def stop(self) -> None:
        """Break the test off, because the page is built anew."""
        self._test.cancel()

    def leave(self) -> None:
        """Break the test off, and drop what was not saved."""
        self._test.cancel()
        for key in {*self._state.drafts, *self._state.new}:
            self._state.drop(key)
        self._actions.forget_deleted()

    # What is shown

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set list and form side by side, or one above the other where there is no room (a narrow dialog, a large zoom)."""
        super().resizeEvent(event)
        wide = self.width() >= ROOMY * theme.lh
        self._halves.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)
        self._left_part.setMinimumWidth(round(LIST_LEAST * theme.lh) if wide else 0)
        self._left_part.setMaximumWidth(round(LIST_WIDE * theme.lh) if wide else ENDLESS)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look_again()

    def choose(self, key: str) -> None:
        """Show another provider."""
        if key != self._state.chosen:
            self._test.cancel()
        self._state.chosen = key
        self._show_form()
        self._look_again()

    def _chosen(self) -> Provider | None:
        return next((provider for provider in self._providers if provider.key == self._state.chosen), None)

    def _look_again(self) -> None:
        if self.isVisible():
            self._desk.spawn(self._refresh(), name="look at the providers")

    def _follow_session(self) -> None:
        """Another model may be in use; without a session none is, and the program may be closing."""
        if self._desk.bridge.opened is not None:
            self._look_again()

    async def _refresh(self) -> None:
        """Find out what there is, and which keys are known. The keyring is asked for the provider that is shown only."""
        app = self._desk.app
        practice = (await app.choice(PRACTICE, "")).profile
        before = self._chosen()
        providers = providers_of(app.settings, app.profiles(), practice, self._state)
        keyless = {
            provider.key
            for provider in providers
            if provider.profile.key_variable
            and await app.credentials.place(provider.key, provider.profile.key_variable, ask_keyring=provider.key == self._state.chosen) is None
        }
        if isValid(self):
            self._providers, self._keyless = providers, frozenset(keyless)
            if self._chosen() is None:
                self._state.chosen = PRACTICE
            self._show_list()
            if self._chosen() != before:
                self._show_form()
            await self._show_key()

    def _show_list(self) -> None:
        opened = self._desk.bridge.opened
        in_use = opened.choice.profile.name if opened else self._desk.app.settings.model.profile
        self._list.show_providers(rows_of(self._providers, self._state, self._keyless, in_use), self._state.chosen)

    def _show_form(self) -> None:
        provider = self._chosen()
        if provider is None:
            return
        self._form.show_values(provider.kind, self._actions.values(provider))
        self._form.show_models(self._state.listed.get(provider.key, provider.profile.models))
        self._test.show_lines(self._state.results.get(provider.key, ()))
        self._show_buttons()

    def _show_buttons(self) -> None:
        provider = self._chosen()
        edited = self._state.chosen in self._state.drafts
        kind = provider.kind if provider else "practice"
        self._delete.setVisible(kind == "own")
        for button in (self._revert, self._save):
            button.setVisible(kind != "practice")
            button.setEnabled(edited)
        self._revert.setEnabled(edited or kind == "new")

    async def _show_key(self) -> None:
        provider, credentials = self._chosen(), self._desk.app.credentials
        if provider is None:
            return
        variable = provider.profile.key_variable
        place = await credentials.place(provider.profile.name, variable) if provider.profile.name else None
        keyring = await credentials.keyring_available()
        if isValid(self) and provider == self._chosen():
            self._form.show_key(place, variable, variable_set=credentials.is_set(variable), keyring=keyring)

    # What a person types and what a test finds

    def _note_edit(self) -> None:
        provider = self._chosen()
        if provider is None:
            return
        values = self._form.values()
        if values == values_of(provider) and provider.kind != "new":
            self._state.drafts.pop(provider.key, None)
        else:
            self._state.drafts[provider.key] = values
        self._show_list()
        self._show_buttons()

    def _note_lines(self, key: str, lines: tuple[ResultLine, ...]) -> None:
        self._state.results[key] = lines
        if key == self._state.chosen:
            self._test.show_lines(lines)
        self._show_list()

    def _note_models(self, key: str, models: tuple[str, ...]) -> None:
        self._state.listed[key] = models
        if key == self._state.chosen:
            self._form.show_models(models)

    # Adding, saving, using

    def _open_presets(self) -> None:
        entries = [
            Entry(entry_id=EMPTY, title=_("Any server"), sentence=_("Give its address and what it speaks.")),
            *(Entry(entry_id=known.name, title=known.title, sentence=known.base_url) for known in KNOWN_PROFILES),
        ]
        menu = PopupMenu(entries, self, name=_("Add a provider…"))
        menu.chosen.connect(self.begin)
        menu.above(self._add)

    def begin(self, preset: str) -> None:
        """Begin a provider: like a known one of that name, else empty."""
        known = next((known for known in KNOWN_PROFILES if known.name == preset), None)
        provider = self._state.begin(known)
        if known is not None:
            self._state.drafts[provider.key] = values_of(provider)
        self._test.cancel()
        self._providers = (*self._providers, provider)
        self._show_form()
        self._look_again()
        self._form.fields["title"].control.setFocus(Qt.FocusReason.OtherFocusReason)

    def _revert_chosen(self) -> None:
        self._state.drop(self._state.chosen)
        self._show_form()
        self._look_again()

    def _run(self, action: Action, name: str) -> None:
        """Do something with the provider that is shown."""
        provider = self._chosen()
        if provider is not None:
            self._desk.spawn(self._do(provider, action), name=name)

    async def _do(self, provider: Provider, action: Action) -> bool:
        """Do something with a provider, and show what there is then; False after its form says what is refused."""
        problems = await action(provider)
        if isValid(self):  # the dialog may be closed, or built anew in another language
            await self._refresh()
        if isValid(self):
            if problems:
                self._state.chosen = provider.key
                self._show_list()
            self._show_form()
            self._form.show_problems(problems)
            self._show_deleted()
        return not problems

    def _show_deleted(self) -> None:
        if self._state.deleted is None:
            self._deleted.clear()
            return
        profile = self._state.deleted[0]
        self._deleted.tell(_("“{title}” was deleted.").format(title=profile.title or profile.name), "info", (StripAction(_("Undo"), self._undo),))

    def _undo(self) -> None:
        self._desk.spawn(self._bring_back(), name="bring a provider back")

    async def _bring_back(self) -> None:
        await self._actions.undo()
        if isValid(self):
            await self._refresh()
        if isValid(self):
            self._show_form()
            self._show_deleted()
