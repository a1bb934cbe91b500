"""What the samples say: one row a measure, all subjects side by side, against the bounds."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from conversation import ERAS
from measurements import KINDS, SIZES, Kind, Measure, Samples
from subjects import SUBJECTS

EQUAL = 0.05
"""Two runs of one program that differ by less are equal."""


@dataclass(frozen=True)
class Bound:
    """What subjects may take at most, as a share of what another takes in the same round.

    Attributes:
        subjects: whom it binds.
        against: the other subject.
        at_most: the largest good ratio.
    """

    subjects: tuple[str, ...]
    against: str
    at_most: float

    def __str__(self) -> str:
        return f"{', '.join(self.subjects)} at most {self.at_most:.2f} of {self.against}"


BOUNDS: dict[tuple[Kind, int], Bound] = {
    ("start", 1): Bound(("void",), "bare", 1.10),
    ("cpu", 1): Bound(("void",), "bare", 1.10),
    ("call", 1): Bound(("void", "typed"), "bare", 0.90),
    ("list", 1000): Bound(("void", "typed"), "MCPServer", 0.20),
    ("memory", 1): Bound(("void",), "bare", 1.15),
    ("http", 10): Bound(("void", "typed"), "bare", 1.15),
    ("http", 1000): Bound(("void", "typed"), "bare", 1.15),
}
"""What is promised, by kind of measure and number of tools."""


@dataclass(frozen=True)
class Figure:
    """What one subject took.

    Attributes:
        median: of all rounds.
        least: of all rounds.
        ratio: to bare: the median of the ratios of each round.
        least_ratio: to bare: of the least values.
        spread: the median distance of the ratios of each round from 1.
        bound_ratio: as `ratio`, to whom the bound names; None if no bound is on it.
    """

    median: float
    least: float
    ratio: float
    least_ratio: float
    spread: float
    bound_ratio: float | None


@dataclass(frozen=True)
class Row:
    """One measure of all subjects.

    Attributes:
        measure: what was measured.
        figures: by subject.
        bound: what is promised of it, if anything.
    """

    measure: Measure
    figures: dict[str, Figure]
    bound: Bound | None

    @property
    def noise(self) -> float:
        """By how much the two bare servers differ: on the whole, or typically in one round, whichever is more."""
        return max(abs(self.figures["bare2"].ratio - 1), self.figures["bare2"].spread)

    def verdict(self, subject: str) -> Literal["ok", "over", "noise"]:
        """`noise` is over by less than the noise; only for whom the bound binds."""
        bound, ratio = self.bound, self.figures[subject].bound_ratio
        assert bound is not None
        assert ratio is not None
        if ratio <= bound.at_most:
            return "ok"
        return "noise" if ratio <= bound.at_most * (1 + self.noise) else "over"

    def missed(self) -> list[str]:
        """The subjects that are over their bound by more than the noise."""
        return [name for name in (self.bound.subjects if self.bound else ()) if self.verdict(name) == "over"]


def rows(samples: Samples) -> Iterator[Row]:
    """All rows, in the order of the table."""
    for measure in (Measure(kind, tools, era) for kind in KINDS for tools in SIZES for era in (None, *ERAS)):
        if values := samples.values.get(measure):
            bound = BOUNDS.get((measure.kind, measure.tools))
            yield Row(
                measure, {subject: _figure(subject, values, bound) for subject in SUBJECTS if subject in values}, bound
            )


def _figure(subject: str, values: Mapping[str, Sequence[float]], bound: Bound | None) -> Figure:
    own, bare = values[subject], values["bare"]
    return Figure(
        median=statistics.median(own),
        least=min(own),
        ratio=_ratio(own, bare),
        least_ratio=min(own) / min(bare),
        spread=statistics.median(abs(value / other - 1) for value, other in zip(own, bare, strict=True)),
        bound_ratio=_ratio(own, values[bound.against]) if bound and subject in bound.subjects else None,
    )


def _ratio(values: Sequence[float], others: Sequence[float]) -> float:
    return statistics.median(value / other for value, other in zip(values, others, strict=True))


def table(found: Sequence[Row]) -> str:
    """The rows as a Markdown table; see README.md for how to read it."""
    subjects = [subject for subject in SUBJECTS if any(subject in row.figures for row in found)]
    head = ["measure", "tools", "era", *subjects, "bound", "verdict"]
    lines = [head, ["---", "---:", "---", *("---:" for _ in subjects), "---", "---"]]
    for row in found:
        unit = "MiB" if row.measure.kind == "memory" else "ms"
        cells = [_cell(figure, unit, alone=subject == "bare") for subject, figure in row.figures.items()]
        name = [row.measure.kind, str(row.measure.tools), (row.measure.era or "both")[:4]]
        lines.append([*name, *cells, str(row.bound or ""), _verdict(row)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def told(row: Row) -> tuple[str, str, str, str]:
    """The row for a table with other benchmarks: what, measured, bound, verdict."""
    unit = "MiB" if row.measure.kind == "memory" else "ms"
    cells = [f"{name} {_cell(figure, unit, alone=name == 'bare')}" for name, figure in row.figures.items()]
    tools = "1 tool" if row.measure.tools == 1 else f"{row.measure.tools} tools"
    what = f"{row.measure.kind}, {tools}, {row.measure.era or 'both eras'}"
    return what, "; ".join(cells), str(row.bound or ""), _verdict(row)


def as_json(row: Row) -> dict[str, Any]:
    """The row with all its numbers."""
    subjects: dict[str, Any] = {subject: asdict(figure) for subject, figure in row.figures.items()}
    for subject in row.bound.subjects if row.bound else ():
        subjects[subject]["verdict"] = row.verdict(subject)
    bound = asdict(row.bound) if row.bound else None
    return {**asdict(row.measure), "noise": row.noise, "bound": bound, "subjects": subjects}


def _cell(figure: Figure, unit: str, *, alone: bool) -> str:
    shown = f"{figure.median:.3f}" if figure.median < 10 else f"{figure.median:.1f}"
    ratios = "" if alone else f" {figure.ratio:.2f}/{figure.least_ratio:.2f}"
    return f"{shown} {unit}{ratios}"


def _verdict(row: Row) -> str:
    noisy = "" if abs(row.figures["bare2"].ratio - 1) <= EQUAL else "noisy"
    if row.bound is None:
        return noisy
    words = [f"{name} {row.figures[name].bound_ratio:.2f} {row.verdict(name)}" for name in row.bound.subjects]
    return ", ".join([*words, *([noisy] if noisy else [])])
