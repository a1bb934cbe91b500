"""hardtoget: a witness and a detective find one word of sixteen together."""

__version__ = "0.1.0"
