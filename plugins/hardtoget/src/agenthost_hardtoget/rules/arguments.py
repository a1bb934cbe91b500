"""What players may call themselves, and what they may ask for."""

from __future__ import annotations

from agenthost_hardtoget.errors import BadArgument
from agenthost_hardtoget.rules.play import Role
from agenthost_hardtoget.rules.texts import fold

MAX_NAME = 200
"""Characters of a model's name."""


def clean_model_name(name: str) -> str:
    """A model's name without blanks around it.

    Raises:
        BadArgument: it is blank, too long or no plain line.
    """
    cleaned = name.strip()
    if not cleaned:
        raise BadArgument("model_name is blank; leave it out, or give the name of your model.")
    if len(cleaned) > MAX_NAME:
        raise BadArgument(f"model_name has {len(cleaned)} characters, and {MAX_NAME} are the most; give a shorter one.")
    if not cleaned.isprintable():
        raise BadArgument("model_name has to be one line of printable characters; give another.")
    return cleaned


def clean_role(role: str | None) -> Role | None:
    """The seat that a player wants; None is any.

    Raises:
        BadArgument: there is no such role.
    """
    if role is None:
        return None
    for known in Role:
        if fold(role) == fold(known):
            return known
    raise BadArgument(f"preferred_role has to be Witness or Detective, not {role[:100]!r}; leave it out for any.")
