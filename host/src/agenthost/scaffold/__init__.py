"""Makes the first files of a new plugin: plain files, in which one word becomes the plugin's name."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import agenthost
from agenthost.errors import OperatorError
from agenthost.plugins import NAME, RESERVED

FILES = Path(__file__).with_name("distribution")
"""The files of a plugin called `exemplar`."""

SUFFIX = ".txt"
"""What each has behind its name, so that nothing takes them for modules of this package."""


def check_name(name: str) -> None:
    """Refuse a name that no plugin can have, or no distribution.

    Raises:
        OperatorError: it is such a name; says why.
    """
    if not NAME.fullmatch(name):
        raise OperatorError(
            f"{name!r} is no name for a plugin: use small letters, digits, - and _, begin with a letter, and take at "
            "most 40"
        )
    if name[-1] in "-_":
        raise OperatorError(f"{name!r} is no name for a plugin: its distribution could not be called agenthost-{name}")
    if name in RESERVED:
        raise OperatorError(
            f"{name!r} is no name for a plugin: agenthost keeps it for a command, a table of its settings or a path of "
            "its own; choose another"
        )


def module_name(name: str) -> str:
    """The package of a plugin: what is not allowed in a module's name becomes an underscore."""
    return f"agenthost_{name.replace('-', '_')}"


def make(name: str, folder: Path) -> Path:
    """Make `agenthost-<name>` in a folder, complete or not at all, and return where it is.

    Raises:
        OperatorError: the name cannot be used, there is something of that name already, or it cannot be written.
    """
    check_name(name)
    made = folder / f"agenthost-{name}"
    if os.path.lexists(made):
        raise OperatorError(f"{made} is there already, and is left as it is; choose another name, or another --dir")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".agenthost-new-", dir=folder) as temporary:
            whole = Path(temporary) / made.name
            for source in sorted(FILES.rglob(f"*{SUFFIX}")):
                file = whole / filled(str(source.relative_to(FILES)).removesuffix(SUFFIX), name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(filled(source.read_text(encoding="utf-8"), name), encoding="utf-8")
            whole.rename(made)
    except OSError as error:
        raise OperatorError(f"{made} cannot be made ({error.strerror or error})") from error
    return made


def filled(text: str, name: str) -> str:
    """The text with the plugin's name instead of `exemplar`, in the form that each place wants."""
    forms = {
        "agenthost-core>=0": f"agenthost-core{_range()}",
        "agenthost_exemplar": module_name(name),
        "exemplar_": f"{name.replace('-', '_')}_",
        "exemplar://": f"{name.replace('_', '-')}://",  # a scheme has no underscore
        "exemplar": name,
    }
    return re.sub("|".join(map(re.escape, forms)), lambda found: forms[found[0]], text)


def _range() -> str:
    """The versions of the host with the contract of this one: while it is 0.x, those with the same minor number."""
    major, minor, *_ = agenthost.__version__.split(".")
    return f">={major}.{minor},<0.{int(minor) + 1}" if major == "0" else f">={major}.{minor},<{int(major) + 1}"
