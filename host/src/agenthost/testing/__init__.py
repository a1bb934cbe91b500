"""The test kit for plugin authors. pytest loads it as a plugin wherever agenthost is installed, so it is light.

- The fixture `agenthost_plugin` boots the real host with one plugin alone: in memory, as a process over
  stdio, over HTTP, for clients of both eras of the protocol.
- The fixture `agenthost_server` starts `agenthost serve ...` with any options, as a `ServerProcess`.
- `assert_plugin_ok` checks what every plugin has to hold.
"""

from agenthost.testing.acceptance import assert_plugin_ok
from agenthost.testing.alone import PluginUnderTest, Transport, UsePlugin, clean_environment
from agenthost.testing.fixtures import StartServer, agenthost_environment, agenthost_plugin, agenthost_server
from agenthost.testing.process import LEGACY_VERSION, MODERN_VERSION, PATIENCE, Era, Kind, ServerProcess

__all__ = [
    "LEGACY_VERSION",
    "MODERN_VERSION",
    "PATIENCE",
    "Era",
    "Kind",
    "PluginUnderTest",
    "ServerProcess",
    "StartServer",
    "Transport",
    "UsePlugin",
    "agenthost_environment",
    "agenthost_plugin",
    "agenthost_server",
    "assert_plugin_ok",
    "clean_environment",
]
