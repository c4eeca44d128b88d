"""The settings dialog: providers with their keys and tests, limits, permissions, appearance."""
