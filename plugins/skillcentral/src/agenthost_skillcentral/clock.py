"""Points in time: milliseconds since 1970 in the store, ISO 8601 in UTC in answers. They order nothing."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def now_ms() -> int:
    """The time now."""
    return time.time_ns() // 1_000_000


def iso(milliseconds: int) -> str:
    """A point in time as answers show it: `2026-01-31T12:00:00.000Z`."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
