"""The text of answers whose structure says more."""

from __future__ import annotations

import json
from typing import Any


def in_json(value: Any) -> str:
    """JSON as the host writes it: 2 spaces, non-ASCII kept."""
    return json.dumps(value, indent=2, ensure_ascii=False)
