"""Tests of the agent: turns told as dialogues, the invariants, and a stop at every point."""
