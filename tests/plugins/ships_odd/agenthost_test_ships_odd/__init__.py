"""Plugins that announce skills in ways that are wrong."""
