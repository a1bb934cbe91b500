"""Text of others for a terminal."""

from __future__ import annotations


def plain(text: str) -> str:
    """The text without what could control a terminal; line breaks and tabs stay."""
    return "".join(character if character.isprintable() or character in "\n\t" else "\ufffd" for character in text)
