"""Plugins with routes of their own."""
