"""Tests of the gate: danger, rules, shell, decisions."""
