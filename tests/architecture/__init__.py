"""Checks of the house itself: who may import whom, and what no file may hold."""
