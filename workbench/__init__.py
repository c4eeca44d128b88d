"""Agent Workbench: see, decide and undo what a tool-calling model does."""

__version__ = "0.1.0"
