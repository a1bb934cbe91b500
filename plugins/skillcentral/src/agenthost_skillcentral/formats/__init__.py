"""The formats of skill files: from bytes to a skill, or to what is wrong with them."""

from agenthost_skillcentral.formats.reading import SKILL_FILE, SUFFIXES, read_skill

__all__ = ["SKILL_FILE", "SUFFIXES", "read_skill"]
