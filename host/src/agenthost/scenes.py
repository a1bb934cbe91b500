"""A plugin's scene for `agenthost demo`: what it shows and the small client it talks through."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool call gave back.

    Attributes:
        text: all text blocks, joined by line feeds.
        structured: `structuredContent`, or None.
        is_error: whether the tool reported an error.
    """

    text: str
    structured: dict[str, Any] | None
    is_error: bool


class SceneClient(Protocol):
    """One MCP client of a scene, connected to its own server process."""

    async def tools(self) -> list[str]:
        """The names of the tools that the server lists now."""

    async def call(self, name: str, /, **arguments: Any) -> Answer:
        """Call a tool. Raises if the server answers with a JSON-RPC error."""

    async def prompts(self) -> list[str]:
        """The names of the prompts that the server lists now."""

    async def prompt(self, name: str, /, **arguments: str) -> str:
        """The text of a prompt. Raises if the server answers with a JSON-RPC error."""

    async def read(self, uri: str) -> str:
        """The text of a resource. Raises if the server answers with a JSON-RPC error."""


Say = Callable[[str], None]
"""Prints a line of the narrator."""


@dataclass(frozen=True)
class Scene:
    """A short conversation that shows what a plugin is for.

    Attributes:
        title: one line, printed above the scene.
        run: `async run(clients, say)`; raise to make the demo fail.
        processes: how many servers to start, on one state directory, with one client each.
        settings: the plugin's settings for the scene, as in `[plugins.<name>]`.
    """

    title: str
    run: Callable[[Sequence[SceneClient], Say], Awaitable[None]]
    processes: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)
