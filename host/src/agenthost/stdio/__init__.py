"""MCP over stdin and stdout: one JSON-RPC message a line."""

from agenthost.stdio.conversation import StdioTransport

__all__ = ["StdioTransport"]
