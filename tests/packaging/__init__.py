"""Tests of the programs under packaging/, which is no package: they are loaded from their files."""
