"""OpenTelemetry: whose code runs, told in the span that the SDK makes of every request."""

from __future__ import annotations

from importlib.util import find_spec

CAN_TRACE = find_spec("opentelemetry") is not None and find_spec("opentelemetry.sdk") is not None
"""Whether spans can be recorded at all: the API alone, which the SDK of the protocol needs, records nothing."""


def tell_trace(plugin: str) -> None:
    """Name the plugin in the span of the request that is being answered, as `agenthost.plugin`.

    The tool's name is there already, as `gen_ai.tool.name`: the SDK follows OpenTelemetry's
    conventions for MCP.
    """
    if CAN_TRACE:
        from opentelemetry.trace import get_current_span

        get_current_span().set_attribute("agenthost.plugin", plugin)
