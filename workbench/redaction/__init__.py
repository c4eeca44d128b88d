"""Finds secrets in text and bytes: by known value, by shape, by the place where they stand. Pure; every room may use it."""
