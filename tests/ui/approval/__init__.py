"""Tests of the approval dialog."""
