"""Tests of the ReAct dialect."""
