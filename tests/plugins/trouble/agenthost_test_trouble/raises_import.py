"""Raises while it is imported."""

raise RuntimeError("fails on purpose")
