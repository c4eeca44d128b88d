"""Tests of what stands around chat and inspector: on real folders and sessions, with the practice model."""
