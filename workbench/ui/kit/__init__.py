"""Tokens, painting and controls that every part of the window is drawn with."""
