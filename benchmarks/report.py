"""What the samples say: one row a measure and subject, against the bounds."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conversation import ERAS
from measurements import KINDS, SIZES, Measure, Samples
from subjects import SUBJECTS

EQUAL = 0.05
"""Two runs of one program that differ by less are equal."""

UNITS = {"memory": "MiB"}


@dataclass(frozen=True)
class Bound:
    """What a subject may take at most, as a share of what another takes in the same round.

    Attributes:
        against: the other subject.
        at_most: the largest good ratio.
    """

    against: str
    at_most: float


@dataclass(frozen=True)
class Row:
    """One subject in one measure.

    Attributes:
        median: over all rounds.
        least: of all rounds.
        ratio: the median of the ratios to `against` in each round.
        least_ratio: that of the least values of all rounds.
        noise: by how much the two bare servers differ in this measure.
        bound: what the ratio may be at most; None where there is only something to see.
    """

    measure: Measure
    subject: str
    median: float
    least: float
    against: str
    ratio: float
    least_ratio: float
    noise: float
    bound: float | None

    @property
    def verdict(self) -> str:
        """`ok`, `over`, or `noise` for what is over by less than the noise."""
        if self.subject == "bare2":
            return "equal" if self.noise <= EQUAL else "noisy"
        if self.bound is None:
            return ""
        if self.ratio <= self.bound:
            return "ok"
        return "noise" if self.ratio <= self.bound * (1 + self.noise) else "over"


def bound_of(measure: Measure, subject: str) -> Bound | None:
    """What is promised; see README.md."""
    match measure.kind, measure.tools, subject:
        case "start", 1, "void":
            return Bound("bare", 1.10)
        case "call", 1, "void" | "typed":
            return Bound("bare", 0.90)
        case "list", 1000, "void" | "typed":
            return Bound("MCPServer", 0.20)
        case "memory", 1, "void":
            return Bound("bare", 1.15)
        case _:
            return None


def rows(samples: Samples) -> Iterator[Row]:
    """All rows, in the order of the table."""
    for measure in (Measure(kind, tools, era) for kind in KINDS for tools in SIZES for era in ERAS):
        values = samples.values.get(measure, {})
        if not values:
            continue
        noise = abs(_ratio(values["bare2"], values["bare"]) - 1)
        for subject in SUBJECTS:
            own = values[subject]
            bound = bound_of(measure, subject)
            against = bound.against if bound else "bare"
            yield Row(
                measure,
                subject,
                statistics.median(own),
                min(own),
                against,
                _ratio(own, values[against]),
                min(own) / min(values[against]),
                noise,
                bound.at_most if bound else None,
            )


def _ratio(values: Sequence[float], others: Sequence[float]) -> float:
    return statistics.median(value / other for value, other in zip(values, others, strict=True))


def table(found: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| measure | tools | era | subject | median | least | against | ratio | of the least | at most | verdict |",
        "|---|---:|---|---|---:|---:|---|---:|---:|---:|---|",
    ]
    for row in found:
        unit = UNITS.get(row.measure.kind, "ms")
        cells = [
            row.measure.kind,
            str(row.measure.tools),
            row.measure.era[:4],
            row.subject,
            f"{_digits(row.median)} {unit}",
            f"{_digits(row.least)} {unit}",
            row.against,
            f"{row.ratio:.2f}",
            f"{row.least_ratio:.2f}",
            "" if row.bound is None else f"{row.bound:.2f}",
            row.verdict,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _digits(value: float) -> str:
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"
