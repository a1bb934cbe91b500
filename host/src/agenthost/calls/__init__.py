"""Calls: resolve the name, check the arguments, run the plugin's code guarded, convert what it gives."""

from agenthost.calls.asking import Asked, answer, answers, with_identity
from agenthost.calls.dispatch import Calls
from agenthost.calls.meter import BUCKETS, Meter
from agenthost.calls.running import Request
from agenthost.calls.texts import MAX_COMPLETIONS

__all__ = ["BUCKETS", "MAX_COMPLETIONS", "Asked", "Calls", "Meter", "Request", "answer", "answers", "with_identity"]
