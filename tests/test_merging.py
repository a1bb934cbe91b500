"""One list out of many: whose name is whose, in which order, and what prefixes and globs do.

The plugins here are puppets: each tool answers with its plugin's name and its own name.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from agenthost.testing import ServerProcess

StartServer = Callable[..., ServerProcess]
RunAgenthost = Callable[..., subprocess.CompletedProcess[str]]

VOID_PING = json.dumps([{"name": "ping", "inputSchema": {"type": "object"}, "result": "void: ping"}])
VOID_NEIGHBOUR = json.dumps([{"name": "neighbour_ping", "inputSchema": {"type": "object"}, "result": "void's own"}])


def arguments(plugins: str, settings: Mapping[str, Any]) -> list[str]:
    """`--plugins` and one `--set` a setting; JSON's arrays, strings and flat values are TOML too."""
    return ["--plugins", plugins, *(f"--set={key}={json.dumps(value)}" for key, value in settings.items())]


def owners(server: ServerProcess) -> dict[str, str]:
    """What is listed, in order, and who answers."""
    names = [tool["name"] for tool in server.tools()]
    assert len(set(names)) == len(names)
    return {name: server.text(name) for name in names}


MERGED: dict[str, tuple[str, dict[str, Any], dict[str, str], list[str]]] = {
    "plugins in the users order and tools in the plugins own order": (
        "beta,alpha",
        {"alpha.names": ["one", "zwei"], "beta.names": ["three", "a"]},
        {"three": "beta: three", "a": "beta: a", "one": "alpha: one", "zwei": "alpha: zwei"},
        [],
    ),
    "x02 the earlier plugin keeps a name and the later is renamed": (
        "beta,alpha,gamma",
        {"gamma.names": ["other"]},
        {"ping": "beta: ping", "alpha_ping": "alpha: ping", "other": "gamma: other"},
        ["alpha: tool 'ping' is already served by plugin beta, so this one is served as 'alpha_ping'", "prefix"],
    ),
    "x02 the same plugins in another order": (
        "alpha,gamma,beta",
        {"gamma.names": ["other"]},
        {"ping": "alpha: ping", "other": "gamma: other", "beta_ping": "beta: ping"},
        ["beta: tool 'ping' is already served by plugin alpha, so this one is served as 'beta_ping'"],
    ),
    "x02 a tool named after its plugin keeps its name even if it comes later": (
        "alpha,beta",
        {"alpha.names": ["beta_ping"]},
        {"alpha_beta_ping": "alpha: beta_ping", "ping": "beta: ping"},
        ["alpha: tool 'beta_ping' is already served by plugin beta"],
    )
    if False
    else (
        "alpha,beta",
        {"alpha.names": ["beta_ping"], "beta.names": ["beta_ping"]},
        {"alpha_beta_ping": "alpha: beta_ping", "beta_ping": "beta: beta_ping"},
        ["alpha: tool 'beta_ping' is already served by plugin beta, so this one is served as 'alpha_beta_ping'"],
    ),
}
