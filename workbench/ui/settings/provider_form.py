"""The form of one provider: name, dialect, address, key, models. It knows nothing of what is saved; the page does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from workbench.errors import SettingsError
from workbench.permissions.visible import visible
from workbench.settings.credentials import Place
from workbench.settings.profiles import Profile, checked, dialect_title, dialects, example_of, model_ids
from workbench.ui.kit.buttons import Button, IconButton, MenuButton
from workbench.ui.kit.fields import Field
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import line
from workbench.ui.kit.popup import Entry, PopupMenu
from workbench.ui.settings.form_field import FormField
from workbench.ui.settings.provider_values import FieldName, FormValues, Kind
from workbench.words import _, many, paragraph

GAP = 12


class ProviderForm(QWidget):
    """The form.

    Signals:
        edited: a person changed a field.
        key_removed: the kept key shall go.
    """

    edited = Signal()
    key_removed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._showing = False
        self._dialect_name = "chat_completions"
        self._listed: tuple[str, ...] = ()
        self._make_fields()
        self._make_key()
        self._open_way = Label("", "small", "level2", wrap=True)
        self.fields: dict[FieldName, FormField] = {
            "title": FormField(_("Name"), self._title),
            "address": FormField(_("Address"), self._address),
            "key": FormField(_("Key"), self._key, _("never written to disk")),
            "variable": FormField(_("Environment variable"), self._variable),
            "models": FormField(_("Models"), self._models, "", self._choose_model),
        }
        self._dialect_field = FormField(_("Dialect"), self._dialect)
        self._key_part = QWidget()
        self._lay_out()

    def _make_fields(self) -> None:
        self._title = Field(name=_("Name"))
        self._dialect = MenuButton("", outlined=True)
        self._dialect.setAccessibleName(_("Dialect"))
        self._dialect.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._dialect.clicked.connect(self._open_dialects)
        self._address = Field("https://api.example.com/v1", mono=True, name=_("Address"))
        self._models = Field(_("press Test to see which there are"), mono=True, name=_("Models"))
        self._choose_model = IconButton("chevron-down", _("Choose from the listed models"))
        self._choose_model.clicked.connect(self._open_models)
        for field in (self._title, self._address, self._models):
            field.changed.connect(self._tell_edited)

    def _make_key(self) -> None:
        self._key = Field(_("paste a key"), icon_name="key", name=_("Key"))
        self._key.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self._key.edit.setInputMethodHints(Qt.InputMethodHint.ImhHiddenText | Qt.InputMethodHint.ImhSensitiveData | Qt.InputMethodHint.ImhNoPredictiveText)
        self._variable = Field("LAB_API_KEY", mono=True, name=_("Environment variable"))
        self._key_place = Label("", "small", "muted", wrap=True)
        self._remove_key = Button(_("Remove key"), small=True)
        self._remove_key.clicked.connect(self.key_removed)
        for field in (self._key, self._variable):
            field.changed.connect(self._tell_edited)

    def _lay_out(self) -> None:
        key = QVBoxLayout(self._key_part)
        key.setContentsMargins(0, 0, 0, 0)
        key.setSpacing(4)
        key.addWidget(line((self.fields["key"], 5), (self.fields["variable"], 4), gap=GAP))
        key.addWidget(line((self._key_place, 1), self._remove_key))
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(GAP)
        stack.addWidget(line((self.fields["title"], 5), (self._dialect_field, 4), gap=GAP))
        stack.addWidget(self.fields["address"])
        stack.addWidget(self._open_way)
        stack.addWidget(self._key_part)
        stack.addWidget(self.fields["models"])

    # What stands there

    def show_values(self, kind: Kind, values: FormValues) -> None:
        """Show another provider's form; the practice model's cannot be changed."""
        self._showing = True
        self._title.set_text(values.title)
        self._address.set_text(values.address)
        self._models.set_text(values.models)
        self._variable.set_text(values.variable)
        self._key.set_text(values.key)
        self._show_dialect(values.dialect)
        fixed = kind == "practice"
        for control in (self._title, self._address, self._models, self._dialect):
            control.setEnabled(not fixed)
        self._key_part.setVisible(not fixed)
        self._title.edit.setCursorPosition(0)
        self._address.edit.setCursorPosition(0)
        self._models.edit.setCursorPosition(0)
        self.show_problems({})
        self._showing = False
        self._show_way()

    def values(self) -> FormValues:
        """Return what stands in the fields."""
        return FormValues(
            self._title.text(), self._address.text(), self._dialect_name, self._models.text(), self._variable.text(), self._key.text()
        )

    def show_problems(self, problems: Mapping[FieldName, str]) -> None:
        """Show why fields were refused; the first of them gets the keyboard."""
        for name, field in self.fields.items():
            field.refuse(problems.get(name, ""))
        for name, field in self.fields.items():
            if name in problems:
                field.control.setFocus(Qt.FocusReason.OtherFocusReason)
                return

    def show_models(self, listed: Sequence[str]) -> None:
        """Offer the models that a test found."""
        self._listed = tuple(listed)
        self._choose_model.setEnabled(bool(listed) and self._models.isEnabled())
        self.fields["models"].set_note(many("{n} listed", "{n} listed", len(listed)) if listed else _("the first is used, others after commas"))

    def show_key(self, place: Place | None, variable: str, *, variable_set: bool, keyring: bool) -> None:
        """Say where the key is taken from; never the key.

        Args:
            place: where it was found.
            variable: the environment variable that is saved for it.
            variable_set: whether that holds anything.
            keyring: whether there is a keyring here.
        """
        self._key_place.setText(_key_sentence(place, variable, variable_set=variable_set, keyring=keyring))
        self._key_place.set_token("level2" if place == "memory" else "muted")
        self._remove_key.setVisible(place in ("keyring", "memory"))
        self._key.edit.setPlaceholderText(_("a key is kept; paste another to replace it") if place in ("keyring", "memory") else _("paste a key"))

    # What a person does

    def _tell_edited(self) -> None:
        if not self._showing:
            self._show_way()
            self.edited.emit()

    def _show_way(self) -> None:
        """Warn of an address over which everybody can read."""
        exposed = _is_readable_on_the_way(self._address.text())
        self._open_way.setVisible(exposed)
        if exposed:
            host = visible(urlsplit(self._address.text().strip()).netloc)
            text = _("Not encrypted: everybody between here and {host} can read the key and the conversation.")
            self._open_way.setText(text.format(host=host))

    def _show_dialect(self, name: str) -> None:
        self._dialect_name = name
        self._dialect.show_choice(_(dialect_title(name)))
        self._address.edit.setPlaceholderText(example_of(name))

    def _open_dialects(self) -> None:
        entries = [Entry(entry_id=name, title=_(dialect_title(name)), chosen=name == self._dialect_name) for name in dialects()]
        menu = PopupMenu(entries, self, name=_("Dialect"))
        menu.chosen.connect(self._choose_dialect)
        menu.below(self._dialect)

    def _choose_dialect(self, name: str) -> None:
        self._show_dialect(name)
        self._tell_edited()

    def _open_models(self) -> None:
        named = self._named_models()
        entries = [Entry(entry_id=model, title=visible(model), chosen=named[:1] == (model,)) for model in self._listed]
        menu = PopupMenu(entries, self, filter_words=_("Filter"), foot=_("As the server lists them."), name=_("Models"))
        menu.chosen.connect(self._put_model_first)
        menu.at(self._models.mapTo(self.window(), QPoint(0, self._models.height())))

    def _put_model_first(self, model: str) -> None:
        others = (known for known in self._named_models() if known != model)
        self._models.set_text(", ".join((model, *others)))
        self._models.setFocus(Qt.FocusReason.OtherFocusReason)

    def _named_models(self) -> tuple[str, ...]:
        """Return the models in the field; none while one of them cannot be one."""
        try:
            return model_ids(self._models.text())
        except SettingsError:
            return ()


def _key_sentence(place: Place | None, variable: str, *, variable_set: bool, keyring: bool) -> str:
    match place:
        case "keyring":
            return _("The key is kept in the system's keyring.")
        case "memory":
            return _("The key is kept in memory only: the system has no keyring that can be used, so it is gone when the program ends.")
        case "environment":
            return _("The key is taken from the environment variable {name}.").format(name=variable)
        case None if variable and not variable_set:
            text = _("There is no key: {name} is not set.").format(name=variable)
        case None:
            text = _("There is no key.")
    later = _("One that you enter goes into the keyring.") if keyring else _("There is no keyring here: one that you enter is gone when the program ends.")
    return paragraph(text, later)


def _is_readable_on_the_way(address: str) -> bool:
    try:
        return checked(Profile(name="?", base_url=address)).is_readable_on_the_way
    except SettingsError:
        return False
