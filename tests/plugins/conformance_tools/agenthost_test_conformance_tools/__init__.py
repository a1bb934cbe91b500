"""Tools that the official conformance suite calls, under the names that it wants, from the public contract alone."""

from __future__ import annotations

from agenthost import Tool, hookimpl

from agenthost_test_conformance_tools import answering, asking, changing


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [*answering.TOOLS, *asking.TOOLS, *changing.TOOLS]
