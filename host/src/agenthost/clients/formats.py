"""The formats of clients' files: what an editor of one can do, and why it may not want to."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Protocol, cast

Format = Literal["json", "toml"]


class NotEditable(ValueError):
    """A text cannot be edited exactly; says why and where."""


class Editor(Protocol):
    """What `jsonedit` and `tomledit` offer; each says more about it."""

    def read(self, text: str) -> dict[str, Any]:
        """What is in the text, strictly."""

    def read_leniently(self, text: str) -> dict[str, Any] | None:
        """What is in a text that `read` refuses, or None."""

    def put(self, text: str, path: Sequence[str], value: Any) -> str:
        """The text with the member at `path` set."""

    def remove(self, text: str, path: Sequence[str]) -> str:
        """The text without the member at `path`."""

    def undo(self, text: str, path: Sequence[str], earlier: Iterable[str]) -> str | None:
        """The text among `earlier` out of which `put` made this one, or None."""

    def render(self, path: Sequence[str], value: Any) -> str:
        """The member as it is to be pasted, without what is around it."""


def editor(format: Format) -> Editor:  # noqa: A002 - it is the word
    """The editor of that format; imported when it is used, since tomlkit is large."""
    return cast("Editor", importlib.import_module(f"agenthost.clients.{format}edit"))
