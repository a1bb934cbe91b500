"""What people and models type: fire ids, names and texts, checked and brought into one form."""

from __future__ import annotations

import unicodedata

from agenthost import ToolError

MAX_FIRE_ID = 200
MAX_NAME = 100
MAX_MARK = 200
"""Characters of a message's id and of a `client_id`."""


class BadText(ToolError):
    """An argument is blank, too long or holds characters that it may not; nothing has changed."""


def clean_fire_id(given: str, argument: str = "fireId") -> str:
    """The id of a fire without the blanks around it; ids are compared exactly.

    Raises:
        BadText: it is blank, too long or no plain line.
    """
    return _clean_line(given, argument, MAX_FIRE_ID, "campfire_list_fires shows the fires there are")


def clean_name(given: str, argument: str) -> str:
    """A character's name without the blanks around it.

    Raises:
        BadText: it is blank, too long or no plain line.
    """
    name = _clean_line(given, argument, MAX_NAME, "give the name by which the others at the fire know you")
    if not name_key(name):
        raise BadText(f"{argument} has no visible character; give a name that the others can read.")
    return name


def clean_optional_name(given: str | None, argument: str) -> str | None:
    """The same for a name that may be left out; a blank one counts as left out.

    Raises:
        BadText: it is too long or no plain line.
    """
    return clean_name(given, argument) if given is not None and given.strip() else None


def clean_mark(given: str | None, argument: str) -> str | None:
    """An id that may be left out, of a message or of the client's own making; a blank one counts as left out.

    Raises:
        BadText: it is too long or no plain line.
    """
    if given is None or not given.strip():
        return None
    return _clean_line(given, argument, MAX_MARK, "leave it out if you have none")


def clean_text(given: str, argument: str, max_bytes: int) -> str:
    """A text as it was given.

    Raises:
        BadText: it is blank, too long or holds a NUL character.
    """
    if not given.strip():
        raise BadText(f"{argument} is blank; nothing was done. Call again with the text itself in {argument}.")
    if (size := len(given.encode())) > max_bytes:
        cure = "Shorten it, or split it over several messages." if argument == "text" else "Shorten it."
        raise BadText(f"{argument} is {size:,} bytes long and may have {max_bytes:,}; nothing was done. {cure}")
    if "\0" in given:
        raise BadText(f"{argument} holds a NUL character, which cannot be kept; nothing was done. Remove it.")
    return given


def clean_optional_text(given: str | None, argument: str, max_bytes: int) -> str | None:
    """The same for a text that may be left out; a blank one counts as left out.

    Raises:
        BadText: it is too long or holds a NUL character.
    """
    return clean_text(given, argument, max_bytes) if given is not None and given.strip() else None


def fold(text: str) -> str:
    """The text without what makes equal words look different to a computer: case, width, composition."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def name_key(name: str) -> str:
    """What two names have in common when they are the same: folded, without blanks around and invisible characters."""
    visible = "".join(character for character in name if unicodedata.category(character) != "Cf")
    return fold(visible).strip()


def same_name(one: str, other: str) -> bool:
    """Whether two names mean the same character."""
    return name_key(one) == name_key(other)


def excerpt(text: str, length: int) -> str:
    """The text, cut with an ellipsis if it is longer than `length` characters."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _clean_line(given: str, argument: str, longest: int, cure: str) -> str:
    line = given.strip()
    if not line:
        raise BadText(f"{argument} is blank; {cure}.")
    if len(line) > longest:
        raise BadText(f"{argument} has {len(line):,} characters and may have {longest}; {cure}.")
    if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in line):
        raise BadText(f"{argument} holds a line break or another control character; give it as one plain line.")
    return line
