"""What a benchmark has measured, beside its bounds: a table to read, and the same as JSON for `everything.py`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path


def report(rows: Iterable[tuple[str, str, str, bool]], file: Path | None) -> None:
    """Write the table to stdout, and to `file` if there is one.

    Args:
        rows: what was measured, how much it is, its bound, and whether that holds.
        file: gets the rows as JSON.
    """
    told = [(what, measured, bound, "ok" if holds else "over") for what, measured, bound, holds in rows]
    sys.stdout.write("| what | measured | bound | |\n|---|---|---|---|\n")
    sys.stdout.writelines(f"| {' | '.join(row)} |\n" for row in told)
    if file is not None:
        file.write_text(json.dumps({"told": told}, indent=2) + "\n", encoding="utf-8")
