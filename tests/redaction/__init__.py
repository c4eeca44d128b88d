"""Tests of the redaction room."""
