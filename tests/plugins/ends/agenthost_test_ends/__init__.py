"""Plugins that print everywhere and that do not want to end."""
