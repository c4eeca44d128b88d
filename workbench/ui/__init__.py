"""All of Qt: the window, its views and dialogs, and the bridge to a session."""
