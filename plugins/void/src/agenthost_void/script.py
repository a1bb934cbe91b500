"""The program `void-mcp`: `agenthost void` under a name of its own."""

from __future__ import annotations

import sys
from typing import NoReturn

from agenthost import run_plugin


def main() -> NoReturn:
    """Serve void alone with the arguments of this process."""
    run_plugin("void", sys.argv[1:])
