"""skillcentral: the skill files that people already have, as prompts and tools, live."""

__version__ = "0.1.0"
