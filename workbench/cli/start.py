"""What commands do first that need the whole program: build it, and switch to the language of its settings."""

from __future__ import annotations

from workbench.app import App
from workbench.cli.output import hide
from workbench.cli.places import data_folder
from workbench.words import choose_language


async def open_app() -> App:
    """Return the program, to be used as ``async with``.

    Raises:
        UsageError: the data folder cannot be made or used.
    """
    app = await App.open(data_folder())
    hide(app.secrets)
    choose_language(app.settings.appearance.language)
    return app
