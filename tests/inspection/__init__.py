"""Tests of what panels show, computed without Qt."""
