"""The lists of words and dilemmas, in the files' format of the original: one entry a line, blank lines do not count."""

from __future__ import annotations

from collections.abc import Iterator

from agenthost_hardtoget.rules.deal import BOARD_SIZE, ROUNDS, Dilemma
from agenthost_hardtoget.rules.texts import fold

MAX_ENTRY = 100
"""Characters of a word, or of an option."""


class BadList(Exception):
    """A list cannot be played with; `faults` are for people, each with the number of its line if it is about one."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def read_words(text: str) -> tuple[str, ...]:
    """The words of a list.

    Raises:
        BadList: two are the same ignoring case, one is too long or not printable, or there are fewer than 16.
    """
    faults: list[str] = []
    found: dict[str, tuple[int, str]] = {}
    for number, line in _lines(text):
        faults += _entry_faults(number, line)
        first, _ = found.setdefault(fold(line), (number, line))
        if first != number:
            faults.append(f"line {number}: {line!r} is in line {first} already; take one of them out")
    if not faults and len(found) < BOARD_SIZE:
        faults.append(f"has {len(found)} words, and a board needs {BOARD_SIZE}; add more, one a line")
    if faults:
        raise BadList(faults)
    return tuple(word for _, word in found.values())


def read_dilemmas(text: str) -> tuple[Dilemma, ...]:
    """The dilemmas of a list.

    Raises:
        BadList: a line has not exactly one comma, an option is blank, too long, not printable or the same as the
            other, two dilemmas are the same in any order, or there are fewer than 5.
    """
    faults: list[str] = []
    found: dict[frozenset[str], tuple[int, Dilemma]] = {}
    for number, line in _lines(text):
        options = [option.strip() for option in line.split(",")]
        if len(options) != 2 or not all(options):
            faults.append(f"line {number}: has to be two options with one comma between them, and is {line[:100]!r}")
            continue
        wrong = [fault for option in options for fault in _entry_faults(number, option)]
        one, other = options
        pair = frozenset(map(fold, options))
        if len(pair) == 1:
            wrong.append(f"line {number}: both options are {one!r}; make them different")
        first, _ = found.setdefault(pair, (number, (one, other)))
        if first != number:
            wrong.append(f"line {number}: the dilemma {one!r} or {other!r} is in line {first} already; take one out")
        faults += wrong
    if not faults and len(found) < ROUNDS:
        faults.append(f"has {len(found)} dilemmas, and a game needs {ROUNDS}; add more, one a line")
    if faults:
        raise BadList(faults)
    return tuple(dilemma for _, dilemma in found.values())


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), start=1):
        if line.strip():
            yield number, line.strip()


def _entry_faults(number: int, entry: str) -> list[str]:
    if len(entry) > MAX_ENTRY:
        return [f"line {number}: has {len(entry)} characters, and {MAX_ENTRY} are the most"]
    if not entry.isprintable():
        return [f"line {number}: {entry!r} has characters that cannot be shown; write it anew"]
    return []
