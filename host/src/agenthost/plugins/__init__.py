"""Plugins: find them by entry point, check them from metadata, load the wanted ones one at a time."""

from agenthost.plugins.containment import Escaped, GivenUpOn, bounded, explain_failure, stdout_to_stderr
from agenthost.plugins.found import GROUP, HOST, NAME, RESERVED, Found, bundled_distributions, find_plugins
from agenthost.plugins.hooks import ASK_LIMIT, ask, call_hook, expect, model_class
from agenthost.plugins.loading import Plugin, State, load_plugin, load_plugins
from agenthost.plugins.selection import Selection, keep_bundled, select

__all__ = [
    "ASK_LIMIT",
    "GROUP",
    "HOST",
    "NAME",
    "RESERVED",
    "Escaped",
    "Found",
    "GivenUpOn",
    "Plugin",
    "Selection",
    "State",
    "ask",
    "bounded",
    "bundled_distributions",
    "call_hook",
    "expect",
    "explain_failure",
    "find_plugins",
    "keep_bundled",
    "load_plugin",
    "load_plugins",
    "model_class",
    "select",
    "stdout_to_stderr",
]
