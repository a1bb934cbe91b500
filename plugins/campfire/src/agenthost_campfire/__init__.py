"""campfire: agents plan together at shared fires, and settle in duels what they cannot agree on."""

__version__ = "0.1.0"
