"""How the words of players are compared."""

from __future__ import annotations

import unicodedata


def fold(text: str) -> str:
    """What two texts have in common that are the same word: no case, no blanks around or doubled, one composition."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
