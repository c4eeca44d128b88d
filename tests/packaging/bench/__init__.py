"""Tests of the runner of measurements."""
