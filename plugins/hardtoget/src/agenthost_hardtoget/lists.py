"""Where the words and dilemmas come from: the operator's files, else those of this package. Read when needed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from agenthost import OperatorError, PluginContext

from agenthost_hardtoget.rules.deal import Dilemma
from agenthost_hardtoget.rules.lists import BadList, read_dilemmas, read_words
from agenthost_hardtoget.settings import Settings

T = TypeVar("T")

BUILT_IN = Path(__file__).with_name("data")
WORDS, DILEMMAS = "words.txt", "dilemmas.txt"

MAX_FAULTS = 20
"""Faults that are told of one file; whoever has more has taken the wrong one."""


@dataclass(frozen=True, slots=True)
class Lists:
    """What games are dealt from."""

    words: tuple[str, ...]
    dilemmas: tuple[Dilemma, ...]


def lists_of(plugin: PluginContext[Settings]) -> Lists:
    """The lists that a plugin's games are dealt from.

    Raises:
        OperatorError: a file of the settings is not there or wrong; names file, line and what to do.
    """
    return _load(
        _path(plugin.settings.words, plugin.base_dir, WORDS),
        _path(plugin.settings.dilemmas, plugin.base_dir, DILEMMAS),
    )


def check(plugin: PluginContext[Settings]) -> None:
    """Read the operator's files, if there are any; the package's own are read when the first game is dealt.

    Raises:
        OperatorError: one is not there or wrong.
    """
    if plugin.settings.words is not None or plugin.settings.dilemmas is not None:
        lists_of(plugin)


@cache
def _load(words: Path, dilemmas: Path) -> Lists:
    faults: list[str] = []
    found = Lists(_read("words", words, read_words, faults), _read("dilemmas", dilemmas, read_dilemmas, faults))
    if faults:
        raise OperatorError("\n  ".join(("not served until this is corrected:", *faults)))
    return found


def _path(given: Path | None, folder: Path, built_in: str) -> Path:
    # Path's own `expanduser` raises for the `~name` of nobody.
    return BUILT_IN / built_in if given is None else folder / os.path.expanduser(given)  # noqa: PTH111


def _read(key: str, path: Path, parse: Callable[[str], tuple[T, ...]], faults: list[str]) -> tuple[T, ...]:
    """The entries of a file; what is wrong with it is added to `faults`, named by the setting and the file."""
    try:
        return parse(path.read_bytes().decode())
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        wrong = [f"line {line}: is not UTF-8; save the file as UTF-8"]
    except OSError as error:
        wrong = [f"cannot be read: {error.strerror}"]
    except ValueError as error:  # a NUL character in the path
        wrong = [f"is no path: {error}"]
    except BadList as error:
        wrong = error.faults
    told = wrong[:MAX_FAULTS] + ([f"and {len(wrong) - MAX_FAULTS} faults more"] if len(wrong) > MAX_FAULTS else [])
    faults += [f"{key} {path}: {fault}" for fault in told]
    return ()
