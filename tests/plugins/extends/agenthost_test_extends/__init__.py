"""Plugins with extensions of the protocol."""
