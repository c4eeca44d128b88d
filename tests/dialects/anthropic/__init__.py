"""Tests of the Anthropic Messages dialect."""
