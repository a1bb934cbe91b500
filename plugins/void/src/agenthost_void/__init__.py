"""void: tools that do nothing but give an agent a shaped space to think in."""

__version__ = "0.1.0"
