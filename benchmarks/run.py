"""Measure agenthost side by side with the SDK's own servers: `python benchmarks/run.py`; see README.md."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from conversation import BenchmarkError
from measurements import KINDS, SIZES, Plan, measure_all
from report import as_json, rows, table, told
from subjects import Workshop, fastmcp_version, how_installed


def main() -> int:
    """Run it; 1 if `--check` and a bound is missed, 2 if it could not be measured."""
    options = _options()
    plan = Plan(options.rounds or (3 if options.quick else 9), 3 if options.quick else 8, options.only or KINDS)
    try:
        about = _about(options.fastmcp)
        with tempfile.TemporaryDirectory(prefix="agenthost-benchmark-") as folder:
            workshop = Workshop(Path(folder), options.fastmcp)
            workshop.prepare(list(SIZES))
            samples = measure_all(workshop, plan, _say)
    except BenchmarkError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    found = [row for row in rows(samples) if row.measure.kind in plan.kinds]
    about["rounds"] = str(plan.rounds)
    about["load average"] = f"{min(samples.loads):.1f} to {max(samples.loads):.1f}"
    sys.stdout.write(", ".join(f"{name} {value}" for name, value in about.items()) + f"\n\n{table(found)}\n")
    if options.json:
        document = {"about": about, "rows": [as_json(row) for row in found], "told": [told(row) for row in found]}
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    missed = [
        " ".join(filter(None, (row.measure.kind, row.measure.era, subject)))
        for row in found
        for subject in row.missed()
    ]
    if missed:
        sys.stdout.write(f"\nover the bound: {', '.join(missed)}\n")
    return 1 if options.check and missed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure agenthost side by side with the SDK's own servers.")
    parser.add_argument("--rounds", type=int, help="new processes of every subject (default: 9; with --quick 3)")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and requests, for a first look")
    parser.add_argument("--only", action="append", choices=KINDS, help="measure only this; may be repeated")
    parser.add_argument("--fastmcp", type=Path, metavar="PYTHON", help="measure FastMCP too, on this Python")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a bound is missed by more than the noise")
    return parser.parse_args()


def _about(fastmcp: Path | None) -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "mcp": version("mcp"),
        "agenthost-core": how_installed("agenthost-core", "agenthost"),
        "agenthost-void": how_installed("agenthost-void", "agenthost_void"),
        "FastMCP": fastmcp_version(fastmcp) if fastmcp else "left out, since no --fastmcp was given",
        "machine": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count()),
    }


def _say(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
