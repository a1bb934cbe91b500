"""Calls: resolve the name, check the arguments, run the plugin's code guarded, convert what it gives."""

from agenthost.calls.dispatch import Calls, Request

__all__ = ["Calls", "Request"]
