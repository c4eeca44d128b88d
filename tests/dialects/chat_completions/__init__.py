"""Tests of the Chat Completions codec."""
