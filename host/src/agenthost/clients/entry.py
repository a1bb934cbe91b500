"""The entry that a client gets: what starts agenthost, what it is given, and what of an older entry is kept."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from agenthost.errors import OperatorError

PROGRAM = "agenthost"

STATE_DIR = "host.state_dir"
"""The setting that every entry has: clients pass on too little of the environment to find the folder by it."""


def find_program() -> Path:
    """The absolute path of the installed command of the environment in which this process runs.

    Raises:
        OperatorError: there is none, or only one that will not stay.
    """
    places = [Path(sysconfig.get_path("scripts")) / PROGRAM]
    if sys.executable:
        places.insert(0, Path(sys.executable).with_name(PROGRAM))
    if Path(sys.argv[0]).name == PROGRAM:  # installed where neither of the two is, as pip install --user does
        places.append(Path(sys.argv[0]).absolute())
    if found := shutil.which(PROGRAM):
        places.append(Path(found).absolute())
    usable = [place for place in places if place.is_file() and os.access(place, os.X_OK) and not _is_shim(place)]
    if not usable:
        raise OperatorError(
            f"the program {PROGRAM} was found neither beside {sys.executable} nor on PATH, so there is nothing that a "
            f"client could start. Install it into this environment: {sys.executable} -m pip install agenthost-core"
        )
    if _is_passing(usable[0]):
        raise OperatorError(
            f"{usable[0]} belongs to a temporary environment (uvx or pipx run), which will be gone one day. Install "
            "agenthost for good and run its install command: uv tool install agenthost-core --with agenthost-void"
        )
    return usable[0]


def _is_shim(program: Path) -> bool:
    """Whether the program is a shim of pyenv or asdf, which asks the working directory what to start."""
    return program.parent.name == "shims"


def _is_passing(program: Path) -> bool:
    """Whether the program lies in the cache of uv or pipx, from which it is cleared away without notice."""
    parts = set(program.parts)
    return "archive-v0" in parts or ("pipx" in parts and bool(parts & {".cache", "Caches"}))


def arguments(
    state_dir: Path, *, config: Path | None, assignments: Sequence[str], plugins: str | None, strict: bool
) -> list[str]:
    """The arguments of the program: everything that must not depend on where and how the client starts it.

    Raises:
        OperatorError: one of them cannot stand in a client's configuration.
    """
    words = ["serve"]
    if config is not None:
        words += ["--config", str(config)]
    words += ["--set", f"{STATE_DIR}={state_dir}"]
    for assignment in assignments:
        if _setting(assignment) != STATE_DIR:
            words += ["--set", assignment]
    if plugins is not None:
        words += ["--plugins", plugins]
    if strict:
        words.append("--strict")
    for word in words:
        require_literal(word)
    return words


def require_literal(word: str) -> None:
    """Refuse what a configuration file cannot hold, or what clients would not take as it is.

    Raises:
        OperatorError: it is such a word.
    """
    try:
        word.encode()
    except UnicodeEncodeError:
        raise OperatorError(f"{word!r} is not UTF-8, and a client's configuration file is") from None
    if "${" in word:
        raise OperatorError(f"{word!r} contains '${{', which clients take for the beginning of a variable")


def is_ours(entry: Any, nested: str | None = None) -> bool:
    """Whether an entry starts agenthost, by whatever means; an entry that starts nothing at all may become ours.

    `nested` is the member in which command and args may be instead.
    """
    if not isinstance(entry, dict):
        return False
    entry = _start(entry, nested)
    if "url" in entry:
        return False
    if "command" not in entry:
        return True
    return any(PurePath(word).name == PROGRAM for word in [entry["command"], *_words(entry)] if isinstance(word, str))


def merged(
    existing: Mapping[str, Any] | None,
    wanted: Mapping[str, Any],
    defaults: Mapping[str, Any] | None = None,
    nested: str | None = None,
) -> dict[str, Any]:
    """`wanted` over an existing entry: members and arguments that somebody has added to it stay.

    Args:
        existing: the entry that is there, or None.
        wanted: what it must have.
        defaults: what it gets where it has nothing.
        nested: the member in which command and args may be instead; if it is there, it is where they go.
    """
    if existing is None:
        return {**wanted, **(defaults or {})}
    if (start := _start(existing, nested)) is not existing:
        assert nested is not None
        return {**existing, nested: merged(start, wanted, defaults)}
    present = _words(existing)
    arguments = [*wanted["args"], *kept_arguments(existing, wanted["args"])]
    if present[:1] == ["serve"] and Counter(_options(present)) == Counter(_options(arguments)):
        arguments = present  # the same in another order
    result = {**existing, **wanted, "args": arguments}
    return {**result, **{name: value for name, value in (defaults or {}).items() if name not in result}}


def _start(entry: Mapping[str, Any], nested: str | None) -> Mapping[str, Any]:
    """The part of an entry that says what to start."""
    inner = entry.get(nested) if nested is not None else None
    return inner if isinstance(inner, dict) else entry


def kept_arguments(existing: Mapping[str, Any], wanted: Sequence[str]) -> list[str]:
    """The arguments behind `serve` of an existing entry that are not decided by the command line of `install`."""
    words = _words(existing)
    behind = words[words.index("serve") + 1 :] if "serve" in words else []
    decided = {"--config", "--state-dir", "--plugins"} | ({"--strict"} if "--strict" in wanted else set())
    settings = {_setting(word) for option, word in _options(wanted) if option == "--set" and word is not None}
    kept: list[str] = []
    for option, word in _options(behind):
        if option in decided or (option == "--set" and _setting(word or "") in settings):
            continue
        kept += [option] if word is None else [option, word]
    return kept


def _options(words: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """The words in pairs: an option with its value, in either spelling, or a word alone."""
    rest = iter(words)
    for word in rest:
        option, equals, value = word.partition("=")
        if option in {"--config", "--state-dir", "--plugins", "--set"}:
            yield option, value if equals else next(rest, None)
        else:
            yield word, None


def _setting(assignment: str) -> str:
    return assignment.partition("=")[0].strip()


def _words(entry: Mapping[str, Any]) -> list[str]:
    found = entry.get("args")
    return [word for word in found if isinstance(word, str)] if isinstance(found, list) else []
