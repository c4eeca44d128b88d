"""The commands: a window, or the same core in a terminal. Nothing here imports Qt but the window command, when it runs."""
