"""Plugins that cannot be loaded or served, each for another reason."""
