"""Tests of the practice model: its sentences, its answers to real results, its server."""
