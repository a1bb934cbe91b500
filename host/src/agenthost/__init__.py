"""agenthost: one MCP server out of many plugins. This module is all that a plugin author imports."""

from agenthost.commands import App, run_plugin
from agenthost.context import CallContext, Caller, PluginContext, Registry
from agenthost.contributions import (
    Audio,
    Content,
    EmbeddedResource,
    Image,
    ResourceLink,
    Result,
    Text,
    Tool,
    tool,
)
from agenthost.errors import (
    AgenthostError,
    ContributionRefused,
    InvalidParams,
    NotFound,
    OperatorError,
    ProtocolError,
    ToolError,
)
from agenthost.hookspecs import hookimpl
from agenthost.scenes import Answer, Scene, SceneClient
from agenthost.trust import Trusted

__version__ = "0.1.0"

__all__ = [
    "AgenthostError",
    "Answer",
    "App",
    "Audio",
    "CallContext",
    "Caller",
    "Content",
    "ContributionRefused",
    "EmbeddedResource",
    "Image",
    "InvalidParams",
    "NotFound",
    "OperatorError",
    "PluginContext",
    "ProtocolError",
    "Registry",
    "ResourceLink",
    "Result",
    "Scene",
    "SceneClient",
    "Text",
    "Tool",
    "ToolError",
    "Trusted",
    "hookimpl",
    "run_plugin",
    "tool",
]
