"""Tests of the store room: real files, real processes, real damage."""
