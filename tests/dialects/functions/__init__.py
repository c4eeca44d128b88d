"""Tests of Chat Completions with `functions`."""
