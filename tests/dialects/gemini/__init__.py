"""Tests of the Gemini codec."""
