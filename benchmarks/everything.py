"""All benchmarks, one after the other, in one table: `python benchmarks/everything.py`; see README.md."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from measurements import KINDS

HERE = Path(__file__).parent

PARTS: Mapping[str, Sequence[str]] = {
    "run": ["--quick"],
    "campfire": ["--rounds", "20"],
    "skillcentral": ["--rounds", "3"],
    "load": ["--waiters", "100", "--rounds", "1", "--calls", "1000"],
}
"""The benchmarks, each a program beside this one, with what makes it quick."""

OVER, FAILED = 1, 2
"""Exit codes: a bound is missed; something could not be measured, and then there are no rows of it."""


def main() -> int:
    """Run them; 1 if `--check` and a bound is missed, 2 if one could not be measured."""
    options = _options()
    only: list[str] = options.only or list(PARTS)
    kinds = [name for name in only if name in KINDS]
    about: dict[str, str] = {}
    rows: list[list[Any]] = []
    codes: set[int] = set()
    with tempfile.TemporaryDirectory(prefix="agenthost-benchmark-") as folder:
        for part, quick in PARTS.items():
            if part not in only and not (part == "run" and kinds):
                continue
            file = Path(folder) / f"{part}.json"
            command = [sys.executable, str(HERE / f"{part}.py"), "--json", str(file), *(quick if options.quick else ())]
            if part == "run":
                command += [word for kind in kinds for word in ("--only", kind)]
                command += ["--rounds", str(options.rounds)] if options.rounds else []
                command += ["--fastmcp", str(options.fastmcp)] if options.fastmcp else []
            if part != "load":
                command.append("--check")
            about[f"load average before {part}"] = f"{os.getloadavg()[0]:.1f}"
            code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
            if not file.exists():  # it has said why on stderr
                rows.append([part, "could not be measured", "", "failed"])
                codes.add(FAILED)
                continue
            codes.add(code)
            document = json.loads(file.read_text(encoding="utf-8"))
            about = document.get("about", {}) | about
            rows += document["told"]
    sys.stdout.write("".join(f"{name}: {value}\n" for name, value in about.items()))
    sys.stdout.write("\n| what | measured | bound | verdict |\n| --- | --- | --- | --- |\n")
    sys.stdout.write("".join(f"| {' | '.join(row)} |\n" for row in rows))
    if options.json:
        options.json.write_text(json.dumps({"about": about, "told": rows}, indent=2) + "\n", encoding="utf-8")
    if FAILED in codes:
        return FAILED
    return OVER if options.check and OVER in codes else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run all benchmarks, and tell what they found in one table.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and requests, for a first look")
    names = (*PARTS, *KINDS)
    parser.add_argument("--only", action="append", choices=names, help="run only this, or this kind of run; repeatable")
    parser.add_argument("--rounds", type=int, help="for run.py: new processes of every subject")
    parser.add_argument("--fastmcp", type=Path, metavar="PYTHON", help="measure FastMCP too, on this Python")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a bound is missed by more than the noise")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there too")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
