"""Tests of the window: on its own loop, without a screen; a few in a real window."""
