"""agenthost: one MCP server out of many plugins. This module is all that a plugin author imports."""

from typing import TYPE_CHECKING, Any

from agenthost.background import repeating
from agenthost.commands import App, run_plugin
from agenthost.content import (
    Audio,
    Content,
    Contents,
    EmbeddedResource,
    Image,
    Message,
    PromptResult,
    ResourceLink,
    Result,
    Text,
)
from agenthost.context import CallContext, Caller, PluginContext, Registry
from agenthost.contributions import (
    Argument,
    Prompt,
    Resource,
    ResourceTemplate,
    Tool,
    prompt,
    resource,
    tool,
)
from agenthost.errors import (
    AgenthostError,
    ContributionRefused,
    InvalidParams,
    NotFound,
    OperatorError,
    ProtocolError,
    StorageError,
    ToolError,
)
from agenthost.extensions import Extension
from agenthost.hookspecs import hookimpl
from agenthost.inputs import Elicit, Elicited, InputRequired, Inputs, Root, Roots, Sample, Sampled
from agenthost.migrations import Schema, Step
from agenthost.scenes import Answer, Say, Scene, SceneClient
from agenthost.trust import Trusted

if TYPE_CHECKING:
    from agenthost.storage import Store, Transaction

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """The storage's types are for annotations; they come when asked for, since they bring the database along."""
    if name in ("Store", "Transaction"):
        import agenthost.storage

        return getattr(agenthost.storage, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "AgenthostError",
    "Answer",
    "App",
    "Argument",
    "Audio",
    "CallContext",
    "Caller",
    "Content",
    "Contents",
    "ContributionRefused",
    "Elicit",
    "Elicited",
    "EmbeddedResource",
    "Extension",
    "Image",
    "InputRequired",
    "Inputs",
    "InvalidParams",
    "Message",
    "NotFound",
    "OperatorError",
    "PluginContext",
    "Prompt",
    "PromptResult",
    "ProtocolError",
    "Registry",
    "Resource",
    "ResourceLink",
    "ResourceTemplate",
    "Result",
    "Root",
    "Roots",
    "Sample",
    "Sampled",
    "Say",
    "Scene",
    "SceneClient",
    "Schema",
    "Step",
    "StorageError",
    "Store",
    "Text",
    "Tool",
    "ToolError",
    "Transaction",
    "Trusted",
    "hookimpl",
    "prompt",
    "repeating",
    "resource",
    "run_plugin",
    "tool",
]
